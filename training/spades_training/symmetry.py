"""Suits other than spades are alike: a decision with its suits renamed is as good an example as the original."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from spades_agents.card_features import FEATURES, SETS, SUIT, SUITS_AT, TRICK_SUIT_AT

from spades_env.cards import NUM_ACTIONS, NUM_CARDS, SPADES
from spades_env.observation import LAYOUT, SIZE
from spades_env.rules import Rules

__all__ = ["suit_swaps"]


def suit_swaps(rules: Rules, features: bool, hint: bool, hidden: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """The ways to rename the suits that leave the game as it is; the first changes nothing.

    Args:
        rules: the rules. Three players have no two of clubs: there only diamonds and hearts are alike.
        features: whether those of :mod:`spades_agents.card_features` follow the observation.
        hint: whether then one bit for each action follows.
        hidden: how many sets of cards come last, those that the critic sees.

    Returns:
        For each: the columns of what the learner sees and the actions, both int64, so that ``seen[:, columns]`` and
        ``ratings[:, actions]`` are those of the renamed decisions.
    """
    swaps = []
    for order in permutations(range(SPADES)):
        if 0 in rules.deck or order[0] == 0:
            suits = np.array([*order, SPADES])
            swaps.append((_columns(suits, features, hint, hidden), _actions(suits)))
    return swaps


def _cards(suits: np.ndarray) -> np.ndarray:
    cards = np.arange(NUM_CARDS)
    return 13 * suits[cards // 13] + cards % 13


def _actions(suits: np.ndarray) -> np.ndarray:
    actions = np.arange(NUM_ACTIONS)
    actions[:NUM_CARDS] = _cards(suits)
    return actions


def _columns(suits: np.ndarray, features: bool, hint: bool, hidden: int) -> np.ndarray:
    cards = _cards(suits)
    parts = [np.arange(SIZE)]
    for field in LAYOUT:
        for part in field.slices:
            if field.width == NUM_CARDS:
                parts[0][part] = part.start + cards
            elif field.name == "voids":
                parts[0][part] = part.start + suits
    if features:
        found = np.arange(FEATURES)
        for k in range(SETS):
            found[NUM_CARDS * k : NUM_CARDS * (k + 1)] = NUM_CARDS * k + cards
        for suit, other in enumerate(suits):
            start = SUITS_AT + SUIT * suit
            found[start : start + SUIT] = SUITS_AT + SUIT * other + np.arange(SUIT)
        found[TRICK_SUIT_AT : TRICK_SUIT_AT + 4] = TRICK_SUIT_AT + suits
        parts.append(found)
    if hint:
        parts.append(_actions(suits))
    parts += [cards] * hidden
    starts = np.cumsum([0, *map(len, parts)])
    return np.concatenate([part + start for part, start in zip(parts, starts[:-1], strict=True)])
