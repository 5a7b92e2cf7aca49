"""Tournaments: round robins of duplicate matches between agents, and ratings with confidence intervals."""

from spades_training.tournament.run import run_tournament
from spades_training.tournament.schedule import Settings, make_settings

__all__ = ["Settings", "make_settings", "run_tournament"]
