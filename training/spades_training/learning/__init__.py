"""Reinforcement learning: self-play with MaskablePPO, imitation and learning from rollouts."""
