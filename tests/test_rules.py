import json
import re

import pytest
from spades_training.options import parse_rules

from spades_env.rules import PRESETS, Rules, as_rules

# The presets, as the rulebook's table has them.
DEALT = {"draft": False, "bids_first": 0, "leads_first": 0, "loss": -200, "exchange": 0, "failed_nil": "one_bag"}
DRAFT = {"draft": True, "bids_first": 1, "leads_first": 1, "loss": None, "exchange": 3, "failed_nil": "ignore"}
TABLE = {
    "two_player": {"players": 2, "partners": False, **DRAFT},
    "partnership": {"players": 4, "partners": True, **DEALT},
    "solo": {"players": 4, "partners": False, **DEALT},
    "cutthroat": {"players": 3, "partners": False, **DEALT},
    "two_player_dealt": {"players": 2, "partners": False, **DEALT},
}
COMMON = {"spades_must_break": True, "target": 500, "nil": 100, "blind_nil": 200, "bag_limit": 10, "bag_penalty": 100}


@pytest.mark.parametrize("name", TABLE)
def test_presets(name):
    assert Rules.preset(name).to_dict() == {"rejected": "hidden", **TABLE[name], **COMMON}


def test_no_other_presets():
    assert list(PRESETS) == list(TABLE)


# A value that makes no sense, by the field which the message must name.
BAD_VALUES = [
    ("players", 1), ("players", 5), ("players", "four"), ("players", True), ("players", 4.0),
    ("partners", 1), ("draft", None), ("spades_must_break", "no"),
    ("rejected", "nobody"), ("rejected", None), ("failed_nil", "none"), ("failed_nil", 1),
    ("bids_first", 4), ("bids_first", -1), ("leads_first", 4), ("leads_first", 0.0),
    ("target", 0), ("target", -500), ("target", None), ("target", 10_001),
    ("loss", 0), ("loss", 200), ("loss", -10_001), ("loss", "-200"),
    ("nil", -1), ("nil", 1_001), ("blind_nil", -200), ("blind_nil", None),
    ("removed", 3), ("removed", {}),
    ("exchange", -1), ("exchange", 14), ("bag_limit", -1), ("bag_limit", 101), ("bag_penalty", -100),
]  # fmt: skip


@pytest.mark.parametrize("field, value", BAD_VALUES)
def test_a_bad_value_is_refused_by_name(field, value):
    with pytest.raises(ValueError, match=rf"^{field} must be .*got {re.escape(repr(value))}$"):
        Rules(**{field: value})


BAD_MIXES = [
    ("partners", {"players": 2, "partners": True}),
    ("partners", {"players": 3, "partners": True}),
    ("draft", {"players": 4, "draft": True}),
    ("draft", {"players": 3, "draft": True}),
    ("rejected", {"players": 4, "rejected": "public"}),
    ("rejected", {"players": 2, "rejected": "drawer"}),
    ("exchange", {"players": 4, "exchange": 3}),
    ("exchange", {"players": 3, "exchange": 1}),
    ("removed", {"players": 2, "draft": True, "removed": ("2C",)}),
    ("removed", {"removed": ("2C", "2C")}),
    ("removed", {"removed": "2X"}),
    ("exchange", {"players": 2, "removed": ("2C",), "exchange": 13}),
    ("removed", {"removed": [52]}),
    ("removed", {"removed": [None]}),
    ("removed", {"removed": range(13)}),
    ("bids_first", {"players": 2, "bids_first": 2}),
    ("leads_first", {"players": 3, "leads_first": 3}),
]


@pytest.mark.parametrize("field, fields", BAD_MIXES)
def test_a_bad_mix_is_refused_by_name(field, fields):
    with pytest.raises(ValueError, match=f"^{field}"):
        Rules(**fields)


GOOD_MIXES = [
    {"players": 2, "exchange": 13},
    {"players": 2, "draft": True, "rejected": "public", "exchange": 0},
    {"players": 2, "draft": True, "blind_nil": 0},
    {"players": 4, "partners": True, "bids_first": 3, "leads_first": 2},
    {"players": 3, "loss": None, "target": 300, "failed_nil": "contract"},
    {"players": 2, "draft": True, "bag_limit": 0, "bag_penalty": 0, "nil": 0},
]


