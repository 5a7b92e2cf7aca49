"""Exact solvers of the play with open cards, and the players that search with them."""

from spades_agents.search.batch import Solved, solve_two

__all__ = ["Solved", "solve_two"]
