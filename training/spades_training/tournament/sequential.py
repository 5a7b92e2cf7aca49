"""When is it certain who of two players is the better one? A test that may look after every pair of matches.

The score of a pair, from -1 to 1, has the mean 0 if both are equal. Somebody who bets on A with fair odds, a share
``bet`` of what he has on each pair, has after pairs with the scores x1, x2, ... a wealth of
``(1 + bet * x1) * (1 + bet * x2) * ...`` times that which he began with. If A is not the better one no such bet has a
gain in the mean, and his wealth ever reaches ``1 / error`` with a chance of at most ``error`` (Ville, Étude critique de
la notion de collectif, 1939). So it does not matter how often one looks, and when one stops. Wealth is spread over
several bets, as nobody knows before which one grows fastest. (Testing and estimation by such bets: Waudby-Smith and
Ramdas, Estimating means of bounded random variables by betting, JRSS B 86, 2024.)

Several pairings are tested at a time, each in both directions. That any of them is decided wrongly has at most the
chance of all their errors together (Bonferroni), whatever they have in common, such as decks.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

import numpy as np

__all__ = ["order_is_certain", "verdict"]

BETS = np.geomspace(0.01, 0.98, 16)


def verdict(scores: np.ndarray, error: float) -> int:
    """1 if A is the better one, -1 if B is, 0 if that is not certain.

    Args:
        scores: float64 of shape (pairs,), of A in each pair, from -1 to 1, in the order in which they were played.
        error: the chance that the verdict is ever 1 or -1 if both are equal, or names the weaker one.
    """
    needed = math.log(2 / error)  # half of the error for either direction
    first = {}
    for sign in (1, -1):
        growth = np.log1p(sign * BETS * scores[:, None]).cumsum(axis=0)
        wealth = np.logaddexp.reduce(growth, axis=1) - math.log(len(BETS))
        reached = np.flatnonzero(wealth >= needed)
        if len(reached):
            first[sign] = reached[0]
    return min(first, key=first.__getitem__, default=0)


def order_is_certain(order: Sequence[int], verdicts: Mapping[tuple[int, int], int]) -> bool:
    """Whether every player in ``order``, best first, is certainly better than the one that follows.

    Args:
        order: players.
        verdicts: for each pairing (a, b) with a < b, as :func:`verdict` gives it.
    """
    neighbours = itertools.pairwise(order)
    return all(verdicts[a, b] == 1 if a < b else verdicts[b, a] == -1 for a, b in neighbours)
