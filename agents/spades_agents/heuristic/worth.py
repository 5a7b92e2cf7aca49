"""What a card is worth: the chance that it wins a trick later."""

from __future__ import annotations

import math

import numpy as np

from spades_agents.compiler import jit
from spades_agents.heuristic.notes import power
from spades_env.engine.bits import U64, bit, popcount, suit_mask

# P(a Poisson count of mean m is at most j), at [j, 4 * m].
AT_MOST = np.array(
    [
        [sum(math.exp(-m / 4) * (m / 4) ** i / math.factorial(i) for i in range(j + 1)) for m in range(56)]
        for j in range(17)
    ]
)


@jit
def highest(cards):
    """The highest card of a set, which must not be empty."""
    card = 51
    while not cards & bit(card):
        card -= 1
    return card


@jit
def foe(r, me, seat):
    """Whether ``seat`` scores for another side than ``me``."""
    return seat % r.sides != me % r.sides


@jit
def rate_cards(s, r, w):
    """Fill ``worth`` for the cards of the seat on turn."""
    me = s.seat
    hand = s.hands[me]
    spades_out = popcount(w.out & suit_mask(3))
    for suit in range(4):
        mine = hand & suit_mask(suit)
        if mine == U64(0):
            continue
        out = w.out & suit_mask(suit)
        length = popcount(out)
        held = 0.0
        for seat in range(r.players):
            if seat != me and foe(r, me, seat):
                held += w.chance[4 * seat + suit]
        held = min(held, 1.0)
        mine_left = popcount(mine)
        for j in range(popcount(mine)):
            card = 13 * suit + 12
            while not mine & bit(card):
                card -= 1
            mine ^= bit(card)
            mine_left -= 1
            higher = popcount(out >> U64(card))
            clear = power(1.0 - held, higher)
            if mine_left >= higher and higher > 0:
                clear += 0.3 * (1.0 - clear)
            # chance that a foe follows to fewer than j + 1 rounds
            short = 1.0
            for seat in range(r.players):
                if seat != me and foe(r, me, seat):
                    mean = w.chance[4 * seat + suit] * length
                    few = AT_MOST[j, int(4.0 * mean)]
                    if suit < 3:
                        few *= 1.0 - power(1.0 - w.chance[4 * seat + 3], spades_out)
                        short *= 1.0 - few
                    else:
                        short *= few
            if suit < 3:
                w.worth[card] = clear * short
            else:
                w.worth[card] = 1.0 - (1.0 - clear) * (1.0 - short)
