"""The public path of training runs; see :mod:`spades_training.learning.train`."""

from spades_training.learning.config import Config
from spades_training.learning.monitor import TrainingError
from spades_training.learning.train import new_run, train

__all__ = ["Config", "TrainingError", "new_run", "train"]
