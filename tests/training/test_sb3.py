"""The Stable-Baselines3 environment: one trajectory for each learner's seat."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from gymnasium.error import ResetNeeded
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from scripted import Match, Scripted, matches, reward_kinds
from spades_training.learning.sb3 import SpadesVecEnv, UsedBits, policy_network
from spades_training.learning.trajectories import EpisodeOptions, LearnerTrajectories
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecMonitor, VecVideoRecorder
from tabletop import Hand

from spades_env import PRESETS, SpadesEnv, SpadesVectorEnv
from spades_env.observation import SIZE, decode
from spades_env.picture import rgb_array
from spades_env.picture.ansi import ansi
from spades_env.rules import Rules

presets = pytest.mark.parametrize("rules", PRESETS)


@pytest.fixture(autouse=True)
def one_thread():
    torch.set_num_threads(1)


def random_actions(env, rng):
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in get_action_masks(env)])


@matches
@reward_kinds
def test_credit(match, kind):
    """In a match worked out by hand every seat gets its own rewards, including the loser's last one."""
    for seat in range(match.rules.players):
        env = SpadesVecEnv(1, rules=match.rules, opponents=Scripted(match), seat=seat, reward=kind, seed=0)
        env.set_options(match.options)
        env.reset()
        learner, rewards, done = Scripted(match), [], False
        while not done:
            view = env.env.tables.view(0)
            assert view.seat == seat
            _, reward, dones, infos = env.step(np.array([learner.act(view)]))
            rewards.append(reward[0])
            done = dones[0]
        expected = match.rewards(seat, kind)
        assert [float(reward) for reward in rewards if reward] == pytest.approx(getattr(expected, "expected", expected))
        assert infos[0]["episode"]["r"] == pytest.approx(sum(rewards), abs=1e-6)
        assert infos[0]["episode"]["l"] == len(rewards)
        assert infos[0]["hands"] == len(match.hands)
        assert not infos[0]["TimeLimit.truncated"]


@presets
def test_trajectories_are_those_of_single_environments(rules):
    """Table i plays as SpadesEnv with seed + i: observations, rewards, ends, last observations, next episodes."""
    env = SpadesVecEnv(3, rules=rules, opponents="random", max_hands=2, seed=5)
    singles = [SpadesEnv(rules, opponents="random", max_hands=2) for _ in range(3)]
    observations = env.reset()
    for i, single in enumerate(singles):
        assert (single.reset(seed=5 + i)[0] == observations[i]).all()
        assert env.reset_infos[i] == {"seat": single.learner}
    rng, ended, learners = np.random.default_rng(0), 0, set()
    for _ in range(250):
        actions = random_actions(env, rng)
        observations, rewards, dones, infos = env.step(actions)
        for i, single in enumerate(singles):
            observation, reward, terminated, truncated, info = single.step(actions[i])
            assert rewards[i] == np.float32(reward)
            assert dones[i] == (terminated or truncated)
            if dones[i]:
                ended += 1
                assert (infos[i]["terminal_observation"] == observation).all()
                assert infos[i]["TimeLimit.truncated"] == truncated
                assert infos[i]["scores"] == info["scores"].tolist()
                observation, _ = single.reset()
                learners.add(single.learner)
            assert (observations[i] == observation).all()
            assert (env.action_masks()[i] == single.action_masks()).all()
    assert ended > 3
    assert len(learners) > 1


@presets
def test_observations_are_the_learners_own(rules):
    """Every observation is that of the learner on turn at its seat, which changes from match to match."""
    env = SpadesVecEnv(8, rules=rules, max_hands=1, seed=1)
    observations = env.reset()
    rng, seats = np.random.default_rng(1), set()
    for _ in range(60):
        for i, observation in enumerate(observations):
            seat = int(env.env.learners[i])
            view = env.env.tables.view(i, seat)
            assert env.env.tables.seat[i] == seat
            assert decode(observation)["turn"] == 0
            assert decode(observation)["hand"] == view.hand
            seats.add(seat)
        observations, *_ = env.step(random_actions(env, rng))
    assert seats == set(range(env.env.rules.players))


