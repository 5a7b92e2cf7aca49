"""The worth of a card: the chance that it wins a trick later.

A card is worth no less than a lower own card of its suit.
"""

import math

import numpy as np

from spades_agents.compiler import jit
from spades_agents.heuristic.hand import game_of
from spades_agents.heuristic.notes import above
from spades_agents.heuristic.strength import CARD_WORTH
from spades_env.engine.bits import U64, lowest, popcount, suit_mask

# The distribution function of a Poisson count with mean m, indexed by [j, 4 * m]: the chance of at most j.
AT_MOST = np.array(
    [
        [sum(math.exp(-m / 4) * (m / 4) ** i / math.factorial(i) for i in range(j + 1)) for m in range(56)]
        for j in range(17)
    ]
)


@jit
def foe(r, me, seat):
    """Whether ``seat`` is on another side than ``me``."""
    return seat != me if r.sides == r.players else (seat ^ me) & 1 == 1  # cheaper than % sides


@jit
def card_worth(game, spade, time, clear, short, lower, higher):
    """The fitted chance that a card wins a trick later.

    Args:
        game: index of the game in the fitted constants.
        spade: whether the card is a spade.
        time: cards left in the hand, in thirteenths.
        clear: chance that no foe holds a higher card of the suit.
        short: for a spade, the chance that all foes run out of spades before it is played, highest first; for
            another card, the chance that no foe can ruff it then.
        lower: own lower cards of the suit.
        higher: higher cards of the suit that are out.
    """
    k = CARD_WORTH[game, 1 if spade else 0]
    both = clear * short
    worth = k[0] + k[2] * clear + k[3] * short + k[4] * both
    worth += time * (k[1] + k[5] * clear + k[6] * short + k[7] * both)
    if lower >= higher:
        worth += k[8] * (1.0 - clear) + k[9] * clear
    if lower > 0:
        worth += k[10]
    return min(max(worth, 0.0), 1.0)


@jit
def rate_cards(s, r, w):
    """Fill ``w.worth`` for the cards of the seat on turn."""
    me = s.seat
    hand = s.hands[me]
    game = game_of(r)
    time = w.left[me] / 13.0
    for suit in range(4):
        mine = hand & suit_mask(suit)
        out = w.out & suit_mask(suit)
        lower = 0
        rounds = popcount(mine)
        least = 0.0
        while mine:
            card = lowest(mine)
            mine &= mine - U64(1)
            rounds -= 1
            clear = 1.0
            short = 1.0
            for seat in range(r.players):
                if not foe(r, me, seat):
                    continue
                clear *= w.clear[4 * card + seat]
                # chance that the foe runs out of the suit first, if own cards are played highest first
                few = AT_MOST[rounds, w.quarters[4 * seat + suit]]
                short *= few if suit == 3 else 1.0 - few * (1.0 - w.void[4 * seat + 3])
            worth = card_worth(game, suit == 3, time, clear, short, lower, popcount(above(out, card)))
            least = max(least, worth)
            w.worth[card] = least
            lower += 1
