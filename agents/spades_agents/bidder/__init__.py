"""A player that bids with a fitted model of what each bid is worth, and plays like the scripted player."""

from spades_agents.bidder.agent import BidderAgent

__all__ = ["BidderAgent"]
