"""Work on other machines, through the interface of :class:`concurrent.futures.Executor`."""

from spades_training.cluster.connect import connect

__all__ = ["connect"]
