import re

import numpy as np
import pytest

from spades_env import cards

NAMES = [
    (0, "2C"), (8, "TC"), (12, "AC"), (13, "2D"), (25, "AD"), (26, "2H"), (36, "QH"), (39, "2S"), (51, "AS"),
]  # fmt: skip
ACTIONS = [
    *NAMES, (52, "BID_0"), (65, "BID_13"), (69, "BID_17"), (70, "BLIND_NIL"), (71, "LOOK"), (72, "KEEP"),
    (73, "REJECT"), (74, "DONE"),
]  # fmt: skip


@pytest.mark.parametrize("card, name", NAMES)
def test_card_names(card, name):
    assert cards.card_name(card) == name
    assert cards.parse_card(name) == card


@pytest.mark.parametrize("action, name", ACTIONS)
def test_action_names(action, name):
    assert cards.action_name(action) == name
    assert cards.parse_action(name) == cards.parse_action(f" {name.lower()} ") == action


def test_every_name_goes_both_ways():
    names = [cards.action_name(action) for action in range(cards.NUM_ACTIONS)]
    assert len(set(names)) == 75
    assert [cards.parse_action(name) for name in names] == list(range(75))


@pytest.mark.parametrize(
    "text, card",
    [
        ("as", 51),
        (" Td ", 21),
        ("10D", 21),
        ("10s", 47),
        ("SA", 51),
        ("d10", 21),
        ("♠A", 51),
        ("10♦", 21),
        ("♡2", 26),
        ("Q♥️", 36),
    ],
)
def test_loose_card_text(text, card):
    assert cards.parse_card(text) == card


@pytest.mark.parametrize("text", ["", "A", "1S", "AX", "SS", "AA", "BID_4", "DONE", "AS KS"])
def test_what_is_not_a_card(text):
    with pytest.raises(ValueError, match=f"not a card: '{text}'"):
        cards.parse_card(text)


@pytest.mark.parametrize("text", ["", "BID_18", "BID", "PASS", "70"])
def test_what_is_not_an_action(text):
    with pytest.raises(ValueError, match=f"not an action: '{text}'"):
        cards.parse_action(text)


@pytest.mark.parametrize(
    "name, number", [("card_name", -1), ("card_name", 52), ("action_name", -1), ("action_name", 75)]
)
def test_numbers_out_of_range(name, number):
    with pytest.raises(ValueError, match=f"got {number}"):
        getattr(cards, name)(number)


@pytest.mark.parametrize("text", ["AS KS 2C", "as,ks,2c", "AS, KS, 2C"])
def test_several_cards(text):
    assert cards.parse_cards(text) == [51, 50, 0]


def test_a_card_twice():
    with pytest.raises(ValueError, match="AS appears twice"):
        cards.parse_cards("AS KS AS")


def test_suits_and_ranks():
    queen_of_hearts = cards.parse_card("QH")
    assert (cards.suit_of(queen_of_hearts), cards.rank_of(queen_of_hearts)) == (cards.HEARTS, 10)
    assert [cards.suit_of(card) for card in (0, 12, 13, 26, 39, 51)] == [0, 0, 1, 2, 3, 3]


def test_masks():
    assert cards.mask_of([]) == 0
    assert cards.mask_of([0, 51]) == 1 + 2**51
    assert cards.mask_of(np.array([0, 51])) == 1 + 2**51
    assert cards.cards_in(1 + 2**51) == cards.cards_in(np.uint64(1 + 2**51)) == [0, 51]
    assert cards.mask_of(range(39, 52)) == cards.SPADES_MASK
    assert sum(cards.SUIT_MASKS) == cards.ALL_CARDS == cards.mask_of(range(52))


def test_hand_text():
    hand = cards.mask_of(cards.parse_cards("2C AC QH 4S AS KS"))
    assert cards.hand_text(hand) == "AS KS 4S QH AC 2C"
    assert cards.hand_text(hand, symbols=True) == "♠ A K 4  ♥ Q  ♣ A 2"
    assert cards.hand_text(0) == cards.hand_text(0, symbols=True) == ""


HAND = "AS KS 4S QH 7H 2H TD 9D"


@pytest.mark.parametrize(
    "text",
    [
        HAND,
        "AS,KS,4S,QH,7H,2H,10D,9D",
        "♠AK4 ♥Q72 ♦T9 ♣-",
        "♠ A K 4  ♥ Q 7 2  ♦ 10 9",
        "♠AK4♥Q72♦109",
        "S:AK4 H:Q72 D:T9 C:-",
        "s:ak4 h:q72 d:109",
        "S: A K 4 H: Q 7 2 D: T 9",
        "SA SK S4 HQ H7 H2 DT D9",
        "A♠ K♠ 4♠ Q♥ 7♥ 2♥ 10♦ 9♦",
        "AK4.Q72.T9.-",
        "ak4.q72.109.",
        "N:AK4.Q72.T9.-",
        "S: AK4.Q72.T9.-",
    ],
)
def test_notations_of_a_hand(text):
    assert cards.hand_text(cards.parse_hand(text)) == HAND
    if "." not in text:
        assert cards.parse_cards(text) == cards.parse_cards(HAND)


def test_a_hand_as_it_is_printed_is_read_again():
    rng = np.random.default_rng(0)
    for _ in range(100):
        hand = cards.mask_of(rng.choice(52, 13, replace=False))
        assert cards.parse_hand(cards.hand_text(hand)) == cards.parse_hand(cards.hand_text(hand, symbols=True)) == hand


@pytest.mark.parametrize(
    "text,message",
    [
        ("S:AK4 S:A", "AS appears twice"),
        ("AK4 QS", "not a card: 'AK4'"),
        ("♠AX", "not a card: '♠AX'"),
        ("AK4.Q72", "a hand is spades.hearts.diamonds.clubs, got 'AK4.Q72'"),
        ("AA..-.", "hand 'AA..-.': AS appears twice"),
        ("AX...", "hand 'AX...': 'X' is not a rank of 23456789TJQKA"),
    ],
)
def test_what_is_not_a_hand(text, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        cards.parse_hand(text)


def test_actions_take_the_same_names_of_cards():
    assert cards.parse_action("♠A") == cards.parse_action("A♠") == 51
    assert cards.parse_action("bid_10") == cards.BID_0 + 10
