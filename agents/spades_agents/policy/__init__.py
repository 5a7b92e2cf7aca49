"""Trained players: what a policy sees, its network, model files, and the players that ship with the package."""
