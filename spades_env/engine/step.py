"""One decision: the legal actions, and what an action does."""

from __future__ import annotations

from spades_env.cards import BID_0, BLIND_NIL, DONE, KEEP, LOOK, REJECT
from spades_env.engine.bidding import answer_blind, bid
from spades_env.engine.bits import U64, bit, popcount, select
from spades_env.engine.deal import start_hand
from spades_env.engine.draft import draft
from spades_env.engine.exchange import exchange
from spades_env.engine.jit import jit
from spades_env.engine.play import play, playable
from spades_env.engine.scoring import match_winner, score_hand
from spades_env.engine.state import BID, BLIND, DRAFT, EXCHANGE, OVER, PLAY

# What a step returns.
NOTHING, HAND_ENDED, MATCH_ENDED, EXCHANGED = range(4)

_BLIND_HIGH = U64((1 << BLIND_NIL | 1 << LOOK) >> 64)
_DRAFT_HIGH = U64((1 << KEEP | 1 << REJECT) >> 64)
_DONE_HIGH = U64((1 << DONE) >> 64)


@jit
def legal(s, r):
    """The set of legal actions as two words: actions 0 to 63, then 64 to 74 from bit 0."""
    phase = s.phase
    if phase == PLAY:
        return playable(s, r), U64(0)
    if phase == DRAFT:
        return U64(0), _DRAFT_HIGH
    if phase == BID:
        bids = (U64(2) << U64(r.hand_size)) - U64(1)
        return bids << U64(BID_0), bids >> U64(64 - BID_0)
    if phase == BLIND:
        return U64(0), _BLIND_HIGH
    if phase == EXCHANGE:
        return s.hands[s.seat], _DONE_HIGH
    return U64(0), U64(0)


@jit
def is_legal(low, high, action):
    """Whether ``action`` is in the set of :func:`legal`."""
    if action < 0 or action > DONE:
        return False
    return (low & bit(action) if action < 64 else high & bit(action - 64)) != U64(0)


@jit
def nth_legal(low, high, n):
    """The legal action that has ``n`` legal actions below it."""
    below_64 = popcount(low)
    if n < below_64:
        return select(low, n)
    return 64 + select(high, n - below_64)


@jit
def step(s, r, action):
    """Carry out a legal action; after a hand the next one starts automatically. Returns NOTHING, HAND_ENDED,
    MATCH_ENDED or EXCHANGED (a blind nil bidder has received its replacements).
    """
    phase = s.phase
    if phase == PLAY:
        if play(s, r, action):
            return end_hand(s, r)
    elif phase == DRAFT:
        draft(s, r, action)
    elif phase == BID:
        bid(s, r, action)
    elif phase == BLIND:
        answer_blind(s, r, action)
    elif exchange(s, r, action):
        return EXCHANGED
    return NOTHING


@jit
def end_hand(s, r):
    """Score the hand, then end the match or start the next hand."""
    score_hand(s, r)
    s.winner = match_winner(s, r)
    if s.winner >= 0:
        s.phase = OVER
        return MATCH_ENDED
    start_hand(s, r, (s.opener + 1) % r.players)
    return HAND_ENDED
