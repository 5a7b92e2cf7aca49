"""Exact solvers of the play with open cards: for two hands, and for three or four."""

from spades_agents.solvers.batch import Solved, nil_can_be_broken, solve_four, solve_two

__all__ = ["Solved", "nil_can_be_broken", "solve_four", "solve_two"]
