"""A sequential test of which of two players is better; it may be evaluated after every pair of matches.

The score of a pair lies between -1 and 1 and has mean 0 if the players are equal. Suppose that a gambler bets on A at
fair odds, staking the share ``bet`` of the current wealth on each pair. After pairs with scores x1, x2, ... the wealth
is ``(1 + bet * x1) * (1 + bet * x2) * ...`` times the initial wealth. If A is not better, no such bet has a positive
expected gain, and the chance that the wealth ever reaches ``1 / error`` is at most ``error`` (Ville, Étude critique de
la notion de collectif, 1939). This holds however often the test is evaluated and whenever the matches stop. The wealth
is spread over several bets because the best one is not known in advance. (Testing and estimation by betting:
Waudby-Smith and Ramdas, Estimating means of bounded random variables by betting, JRSS B 86, 2024.)

Several pairings are tested together, each in both directions. The chance that any verdict is wrong is at most the sum
of their error probabilities (Bonferroni), even if the pairings share decks.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

import numpy as np

BETS = np.geomspace(0.01, 0.98, 16)


def verdict(scores: np.ndarray, error: float) -> int:
    """1 if A is certainly better, -1 if B is, otherwise 0.

    Args:
        scores: float64 of shape (pairs,), A's score in each pair, from -1 to 1, in the order of play.
        error: maximum chance of ever returning 1 or -1 for equal players, or of naming the weaker player.
    """
    needed = math.log(2 / error)  # half of the error for each direction
    first = {}
    for sign in (1, -1):
        growth = np.log1p(sign * BETS * scores[:, None]).cumsum(axis=0)
        wealth = np.logaddexp.reduce(growth, axis=1) - math.log(len(BETS))
        reached = np.flatnonzero(wealth >= needed)
        if len(reached):
            first[sign] = reached[0]
    return min(first, key=first.__getitem__, default=0)


def order_is_certain(order: Sequence[int], verdicts: Mapping[tuple[int, int], int]) -> bool:
    """Whether every player in ``order``, best first, is certainly better than the next one.

    Args:
        order: the players.
        verdicts: the value of :func:`verdict` for each pairing (a, b) with a < b.
    """
    neighbours = itertools.pairwise(order)
    return all(verdicts[a, b] == 1 if a < b else verdicts[b, a] == -1 for a, b in neighbours)
