"""The chance to win the match, from the sides' scores and bags and who opens the next hand.

For games of two sides under the presets' scoring it is looked up in a table found by value iteration
(:mod:`spades_agents.match_table`); for all others it is a formula fitted to matches between scripted players.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from importlib import resources

import numpy as np

from spades_agents.compiler import jit
from spades_env.rules import PRESETS, Rules

__all__ = ["LOWEST", "STEPS", "after_hand", "chances", "match_table", "side_chance", "win_chance"]

# The table's first two axes are the points of a side less its bags, in tens, from LOWEST on: with the presets'
# scoring the last digit of a score tells the bags, so that (tens, bags) loses nothing. Below LOWEST the chance falls by
# a factor of e every FADE tens: were it level there, a side so far behind would think that losing more is free.
STEPS = 70
LOWEST = -20
FADE = 12.0
BAGS = 10
TARGET = 500
# Of the formula, for games of other rules: the likeliest of a grid for who won 1,500 matches each of `cutthroat` and
# `solo` between scripted players, told from the scores before every hand.
SCALE = 30.0
PER_HAND = 50.0


@functools.cache
def _stored(name: str) -> np.ndarray:
    """The table of a preset: float32 of shape (STEPS, STEPS, BAGS, BAGS)."""
    with (resources.files("spades_agents") / "match_value.npz").open("rb") as file:
        packed = np.load(file, allow_pickle=False)[name]
    return unpack(packed)


def pack(table: np.ndarray) -> np.ndarray:
    """A table as uint16 differences along the second axis in steps of 1/4096: they compress to about a byte each."""
    steps = np.rint(table * 4096).astype(np.int32)
    return np.diff(steps, axis=1, prepend=0).astype(np.int16)


def unpack(packed: np.ndarray) -> np.ndarray:
    """The inverse of :func:`pack`."""
    return (np.cumsum(packed, axis=1, dtype=np.int32) / 4096).astype(np.float32)


def match_table(rules: Rules) -> np.ndarray:
    """The table for these rules, for the kernels; of size 0 where the formula has to do.

    The table of a preset serves all rules of its kind (two players, or partners) with the same price of nils and bags:
    another target moves the scores by the difference, and other differences matter little.
    """
    for name in ("two_player", "partnership"):
        preset = PRESETS[name]
        same = ("players", "partners", "bag_limit", "bag_penalty", "nil")
        if all(getattr(rules, field) == getattr(preset, field) for field in same):
            return _stored(name)
    return np.zeros((0, 0, 0, 0), np.float32)


@jit
def cell(values, mine, other, mine_bags, other_bags):
    """The table between four of its cells; ``mine`` and ``other`` are places on the first two axes, in tens."""
    behind = min(mine, 0.0)
    ahead = min(other, 0.0)
    value = inner(values, min(max(mine, 0.0), STEPS - 1.0), min(max(other, 0.0), STEPS - 1.0), mine_bags, other_bags)
    if behind < ahead:
        value *= math.exp((behind - ahead) / FADE)
    elif ahead < behind:
        value = 1.0 - (1.0 - value) * math.exp((ahead - behind) / FADE)
    return value


@jit
def inner(values, mine, other, mine_bags, other_bags):
    """The same within the table."""
    i = min(np.int64(mine), STEPS - 2)
    j = min(np.int64(other), STEPS - 2)
    x = mine - i
    y = other - j
    low = values[i, j, mine_bags, other_bags] * (1.0 - y) + values[i, j + 1, mine_bags, other_bags] * y
    if x == 0.0:
        return low
    high = values[i + 1, j, mine_bags, other_bags] * (1.0 - y) + values[i + 1, j + 1, mine_bags, other_bags] * y
    return low * (1.0 - x) + high * x


@jit
def win_chance(values, r, score, bags, other_score, other_bags, opens):
    """The chance of a side of two to win the match, before a hand.

    Args:
        values: what :func:`match_table` gives.
        r: the record of the rules.
        score: points of the side.
        bags: its bag counter.
        other_score: points of the other side.
        other_bags: its bag counter.
        opens: whether the side opens the hand.
    """
    if score != other_score and match_ends(r, max(score, other_score), min(score, other_score)):
        return 1.0 if score > other_score else 0.0
    if values.size == 0:
        mine = worth(r, score, bags)
        theirs = worth(r, other_score, other_bags)
        return 1.0 / (1.0 + math.exp(-(mine - theirs) / spread(r, max(score, other_score))))
    mine = (score - bags + TARGET - r.target) * 0.1 - LOWEST
    theirs = (other_score - other_bags + TARGET - r.target) * 0.1 - LOWEST
    bags = min(bags, BAGS - 1)
    other_bags = min(other_bags, BAGS - 1)
    if opens:
        return np.float64(cell(values, mine, theirs, bags, other_bags))
    return 1.0 - np.float64(cell(values, theirs, mine, other_bags, bags))


@jit
def after_hand(r, score, bags, contract, counted, points, loose):
    """Points and bags of a side after a hand.

    Args:
        r: the record of the rules.
        score: points before the hand.
        bags: bags before it.
        contract: sum of the bids that are not nil.
        counted: tricks that count toward it.
        points: of nils.
        loose: bags of failed nils.
    """
    score += points
    bags += loose
    over = counted - contract
    if contract > 0 and over < 0:
        score -= 10 * contract
    elif contract > 0:
        score += 10 * contract + over
        bags += over
    if r.bag_limit > 0:
        score -= r.bag_penalty * (bags // r.bag_limit)
        bags %= r.bag_limit
    return score, bags


@jit
def match_ends(r, best, worst):
    """Whether scores like these end the match, if one side alone has the best."""
    return best >= r.target or worst <= r.loss


@jit
def worth(r, score, bags):
    """Points, less each bag's share of the penalty to come."""
    if r.bag_limit == 0:
        return np.float64(score)
    return score - bags * r.bag_penalty / np.float64(r.bag_limit)


