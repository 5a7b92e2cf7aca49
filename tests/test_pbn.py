"""Deals in bridge's notation. The first deal is an example of the PBN standard, 2.1, section 3.4.11."""

from __future__ import annotations

import pytest

from spades_env import Game
from spades_env.pbn import deal_text, deck_of, hand_in_pbn, parse_deal

DEAL = "N:.63.AKQ987.A9732 A8654.KQ5.T.QJT6 J973.J98742.3.K4 KQT2.AT.J6542.85"
NORTH = "6H 3H AC 9C 7C 3C 2C AD KD QD 9D 8D 7D"


def test_a_deal_of_the_standard():
    hands = parse_deal(DEAL)
    assert [len(hand) for hand in hands] == [13] * 4
    assert str(hands[0]) == NORTH
    assert hand_in_pbn(hands[3]) == "KQT2.AT.J6542.85"
    assert deal_text(hands) == DEAL
    assert deal_text(hands, first=2).split()[0] == "S:J973.J98742.3.K4"
    assert parse_deal(deal_text(hands, first=3)) == parse_deal(f'[Deal "{DEAL}"]') == hands


@pytest.mark.parametrize("rules", ["partnership", "solo"])
@pytest.mark.parametrize("opener", range(4))
def test_a_deal_becomes_a_game(rules, opener):
    hands = parse_deal(DEAL)
    game = Game(rules, decks=[deck_of(hands, opener)], opener=opener)
    assert game.hands == hands
    assert deal_text(game.hands) == DEAL


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "a deal is a seat"),
        (DEAL[2:], "a deal is a seat"),
        (DEAL.rpartition(" ")[0], "a deal is a seat"),
        (DEAL.replace("KQT2", "AKQT2"), "AS is in two hands"),
        (DEAL.replace("KQT2", "KK2"), "KS appears twice"),
        (DEAL.replace("KQT2.", ""), "a hand in PBN is"),
    ],
)
def test_what_is_not_a_deal(text, message):
    with pytest.raises(ValueError, match=message):
        parse_deal(text)


def test_hands_that_cannot_be_dealt():
    with pytest.raises(ValueError, match="equal sizes, got 2, 1 cards"):
        deck_of([3, 4])
    with pytest.raises(ValueError, match="four hands, got 2"):
        deal_text([3, 4])
