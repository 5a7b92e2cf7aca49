import copy
import json
import pickle
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
        ("A♠", 51),
        ("♠A", 51),
        ("10♦", 21),
        ("♡10", 34),
        ("♡2", 26),
        ("♦️Q", 23),
        ("Q♥️", 36),
        ("H5", 29),
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


@pytest.mark.parametrize("text", ["AS KS 2C", "as,ks,2c", "AS, KS, 2C", "♠AK ♣2", "♠ A K  ♣ 2", "S:AK C:2", "ASKS 2♣"])
def test_several_cards(text):
    assert cards.parse_cards(text) == [51, 50, 0]


def test_a_card_twice():
    with pytest.raises(ValueError, match="AS appears twice"):
        cards.parse_cards("AS KS AS")


HAND = "AS KS 4S QH TH AC 2C"


@pytest.mark.parametrize(
    "text",
    [
        HAND, "2C AC TH QH 4S KS AS", "♠AK4 ♥Q10 ♣A2", "♠ A K 4  ♥ Q T  ♣ A 2", "S:AK4 H:QT D:- C:A2",
        "s:ak4 h:q10 c:a2", "AK4.QT..A2", "AK4.QT.-.A2", "N:AK4.Q10..A2", " W: AK4.QT..A2 ",
    ],
)  # fmt: skip
def test_notations_of_a_hand(text):
    assert cards.parse_hand(text) == cards.mask_of(cards.parse_cards(HAND))
    assert str(cards.parse_hand(text)) == HAND


@pytest.mark.parametrize(
    "text, message",
    [
        ("AK4.QT.A2", "a hand in PBN is spades.hearts.diamonds.clubs, got 'AK4.QT.A2'"),
        ("AK4.QX..A2", "hand 'AK4.QX..A2': 'X' is not a rank of 23456789TJQKA"),
        ("AKA.Q..", "AS appears twice"),
        ("♠AA", "AS appears twice"),
        ("AK4 QT", "not a card: 'AK4'"),
        ("S:AX", "not a card: 'S:AX'"),
    ],
)
def test_what_is_not_a_hand(text, message):
    with pytest.raises(ValueError, match=message):
        cards.parse_hand(text)


def test_a_card_set_is_a_set():
    hand = cards.CardSet(HAND)
    assert list(hand) == [0, 12, 34, 36, 41, 50, 51]
    assert (len(hand), 51 in hand, 49 in hand, "QH" in hand, bool(hand), bool(cards.CardSet())) == (
        7, True, False, True, True, False,
    )  # fmt: skip
    assert (str(hand), repr(hand), repr(cards.CardSet())) == (HAND, f"CardSet('{HAND}')", "CardSet('')")
    assert cards.CardSet([51, 0]) == cards.CardSet(1 + 2**51) == {51: 1 + 2**51}[51]
    for found in (hand & cards.SPADES_MASK, cards.SPADES_MASK & hand, hand - cards.CardSet("AC 2C QH TH 3D")):
        assert isinstance(found, cards.CardSet)
        assert str(found) == "AS KS 4S"
    assert [str(found) for found in (hand | 2, hand ^ 1)] == [f"{HAND[:-2]}3C 2C", HAND[:-3]]
    assert cards.in_display_order(hand) == [51, 50, 41, 36, 34, 12, 0]
    with pytest.raises(ValueError, match=r"a set of cards has bits 0\.\.51, got 0x10000000000000"):
        cards.CardSet(1 << 52)


def test_a_card_set_is_an_int():
    hand = cards.CardSet(HAND)
    bits = int(hand)
    assert type(bits) is int
    assert (hand, hash(hand), hand - 1, ~hand, hand >> 50, f"{hand:x}") == (
        bits, hash(bits), bits - 1, ~bits, 3, f"{bits:x}",
    )  # fmt: skip
    assert json.loads(json.dumps({"hand": hand})) == {"hand": bits}
    assert repr(pickle.loads(pickle.dumps(hand))) == repr(copy.deepcopy(hand)) == repr(hand)
    words = np.zeros(2, np.uint64)
    words[0], words[1:] = hand, [hand]
    assert words.tolist() == [bits, bits]
    for found in (words & hand, hand & words, np.uint64(bits) & hand, np.array([hand, hand])):
        assert found.dtype in (np.uint64, np.int64)
        assert (found == bits).all()


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


PRINTED = "AS KS 4S QH 7H 2H TD 9D"


@pytest.mark.parametrize(
    "text",
    [
        PRINTED,
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
def test_every_notation_is_the_same_hand(text):
    assert cards.hand_text(cards.parse_hand(text)) == PRINTED
    if "." not in text:
        assert cards.parse_cards(text) == cards.parse_cards(PRINTED)


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
        ("AK4.Q72", "a hand in PBN is spades.hearts.diamonds.clubs, got 'AK4.Q72'"),
        ("AA..-.", "hand 'AA..-.': AS appears twice"),
        ("AX...", "hand 'AX...': 'X' is not a rank of 23456789TJQKA"),
    ],
)
def test_errors_name_the_hand(text, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        cards.parse_hand(text)


def test_actions_take_the_same_names_of_cards():
    assert cards.parse_action("♠A") == cards.parse_action("A♠") == 51
    assert cards.parse_action("bid_10") == cards.BID_0 + 10
