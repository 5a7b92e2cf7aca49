"""How many tricks to bid."""

from __future__ import annotations

import math

import numpy as np

from spades_agents.compiler import jit
from spades_agents.heuristic.strength import BASE_TRICKS, CARD_TRICKS, SHORT_TRICKS
from spades_env.engine.bits import bit, popcount, suit_mask
from spades_env.engine.state import NO_BID

# Added to the expected tricks before rounding down, by number of players.
OFFSET = np.array([0.3, 0.3, 0.3])
TRUST = 0.3


@jit
def hand_tricks(hand, players):
    """Tricks that a hand takes on average, if everybody plays for tricks."""
    game = players - 2
    tricks = BASE_TRICKS[game]
    spades = min(popcount(hand & suit_mask(3)), 6)
    for suit in range(4):
        mine = hand & suit_mask(suit)
        length = popcount(mine)
        trump = 1 if suit == 3 else 0
        if suit < 3 and length < 3:
            tricks += SHORT_TRICKS[game, length, spades]
        above = 0
        card = 13 * suit + 12
        while mine:
            if mine & bit(card):
                tricks += CARD_TRICKS[game, trump, above, card - 13 * suit]
                mine ^= bit(card)
                above = min(above + 1, 3)
            card -= 1
    return tricks


@jit
def choose_bid(s, r):
    """A bid of 1 or more."""
    me = s.seat
    tricks = hand_tricks(s.hands[me], r.players)
    share = r.hand_size / r.players
    # What the others bid says how much is left.
    surplus = r.hand_size - tricks
    heard = 0
    for seat in range(r.players):
        if seat != me and s.bids[seat] != NO_BID:
            surplus -= s.bids[seat]
            heard += 1
        elif seat != me:
            surplus -= share
    if heard > 0:
        tricks += TRUST * surplus * heard / (r.players - 1)
    return max(1, min(int(math.floor(tricks + OFFSET[r.players - 2])), r.hand_size))
