"""What a trick is worth in points, to each seat that may take it."""

from __future__ import annotations

import math

import numpy as np

from spades_agents.compiler import jit
from spades_agents.heuristic.hand import game_of
from spades_env.engine.bits import U64, lowest
from spades_env.engine.state import ALL_BAGS, BLIND_BID, CONTRACT

# The normal distribution function at z = -4, -3.9 ... 4.
NORMAL = np.array([0.5 * (1.0 + math.erf(k / 10 / math.sqrt(2.0))) for k in range(-40, 41)])

# At [game]: how much of the tricks that the sides' claims leave over (or lack) is dealt out among them. This and the
# other constants below were found by matches between players that differ in one of them.
CLAIM = np.array([0.75, 0.5, 0.5, 0.5])
# How much dearer a bag is than its share of the penalty.
BAG_WEIGHT = 1.3


@jit
def normal(z):
    """Chance that a standard normal number is below ``z``."""
    place = min(max(10.0 * z + 40.0, 0.0), 79.999)
    k = int(place)
    return NORMAL[k] + (place - k) * (NORMAL[k + 1] - NORMAL[k])


@jit
def bag_cost(r):
    """Points that one more bag costs: its share of the penalty, less the point it scores."""
    if r.bag_limit == 0:
        return -1.0
    return BAG_WEIGHT * r.bag_penalty / r.bag_limit - 1.0


@jit
def nil_points(s, r, seat):
    """Points that the nil of ``seat`` wins or loses."""
    return r.blind_nil if s.blind[seat] == BLIND_BID else r.nil


@jit
def nil_alive(s, seat):
    """Whether the seat bid nil and has taken no trick yet."""
    return s.bids[seat] == 0 and s.tricks[seat] == 0


@jit
def claim_tricks(s, r, w):
    """Fill ``claim``."""
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
def trick_gain(s, r, w, side, unclaimed):
    """Points that a trick is worth to a side if it counts toward its contract.

    ``unclaimed`` is its part of the tricks that the claims of all sides leave over (or lack).
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
    made_without = 1.0 - normal((need - 0.5 - mean) / spread)
    made_with = 1.0 - normal((need - 1.5 - mean) / spread)
    return (made_with - made_without) * 20.0 * contract - made_without * bag_cost(r)


@jit
def value_tricks(s, r, w):
    """Fill ``value``."""
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
