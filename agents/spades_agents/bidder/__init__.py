"""A player that bids by a fitted model of what each bid is worth, and plays as the scripted player does."""

from spades_agents.bidder.agent import BidderAgent

__all__ = ["BidderAgent"]
