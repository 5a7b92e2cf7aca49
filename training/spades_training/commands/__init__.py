"""The commands of ``spades``, one module each."""
