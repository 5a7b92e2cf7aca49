"""Suits other than spades are alike: a decision with its suits renamed is as good an example as the original."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import permutations

import numpy as np
from spades_agents.policy import card_features
from spades_agents.policy.card_features import FEATURES
from spades_agents.policy.policy_input import PolicyInput

from spades_env.cards import NUM_ACTIONS, NUM_CARDS, SPADES
from spades_env.observation import LAYOUT, SIZE, Field
from spades_env.rules import Rules

__all__ = ["suit_swaps"]

SUIT_BITS = ("voids", "led")  # fields with one bit for each suit
SUIT_SLICES = ("own", "hidden", "mastered", "above")  # and with one slice for each


def suit_swaps(rules: Rules, layout: PolicyInput) -> list[tuple[np.ndarray, np.ndarray]]:
    """The ways to rename the suits that leave the game as it is; the first changes nothing.

    Args:
        rules: the rules. Three players have no two of clubs: there only diamonds and hearts are alike.
        layout: the columns of what the learner sees.

    Returns:
        For each: the columns of what the learner sees and the actions, both int64, so that ``seen[:, columns]`` and
        ``ratings[:, actions]`` are those of the renamed decisions.
    """
    swaps = []
    for order in permutations(range(SPADES)):
        if 0 in rules.deck or order[0] == 0:
            suits = np.array([*order, SPADES])
            swaps.append((_columns(suits, layout), _actions(suits)))
    return swaps


def _cards(suits: np.ndarray) -> np.ndarray:
    cards = np.arange(NUM_CARDS)
    return 13 * suits[cards // 13] + cards % 13


def _actions(suits: np.ndarray) -> np.ndarray:
    actions = np.arange(NUM_ACTIONS)
    actions[:NUM_CARDS] = _cards(suits)
    return actions


def _columns(suits: np.ndarray, layout: PolicyInput) -> np.ndarray:
    cards = _cards(suits)
    columns = np.arange(layout.size)
    columns[:SIZE] = _fields(LAYOUT, SIZE, cards, suits)
    if layout.features:
        columns[layout.feature_columns] = SIZE + _fields(card_features.LAYOUT, FEATURES, cards, suits)
    if layout.hint:
        columns[layout.hint_columns] = layout.hint_columns.start + _actions(suits)
    for start in range(layout.actor_size, layout.size, NUM_CARDS):
        columns[start : start + NUM_CARDS] = start + cards
    return columns


def _fields(layout: Iterable[Field], size: int, cards: np.ndarray, suits: np.ndarray) -> np.ndarray:
    columns = np.arange(size)
    for field in layout:
        for row, part in enumerate(field.slices):
            if field.width == NUM_CARDS:
                columns[part] = part.start + cards
            elif field.name in SUIT_BITS:
                columns[part] = part.start + suits
            elif field.name in SUIT_SLICES:
                columns[part] = np.arange(size)[field.slices[suits[row]]]
    return columns