@pytest.mark.parametrize("fields", GOOD_MIXES)
def test_any_sensible_mix_works(fields):
    rules = Rules(**fields)
    assert {name: getattr(rules, name) for name in fields} == fields
    assert parse_rules(rules.name) == rules


def test_preset_with_changes():
    rules = Rules.preset("two_player", target=300, rejected="drawer")
    assert (rules.target, rules.rejected, rules.exchange, rules.name) == (300, "drawer", 3, rules.name)
    assert rules.name == "two_player,rejected=drawer,target=300"
    assert Rules.preset("solo", loss=None, spades_must_break=False).name == "solo,spades_must_break=false,loss=none"


@pytest.mark.parametrize("name", TABLE)
def test_a_preset_knows_its_name(name):
    assert Rules.preset(name).name == name
    assert as_rules(name) == as_rules(Rules.preset(name)) == Rules.from_dict(TABLE[name])


@pytest.mark.parametrize("name", TABLE)
def test_through_json_and_back(name):
    rules = Rules.preset(name, target=321)
    assert Rules.from_dict(json.loads(json.dumps(rules.to_dict()))) == rules


UNKNOWN = [
    (lambda: Rules.preset("hearts"), r"unknown rules 'hearts': use one of two_player, partnership, solo, cutthroat"),
    (lambda: Rules.preset("solo", jokers=2), "unknown field 'jokers' of Rules"),
    (lambda: Rules.from_dict({"jokers": 2}), "unknown field 'jokers' of Rules"),
    (lambda: Rules.from_dict([("players", 4)]), "rules must be .*, got list"),
    (lambda: as_rules("hearts"), "unknown rules 'hearts'"),
    (lambda: as_rules(None), "rules must be .*, got NoneType"),
]


@pytest.mark.parametrize("build, message", UNKNOWN)
def test_what_is_not_known_is_refused_by_name(build, message):
    with pytest.raises(ValueError, match=message):
        build()


SHAPES = [("two_player", 13, 52, 2), ("partnership", 13, 52, 2), ("solo", 13, 52, 4), ("cutthroat", 17, 51, 3)]


@pytest.mark.parametrize("name, hand_size, deck, sides", SHAPES)
def test_sizes(name, hand_size, deck, sides):
    rules = Rules.preset(name)
    assert (rules.hand_size, len(rules.deck), rules.sides) == (hand_size, deck, sides)
    assert rules.deck == tuple(range(52 - deck, 52))


def test_sides():
    assert [Rules.preset("partnership").side_of(seat) for seat in range(4)] == [0, 1, 0, 1]
    assert [Rules.preset("solo").side_of(seat) for seat in range(4)] == [0, 1, 2, 3]
    assert [Rules.preset("cutthroat").side_of(seat) for seat in range(3)] == [0, 1, 2]


@pytest.mark.parametrize(
    "fields, deck, hand",
    [
        ({"players": 4, "removed": ("2C", "2D")}, 50, 12),
        ({"players": 4, "removed": "2C 2D 2H 2S"}, 48, 12),
        ({"players": 4, "removed": range(12)}, 40, 10),
        ({"players": 3}, 51, 17),
        ({"players": 3, "removed": ["2D"]}, 51, 17),
        ({"players": 3, "removed": [0, 13]}, 50, 16),
        ({"players": 2, "removed": ("2C", "2D")}, 50, 13),
    ],
)
def test_removed_cards(fields, deck, hand):
    rules = Rules(**fields)
    assert (len(rules.deck), rules.hand_size) == (deck, hand)
    assert Rules.from_dict(json.loads(json.dumps(rules.to_dict()))) == rules
    assert parse_rules(rules.name) == rules


def test_removed_cards_have_one_form():
    assert Rules(removed=[13, 0]) == Rules(removed="2D,2C") == Rules(removed=("2C", "2d"))
    assert Rules(players=3, removed=("2C",)) == Rules(players=3)
    assert Rules(players=3).deck == tuple(range(1, 52))
    assert Rules(removed=("2C", "2D")).name == "solo,removed=2C2D"
    assert "removed" not in Rules().to_dict()
