"""The scripted player: rules of thumb of good club players, in compiled code."""

from spades_agents.heuristic.agent import HeuristicAgent

__all__ = ["HeuristicAgent"]