def test_the_methods_of_a_vec_env():
    env = SpadesVecEnv(4, rules="solo", opponents="heuristic", seed=0)
    assert env.observation_space.shape == (SIZE,)
    assert env.action_space.n == 75
    assert env.get_attr("render_mode") == [None] * 4
    assert env.get_attr("render_mode", [1]) == [None]
    assert env.env_is_wrapped(VecMonitor) == [False] * 4
    assert env.env_is_wrapped(Monitor) == [True] * 4  # the infos hold its statistics
    with pytest.raises(ResetNeeded, match=r"call reset\(\) first"):
        env.action_masks()
    assert is_masking_supported(env)
    assert not env.has_attr("no_such_thing")
    observations = env.reset()
    masks = get_action_masks(env)
    assert (masks.shape, masks.dtype) == ((4, 75), np.bool_)
    assert env.env_method("action_masks", indices=[2]).tolist() == masks[[2]].tolist()
    assert (observations.shape, observations.dtype) == ((4, SIZE), np.int8)
    *_, dones, infos = env.step(random_actions(env, np.random.default_rng(0)))
    assert (dones.dtype, infos) == (np.bool_, [{}] * 4)
    env.seed(9)
    first = env.reset()
    env.seed(9)
    assert (env.reset() == first).all()
    assert (env.reset() != first).any()
    with pytest.raises(ValueError, match="indices must be None"):
        env.set_attr("copy", False, [0])
    env.set_attr("copy", False)
    assert env.get_attr("copy") == [False] * 4


def test_evaluation_finds_the_statistics_of_the_episodes(recwarn):
    env = SpadesVecEnv(2, rules="solo", episode="hand", seed=0)
    model = MaskablePPO("MlpPolicy", env, n_steps=8, batch_size=16)
    rewards, lengths = evaluate_policy(model, env, n_eval_episodes=4, return_episode_rewards=True)
    assert len(rewards) == 4
    assert set(lengths) <= {14, 15}  # look and bid, or blind nil, then 13 cards
    assert not [str(warning.message) for warning in recwarn if "Monitor" in str(warning.message)]


def test_pictures_of_all_tables():
    env = SpadesVecEnv(3, rules="solo", seed=0, render_mode="rgb_array")
    with pytest.raises(ResetNeeded, match=r"call reset\(\) first"):
        env.render()
    env.reset()
    picture = env.render()
    assert (picture.shape, picture.dtype) == ((1024, 1536, 3), np.uint8)  # two by two, the fourth is black
    assert [part.any() for part in (picture[:512], picture[512:, :768], picture[512:, 768:])] == [True, True, False]
    assert (picture[:512, :768] == rgb_array(env.env.tables.view(0, 0))).all()
    texts = SpadesVecEnv(2, rules="solo", seed=0, render_mode="ansi")
    texts.reset()
    assert texts.render() == "\n\n".join(ansi(texts.env.tables.view(row, 0)) for row in range(2))


def test_a_training_run_can_be_filmed(tmp_path):
    pytest.importorskip("moviepy")
    made = SpadesVecEnv(2, rules="solo", episode="hand", seed=0, render_mode="rgb_array")
    env = VecVideoRecorder(made, str(tmp_path), lambda step: step == 0, video_length=6)
    MaskablePPO("MlpPolicy", env, n_steps=8, batch_size=16).learn(16)
    env.close()
    (film,) = tmp_path.glob("*.mp4")
    assert film.stat().st_size > 1000


def test_bad_arguments():
    with pytest.raises(ValueError, match="autoreset_mode must be 'SameStep'"):
        SpadesVecEnv(SpadesVectorEnv(2))
    with pytest.raises(ValueError, match="rules: the options of an existing environment cannot be changed"):
        SpadesVecEnv(SpadesVectorEnv(2, autoreset_mode="SameStep"), rules="solo")
    env = SpadesVecEnv(2)
    env.set_options([{"opener": 0}, {"opener": 1}])
    with pytest.raises(ValueError, match="all tables must have the same options"):
        env.reset()


