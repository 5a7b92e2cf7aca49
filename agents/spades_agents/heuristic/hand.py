"""The value of a hand before the play: its expected tricks, and the odds of a nil."""

import math

from spades_agents.compiler import jit
from spades_agents.heuristic.strength import BASE_NIL, BASE_TRICKS, CARD_NIL, CARD_TRICKS, SHORT_TRICKS
from spades_env.engine.bits import U64, bit, lowest, popcount, suit_mask


@jit
def game_of(r):
    """Index of the game in the fitted tables."""
    return 3 if r.sides < r.players else r.players - 2


@jit
def hand_game(r):
    """Index of the game in the tables about whole hands: :func:`game_of`, or 4 for dealt hands of two players."""
    return 4 if r.players == 2 and not r.draft else game_of(r)


@jit
def hand_tricks(hand, game):
    """Expected tricks of a hand when everyone plays for tricks; ``game`` comes from :func:`hand_game`."""
    tricks = BASE_TRICKS[game]
    spades = min(popcount(hand & suit_mask(3)), 6)
    for suit in range(4):
        mine = hand & suit_mask(suit)
        length = popcount(mine)
        trump = 1 if suit == 3 else 0
        if suit < 3 and length < 3:
            tricks += SHORT_TRICKS[game, length, spades]
        above = length - 1
        while mine:
            card = lowest(mine)
            mine &= mine - U64(1)
            tricks += CARD_TRICKS[game, trump, min(above, 3), card - 13 * suit]
            above -= 1
    return tricks


@jit
def nil_log_odds(hand, game):
    """Log odds that a nil with this hand is made; ``game`` comes from :func:`hand_game`."""
    odds = BASE_NIL[game]
    for suit in range(4):
        mine = hand & suit_mask(suit)
        trump = 1 if suit == 3 else 0
        lower = 0
        while mine:
            card = lowest(mine)
            mine &= mine - U64(1)
            odds += CARD_NIL[game, trump, min(lower, 3), card - 13 * suit]
            lower += 1
    return odds


@jit
def nil_gain(hand, card, game):
    """Log odds that ``card`` adds to a nil with ``hand``, from its rank and the lower cards of its suit."""
    suit = card // 13
    lower = popcount(hand & suit_mask(suit) & (bit(card) - U64(1)))
    return CARD_NIL[game, 1 if suit == 3 else 0, min(lower, 3), card - 13 * suit]


@jit
def nil_chance(log_odds):
    """The probability for ``log_odds``."""
    return 1.0 / (1.0 + math.exp(-log_odds))
