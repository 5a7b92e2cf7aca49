"""The tables of Review and Bid lab: their figures, their bars and their marks."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from spades_agents.base import Rating
from spades_agents.bidder.advice import advise
from spades_training.bidding.changes import bag_steps, best_bids, score_steps, situations
from spades_training.bidding.shown import bid_rows
from spades_training.web.study.belief import Belief
from spades_training.web.study.bidding import GAMES, Question, answer, chart, read_hand
from spades_training.web.study.charts import belief_tables, bids_table, bounds, rating_table, situations_table

from spades_env.cards import parse_card, parse_hand
from spades_env.rules import Rules

HAND = parse_hand("AS KS 4S AH 7H 2H KC 9C 3C TD 5D 4D 2D")


def rows(html: str) -> list[list[str]]:
    """The text of the cells of all rows."""
    tree = ElementTree.fromstring(html)
    return [["".join(cell.itertext()) for cell in row] for row in tree.iter("tr")]


def test_ratings_from_best_to_worst():
    ace, two = parse_card("AS"), parse_card("2C")
    ratings = {two: Rating(0.5, 0.01, "win"), ace: Rating(0.6, 0.02, "win")}
    html = rating_table(ratings, two)
    assert rows(html) == [
        ["action", "chance to win", "±", "45.0 % to 65.0 %"],
        ["A♠ best", "60.0 %", "2.0", ""],
        ["2♣ played", "50.0 %", "1.0", ""],
    ]
    # 60 % lies at three quarters of the bar from 45 to 65 %, its error of 2 % to either side
    assert re.findall(r"width:([\d.]+)%", html) == ["75.0", "20.0", "25.0", "10.0"]
    assert re.findall(r"left:([\d.]+)%", html) == ["65.0", "20.0"]


def test_units():
    points = rating_table({0: Rating(-12.3, 4.0, "points"), 1: Rating(8.0, float("nan"), "points")}, 0)
    assert [row[1:3] for row in rows(points)[1:]] == [["+8.0", ""], ["-12.3", "4.0"]]
    chances = rating_table({72: Rating(0.25, 0.0, "probability"), 73: Rating(0.75, 0.0, "probability")}, 73)
    assert rows(chances)[1:] == [["reject best played", "75.0 %", "", ""], ["keep ", "25.0 %", "", ""]]
    assert re.findall(r"width:([\d.]+)%", chances) == ["75.0", "25.0"]


@pytest.mark.parametrize("unit,values", [("win", [0.0, 1.0]), ("win", [0.5]), ("points", [-300.0]), ("points", [0, 7])])
def test_bounds_hold_every_bar(unit, values):
    low, high = bounds([(value, 0.003) for value in values], unit)
    assert low < high
    assert all(low <= value <= high for value in values)


def test_belief_percentages_and_truth():
    ace, king = parse_card("AS"), parse_card("KS")
    belief = Belief((1, -1), (king, ace), np.array([[0.25, 1.0], [0.75, 0.0]]), 4)
    html = belief_tables(belief, {1: "<Ann>", -1: "nobody"}, {ace: 1, king: -1})
    assert "&lt;Ann&gt;" in html
    spades = [row for row in rows(html) if row[0] == "♠"]
    assert [row[1:4] for row in spades] == [["100", "25", ""], ["0", "75", ""]]
    assert re.findall(r'class="true"[^>]*title="([^"]+)"', html) == [
        "AS: 100 %, it was here",
        "KS: 75 %, it was here",
    ]


@pytest.mark.parametrize("rules", GAMES)
def test_the_lab_says_what_the_command_says(rules):
    found = answer(Question.of(HAND, f"{rules},target=300", [100, 50.0], [2, 0], []))
    expected = advise(HAND, Rules.preset(rules, target=300), (100, 50), (2, 0))
    assert found.advice == expected
    cells = rows(bids_table(found.advice))[1:]
    assert cells == [
        [row.name, f"{100 * v.win:.1f}", f"{v.points:+.1f}", f"{100 * v.made:.1f}", f"{v.their_points:+.1f}"]
        for row in bid_rows(expected)
        for v in [row.value]
    ]


@pytest.mark.parametrize("rules,heard", [("two_player", []), ("two_player_dealt", [4]), ("partnership", [3, 4, 2])])
def test_tricks_agree_with_the_chance_to_make_the_bid(rules, heard):
    """The distribution, summed over the tricks that make the bid, is the column "made" of the advice."""
    found = answer(Question.of(HAND, rules, [0, 0], [0, 0], heard))
    for bid, tricks in found.tricks.items():
        assert sum(tricks.values()) == pytest.approx(1)
        made = sum(chance for k, chance in tricks.items() if (k >= 0 if bid else k == 0))
        assert made == pytest.approx(found.advice.bids[bid].made, abs=1e-9)
        columns = rows(chart(found, bid))
        assert len(columns[0]) == len(columns[1])


@pytest.mark.parametrize(
    "change,message",
    [
        ({"hand": HAND & (HAND - 1)}, "choose 13 cards: 12 are chosen"),
        ({"rules": "cutthroat"}, "there are bidding models for two players and partnerships"),
        ({"rules": "solo"}, "there are bidding models for two players and partnerships"),
        ({"rules": "two_player,target=x"}, "target must be an int"),
        ({"rules": "two_player," + "a" * 10_000}, "rules 'two_player,aaa"),
        ({"scores": [None, 0]}, "your points must be an int"),
        ({"scores": [0, 10**9]}, "their points must be an int"),
        ({"scores": [0.5, 0]}, "your points must be an int"),
        ({"bags": [0, 10]}, "their bags must be an int in 0..9, got 10"),
        ({"bags": [-1, 0]}, "your bags must be an int"),
        ({"heard": [14]}, "a bid must be an int in 0..13, got 14"),
        ({"heard": ["4"]}, "a bid must be an int"),
    ],
)
def test_bad_fields_are_refused_in_one_line(change, message):
    fields = {"hand": HAND, "rules": "two_player", "scores": [0, 0], "bags": [0, 0], "heard": []} | change
    with pytest.raises(ValueError, match="^" + re.escape(message)) as error:
        Question.of(**fields)
    assert "\n" not in str(error.value)


def test_part_of_a_hand_can_be_read():
    assert read_hand("as KS") == parse_hand("AS KS")
    assert read_hand("") == 0
    with pytest.raises(ValueError, match="a hand has 13 cards, got 14"):
        read_hand("S:AKQJT98765432 AH")
    with pytest.raises(ValueError, match="not a card"):
        read_hand("AS XX")


def test_steps():
    rules = Rules.preset("two_player")
    assert score_steps(rules) == [-100, 0, 100, 200, 300, 400, 450]
    assert bag_steps(rules) == list(range(10))
    assert bag_steps(Rules.preset("two_player", bag_limit=0)) == []
    assert bag_steps(Rules.preset("two_player", bag_limit=5)) == list(range(5))


def test_situations_are_those_of_the_command():
    rules = Rules.preset("two_player", target=200, bag_limit=3)
    seen = []
    found = best_bids(HAND, rules, (40, 80), (1, 2), [5], lambda done, total: seen.append((done, total)) is None)
    wanted = situations(rules, (40, 80), (1, 2))
    assert [(one.scores, one.bags) for one in found] == wanted
    assert seen == [(k + 1, len(wanted)) for k in range(len(wanted))]
    for one in (found[3], found[-1]):
        advice = advise(HAND, rules, one.scores, one.bags, [5])
        assert (one.bid, one.win) == (advice.best, advice.bids[advice.best].win)
    cells = rows(situations_table(rules, (40, 80), (1, 2), found))
    count = len(score_steps(rules))
    assert [cell for row in cells[1 : count + 1] for cell in row[1:]] == [
        "nil" if one.bid == 0 else str(one.bid) for one in found[: count**2]
    ]
    assert cells[count + 1] == ["", "0", "1", "2"]
    assert len(best_bids(HAND, rules, progress=lambda done, total: done < 4)) == 4
