"""Random cards and sets of cards, and the number of ways to deal cards to hands."""

from __future__ import annotations

import math

import numpy as np

from spades_env.engine.bits import U64, below, bit, popcount, random_word, select
from spades_env.engine.jit import jit

# BINOMIAL[n, k] is the number of ways to choose k of n cards, exact.
BINOMIAL = np.array([[math.comb(n, k) for k in range(53)] for n in range(53)], np.float64)


@jit
def draw_card(rng, cards):
    """A random card from a set."""
    return select(cards, below(rng, popcount(cards)))


@jit
def draw_set(rng, cards, count):
    """A random subset of ``count`` cards."""
    drawn = U64(0)
    for _ in range(count):
        card = bit(draw_card(rng, cards))
        cards ^= card
        drawn |= card
    return drawn


@jit
def draw_unit(rng):
    """A uniform number in [0, 1) of 53 bits."""
    return np.float64(random_word(rng) >> U64(11)) * 2.0**-53


@jit
def split_hands(counts, sizes, threshold):
    """Count the deals of hidden cards to the hands a, b and c, split by split of the cards that only two may hold.

    Args:
        counts: numbers of cards that may go to a or b, to a or c, to b or c, to anyone.
        sizes: numbers of cards that a, b and c still need.
        threshold: stop at the split with which the running count exceeds this.

    Returns:
        (count so far, cards of the first kind to a, of the second to a, of the third to b)
    """
    ab, ac, bc, anyone = counts
    size_a, size_b, size_c = sizes
    ways = 0.0
    last_i, last_j, last_k = 0, 0, 0
    for i in range(ab + 1):
        for j in range(ac + 1):
            any_a = size_a - i - j
            if any_a < 0 or any_a > anyone:
                continue
            for k in range(bc + 1):
                any_b = size_b - (ab - i) - k
                any_c = size_c - (ac - j) - (bc - k)
                if any_b < 0 or any_c < 0:
                    continue
                ways += (
                    (BINOMIAL[ab, i] * BINOMIAL[ac, j] * BINOMIAL[bc, k])
                    * BINOMIAL[anyone, any_a]
                    * BINOMIAL[anyone - any_a, any_b]
                )
                last_i, last_j, last_k = i, j, k
                if ways > threshold:
                    return ways, i, j, k
    return ways, last_i, last_j, last_k
