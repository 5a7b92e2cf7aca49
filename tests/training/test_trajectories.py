"""Learner trajectories: rewards by match value, random scores, and the cards that only the critic sees."""

from __future__ import annotations

import numpy as np
import pytest
from sb3_contrib.common.maskable.utils import get_action_masks
from spades_agents import make_agent
from spades_agents.match_value import chance
from spades_agents.random_agent import RandomAgent
from spades_training.learning.sb3 import SpadesVecEnv
from spades_training.learning.trajectories import EpisodeOptions, LearnerTrajectories

from spades_env.cards import BLIND_NIL
from spades_env.engine.state import BLIND_BID, Phase
from spades_env.observation import SIZE, decode
from spades_env.rules import PRESETS, Rules


def random_actions(env, rng):
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in get_action_masks(env)])


@pytest.mark.parametrize("rules", ["two_player", "partnership", "solo"])
def test_match_values_sum_to_the_result(rules):
    """The rewards of a match sum to its result minus the value of its start; each is the gain of a hand."""
    rules = Rules.preset(rules, target=150, loss=-150)
    options = EpisodeOptions(by_hand=False, bag_shaping=True, match_value=True)
    env = LearnerTrajectories(SpadesVecEnv(4, rules=rules, seed=1), options)
    env.reset()
    rng = np.random.default_rng(2)
    states, learners = env.spades.tables.states, env.spades.learners

    def value(row):
        state = states[row]
        sides = rules.sides
        scores, bags = (state[name][:sides].tolist() for name in ("scores", "bags"))
        return 2 * chance(rules, scores, bags, int(env.spades.learners[row]) % sides, int(state["opener"]))

    starts = [value(row) for row in range(4)]
    before = list(starts)
    sums, finished = np.zeros(4), 0
    for _ in range(1_500):
        hands = states["hand_number"].copy()
        _, rewards, dones, infos = env.step(random_actions(env, rng))
        sums += rewards
        for row in range(4):
            if dones[row]:
                scores = infos[row]["scores"]
                won = scores[0] > max(scores[1:])
                assert sums[row] == pytest.approx(2 * won - starts[row], abs=1e-5)
                finished += 1
                sums[row], starts[row] = 0, value(row)
            elif hands[row] == states["hand_number"][row]:
                assert rewards[row] == 0
                continue
            else:
                assert rewards[row] == pytest.approx(value(row) - before[row], abs=1e-6)
            before[row] = value(row)
    assert finished > 3
    assert set(learners) <= set(range(rules.players))


@pytest.mark.parametrize("rules", ["two_player", "partnership"])
def test_random_scores(rules):
    """They are in the observation, and possible in a match: the last digit is the number of bags."""
    options = EpisodeOptions(by_hand=True, bag_shaping=True, match_value=True, random_scores=0.5)
    env = LearnerTrajectories(SpadesVecEnv(40, rules=rules, seed=1), options)
    observations = env.reset()
    rng = np.random.default_rng(2)
    tables, sides = env.spades.tables, PRESETS[rules].sides
    assert ((tables.states["scores"] - tables.states["bags"]) % 10 == 0).all()
    for _ in range(60):
        states = tables.states
        scores, bags = states["scores"][:, :sides], states["bags"][:, :sides]
        assert scores.max() < PRESETS[rules].target
        for row in range(0, 40, 13):
            side = env.spades.learners[row] % sides
            order = [(side + k) % sides for k in range(sides)]
            shown = decode(observations[row])
            assert shown["score"][:sides] == scores[row, order].tolist()
            assert shown["bags"][:sides] == bags[row, order].tolist()
        observations, _, _, _ = env.step(random_actions(env, rng))
    share = (np.abs(tables.states["scores"][:, :sides]).max(1) > 0).mean()
    assert share > 0.3


@pytest.mark.parametrize("rules", PRESETS)
def test_the_first_hands_start_with_random_scores(rules):
    """The requested share of them does, whether or not blind nil may be bid."""
    for share, least, most in ((1.0, 1.0, 1.0), (0.3, 0.22, 0.38), (0.0, 0.0, 0.0)):
        venv = SpadesVecEnv(400, rules=rules, opponents="heuristic", seed=1)
        options = EpisodeOptions(by_hand=True, bag_shaping=True, match_value=True, random_scores=share)
        env = LearnerTrajectories(venv, options)
        env.reset()
        scores = venv.env.tables.states["scores"][:, : PRESETS[rules].sides]
        assert least <= (scores != 0).any(1).mean() <= most