@pytest.mark.parametrize("by_hand", [True, False])
def test_shaping_keeps_the_sum_of_a_match(by_hand):
    """The rewards of a match have the same sum with and without shaping; with by_hand every hand is an episode."""
    rules = Rules.preset("two_player", target=200)
    plain, shaped = (
        LearnerTrajectories(SpadesVecEnv(6, rules=rules, seed=2), EpisodeOptions(by_hand, on)) for on in (False, True)
    )
    plain.reset()
    shaped.reset()
    rng = np.random.default_rng(3)
    sums = np.zeros((2, 6))
    differed, matches_over = False, 0
    for _ in range(900):
        numbers = plain.spades.tables.states["hand_number"].copy()
        actions = random_actions(plain, rng)
        (_, one, ends, infos), (_, other, same_ends, _) = plain.step(actions), shaped.step(actions)
        assert (ends == same_ends).all()
        differed |= bool((one != other).any())
        sums += one, other
        hand_over = plain.spades.tables.states["hand_number"] != numbers
        for i in np.flatnonzero(ends | hand_over):
            match_over = "terminal_observation" in infos[i]
            assert ends[i] == (by_hand or match_over)
            if match_over:
                matches_over += 1
                assert sums[0, i] == pytest.approx(sums[1, i], abs=1e-4)
                sums[:, i] = 0
    assert differed
    assert matches_over > 3


def test_a_bag_is_charged_when_it_is_taken():
    """Bid 5 and won 8, against a contract of 5 made: 53 to 50 points, and 3 bags immediately cost 30."""
    rules = Rules.preset("two_player", target=10_000)
    hands = [Hand(bids=(5, 5), won=(8, 5))] * 3  # the third hand only starts
    match = Match(rules, hands, [0, 0], [6, 0], [[3, -3], [-97, 97]], set())
    # Second hand: with 6 + 3 + 3 bags the penalty of 100 is due, and the 100 points charged before are refunded.
    for seat, paid in ((0, [3 - 30, -97 - 30 + 100]), (1, [30 - 3, 97 + 30 - 100])):
        venv = SpadesVecEnv(1, rules=rules, opponents=Scripted(match), seat=seat, seed=0)
        venv.set_options(match.options)
        env = LearnerTrajectories(venv, EpisodeOptions(by_hand=True, bag_shaping=True))
        env.reset()
        learner, rewards = Scripted(match), []
        while len(rewards) < 2:
            _, reward, dones, infos = env.step(np.array([learner.act(venv.env.tables.view(0))]))
            assert (reward[0] != 0) == dones[0]
            if dones[0]:
                rewards.append(float(reward[0]))
                assert infos[0]["episode"]["r"] == pytest.approx(match.points[len(rewards) - 1][seat] / 100)
        assert rewards == pytest.approx([points / 100 for points in paid])


def test_maskable_ppo_as_it_comes():
    """10,000 steps with the library's default policy, without an illegal action."""
    env = SpadesVecEnv(16, rules="two_player", opponents="random", episode="hand", illegal="raise", seed=0)
    model = MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=512, n_epochs=2, seed=0, device="cpu")
    model.learn(10_000)
    assert model.num_timesteps >= 10_000
    assert len(model.ep_info_buffer) > 10
    network = policy_network(model)
    observations = env.reset()
    chosen, _ = model.predict(observations, action_masks=env.action_masks(), deterministic=True)
    assert (network.best(observations, env.action_masks()) == chosen).all()


@presets
def test_policy_network_is_the_policy(rules):
    env = SpadesVecEnv(16, rules=rules, opponents="heuristic", seed=0)
    kwargs = {"features_extractor_class": UsedBits, "features_extractor_kwargs": {"rules": PRESETS[rules]}}
    kwargs |= {"activation_fn": torch.nn.ReLU, "net_arch": [32, 16]}
    model = MaskablePPO("MlpPolicy", env, n_steps=8, batch_size=64, seed=0, device="cpu", policy_kwargs=kwargs)
    network = policy_network(model)
    observations, rng = env.reset(), np.random.default_rng(0)
    for _ in range(40):
        with torch.no_grad():
            latent, _ = model.policy.mlp_extractor(model.policy.extract_features(torch.as_tensor(observations)))
            logits = model.policy.action_net(latent).numpy()
        np.testing.assert_allclose(network.logits(observations), logits, atol=1e-5)
        unused = np.setdiff1d(np.arange(SIZE), network.inputs)
        assert not observations[:, unused].any()
        observations, *_ = env.step(random_actions(env, rng))
