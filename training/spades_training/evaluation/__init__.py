"""Duplicate matches between players, with confidence intervals."""
