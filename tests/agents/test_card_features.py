"""What the networks are told beside the observation: nothing hidden, and right where worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from spades_agents.card_features import FEATURES
from spades_training.streams import features_of

from spades_env import Tables
from spades_env.cards import NUM_CARDS
from spades_env.rules import PRESETS


def features(states, record, seat):
    found = np.full((1, FEATURES), -1, np.int8)
    features_of(states, record, np.array([seat], np.int8), found)
    return found[0]


def sets(row):
    return [set(np.flatnonzero(row[NUM_CARDS * k : NUM_CARDS * (k + 1)])) for k in range(6)]


@pytest.mark.parametrize("rules", PRESETS)
def test_they_tell_no_more_than_a_view(rules):
    """The same from the true state and from the view of the seat, in which all that is hidden is blanked."""
    tables = Tables(rules, 20, 3)
    for _ in range(150):
        for row in range(0, 20, 9):
            for seat in range(PRESETS[rules].players):
                view = tables.view(row, seat)
                shown = features(view._state, view._rules, seat)
                assert (shown == features(tables.states[row : row + 1], tables.rules_record, seat)).all()
                assert set(np.unique(shown)) <= {0, 1}
        tables.step_random()


@pytest.mark.parametrize("rules", PRESETS)
def test_sets_of_cards(rules):
    """Against plain sets: legal cards, those that take the trick, masters, lowest and highest of each suit."""
    tables = Tables(rules, 30, 4)
    checked = 0
    for _ in range(120):
        for row in np.flatnonzero(tables.states["phase"] == 4)[::5]:
            view, state = tables.view(row), tables.states[row]
            legal, taking, masters, low, high, cheapest = sets(features(view._state, view._rules, view.observer))
            cards = [card for card in range(NUM_CARDS) if int(state["hands"][view.observer]) >> card & 1]
            assert legal == set(view.legal_actions())
            seen = set(cards) | {
                c for s in range(PRESETS[rules].players) for c in range(52) if int(state["plays"][s]) >> c & 1
            }
            if PRESETS[rules].players == 2:
                seen |= {
                    c for c in range(52) if int(state["seen"][view.observer] | state["given"][view.observer]) >> c & 1
                }
            assert masters == {c for c in cards if all(d in seen for d in range(c + 1, c // 13 * 13 + 13))}
            suits = [[c for c in cards if c // 13 == suit] for suit in range(4)]
            assert low == {min(suit) for suit in suits if suit}
            assert high == {max(suit) for suit in suits if suit}
            if state["in_trick"]:
                best = int(state["best_card"])
                beats = {c for c in legal if (c // 13 == best // 13 and c > best) or c // 13 == 3 > best // 13}
                assert taking == beats
            else:
                assert taking == legal
            assert cheapest == {min(c for c in taking if c // 13 == suit) for suit in {c // 13 for c in taking}}
            checked += 1
        tables.step_random()
    assert checked > 200
