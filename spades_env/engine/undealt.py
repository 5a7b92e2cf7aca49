"""Three or four players and a deck that does not come out even: which of the hidden cards were not dealt."""

from __future__ import annotations

import numpy as np

from spades_env.engine.bits import U64, popcount
from spades_env.engine.jit import jit
from spades_env.engine.lots import BINOMIAL, draw_set, draw_unit, split_hands


@jit
def of_kind(hidden, allowed, kind):
    """The hidden cards that exactly the hands in the set ``kind`` may hold: bit 0 for a, 1 for b, 2 for c."""
    for_a, for_b, for_c = allowed
    cards = hidden
    cards &= for_a if kind & 1 else ~for_a
    cards &= for_b if kind & 2 else ~for_b
    return cards & (for_c if kind & 4 else ~for_c)


@jit
def taken_of(taken, kind):
    """How many cards of a kind there are in ``taken``, which has four bits for each kind."""
    return (taken >> 4 * kind) & 15


@jit
def count_left(hidden, allowed, taken, kind):
    """How many cards of a kind are left without those taken."""
    return popcount(of_kind(hidden, allowed, kind)) - taken_of(taken, kind)


@jit
def ways_without(hidden, allowed, sizes, taken):
    """The number of ways to take these numbers of cards of each kind and to deal the rest."""
    ways = 1.0
    for kind in range(8):
        ways *= BINOMIAL[popcount(of_kind(hidden, allowed, kind)), taken_of(taken, kind)]
    if ways == 0.0 or count_left(hidden, allowed, taken, 0) > 0:
        return 0.0
    left = (
        count_left(hidden, allowed, taken, 3),
        count_left(hidden, allowed, taken, 5),
        count_left(hidden, allowed, taken, 6),
        count_left(hidden, allowed, taken, 7),
    )
    needed = (
        sizes[0] - count_left(hidden, allowed, taken, 1),
        sizes[1] - count_left(hidden, allowed, taken, 2),
        sizes[2] - count_left(hidden, allowed, taken, 4),
    )
    if min(needed[0], needed[1], needed[2]) < 0:
        return 0.0
    return ways * split_hands(left, needed, np.inf)[0]


@jit
def sample_undealt(hidden, allowed, sizes, count, rng):
    """Draw the cards that were not dealt, so that every deal of the hidden cards is equally likely.

    Args:
        hidden: the cards that the observer has not seen.
        allowed: for each of the hands a, b and c, the hidden cards that it may hold.
        sizes: numbers of cards in these hands.
        count: number of cards that were not dealt, 1 to 3.
        rng: uint64 of shape (1,), the random stream.

    Returns:
        The set of these cards.
    """
    total = 0.0
    chosen = 0
    for i in range(8):
        for j in range(i if count > 1 else 7, 8):
            for k in range(j if count > 2 else 7, 8):
                taken = 1 << 4 * i
                if count > 1:
                    taken += 1 << 4 * j
                if count > 2:
                    taken += 1 << 4 * k
                ways = ways_without(hidden, allowed, sizes, taken)
                total += ways
                if ways > 0.0 and draw_unit(rng) * total < ways:
                    chosen = taken
    cards = U64(0)
    for kind in range(8):
        cards |= draw_set(rng, of_kind(hidden, allowed, kind), taken_of(chosen, kind))
    return cards
