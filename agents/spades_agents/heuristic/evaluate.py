"""The value of a trick in points, for each seat that may take it."""

import math

import numpy as np

from spades_agents.compiler import jit
from spades_agents.heuristic.hand import game_of
from spades_env.engine.bits import U64, lowest
from spades_env.engine.state import ALL_BAGS, BLIND_BID, CONTRACT

# The standard normal distribution function at z = -4, -3.9, ..., 4.
NORMAL = np.array([0.5 * (1.0 + math.erf(k / 10 / math.sqrt(2.0))) for k in range(-40, 41)])

# By game: the share of the tricks left over (or missing) after all sides' claims that is divided among the sides. The
# constants of this file were tuned by matches between players that differ in one of them.
CLAIM = np.array([0.75, 0.5, 0.5, 0.5])
# The cost of a bag relative to its share of the penalty.
BAG_WEIGHT = 1.3


@jit
def normal(z):
    """The standard normal distribution function, interpolated."""
    place = min(max(10.0 * z + 40.0, 0.0), 79.999)
    k = int(place)
    return NORMAL[k] + (place - k) * (NORMAL[k + 1] - NORMAL[k])


@jit
def bag_cost(r):
    """Points that one more bag costs: its weighted share of the penalty minus the point that it scores."""
    if r.bag_limit == 0:
        return -1.0
    return BAG_WEIGHT * r.bag_penalty / r.bag_limit - 1.0


@jit
def nil_points(s, r, seat):
    """Points that ``seat`` wins or loses by its nil."""
    return r.blind_nil if s.blind[seat] == BLIND_BID else r.nil


@jit
def nil_alive(s, seat):
    """Whether the seat has bid nil and not taken a trick."""
    return s.bids[seat] == 0 and s.tricks[seat] == 0


@jit
def claim_tricks(s, r, w):
    """Fill ``w.claim``."""
    me = s.seat
    for side in range(r.sides):
        claim = 0.0
        for seat in range(side, r.players, r.sides):
            if s.bids[seat] <= 0:
                continue
            if seat != me:
                claim += max(s.bids[seat] - s.tricks[seat], 0) + 0.1 * w.left[seat] / r.players
                continue
            cards = s.hands[me]
            while cards:
                claim += w.worth[lowest(cards)]
                cards &= cards - U64(1)
        w.claim[side] = claim


@jit
def made_chance(need, left, mean, spread):
    """The chance of ``need`` or more tricks among ``left``; certain where the rules leave no choice."""
    if need <= 0:
        return 1.0
    return 1.0 - normal((need - 0.5 - mean) / spread) if need <= left else 0.0


@jit
def trick_gain(s, r, w, side, unclaimed):
    """Points that a side gains by a trick that counts toward its contract.

    ``unclaimed`` is its part of the tricks left over (or missing) after all sides' claims.
    """
    contract = 0
    need = 0
    for seat in range(side, r.players, r.sides):
        if s.bids[seat] > 0:
            contract += s.bids[seat]
            need += s.bids[seat] - s.tricks[seat]
        elif r.failed_nil == CONTRACT:
            need -= s.tricks[seat]
    if contract == 0:
        return 0.0
    left = float(w.left[s.seat])
    mean = (w.claim[side] + unclaimed) * (left - 1.0) / left
    mean = min(max(mean, 0.0), left)
    spread = 0.2 + 0.28 * math.sqrt(left)
    made_without = made_chance(need, left - 1.0, mean, spread)
    made_with = made_chance(need - 1, left - 1.0, mean, spread)
    return (made_with - made_without) * 20.0 * contract - made_without * bag_cost(r)


@jit
def value_tricks(s, r, w):
    """Fill ``w.value``."""
    claim_tricks(s, r, w)
    me = s.seat
    unclaimed = float(w.left[me])
    for side in range(r.sides):
        unclaimed -= w.claim[side]
    unclaimed *= CLAIM[game_of(r)] / r.sides
    for side in range(r.sides):
        gain = trick_gain(s, r, w, side, unclaimed)
        sign = 1.0 if side == me % r.sides else -1.0 / (r.sides - 1)
        for seat in range(side, r.players, r.sides):
            if nil_alive(s, seat):
                w.value[seat] = -sign * 2.0 * nil_points(s, r, seat)
            elif s.bids[seat] > 0 or r.failed_nil == CONTRACT:
                w.value[seat] = sign * gain
            elif r.failed_nil == ALL_BAGS:
                w.value[seat] = -sign * (bag_cost(r) + 1.0)
            else:
                w.value[seat] = 0.0
