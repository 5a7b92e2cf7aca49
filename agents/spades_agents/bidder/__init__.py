"""A player that bids by what a fitted model says each bid is worth, and plays as the scripted player."""

from spades_agents.bidder.agent import BidderAgent

__all__ = ["BidderAgent"]
