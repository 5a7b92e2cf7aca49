"""The engine against the reference: random matches under random rules, compared at every decision."""

from __future__ import annotations

from collections import Counter

import pytest
from side_by_side import differs, play_both, seen_by_engine, shrink

from spades_env import reference
from spades_env.cards import SPADES, suit_of
from spades_env.records.record import Record
from spades_env.reference import match_winner, playable, score_side, trick_winner
from spades_env.rules import Rules

# Where a run of 300,000 decisions sees less of it than so many, the players no longer steer there.
SELDOM = {
    "all bid blind nil": 100,
    "all bid nil": 100,
    "second exchange of a hand": 100,
    "a tie where the match would end": 30,
    "two sides past the target": 100,
    "all at or below the loss": 30,
    "best exactly at the target": 3,
    "worst exactly at the loss": 10,
    "two penalties in one hand": 100,
    "won": 500,
}


def compare(first_seed, decisions, report):
    """Play random matches until so many decisions agreed; a difference fails with a record that shows it."""
    compared, seed, seldom = 0, first_seed, Counter()
    while compared < decisions:
        count, case, found = play_both(seed, seldom)
        if found:
            pytest.fail(explained(seed, shrink(case)))
        compared += count
        seed += 1
    report(f"engine = reference at {compared:,} decisions of {seed - first_seed:,} matches; {dict(seldom)}")
    assert compared >= decisions
    return seldom


def explained(seed, case):
    """What differs in a shrunk case, and the record of the engine's match, which replays it."""
    found = differs(case)
    assert found is not None
    game = case.engine()
    for action in case.actions:
        game.apply(action)
    lines = [f"{name}: engine {engine}, reference {other}" for name, (engine, other) in found[1].items()]
    return "\n".join(
        [f"random match {seed}, cut down to {len(case.actions)} actions:", *lines, game.record().to_json()]
    )


def test_300_000_decisions(report):
    seldom = compare(0, 300_000, report)
    assert {name: seldom[name] for name, least in SELDOM.items() if seldom[name] < least} == {}


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("part", range(10))
def test_10_000_000_decisions(part, report):
    compare(10_000_000 * (part + 1), 1_000_000, report)


# The test of the test: references that are wrong on purpose, each in one place.


def lowest_spade_wins(trick):
    spades = [(card, seat) for seat, card in trick if suit_of(card) == SPADES]
    return min(spades)[1] if spades else trick_winner(trick)


def any_card_on_a_spade(hand, trick, broken, must_break):
    follows = bool(trick) and suit_of(trick[0][1]) == SPADES
    return sorted(hand) if follows else playable(hand, trick, broken, must_break)


def bag_of_a_missed_contract(rules, side, bids, blind, tricks):
    points, bags = score_side(rules, side, bids, blind, tricks)
    return points, bags + (points <= -10)


def first_of_a_tie(rules, scores):
    return scores.index(max(scores)) if max(scores) >= rules.target else match_winner(rules, scores)


@pytest.mark.parametrize("wrong", [lowest_spade_wins, any_card_on_a_spade, bag_of_a_missed_contract, first_of_a_tie])
def test_a_wrong_rule_is_found_shrunk_and_shown(wrong, monkeypatch):
    right = {
        lowest_spade_wins: "trick_winner",
        any_card_on_a_spade: "playable",
        bag_of_a_missed_contract: "score_side",
        first_of_a_tie: "match_winner",
    }[wrong]
    monkeypatch.setattr(reference, right, wrong)
    cases = (play_both(seed, Counter()) for seed in range(1000))
    case = next(case for _, case, found in cases if found)

    small = shrink(case)
    difference = differs(small)
    assert difference is not None
    rules = small.rules
    assert len(small.actions) <= rules.players * (rules.hand_size + 1 + 2 * rules.exchange) + 26 * rules.draft + 2
    assert small.rules.bag_penalty == Rules().bag_penalty, "a field that does not matter"

    shown = explained(0, small).split("\n", 1 + len(difference[1]))
    game = Record.from_json(shown[-1]).replay()
    assert {name: seen_by_engine(game)[name] for name in difference[1]} == {
        name: engine for name, (engine, _) in difference[1].items()
    }
    monkeypatch.undo()
    assert differs(small) is None
