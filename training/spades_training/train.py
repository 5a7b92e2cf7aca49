"""The public path of training runs; see :mod:`spades_training.learning.train`."""

from spades_training.learning.train import new_run, train

__all__ = ["new_run", "train"]
