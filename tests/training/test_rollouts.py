"""Learning from rollouts: ratings agree with games finished by the scripted player, and the policy learns them."""

from __future__ import annotations

import copy
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
from spades_agents import make_agent
from spades_agents.heuristic.scripted import new_scratch
from spades_agents.match_value import chance, match_table
from spades_agents.search.rollout import rate_rows
from spades_agents.search.workspace import PLAN, Aim, Rater
from spades_training.cluster.rating import REACH, TOGETHER
from spades_training.cluster.spread import Spread
from spades_training.learning.config import Config
from spades_training.learning.rollouts import DRAFT_DOUBT, FAR, STEPS, Rollouts
from spades_training.learning.sb3 import SpadesVecEnv
from spades_training.learning.train import new_model
from spades_training.learning.trajectories import EpisodeOptions, LearnerTrajectories

from spades_env.cards import BID_0, NUM_ACTIONS
from spades_env.engine.state import Phase
from spades_env.game import Game
from spades_env.observation import FIELDS
from spades_env.tables import Tables

RULES = ("two_player", "partnership", "solo", "cutthroat")


def rate(tables, rows, references):
    """float64 of shape (rows, 75)."""
    found = np.empty((len(rows), NUM_ACTIONS))
    rater = Rater(np.zeros(1, PLAN), new_scratch(), Aim(match_table(tables.rules), 1.0, 0.0))
    rate_rows(tables.states, rows, references, REACH, tables.rules_array, rater, found)
    return found


def chance_after(game, action):
    """The chance that the seat on turn wins if the scripted player finishes the hand after ``action``."""
    side, hand, heuristic = game.seat % game.rules.sides, game.hand_number, make_agent("heuristic")
    game = copy.deepcopy(game)
    game.apply(action)
    while game.hand_number == hand and not game.is_over:
        game.apply(heuristic.act(game.view()))
    if game.is_over:
        return float(game.winner == side)
    return chance(game.rules, list(game.scores), list(game.bags), side, game.opener)


@pytest.mark.parametrize("rules", RULES)
def test_ratings_agree_with_games_of_the_scripted_player(rules):
    """Compared with games played one by one, in every phase that random play reaches."""
    tables, games = Tables(rules, 4, seed=5), [Game(rules, seed=(5, i)) for i in range(4)]
    rng, rows, scripted = np.random.default_rng(0), np.arange(4), make_agent("heuristic")
    phases, far = set(), 0
    for step in range(90):
        if any(game.is_over for game in games):
            break
        references = scripted.act_batch(tables, rows)
        if step % 7 == 0 or step < 3 or games[0].phase in (Phase.BID, Phase.EXCHANGE):
            found = rate(tables, rows, references)
            game = games[step % 4]
            phases.add(game.phase)
            for action in range(NUM_ACTIONS):
                value, reference = found[step % 4, action], references[step % 4]
                if action not in game.legal_actions():
                    assert np.isnan(value)
                elif game.phase == Phase.BID and action != BID_0 and abs(action - reference) > REACH:
                    assert np.isnan(value)
                    far += 1
                else:
                    assert value == pytest.approx(chance_after(game, action), abs=1e-9)
        actions = [int(rng.choice(game.legal_actions())) for game in games]
        tables.step(np.array(actions))
        for game, action in zip(games, actions, strict=True):
            game.apply(action)
    assert {Phase.BID, Phase.PLAY} <= phases
    assert far > 0


def new_stage(rules="two_player", spread=None, **changes):
    settings = {"reward": "match", "layers": "64", "critic_layers": "64", "card_features": True, "n_envs": 32}
    config = Config(**settings | {"rules": rules, "rollouts": 30_000} | changes)
    venv = SpadesVecEnv(config.n_envs, rules=rules, opponents="heuristic", seed=1, episode="match")
    options = EpisodeOptions(True, False, match_value=True)
    env = LearnerTrajectories(venv, options, features=True, hint=config.hint, oracle=True)
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    return Rollouts(new_model(config, env), env, make_agent("heuristic"), config, rng, spread=spread)


@pytest.mark.parametrize("rules", RULES)
def test_what_is_collected(rules):
    """The teacher's action gains minus the doubt, returns are bounded, and actions that are not rated are marked."""
    stage = new_stage(rules, doubt=0.02, blind_doubt=0.3)
    seen, gains, references, returns = stage._collect()
    assert len(seen) == len(gains) == len(references) == len(returns)
    rows = np.arange(len(gains))
    phases = seen[:, FIELDS["phase"].slices[0]].argmax(1)
    doubts = np.full(len(Phase), 0.02)
    doubts[Phase.BLIND], doubts[Phase.DRAFT] = 0.3, 0.02 * DRAFT_DOUBT
    assert gains[rows, references] == pytest.approx(-doubts[phases])
    assert np.isfinite(gains).sum(1).min() >= 2
    assert np.abs(returns).max() <= 2
    assert ((gains == np.float32(FAR)).any(1) <= (phases == Phase.BID)).all()


def test_it_learns_what_is_better():
    """On new decisions its choices gain more than those of the untrained network."""

    def gain(stage):
        """Mean gain of the policy's choices over the teacher's, in win probability."""
        seen, gains, references, _ = stage._collect()
        columns, _ = stage._swaps[0]
        policy = stage.model.policy
        with torch.no_grad():
            latent, _ = policy.mlp_extractor(policy.extract_features(torch.as_tensor(seen)[:, columns]))
            logits = policy.action_net(latent).numpy()
        chosen = np.where(np.isnan(gains), -np.inf, logits).argmax(1)
        rows = np.arange(len(gains))
        return float((gains[rows, chosen] - gains[rows, references]).mean())

    stage = new_stage(doubt=0.0, n_envs=64)
    before = gain(stage)
    while not stage.finished:
        stage.round()
    after = gain(stage)
    assert before < -0.005
    assert after > before / 2


def test_ratings_of_other_threads_are_the_same():
    """As on the machines of a cluster: the same decisions, ratings and returns."""
    with ThreadPoolExecutor(3) as executor, Spread(executor) as spread:
        stages = new_stage(), new_stage(spread=spread)
        for _ in range(2):
            for here, there in zip(*(stage._collect() for stage in stages), strict=True):
                np.testing.assert_array_equal(here, there)
    assert sum(spread.done.values()) == 2 * STEPS // TOGETHER
