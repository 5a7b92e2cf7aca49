"""The features of a hand before the bidding."""

from __future__ import annotations

import numpy as np

from spades_agents.compiler import jit
from spades_agents.heuristic.hand import hand_tricks, nil_log_odds
from spades_env.engine.bits import bit, popcount, suit_mask
from spades_env.rules import Rules

# Name and meaning of each feature.
FEATURES = {
    "fitted_tricks": "expected tricks when everyone plays for tricks",
    "nil_odds": "log odds of a made nil",
    "spades": "spades held",
    "sure_tricks": "spades from the ace down without a gap, or in excess of all other hands' if that is more",
    "high_spades": "ace, king and queen of spades held",
    "aces": "aces of other suits",
    "kings": "kings of other suits",
    "queens": "queens of other suits",
    "voids": "other suits without a card",
    "singletons": "other suits of one card",
    "doubletons": "other suits of two cards",
    "longest": "cards of the longest other suit",
}


@jit
def spade_run(hand):
    """The feature ``sure_tricks``; at most :func:`spades_agents.certain.sure_tricks`."""
    spades = hand & suit_mask(3)
    run = 0
    while spades & bit(51 - run):
        run += 1
    return max(run, 2 * popcount(spades) - 13)


@jit
def fill_features(hand, game, out):
    """Write the :data:`FEATURES` of a hand; ``game`` comes from :func:`spades_agents.heuristic.hand.game_of`."""
    out[0] = hand_tricks(hand, game)
    out[1] = nil_log_odds(hand, game)
    out[2] = popcount(hand & suit_mask(3))
    out[3] = spade_run(hand)
    for k in range(4, 12):
        out[k] = 0.0
    for rank in range(10, 13):
        out[4] += 1.0 if hand & bit(39 + rank) else 0.0
    for suit in range(3):
        length = popcount(hand & suit_mask(suit))
        for below in range(3):
            out[5 + below] += 1.0 if hand & bit(13 * suit + 12 - below) else 0.0
        if length < 3:
            out[8 + length] += 1.0
        out[11] = max(out[11], np.float64(length))


@jit
def fill_rows(hands, game, out):
    """:func:`fill_features` for an array of hands."""
    for k in range(hands.size):
        fill_features(hands[k], game, out[k])


def hand_features(hands: np.ndarray, rules: Rules) -> np.ndarray:
    """The :data:`FEATURES` of full hands.

    Args:
        hands: uint64[n], sets of cards.
        rules: the rules; the worth of a card depends on the game.

    Returns:
        float64[n, len(FEATURES)].
    """
    out = np.zeros((len(hands), len(FEATURES)))
    game = 3 if rules.partners else rules.players - 2
    fill_rows(np.ascontiguousarray(hands, np.uint64), game, out)
    return out
