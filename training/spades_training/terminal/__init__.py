"""The terminal: tables, progress bars, and matches between a person and an agent."""
