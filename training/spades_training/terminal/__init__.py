"""The terminal: tables, progress bars, and a match against a person."""
