"""One decision of the scripted player, by phase."""

from __future__ import annotations

from spades_agents.compiler import jit
from spades_agents.heuristic.bidding import bids_blind, choose_bid
from spades_agents.heuristic.draft import keeps
from spades_agents.heuristic.exchange import choose_exchange
from spades_agents.heuristic.play import choose_card
from spades_env.cards import BID_0, BLIND_NIL, KEEP, LOOK, REJECT
from spades_env.engine.state import BID, BLIND, DRAFT, PLAY


@jit
def decide(s, r, w):
    """The action of the seat on turn, from a state that holds only what it may know; ``w`` is scratch, one NOTES."""
    phase = s.phase
    if phase == PLAY:
        return choose_card(s, r, w)
    if phase == DRAFT:
        return KEEP if keeps(s, r) else REJECT
    if phase == BID:
        return BID_0 + choose_bid(s, r)
    if phase == BLIND:
        return BLIND_NIL if bids_blind(s, r) else LOOK
    return choose_exchange(s, r)
