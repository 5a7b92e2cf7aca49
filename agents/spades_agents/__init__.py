"""Players of Spades: random, scripted, searching and learned."""

from spades_agents.base import Agent, BatchAgent, Rating, StochasticAgent
from spades_agents.registry import AGENTS, make_agent

__all__ = ["AGENTS", "Agent", "BatchAgent", "Rating", "StochasticAgent", "make_agent"]