class BlindBidder(RandomAgent):
    """Bids blind nil whenever it can."""

    def act_batch(self, tables, rows):
        return np.where(tables.states["phase"][rows] == Phase.BLIND, BLIND_NIL, super().act_batch(tables, rows))


@pytest.mark.parametrize("seat,drawn", [(0, True), (1, False)])  # decides before the opponent, after it
def test_scores_stay_where_somebody_has_bid_blind(seat, drawn, monkeypatch):
    venv = SpadesVecEnv(100, rules="two_player", opponents=BlindBidder(), seat=seat, seed=1)
    env = LearnerTrajectories(venv, EpisodeOptions(True, True, match_value=True, random_scores=1.0))
    tables, given = venv.env.tables, np.zeros(100, bool)
    set_scores = tables.set_scores

    def spy(scores, bags, rows):
        given[rows] = True
        set_scores(scores, bags, rows)

    monkeypatch.setattr(tables, "set_scores", spy)
    env.reset()
    assert ((tables.states["blind"] == BLIND_BID).any(1) != drawn).all()
    assert (given == drawn).all()


def test_the_oracle_sees_all_hands():
    env = LearnerTrajectories(SpadesVecEnv(5, rules="partnership", seed=1), EpisodeOptions(True, True), oracle=True)
    observations = env.reset()
    assert env.observation_space.shape == (SIZE + 3 * 52,)
    rng = np.random.default_rng(2)
    for _ in range(30):
        for row, learner in enumerate(env.spades.learners):
            for k in range(3):
                seat = (learner + 1 + k) % 4
                shown = observations[row, SIZE + 52 * k : SIZE + 52 * (k + 1)]
                cards = int(env.spades.tables.states["hands"][row, seat])
                assert np.flatnonzero(shown).tolist() == [card for card in range(52) if cards >> card & 1]
        plain = observations[:, :SIZE].copy()
        env.spades.tables.observe()
        assert (plain == env.spades.tables.observation).all()
        observations, *_ = env.step(random_actions(env, rng))


def finished_hands(env, agent, steps):
    """The rewards of the hands completed in ``steps`` steps, and the scores at the ends of matches."""
    env.reset()
    rewards, finals = [], []
    for _ in range(steps):
        _, paid, dones, infos = env.step(agent.act_batch(env.spades.tables, np.arange(env.num_envs)))
        assert (paid[~dones] == 0).all()
        rewards += paid[dones].tolist()
        finals += [info["scores"] for info in infos if "scores" in info]
    return np.array(rewards), finals


@pytest.mark.parametrize("match_value", [True, False])
@pytest.mark.parametrize("rules", ["two_player", "partnership", "cutthroat"])
def test_the_scripted_player_gains_nothing_on_its_own_baseline(rules, match_value):
    """With random scores, hands that end a match, truncated matches, and bag penalties."""
    rules = Rules.preset(rules, target=180, loss=-180)
    venv = SpadesVecEnv(30, rules=rules, opponents="heuristic", seed=1, max_hands=3)
    options = EpisodeOptions(True, True, match_value, random_scores=0.3, duplicate_baseline=True)
    env = LearnerTrajectories(venv, options)
    rewards, finals = finished_hands(env, make_agent("heuristic"), 200)
    assert len(rewards) > 100
    assert np.abs(rewards).max() < 1e-5
    cut_off = sum(max(scores) < 180 and min(scores) > -180 for scores in finals)
    assert cut_off > 5
    assert len(finals) - cut_off > 5


@pytest.mark.parametrize("match_value", [True, False])
@pytest.mark.parametrize("rules,most", [("two_player", 0.85), ("partnership", 0.6)])
def test_the_baseline_reduces_the_variance_of_the_rewards(rules, most, match_value):
    """For another player, the variance is at most this share of that without the baseline."""

    def rewards(baseline):
        venv = SpadesVecEnv(100, rules=rules, opponents="heuristic", seed=1)
        env = LearnerTrajectories(venv, EpisodeOptions(True, True, match_value, duplicate_baseline=baseline))
        return finished_hands(env, make_agent("bidder"), 400)[0]

    plain, reduced = rewards(False), rewards(True)
    assert len(plain) == len(reduced) > 1_000
    assert reduced.var() < most * plain.var()


def test_a_baseline_needs_hands():
    with pytest.raises(ValueError, match="duplicate_baseline needs by_hand"):
        EpisodeOptions(by_hand=False, bag_shaping=True, duplicate_baseline=True)
