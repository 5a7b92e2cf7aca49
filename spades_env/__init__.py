"""Spades for reinforcement learning: a compiled, batched engine under the standard interfaces."""

__version__ = "0.1.0"
