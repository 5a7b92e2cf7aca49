"""The blind nil question and the bids."""

from __future__ import annotations

from spades_env.cards import BID_0, BLIND_NIL
from spades_env.engine.jit import jit
from spades_env.engine.state import BID, BLIND, BLIND_BID, DRAFT, EXCHANGE, LOOKED, NO_BID, PLAY, UNASKED


@jit
def nth_bidder(s, r, n):
    """The seat at index ``n`` of the bidding order."""
    return (s.opener + r.bids_first + n) % r.players


@jit
def next_bidder(s, r):
    """Turn to the next seat without a bid, first with the blind nil question if it is open; then start the play."""
    while s.turn < r.players:
        seat = nth_bidder(s, r, s.turn)
        if s.bids[seat] == NO_BID:
            s.seat = seat
            s.phase = BLIND if s.blind[seat] == UNASKED else BID
            return
        s.turn += 1
    s.seat = s.leader
    s.phase = PLAY


@jit
def answer_blind(s, r, action):
    """Carry out BLIND_NIL or LOOK."""
    seat = s.seat
    if action == BLIND_NIL:
        s.blind[seat] = BLIND_BID
        s.bids[seat] = 0
    else:
        s.blind[seat] = LOOKED
    if r.draft:
        s.phase = DRAFT
    elif action != BLIND_NIL:
        s.phase = BID
    elif r.exchange > 0:
        s.phase = EXCHANGE
    else:
        next_bidder(s, r)


@jit
def bid(s, r, action):
    """Carry out BID_0 or a higher bid."""
    s.bids[s.seat] = action - BID_0
    next_bidder(s, r)
