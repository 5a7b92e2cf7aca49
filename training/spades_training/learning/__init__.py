"""Reinforcement learning: self-play with MaskablePPO, imitation, and what they need."""
