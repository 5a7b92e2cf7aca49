"""Duplicate matches: ``from spades_training.evaluate import evaluate``; see :mod:`spades_training.evaluation`."""

from spades_training.evaluation.evaluate import PlayerResult, Result, evaluate

__all__ = ["PlayerResult", "Result", "evaluate"]
