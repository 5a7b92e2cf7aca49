"""The chance of winning the match, from the scores and bags of the sides and the seat that opens the next hand.

For games of two sides it comes from a lookup table that value iteration found (:mod:`spades_agents.match_table`). The
tables of three presets ship with the package; others are computed on first use and kept on disk. With more than two
sides it is a formula fitted to matches between scripted players.
"""

from __future__ import annotations

import functools
from importlib import resources

import numpy as np

from spades_agents.compiler import jit
from spades_agents.match_chance import side_chance
from spades_agents.match_table import SHIPPED, kept, unpack
from spades_env.game import Game
from spades_env.rules import PRESETS, Rules


@functools.cache
def _stored(name: str) -> np.ndarray:
    """The lookup table of a preset that ships with the package."""
    with (resources.files("spades_agents") / "match_value.npz").open("rb") as file:
        packed = np.load(file, allow_pickle=False)[name]
    return unpack(packed)


def match_table(rules: Rules) -> np.ndarray:
    """The lookup table for exactly these rules, for the kernels; empty where the formula is used.

    Returns:
        float32 of shape (steps, steps, bags, bags), indexed by own points, other points, own bags and other bags: the
        chance of the side that opens the hand. Empty with more than two sides.
    """
    if rules.sides != 2:
        return np.zeros((0, 0, 0, 0), np.float32)
    for name in SHIPPED:
        if rules == PRESETS[name]:
            return _stored(name)
    return kept(rules)


@jit
def chances(values, states, rules, rows, sides, found):
    """Set ``found[k]`` to the chance of side ``sides[k]`` to win at table ``rows[k]``, at the start of a hand."""
    for k in range(len(rows)):
        s = states[rows[k]]
        found[k] = side_chance(values, s, rules[0], sides[k], s.opener)


def chance(rules: Rules, scores: list[int], bags: list[int], side: int = 0, opener: int = 0) -> float:
    """The chance that a side wins the match.

    Args:
        rules: the rules.
        scores: points of each side.
        bags: bag counter of each side.
        side: the side.
        opener: the seat that opens the next hand.
    """
    game = Game(rules, seed=0, scores=scores, bags=bags, opener=opener)
    found = np.zeros(1)
    chances(match_table(rules), game.state, game.rules_array, np.zeros(1, np.int64), np.array([side]), found)
    return float(found[0])
