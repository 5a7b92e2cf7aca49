"""Tournaments: round robins of duplicate matches between any agents, with ratings that know how certain they are."""

from spades_training.tournament.run import run_tournament
from spades_training.tournament.schedule import Settings, make_settings

__all__ = ["Settings", "make_settings", "run_tournament"]
