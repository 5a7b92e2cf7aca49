"""What a trick is worth in points, to each seat that may take it."""

from __future__ import annotations

import math

import numpy as np

from spades_agents.compiler import jit
from spades_agents.heuristic.hand import game_of
from spades_env.engine.bits import lowest
from spades_env.engine.state import ALL_BAGS, BLIND_BID, CONTRACT

# The normal distribution function at z = -4, -3.9 ... 4.
NORMAL = np.array([0.5 * (1.0 + math.erf(k / 10 / math.sqrt(2.0))) for k in range(-40, 41)])

# At [game]: how much of the tricks that the sides' claims leave over (or lack) is dealt out among them. This and the
# other constants below were found by matches between players that differ in one of them.
CLAIM = np.array([0.75, 0.5, 0.5, 0.5])
# How much dearer a bag is than its share of the penalty.
BAG_WEIGHT = np.array([1.3, 1.0, 1.0, 1.0])


@jit
def normal(z):
    """Chance that a standard normal number is below ``z``."""
    place = min(max(10.0 * z + 40.0, 0.0), 79.999)
    k = int(place)
    return NORMAL[k] + (place - k) * (NORMAL[k + 1] - NORMAL[k])


@jit
def bag_cost(s, r, side):
    """Points that one more bag costs a side: its share of the penalty, less the point it scores."""
    if r.bag_limit == 0:
        return -1.0
    return BAG_WEIGHT[game_of(r)] * r.bag_penalty / r.bag_limit - 1.0


@jit
def nil_points(s, r, seat):
    """Points that the nil of ``seat`` wins or loses."""
    return r.blind_nil if s.blind[seat] == BLIND_BID else r.nil


@jit
def nil_alive(s, seat):
    """Whether the seat bid nil and has taken no trick yet."""
    return s.bids[seat] == 0 and s.tricks[seat] == 0


@jit
def expect_tricks(s, r, w, side):
    """Tricks that a side will yet take toward its contract."""
    me = s.seat
    mean = 0.0
    for seat in range(side, r.players, r.sides):
        if seat == me and s.bids[me] > 0:
            cards = s.hands[me]
            while cards:
                card = lowest(cards)
                cards &= cards - np.uint64(1)
                mean += w.worth[card]
        elif seat != me and s.bids[seat] > 0:
            mean += max(s.bids[seat] - s.tricks[seat], 0) + 0.1 * w.left[seat] / r.players
    return mean


@jit
def value_tricks(s, r, w):
    """Fill ``value``."""
    me = s.seat
    left = float(w.left[me])
    total = 0.0
    for side in range(r.sides):
        total += expect_tricks(s, r, w, side)
    for side in range(r.sides):
        contract = 0
        counted = 0
        for seat in range(side, r.players, r.sides):
            if s.bids[seat] > 0:
                contract += s.bids[seat]
                counted += s.tricks[seat]
            elif r.failed_nil == CONTRACT:
                counted += s.tricks[seat]
        need = contract - counted
        own = expect_tricks(s, r, w, side)
        # the sides' claims seldom add up: split the difference
        mean = own + CLAIM[game_of(r)] * (left - total) / r.sides
        mean = min(max(mean * (left - 1.0) / left, 0.0), left)
        spread = 0.2 + 0.28 * math.sqrt(left)
        at_least = 1.0 - normal((need - 0.5 - mean) / spread)
        one_more = 1.0 - normal((need - 1.5 - mean) / spread)
        bag = bag_cost(s, r, side)
        gain = 0.0
        if contract > 0:
            gain = (one_more - at_least) * 20.0 * contract - at_least * bag
        sign = 1.0 if side == me % r.sides else -1.0 / (r.sides - 1)
        for seat in range(side, r.players, r.sides):
            if s.bids[seat] > 0:
                w.value[seat] = sign * gain
            elif nil_alive(s, seat):
                w.value[seat] = -sign * 2.0 * nil_points(s, r, seat)
            elif r.failed_nil == CONTRACT:
                w.value[seat] = sign * gain
            elif r.failed_nil == ALL_BAGS:
                w.value[seat] = -sign * (bag + 1.0)
            else:
                w.value[seat] = 0.0
