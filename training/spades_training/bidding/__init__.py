"""Bidding research: played hands as data, models fitted to them, and open-card and known results to check them."""
