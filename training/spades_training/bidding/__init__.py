"""Bidding research: hands played to learn from, models of them, and known results to check them by."""
