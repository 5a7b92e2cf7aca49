"""The command spades solve."""

from __future__ import annotations

import json
import re

import pytest
from spades_command import fails, spades
from spades_training.bidding.double_dummy import parse_deal

from spades_env.cards import mask_of, parse_cards

FOUR = "N:AK.2.. ...AKQ .3.2.4 QJ.4.."


def test_a_deal_in_text():
    two = parse_deal("AK.T2.-.3 .9..10AK")
    assert two == [mask_of(parse_cards("AS KS TH 2H 3C")), mask_of(parse_cards("9H TC AC KC"))]
    assert parse_deal("W:A... K... Q... J...") == [1 << 50, 1 << 49, 1 << 48, 1 << 51]
    assert parse_deal("1:2... 3... 4...") == [1 << 41, 1 << 39, 1 << 40]


@pytest.mark.parametrize(
    "text",
    [
        "AS KS TH 2H 3C | 9H TC AC KC",
        "♠AK ♥T2 ♣3 | ♥9 ♣AKT",
        "S:AK H:T2 C:3|H:9 C:AKT",
        "0: SA SK HT H2 C3 | H9 CT CA CK",
        "AK.T2.-.3 | .9..10AK",
        "1:.9..10AK AK.T2.-.3",
        "1: ♥9 ♣AKT | ♠AK ♥T2 ♣3",
    ],
)
def test_notations_of_a_deal(text):
    assert parse_deal(text) == parse_deal("AK.T2.-.3 .9..10AK")


def test_the_examples_of_the_help():
    text = " ".join(re.sub("[│╭╮╰╯─]", " ", spades("solve", "--help").stdout).split())
    examples = [example for example in re.findall(r"'([^']+)'", text) if "." in example or "|" in example]
    assert len(examples) == 3
    for example in examples:
        result = spades("solve", example)
        assert result.exit_code == 0, result.output
        assert " to play, " in result.stdout


def test_two_hands_with_bids():
    """Either lead wins one of the two tricks: 6 to 7, and the other's bag costs it ten of its 61 points."""
    result = spades("solve", "A.2.. K.3..", "--bids", "6,6", "--won", "5,6", "--broken", "--json")
    assert result.exit_code == 0, result.output
    both = {"tricks": 1, "value": 60 - (61 - 10)}
    assert json.loads(result.stdout) == {
        "rules": "two_player",
        "turn": "0",
        "left": 2,
        "best": both,
        "cards": {"AS": both, "2H": both},
    }
    text = spades("solve", "1: K.3.. A.2..", "--leader", "0", "--bids", "6,6", "--won", "5,6", "--broken").stdout
    assert "+9" in text


def test_the_value_is_that_of_the_seat_on_turn():
    """Seat 1 follows to the three of spades: it wins with the king and the last trick goes to the ace."""
    result = spades("solve", "A... K.3..", "--trick", "♠3", "--bids", "6,6", "--won", "5,6", "--json")
    assert json.loads(result.stdout)["cards"] == {"KS": {"tricks": 1, "value": -9}}


def test_four_hands_and_a_nil():
    result = spades("solve", FOUR, "--bids", "2,nil,1,1", "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["turn"] == "N"
    assert set(found["best"]) == {"tricks", "nil E"}
    assert found["cards"] == {"2H": found["best"]}
    table = spades("solve", FOUR, "--bids", "2,nil,1,1").stdout
    assert "safe" in table or "broken" in table


@pytest.mark.parametrize(
    "args,message",
    [
        (["AK... "], "error: a deal has two to four hands, got 1"),
        (["AS KS QS JS"], "error: a deal has two to four hands, got 1: separate them by |"),
        (["AK.. QJ..."], "error: a hand in PBN is spades.hearts.diamonds.clubs, got 'AK..'"),
        (["AX... QJ..."], "error: hand 'AX...': 'X' is not a rank of 23456789TJQKA"),
        (["AA... QJ..."], "error: hand 'AA...': AS appears twice"),
        (["AK... AJ..."], "error: AS is in two hands"),
        (["Z:AK... QJ..."], "error: not a seat: 'Z'; with 2 hands use 0 to 1"),
        (["AK... Q..."], "error: position 0: the seat on turn holds 2 cards, the other 1"),
        (["AK... QJ...", "--leader", "N"], "error: not a seat: 'N'"),
        (["AK... QJ...", "--bids", "1,x"], "error: --bids: 'x' is not one of 0 to 13, nil, blind"),
        (["AK... QJ...", "--bids", "1"], "error: --bids: expected 2 numbers, one for each hand, got 1"),
        (
            ["AK... QJ...", "--bids", "1,1"],
            "error: with bids, the tricks won and left must sum to 13: 0 are won",
        ),
        (["AK... QJ...", "--trick", "AS"], "error: --trick: a card of the trick is still in a hand"),
        (["AK... QJ...", "--trick", "2X"], "error: not a card: '2X'"),
        (["AK... QJ...", "--rules", "solo"], "error: rules solo are for 4 players, the deal has 2 hands"),
    ],
)
def test_bad_input_is_one_line_and_code_2(args, message):
    fails(message, "solve", *args)
