"""Numbers of legal lines: engine = reference = a number written down, or worked out where a formula gives it."""

from __future__ import annotations

from math import perm

import pytest
from perft import at_start, near_the_end

from spades_env.cards import BID_0, BLIND_NIL, KEEP, LOOK, REJECT
from spades_env.game import Phase
from spades_env.rules import Rules

TWO, THREE, FOUR = (Rules.preset(name) for name in ("two_player", "cutthroat", "partnership"))
PAIR = Rules(players=2, exchange=2)  # a dealt two-player game

# Rules, seed of deal and play, tricks left, lines with spades unbroken and with spades broken.
ENDINGS = [
    (TWO, 1, 3, 36, 36),  # both hold three cards of suits that the other lacks: 3! x 3!
    (TWO, 4, 3, 12, 24),
    (TWO, 1, 4, 124, 340),
    (TWO, 3, 5, 144, 2032),
    (TWO, 1, 5, 816, 2708),
    (THREE, 3, 3, 80, 120),
    (THREE, 4, 4, 2784, 4632),
    (FOUR, 4, 3, 180, 300),
    (FOUR, 2, 3, 480, 768),
]
# Too many for the reference in an ordinary run.
LARGE_ENDINGS = [
    (THREE, 4, 5, 233368, 233368),
    (FOUR, 1, 5, 731264, 1916672),
    (FOUR, 4, 4, 16128, 16128),
]


@pytest.mark.parametrize("rules, seed, tricks, unbroken, broken", ENDINGS)
def test_last_tricks(rules, seed, tricks, unbroken, broken):
    for lines, position in (
        (unbroken, near_the_end(rules, seed, tricks, broken=False)),
        (broken, near_the_end(rules, seed, tricks, broken=True)),
    ):
        assert position.count().lines == lines
        assert position.count_slowly() == lines


@pytest.mark.parametrize("rules, seed, tricks, unbroken, broken", LARGE_ENDINGS)
def test_large_endings(rules, seed, tricks, unbroken, broken, report):
    counts = [near_the_end(rules, seed, tricks, flag).count() for flag in (False, True)]
    assert [count.lines for count in counts] == [unbroken, broken]
    nodes, seconds = sum(count.nodes for count in counts), sum(count.seconds for count in counts)
    report(f"{nodes:,} actions, {nodes / seconds / 1e6:.1f} million a second")


@pytest.mark.long
@pytest.mark.parametrize("rules, seed, tricks, unbroken, broken", LARGE_ENDINGS)
def test_large_endings_by_the_reference(rules, seed, tricks, unbroken, broken):
    assert near_the_end(rules, seed, tricks, broken=False).count_slowly() == unbroken
    assert near_the_end(rules, seed, tricks, broken=True).count_slowly() == broken


@pytest.mark.parametrize("rules, seed, tricks, unbroken, broken", ENDINGS)
def test_without_the_rule_all_lines_are_those_of_broken_spades(rules, seed, tricks, unbroken, broken):
    position = near_the_end(rules, seed, tricks, broken=False)
    position.engine.rules_array["spades_must_break"] = False
    assert position.count().lines == broken


# Lines to the first lead. A seat that looks has a bid of 0 to 13 (17), one that bids blind nil has none.
BIDDING = {
    "partnership": (FOUR, 15**4),
    "no blind nil": (Rules(partners=True, blind_nil=0), 14**4),
    "cutthroat": (THREE, 19**3),
    # Blind nil, then DONE at once or after one card, or two cards; or look and bid.
    "dealt pair": (PAIR, (14 + 1 + 13 + 13 * 12) ** 2),
    "dealt pair, no exchange": (Rules(players=2), 15**2),
}


@pytest.mark.parametrize("rules, lines", BIDDING.values(), ids=BIDDING)
def test_bidding(rules, lines):
    position = at_start(rules)
    assert position.count(end=Phase.PLAY).lines == lines
    assert position.count_slowly(end=Phase.PLAY) == lines


@pytest.mark.parametrize("depth", range(1, 13))
def test_the_draft_doubles_at_each_decision(depth):
    position = at_start(TWO)
    assert position.count(depth).lines == 2**depth
    assert position.count_slowly(depth) == 2**depth


def test_the_whole_draft():
    begun = at_start(Rules.preset("two_player", blind_nil=0), (KEEP, REJECT) * 4)
    assert begun.count(end=Phase.BID).lines == 2**18
    late = at_start(TWO, (LOOK, KEEP, LOOK, *[REJECT, KEEP] * 10))
    assert late.count(end=Phase.PLAY).lines == late.count_slowly(end=Phase.PLAY) == 2**5 * 14**2


def exchange_lines(most):
    """Ordered choices of up to ``most`` of 13 cards."""
    return sum(perm(13, count) for count in range(most + 1))


@pytest.mark.parametrize("most", [1, 2])
def test_two_exchanges_after_a_draft(most):
    rules = Rules.preset("two_player", exchange=most)
    position = at_start(rules, (BLIND_NIL, KEEP, BLIND_NIL, KEEP, *[REJECT, KEEP] * 12))
    lines = exchange_lines(most) ** 2
    assert position.count(end=Phase.PLAY).lines == lines
    assert position.count_slowly(end=Phase.PLAY) == lines


def test_one_exchange_of_three():
    position = at_start(TWO, (BLIND_NIL, KEEP, LOOK, *[REJECT, KEEP] * 12, KEEP))
    lines = (1 + 13 + 13 * 12 + 13 * 12 * 11) * 14
    assert position.count(end=Phase.PLAY).lines == position.count_slowly(end=Phase.PLAY) == lines == 26404


def test_hands_of_one_suit():
    # Clubs lead, spades take every trick and lead on: nobody can follow, so all orders of both hands are lines.
    deck = [card for pair in zip(range(13), range(39, 52), strict=True) for card in pair] + list(range(13, 39))
    position = at_start(Rules(players=2, blind_nil=0), (BID_0, BID_0), deck)
    assert position.count(depth=4).lines == position.count_slowly(depth=4) == (13 * 12) ** 2
    assert position.count(depth=6).lines == (13 * 12 * 11) ** 2
