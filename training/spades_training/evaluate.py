"""The public path of duplicate matches; see :mod:`spades_training.evaluation`."""

from spades_training.evaluation.evaluate import PlayerResult, Result, evaluate

__all__ = ["PlayerResult", "Result", "evaluate"]
