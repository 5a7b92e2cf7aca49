"""What a card counter works out before a play: the cards still out, and who may hold them."""

from __future__ import annotations

import numpy as np

from spades_agents.compiler import jit
from spades_env.cards import ALL_CARDS
from spades_env.engine.bits import U64, popcount, suit_mask

# Working notes of one decision. The caller owns the record; nothing in it outlives the decision.
NOTES = np.dtype(
    [
        ("out", "u8"),  # cards that others may still hold
        (
            "chance",
            "f8",
            16,
        ),  # at [4 * seat + suit]: chance that a given card of the suit that is out is held there
        ("worth", "f8", 52),  # for each own card: the chance that it wins a trick later
        ("value", "f8", 4),  # by seat: points gained, by my side over the others, if the seat takes this trick
        ("wins", "f8", 4),  # by seat: chance to win this trick
        ("left", "i8", 4),  # by seat: cards held
    ],
    align=True,
)


@jit
def power(base, n):
    """``base ** n`` for a small whole ``n``."""
    result = 1.0
    for _ in range(n):
        result *= base
    return result


@jit
def known_cards(s, r, seat):
    """Cards that ``seat`` knows to be in no other hand."""
    known = s.hands[seat]
    exchanged = False
    for other in range(r.players):
        known |= s.plays[other]
        if other < 2 and other != seat and s.exchanged[other] > 0:
            exchanged = True
    if r.players == 2:
        known |= s.given[seat]
        # what came back in an exchange came from the pile
        known |= s.seen[seat] if not exchanged else U64(0)
    if r.players == 3:
        known |= U64(1)
    return known


@jit
def take_notes(s, r, w):
    """Fill ``out``, ``left`` and ``chance``."""
    me = s.seat
    out = U64(ALL_CARDS) & ~known_cards(s, r, me)
    w.out = out
    for seat in range(r.players):
        w.left[seat] = r.hand_size - popcount(s.plays[seat])
    if r.players == 2:
        # the rest of the cards that are out lies in the pile
        other = 1 - me
        possible = out
        for suit in range(4):
            if (s.voids[other] >> suit) & 1:
                possible &= ~suit_mask(suit)
        density = w.left[other] / max(popcount(possible), 1)
        for suit in range(4):
            w.chance[4 * other + suit] = 0.0 if (s.voids[other] >> suit) & 1 else min(density, 1.0)
            w.chance[4 * me + suit] = 0.0
        return
    for suit in range(4):
        total = 0.0
        for seat in range(r.players):
            if seat != me and not (s.voids[seat] >> suit) & 1:
                total += w.left[seat]
        for seat in range(r.players):
            able = seat != me and not (s.voids[seat] >> suit) & 1
            w.chance[4 * seat + suit] = w.left[seat] / max(total, 1.0) if able else 0.0
