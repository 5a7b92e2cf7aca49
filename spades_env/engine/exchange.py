"""The exchange of a blind nil bidder: give up cards and receive as many from the discard pile."""

from __future__ import annotations

from spades_env.cards import DONE
from spades_env.engine.bidding import next_bidder, nth_bidder
from spades_env.engine.bits import GOLDEN, U64, below, bit, popcount, select
from spades_env.engine.jit import jit
from spades_env.engine.state import BLIND_BID, EXCHANGE


@jit
def next_exchange(s, r):
    """After the draft, turn to the next blind nil bidder in bidding order; after the last one start the bidding."""
    while r.exchange > 0 and s.turn < r.players:
        seat = nth_bidder(s, r, s.turn)
        s.turn += 1
        if s.blind[seat] == BLIND_BID:
            s.seat = seat
            s.phase = EXCHANGE
            return
    s.turn = 0
    next_bidder(s, r)


@jit
def exchange(s, r, action):
    """Give up a card, or end the exchange with DONE. Returns True once the replacements have been drawn."""
    seat = s.seat
    if action != DONE:
        card = bit(action)
        s.hands[seat] ^= card
        s.given[seat] |= card
        s.exchanged[seat] += 1
        if s.exchanged[seat] < r.exchange:
            return False
    draw_replacements(s, seat)
    if r.draft:
        next_exchange(s, r)
    else:
        next_bidder(s, r)
    return True


@jit
def draw_replacements(s, seat):
    """Draw as many random cards from the pile as the seat has given up, unless a replay has already fixed them.

    Either way the random stream advances by a word for each card.
    """
    received = s.received[seat]
    s.rng[0] += U64(popcount(received)) * GOLDEN
    pile = s.pile & ~received
    for _ in range(s.exchanged[seat] - popcount(received)):
        card = bit(select(pile, below(s.rng, popcount(pile))))
        pile ^= card
        received |= card
    s.pile = pile
    s.received[seat] = received
    s.hands[seat] |= received
