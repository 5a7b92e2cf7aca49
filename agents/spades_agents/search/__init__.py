"""Exact solvers of the play with open cards, and the players that search with them."""

from spades_agents.search.batch import Solved, nil_can_be_broken, solve_four, solve_two
from spades_agents.search.player import PIMCAgent, RolloutAgent

__all__ = ["PIMCAgent", "RolloutAgent", "Solved", "nil_can_be_broken", "solve_four", "solve_two"]
