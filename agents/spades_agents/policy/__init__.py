"""Trained players: the input of a policy, its network, its files, and the players that ship with the package."""
