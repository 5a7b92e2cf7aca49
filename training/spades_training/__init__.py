"""Training, evaluation and tournaments for Spades players."""
