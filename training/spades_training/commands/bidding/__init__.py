"""The commands about bidding: ``spades bid``, ``bidding-data`` and ``bidding-fit``."""
