"""Players that search: they rate every action in sampled worlds."""

from spades_agents.search.player import PIMCAgent, RolloutAgent
from spades_agents.solvers import Solved, nil_can_be_broken, solve_four, solve_two

__all__ = ["PIMCAgent", "RolloutAgent", "Solved", "nil_can_be_broken", "solve_four", "solve_two"]
