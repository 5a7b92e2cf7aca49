"""What the networks are told beside the observation: nothing hidden, and right where worked out by hand."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from spades_agents.policy import card_features
from spades_agents.policy.card_features import FEATURES, FIELDS, LAYOUT, write_features
from spades_agents.policy.policy_input import features_digest

from spades_env import Tables
from spades_env.cards import NUM_CARDS, SPADES, cards_in
from spades_env.game import Phase
from spades_env.rules import PRESETS


def features(states, record, seat):
    found = np.full((1, FEATURES), -1, np.int8)
    write_features(states[0], record[0], seat, found[0])
    return found[0]


def sets(row):
    names = ("legal", "taking", "masters", "lowest", "highest", "cheapest")
    return [set(np.flatnonzero(row[FIELDS[name].slices[0]])) for name in names]


def decoded(row):
    """The features as numbers, as the table of the layout says: a list for each field of one value for each slice."""
    found = {}
    for field in LAYOUT:
        found[field.name] = []
        for part in field.slices:
            places = np.flatnonzero(row[part])
            if field.code == "one-hot":
                assert len(places) <= 1
                found[field.name].append(field.first + int(places[0]) if len(places) else None)
            elif field.code == "count":
                assert list(places) == list(range(len(places)))
                found[field.name].append(field.first + field.step * len(places))
            else:
                found[field.name].append(bool(len(places)) if field.code == "flag" else set(places))
    return found


def clipped(name, values):
    """The values as the field can say them: cut off at both ends, rounded down."""
    field = FIELDS[name]
    last = field.first + field.step * (field.width if field.code == "count" else field.width - 1)
    steps = [None if value is None else max(value - field.first, 0) // field.step for value in values]
    found = [None if count is None else min(field.first + field.step * count, last) for count in steps]
    return found + [None] * (field.rows - len(found))


def worked_out(view):
    """All features but the sets of cards, from what the view tells in plain Python."""
    rules, seat = view.rules, view.observer
    seats = [(seat + k) % rules.players for k in range(rules.players)]
    cards = cards_in(view.hand)
    gone = {card for plays in view.plays for card in cards_in(plays)}
    if rules.players == 2:
        gone |= set(cards_in(view.discards_seen)) | set(cards_in(view.given))
    hidden = set(rules.deck) - gone - set(cards)
    own, unseen, mastered, above = [], [], [], []
    for suit in range(4):
        held, others = [c for c in cards if c // 13 == suit], [c for c in hidden if c // 13 == suit]
        own.append(len(held))
        unseen.append(len(others))
        mastered.append(sum(card > max(others, default=-1) for card in held))
        above.append(sum(card > max(held) for card in others) if held else None)
    holder = led = None
    if view.trick:
        led = view.trick[0][1] // 13
        best = max(view.trick, key=lambda play: (play[1] // 13 == SPADES, play[1] // 13 == led, play[1]))
        holder = seats.index(best[0])
    bids, tricks, sides = [view.bids[k] for k in seats], [view.tricks[k] for k in seats], rules.sides
    lacks = [None if bid is None else bid - taken for bid, taken in zip(bids, tricks, strict=True)]
    needed = [lack if bid else 0 for bid, lack in zip(bids, lacks, strict=True)]
    same_side = [k % sides == seat % sides for k in seats]
    side_need = [
        sum(n for n, same in zip(needed, same_side, strict=True) if same is wanted) for wanted in (True, False)
    ]
    score = view.scores[seat % sides]
    best_other = max(points for side, points in enumerate(view.scores) if side != seat % sides)
    numbers = {
        "own": own,
        "hidden": unseen,
        "mastered": mastered,
        "above": above,
        "in_trick": [len(view.trick)],
        "holder": [holder],
        "led": [led],
        "cards": [len(cards)],
        "need": lacks,
        "side_need": side_need,
        "bids": [sum(bid or 0 for bid in bids)],
        "bids_made": [sum(bid is not None for bid in bids)],
        "score": [score, best_other],
        "lead": [score - best_other],
    }
    nil = [bid == 0 for bid in bids] + [False] * (4 - len(bids))
    return {"nil": nil} | {name: clipped(name, values) for name, values in numbers.items()}


@pytest.mark.parametrize("rules", PRESETS)
def test_they_are_what_the_layout_says(rules):
    """Every field beside the sets of cards, read by the table of the layout, in all phases and at all scores."""
    tables, rng = Tables(rules, 30, 5), np.random.default_rng(6)
    scores = rng.integers(-400, 700, (30, tables.rules.sides))
    tables.set_scores(scores, scores % 10)
    met = {name: set() for name in FIELDS}
    for _ in range(120):
        for row in range(0, 30, 4):
            for seat in range(tables.rules.players):
                view = tables.view(row, seat)
                found, expected = decoded(features(view.state, view.rules_array, seat)), worked_out(view)
                assert {name: found[name] for name in expected} == expected
                for name, values in expected.items():
                    met[name] |= set(values)
        tables.step_random()
    fields = [FIELDS[name] for name in expected]
    assert {field.name for field in LAYOUT} - set(expected) == {field.name for field in LAYOUT if field.code == "set"}
    assert all(len(met[field.name]) > 1 for field in fields)  # every field has told something


def test_the_digest_names_the_layout(monkeypatch):
    """If this fails, networks trained with card features no longer fit: ship new ones, and only then pin it anew."""
    assert (FEATURES, features_digest()) == (642, "9c4f6674ffd76139")
    changed = [LAYOUT[1:], LAYOUT[::-1]]
    for k, change in ((0, {"name": "x"}), (-1, {"step": 25}), (-1, {"first": -250}), (-1, {"width": 14})):
        layout = list(LAYOUT)
        layout[k] = dataclasses.replace(layout[k], **change)
        changed.append(tuple(layout))
    digests = set()
    for layout in changed:
        monkeypatch.setattr(card_features, "LAYOUT", layout)
        digests.add(features_digest())
    assert len(digests - {"9c4f6674ffd76139"}) == len(changed)


@pytest.mark.parametrize("rules", PRESETS)
def test_they_tell_no_more_than_a_view(rules):
    """The same from the true state and from the view of the seat, in which all that is hidden is blanked."""
    tables = Tables(rules, 20, 3)
    for _ in range(150):
        for row in range(0, 20, 9):
            for seat in range(PRESETS[rules].players):
                view = tables.view(row, seat)
                shown = features(view.state, view.rules_array, seat)
                assert (shown == features(tables.states[row : row + 1], tables.rules_array, seat)).all()
                assert set(np.unique(shown)) <= {0, 1}
        tables.step_random()


@pytest.mark.parametrize("rules", PRESETS)
def test_sets_of_cards(rules):
    """Against plain sets: legal cards, those that take the trick, masters, lowest and highest of each suit."""
    tables = Tables(rules, 30, 4)
    checked = 0
    for _ in range(120):
        for row in np.flatnonzero(tables.states["phase"] == Phase.PLAY)[::5]:
            view, state = tables.view(row), tables.states[row]
            legal, taking, masters, low, high, cheapest = sets(features(view.state, view.rules_array, view.observer))
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
