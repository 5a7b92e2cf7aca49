"""Suit symmetry: the observations of a game with permuted suits are the permuted observations."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from spades_agents.policy.card_features import FEATURES
from spades_agents.policy.policy_input import InputEncoder, PolicyInput
from spades_training.learning.symmetry import suit_swaps

from spades_env import Game
from spades_env.cards import NUM_ACTIONS, NUM_CARDS
from spades_env.observation import SIZE
from spades_env.rules import Rules

HINT = SIZE + FEATURES
RULES = ("two_player", "partnership", "solo", "cutthroat")


def seen_by(game):
    """The learner's input of the seat on turn (observation, features, empty hint, other hands) and the mask."""
    seen = np.zeros((1, SIZE + FEATURES), np.int8)
    mask = np.zeros((1, NUM_ACTIONS), np.int8)
    table = SimpleNamespace(states=game.state, rules=game.rules, rules_array=game.rules_array)
    InputEncoder(PolicyInput(features=True)).encode(table, np.zeros(1, np.int64), seen, mask)
    hands = [int(game.state["hands"][0, (game.seat + k) % game.rules.players]) for k in range(1, game.rules.players)]
    cards = [(hand >> np.arange(NUM_CARDS)) & 1 for hand in hands]
    return np.concatenate([seen[0], np.zeros(NUM_ACTIONS, np.int8), *cards]), mask[0]


@pytest.mark.parametrize("name", RULES)
def test_a_permuted_game_has_permuted_observations(name):
    rules = Rules.preset(name, exchange=0)  # the cards returned in an exchange are random
    swaps = suit_swaps(rules, PolicyInput(features=True, hint="heuristic", hands=rules.players - 1))
    assert len(swaps) == (2 if name == "cutthroat" else 6)
    assert (swaps[0][0] == np.arange(len(swaps[0][0]))).all()
    rng = np.random.default_rng(1)
    for columns, actions in swaps[1:]:
        inverse = np.argsort(actions)
        deck = rng.permutation(rules.deck)
        game = Game(rules, seed=1, decks=[deck.tolist()])
        renamed = Game(rules, seed=1, decks=[inverse[deck].tolist()])
        while game.hand_number == 0 and not game.is_over:
            seen, mask = seen_by(game)
            other, other_mask = seen_by(renamed)
            action = int(rng.choice(game.legal_actions()))
            seen[HINT + action] = other[HINT + inverse[action]] = 1
            assert (seen[columns] == other).all()
            assert (mask[actions] == other_mask).all()
            game.apply(action)
            renamed.apply(int(inverse[action]))


def test_columns_for_every_combination_of_inputs():
    """The columns are a permutation of the learner's input for every combination of inputs."""
    rules = Rules.preset("partnership")
    for features, hint, hands in ((False, "", 0), (True, "", 0), (True, "bidder", 0), (False, "", 3)):
        width = SIZE + FEATURES * features + NUM_ACTIONS * bool(hint) + NUM_CARDS * hands
        for columns, _ in suit_swaps(rules, PolicyInput(features, hint, hands)):
            assert sorted(columns) == list(range(width))
