"""Spades for PettingZoo, version 0: ``spades_v0.env()``; see :mod:`spades_env.envs.aec`."""

from spades_env.envs.aec import env, parallel_env, raw_env

__all__ = ["env", "parallel_env", "raw_env"]
