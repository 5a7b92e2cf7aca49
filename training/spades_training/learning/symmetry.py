"""Suit symmetry: permuting the suits other than spades turns a decision into an equally valid one."""

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

SUIT_BITS = ("voids", "led")  # fields with one bit per suit
SUIT_SLICES = ("own", "hidden", "mastered", "above")  # fields with one slice per suit


def suit_swaps(rules: Rules, layout: PolicyInput) -> list[tuple[np.ndarray, np.ndarray]]:
    """The suit permutations that preserve the game; the first is the identity.

    Args:
        rules: the rules. The three-player deck lacks the two of clubs, so only diamonds and hearts can be swapped.
        layout: the columns of the learner's input.

    Returns:
        For each permutation the columns of the learner's input and the actions, both int64: ``seen[:, columns]`` and
        ``ratings[:, actions]`` are the input and ratings of the permuted decisions.
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
