"""The commands for playing: ``spades play``, ``replay`` and ``engine``."""
