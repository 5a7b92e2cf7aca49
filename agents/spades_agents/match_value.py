"""The chance of winning the match, from the scores and bags of the sides and the seat that opens the next hand.

For games of two sides under the presets' scoring it comes from a lookup table that value iteration found
(:mod:`spades_agents.match_table`). For all other games it is a formula fitted to matches between scripted players.
"""

from __future__ import annotations

import functools
import math
from importlib import resources

import numpy as np

from spades_agents.compiler import jit
from spades_agents.contract import Standing, worth
from spades_env.game import Game
from spades_env.rules import PRESETS, Rules

# The first two axes of the lookup table are the points of a side minus its bags, in tens, starting at LOWEST. With the
# presets' scoring the last digit of a score is the number of bags, so (tens, bags) loses nothing. Below LOWEST the
# chance falls by a factor of e every FADE tens: a constant would make further losses free.
STEPS = 70
LOWEST = -20
FADE = 12.0
BAGS = 10
TARGET = 500
# Constants of the formula, by maximum likelihood on a grid: who won 1,500 matches each of `cutthroat` and `solo`
# between scripted players, predicted from the scores before every hand.
SCALE = 30.0
PER_HAND = 50.0


@functools.cache
def _stored(name: str) -> np.ndarray:
    """The lookup table of a preset: float32 of shape (STEPS, STEPS, BAGS, BAGS)."""
    with (resources.files("spades_agents") / "match_value.npz").open("rb") as file:
        packed = np.load(file, allow_pickle=False)[name]
    return unpack(packed)


def pack(table: np.ndarray) -> np.ndarray:
    """A lookup table as int16 differences along its second axis, in steps of 1/4096; they compress to a byte each."""
    steps = np.rint(table * 4096).astype(np.int32)
    return np.diff(steps, axis=1, prepend=0).astype(np.int16)


def unpack(packed: np.ndarray) -> np.ndarray:
    """The inverse of :func:`pack`."""
    return (np.cumsum(packed, axis=1, dtype=np.int32) / 4096).astype(np.float32)


def match_table(rules: Rules) -> np.ndarray:
    """The lookup table for ``rules``, for the kernels; empty where the formula is used.

    The table of a preset serves all rules with the same players, partners, nil and bag penalty. Another target shifts
    the scores by the difference; other differences matter little.
    """
    for name in ("two_player", "partnership"):
        preset = PRESETS[name]
        same = ("players", "partners", "bag_limit", "bag_penalty", "nil")
        if all(getattr(rules, field) == getattr(preset, field) for field in same):
            return _stored(name)
    return np.zeros((0, 0, 0, 0), np.float32)


@jit
def cell(values, mine, other, mine_bags, other_bags):
    """The lookup table, interpolated and extrapolated; ``mine`` and ``other`` are places on its first two axes."""
    behind = min(mine, 0.0)
    ahead = min(other, 0.0)
    x = min(max(mine, 0.0), STEPS - 1.0)
    y = min(max(other, 0.0), STEPS - 1.0)
    i = min(np.int64(x), STEPS - 2)
    j = min(np.int64(y), STEPS - 2)
    x -= i
    y -= j
    value = values[i, j, mine_bags, other_bags] * (1.0 - y) + values[i, j + 1, mine_bags, other_bags] * y
    if x != 0.0:
        high = values[i + 1, j, mine_bags, other_bags] * (1.0 - y) + values[i + 1, j + 1, mine_bags, other_bags] * y
        value = value * (1.0 - x) + high * x
    if behind < ahead:
        value *= math.exp((behind - ahead) / FADE)
    elif ahead < behind:
        value = 1.0 - (1.0 - value) * math.exp((ahead - behind) / FADE)
    return value


@jit
def win_chance(values, r, mine, theirs, opens):
    """The chance that one of two sides wins the match, before a hand.

    Args:
        values: see :func:`match_table`.
        r: the packed rules.
        mine: the :class:`Standing` of the side.
        theirs: that of the other side.
        opens: whether the side opens the hand.
    """
    best = max(mine.score, theirs.score)
    if mine.score != theirs.score and match_ends(r, best, min(mine.score, theirs.score)):
        return 1.0 if mine.score > theirs.score else 0.0
    if values.size == 0:
        return 1.0 / (1.0 + math.exp(-(worth(r, mine) - worth(r, theirs)) / spread(r, best)))
    own = (mine.score - mine.bags + TARGET - r.target) * 0.1 - LOWEST
    other = (theirs.score - theirs.bags + TARGET - r.target) * 0.1 - LOWEST
    bags = min(mine.bags, BAGS - 1)
    other_bags = min(theirs.bags, BAGS - 1)
    if opens:
        return np.float64(cell(values, own, other, bags, other_bags))
    return 1.0 - np.float64(cell(values, other, own, other_bags, bags))


@jit
def match_ends(r, best, worst):
    """Whether the match ends with these scores, provided that only one side has the best."""
    return best >= r.target or worst <= r.loss


@jit
def spread(r, best):
    """The scale, in points, of what luck may still change when the leader has ``best`` points."""
    return SCALE * math.sqrt(1.0 + max(r.target - best, 0) / PER_HAND)


@jit
def side_chance(values, s, r, side, opener):
    """The chance that ``side`` wins the match, from the scores and bags in ``s``; ``opener`` opens the next hand."""
    mine = Standing(s.scores[side], s.bags[side])
    if r.sides == 2:
        other = 1 - side
        return win_chance(values, r, mine, Standing(s.scores[other], s.bags[other]), opener % 2 == side)
    best = s.scores[0]
    worst = s.scores[0]
    leaders = 0
    for k in range(r.sides):
        best = max(best, s.scores[k])
        worst = min(worst, s.scores[k])
    for k in range(r.sides):
        leaders += 1 if s.scores[k] == best else 0
    if leaders == 1 and match_ends(r, best, worst):
        return 1.0 if mine.score == best else 0.0
    total = 0.0
    scale = spread(r, best)
    own = worth(r, mine)
    for k in range(r.sides):
        total += math.exp(min((worth(r, Standing(s.scores[k], s.bags[k])) - own) / scale, 50.0))
    return 1.0 / total


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
