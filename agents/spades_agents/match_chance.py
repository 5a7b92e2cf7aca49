"""The chance of winning the match, in compiled code, from a lookup table or a formula.

See :mod:`spades_agents.match_value` for the tables.
"""

import math

import numpy as np

from spades_agents.compiler import jit
from spades_agents.contract import Standing, worth

# The first two axes of the lookup table are the points of a side minus its bags, in tens; the last entry is ten below
# the target. With the presets' scoring the last digit of a score is the number of bags, so (tens, bags) loses nothing.
# Below the first entry the chance falls by a factor of e every FADE tens: a constant would make further losses free.
FADE = 12.0
# Constants of the formula, by maximum likelihood on a grid: who won 1,500 matches each of `cutthroat` and `solo`
# between scripted players, predicted from the scores before every hand.
SCALE = 30.0
PER_HAND = 50.0


@jit
def cell(values, mine, other, mine_bags, other_bags):
    """The lookup table, interpolated and extrapolated; ``mine`` and ``other`` are places on its first two axes."""
    behind = min(mine, 0.0)
    ahead = min(other, 0.0)
    last = len(values) - 1
    x = min(max(mine, 0.0), np.float64(last))
    y = min(max(other, 0.0), np.float64(last))
    i = min(np.int64(x), last - 1)
    j = min(np.int64(y), last - 1)
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
def place_of(values, r, standing):
    """The place of a :class:`Standing` on the first two axes of the lookup table."""
    bags = standing.bags if r.bag_limit > 0 else 0
    return (standing.score - bags - r.target) * 0.1 + len(values)


@jit
def bag_entry(values, r, bags):
    """The entry for ``bags`` on the last two axes of the lookup table; each stands for equally many bags."""
    entries = values.shape[2]
    return min(bags * entries // r.bag_limit, entries - 1) if r.bag_limit > 0 else 0


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
    own = place_of(values, r, mine)
    other = place_of(values, r, theirs)
    bags = bag_entry(values, r, mine.bags)
    other_bags = bag_entry(values, r, theirs.bags)
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
