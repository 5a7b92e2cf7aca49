"""Stable-Baselines3: ``from spades_training.sb3 import SpadesVecEnv``; see :mod:`spades_training.learning.sb3`."""

from spades_training.learning.sb3 import OraclePolicy, SpadesVecEnv, UsedBits

__all__ = ["OraclePolicy", "SpadesVecEnv", "UsedBits"]
