"""The public path of duplicate matches; see :mod:`spades_training.evaluation`."""

from spades_training.evaluation.evaluate import Result, evaluate
from spades_training.evaluation.intervals import Estimate
from spades_training.evaluation.totals import PlayerResult

__all__ = ["Estimate", "PlayerResult", "Result", "evaluate"]
