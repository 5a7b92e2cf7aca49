"""`agent.rate(view)`: a value, a standard error and a unit for every legal action."""

from __future__ import annotations

import math

import numpy as np
import pytest
from spades_agents.base import OneTable
from spades_agents.bidder.advice import advise
from spades_agents.registry import make_agent

from spades_env import Game, Phase, Rules
from spades_env.cards import BID_0, BLIND_NIL, LOOK

UNITS = {
    "pimc:worlds=4": "win",
    "rollout:worlds=4,match_value=false": "points",
    "learned": "probability",
}


def positions(rules, most=4):
    """Views of the first decisions in each phase of a hand between scripted players, and of its last."""
    game, script = Game(rules, seed=3), make_agent("heuristic")
    seen = dict.fromkeys(Phase, 0)
    while game.hand_number < 1:
        view = game.view()
        seen[view.phase] += 1
        if seen[view.phase] <= most or sum(game.tricks) == game.rules.hand_size - 1:
            yield view
        game.apply(script.act(view))


@pytest.mark.parametrize("rules", ["two_player", "partnership"])
@pytest.mark.parametrize("spec", UNITS)
def test_every_legal_action_is_rated(spec, rules):
    agent = make_agent(spec)
    for view in positions(rules):
        ratings = agent.rate(view)
        assert list(ratings) == view.legal_actions()
        assert {rating.unit for rating in ratings.values()} == {UNITS[spec]}
        assert all(math.isfinite(rating.value) and rating.error >= 0 for rating in ratings.values())
        if spec == "learned":
            assert sum(rating.value for rating in ratings.values()) == pytest.approx(1)
            assert max(ratings, key=lambda action: ratings[action].value) == agent.act(view)


def test_the_worlds_are_those_of_the_decision():
    agent = make_agent("pimc:worlds=8,seed=3,match_value=false")
    for view in positions("two_player"):
        table = OneTable(view.state, view.rules, view.rules_array, agent.agent_rng)
        means = agent.rate_batch(table, np.zeros(1, np.int64))[1][0]
        ratings = agent.rate(view)
        rated = np.flatnonzero(~np.isnan(means))
        if view.phase == Phase.PLAY:  # solved, so that no candidate is dropped on the way
            assert [ratings[action].value for action in rated] == (100 * means[rated]).tolist()
        elif rated.size:
            assert ratings[agent.act(view)].value == 100 * means[agent.act(view)]


def test_a_chance_to_win_is_one():
    """Without the points that the search adds when it decides."""
    agent = make_agent("pimc:worlds=8")
    ahead = Game("two_player", seed=1, scores=(0, 480), bags=(0, 0))
    while ahead.phase != Phase.BID:
        ahead.apply(ahead.legal_actions()[-1])
    ratings = agent.rate(ahead.view())
    assert max(rating.value for rating in ratings.values()) > 0.9
    assert all(0 <= rating.value <= 1 for rating in ratings.values())


def test_the_standard_error_is_the_spread_over_seeds():
    *_, view = (view for view in positions("two_player", most=6) if view.phase == Phase.BID)
    found = [make_agent(f"rollout:worlds=40,beliefs=false,seed={seed}").rate(view) for seed in range(60)]
    for action in (BID_0 + 3, BID_0 + 5):
        spread = np.std([ratings[action].value for ratings in found], ddof=1)
        assert spread == pytest.approx(np.mean([ratings[action].error for ratings in found]), rel=0.35)


def test_the_last_card_is_certain():
    *_, view = positions("partnership", most=0)
    (rating,) = make_agent("pimc:worlds=5").rate(view).values()
    assert rating.error == pytest.approx(0, abs=1e-6)
    assert math.isnan(next(iter(make_agent("rollout:worlds=1").rate(view).values())).error)


def test_bids_of_the_bidder_are_those_of_the_advice():
    rules = Rules.preset("partnership", blind_nil=0)
    view = Game(rules, seed=5, scores=[120, 80], bags=[3, 1]).view()
    advice = advise(view.hand, rules, scores=(120, 80), bags=(3, 1))
    ratings = make_agent("bidder").rate(view)
    assert {rating.unit for rating in ratings.values()} == {"win"}
    for bid, value in enumerate(advice.bids):
        assert ratings[BID_0 + bid].value == pytest.approx(value.win)


def test_the_bidder_in_all_other_phases():
    agent = make_agent("bidder")
    for view in positions("two_player"):
        ratings = agent.rate(view)
        assert list(ratings) == view.legal_actions()
        if view.phase == Phase.BLIND:
            assert {rating.unit for rating in ratings.values()} == {"win"}
            assert 0 < ratings[BLIND_NIL].value < ratings[LOOK].value < 1
        elif view.phase != Phase.BID:
            assert {action: rating.value for action, rating in ratings.items() if rating.value} == {agent.act(view): 1}
            assert {rating.unit for rating in ratings.values()} == {"probability"}


@pytest.mark.parametrize("spec", [*UNITS, "bidder"])
def test_only_the_seat_on_turn_has_actions_to_rate(spec):
    with pytest.raises(ValueError, match="seat 0 is on turn, but the view is that of seat 1"):
        make_agent(spec).rate(Game("two_player", seed=0).view(1))


def test_learned_says_before_the_first_card_that_it_does_not_play_dealt_hands():
    rules = Rules.preset("two_player_dealt")
    for check in (make_agent("learned").check_rules, make_agent("learned").prepare):
        with pytest.raises(
            ValueError, match="'learned' plays only two_player, partnership and cutthroat, not two_player_dealt"
        ):
            check(rules)
