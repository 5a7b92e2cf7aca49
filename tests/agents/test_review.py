"""Reviews: every decision with a choice, its ratings, and what it cost."""

from __future__ import annotations

import math

import pytest
from spades_agents import Rating, make_agent
from spades_agents.review import review

from spades_env import Game


class Known:
    """Rates action k of the legal ones as k points with an error of 3, and the last one with an error of 4."""

    name = "known"

    def reset(self, seed=None):
        """Nothing is random."""

    def act(self, view):
        return view.legal_actions()[0]

    def rate(self, view):
        legal = view.legal_actions()
        return {a: Rating(float(k), 4.0 if a == legal[-1] else 3.0, "points") for k, a in enumerate(legal)}


def hand(rules="partnership", pick=0):
    """A record of one hand in which every seat takes legal action number ``pick``."""
    game = Game(rules, seed=2)
    while game.hand_number < 1:
        game.apply(game.legal_actions()[pick])
    return game.record()


def test_decisions_with_a_choice_in_order():
    record = hand()
    expected = [
        (k, game.seat, action)
        for k, (game, action) in enumerate(record.positions())
        if action is not None and len(game.legal_actions()) > 1
    ]
    found = list(review(record, Known()))
    assert [(each.index, each.seat, each.action) for each in found] == expected
    assert {each.hand for each in found} == {0}
    only = [each for each in expected if each[1] in (1, 3)]
    assert [(each.index, each.seat, each.action) for each in review(record, Known(), [3, 1])] == only


def test_the_cost_is_the_best_value_minus_that_of_the_action():
    for judged in review(hand(), Known()):
        legal = judged.view.legal_actions()
        assert list(judged.ratings) == legal
        assert (judged.action, judged.best) == (legal[0], legal[-1])
        assert judged.cost == len(legal) - 1
        assert judged.error == 5.0  # hypot(3, 4)
    for judged in review(hand(pick=-1), Known()):
        assert (judged.best, judged.cost, judged.error) == (judged.action, 0.0, 0.0)


def test_of_equal_values_the_action_played_is_the_best():
    class Even(Known):
        def rate(self, view):
            return dict.fromkeys(view.legal_actions(), Rating(0.5, 0.1, "win"))

    assert all(judged.best == judged.action and judged.cost == 0 for judged in review(hand(pick=-1), Even()))


def test_a_single_world_has_no_error():
    judged = next(judged for judged in review(hand(), "rollout:worlds=1") if judged.cost > 0)
    assert math.isnan(judged.error)


def test_ratings_do_not_depend_on_hidden_cards():
    """The ratings are those of the view alone, which another object of the same player gives again."""
    judged = next(review(hand("two_player"), "rollout:worlds=4"))
    assert judged.ratings == make_agent("rollout:worlds=4").rate(judged.view)


def test_what_cannot_be_reviewed_is_refused_at_once():
    with pytest.raises(ValueError, match="player 'heuristic' rates no actions: use pimc"):
        review(hand(), "heuristic")
    with pytest.raises(ValueError, match=r"seat must be an int in 0\.\.3, got 4"):
        review(hand(), Known(), [4])
    with pytest.raises(ValueError, match="'learned' plays only two_player, partnership and cutthroat, not solo"):
        review(hand("solo"), "learned")