@jit
def spread(r, best):
    """The scale, in points, of what luck may still change once the leader has ``best`` points."""
    return SCALE * math.sqrt(1.0 + max(r.target - best, 0) / PER_HAND)


@jit
def side_chance(values, s, r, side, opener):
    """The chance of ``side`` to win the match from the scores and bags in ``s``, ``opener`` opening the next hand."""
    if r.sides == 2:
        other = 1 - side
        scores = s.scores
        opens = opener % 2 == side
        return win_chance(values, r, scores[side], s.bags[side], scores[other], s.bags[other], opens)
    best = s.scores[0]
    worst = s.scores[0]
    leaders = 0
    for k in range(r.sides):
        best = max(best, s.scores[k])
        worst = min(worst, s.scores[k])
    for k in range(r.sides):
        leaders += 1 if s.scores[k] == best else 0
    if leaders == 1 and match_ends(r, best, worst):
        return 1.0 if s.scores[side] == best else 0.0
    total = 0.0
    scale = spread(r, best)
    mine = worth(r, s.scores[side], s.bags[side])
    for k in range(r.sides):
        total += math.exp(min((worth(r, s.scores[k], s.bags[k]) - mine) / scale, 50.0))
    return 1.0 / total


@jit
def chances(values, states, rules, rows, sides, found):
    """Set ``found[k]`` to the chance of side ``sides[k]`` to win at table ``rows[k]``, where a hand has just begun."""
    for k in range(len(rows)):
        s = states[rows[k]]
        found[k] = side_chance(values, s, rules[0], sides[k], s.opener)


def chance(rules: Rules, scores: list[int], bags: list[int], side: int = 0, opener: int = 0) -> float:
    """The same for one position, from Python.

    Args:
        rules: the rules.
        scores: points of each side.
        bags: bag counter of each side.
        side: whose chance.
        opener: the seat that opens the next hand.
    """
    from spades_env.game import Game

    game = Game(dataclasses.replace(rules), seed=0, scores=scores, bags=bags, opener=opener)
    return float(_side_chance_one(match_table(rules), game.state, game.rules_array, side, opener))


@jit
def _side_chance_one(values, states, rules, side, opener):
    return side_chance(values, states[0], rules[0], side, opener)
