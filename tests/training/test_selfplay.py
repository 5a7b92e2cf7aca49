"""The opponents of a learner: snapshots, their margins, and search players."""

from __future__ import annotations

import io
import math

import numpy as np
import pytest
from rich.console import Console
from spades_agents import make_agent
from spades_agents.policy.network import PolicyNetwork
from spades_training.learning.checkpoint import Checkpoint
from spades_training.learning.config import Config
from spades_training.learning.selfplay import HALF_LIFE, OpponentMix, SelfPlayEnv
from spades_training.learning.train import new_run, train

from spades_env.observation import SIZE
from spades_env.rules import PRESETS

RULES = PRESETS["two_player"]


def untrained(seed):
    """A network with random weights, which depend on the seed."""
    weights = np.random.default_rng(seed).normal(size=(SIZE, 75)).astype(np.float32)
    return PolicyNetwork(np.arange(SIZE), [(weights, np.zeros(75, np.float32))])


def new_mix(snapshots, weights=None, sampling="strength", keep=10):
    mix = OpponentMix(weights or {"snapshot": 1.0}, RULES, keep, np.random.default_rng(0), sampling)
    for network in snapshots:
        mix.add_snapshot(network)
    return mix


def test_margins_are_running_means_of_the_hands_against_each():
    mix = new_mix([untrained(k) for k in range(2)], {"self": 0.5, "snapshot": 0.5})
    mix.update(untrained(9))
    first, second = mix._active  # the first plays at even tables, the second at odd ones
    kinds, rows = np.array([1, 1, 0, 1, 0]), np.array([0, 2, 4, 5, 7])
    mix.count_hands(kinds, rows, np.array([1.0, 0.5, 9.0, -0.2, 9.0]))
    assert mix.margins[first] == pytest.approx(0.75 * (1 - 0.5 ** (2 / HALF_LIFE)))
    assert mix.margins[second] == pytest.approx(-0.2 * (1 - 0.5 ** (1 / HALF_LIFE)))
    before = mix.margins[first]
    mix.count_hands(np.ones(HALF_LIFE, int), np.zeros(HALF_LIFE, int), np.full(HALF_LIFE, 0.4))
    assert mix.margins[first] == pytest.approx((before + 0.4) / 2)
    mix.count_hands(np.zeros(3, int), np.arange(3), np.ones(3))  # the current policy played there
    assert mix.margins[first] == pytest.approx((before + 0.4) / 2)


def test_a_player_of_another_game_is_refused():
    with pytest.raises(ValueError, match="agent 'learned' plays only two_player, partnership and cutthroat"):
        OpponentMix({"self": 0.5, "learned": 0.5}, PRESETS["solo"], 2, np.random.default_rng(0))


def test_shares_fall_with_the_margin():
    mix = new_mix([untrained(k) for k in range(3)])
    assert mix.weights().tolist() == pytest.approx([1 / 3] * 3)
    mix.margins = [0.3, 0.0, -0.3]
    spread = math.sqrt((0.09 + 0 + 0.09) / 3)
    shares = np.exp(np.array([-0.3, 0, 0.3]) / spread)
    assert mix.weights().tolist() == pytest.approx((shares / shares.sum()).tolist())
    mix.margins = [3.0, 0.0, -3.0]  # the same league at ten times the stakes
    assert mix.weights().tolist() == pytest.approx((shares / shares.sum()).tolist())


def test_a_new_snapshot_replaces_the_weakest_but_never_the_first():
    networks = [untrained(k) for k in range(5)]
    mix = new_mix(networks[:4], keep=4)
    mix.margins = [0.9, -0.1, 0.5, 0.2]
    mix.add_snapshot(networks[4])
    assert mix.snapshots == [networks[k] for k in (0, 1, 3, 4)]
    assert mix.margins == [0.9, -0.1, 0.2, 0.0]
    single = new_mix(networks[:3], keep=1)
    assert single.snapshots == [networks[2]]


def test_a_weak_snapshot_is_drawn_less_than_a_strong_one():
    """The learner is the trained player; one snapshot is that player too, and three are untrained."""
    learner = make_agent("learned").player(RULES)
    mix = new_mix([untrained(1), learner.network, untrained(2), untrained(3)])
    tables = SelfPlayEnv(60, RULES, mix, reward="score")
    mix.update(learner.network)
    tables.reset(seed=1)
    for step in range(1_280):
        if step % 128 == 0:  # about five hands
            mix.update(learner.network)
        tables.step(learner.act_batch(tables.tables, np.arange(60)))
    strong = mix.margins.pop(1)
    assert abs(strong) < 0.15
    assert min(mix.margins) > strong + 0.3
    mix.margins.insert(1, strong)
    drawn = np.zeros(4)
    for _ in range(200):
        mix.update(learner.network)
        drawn[list(mix._active)] += 1
    weak = np.delete(drawn, 1)  # two of the four play at a time, so at least 200 of the 400 places are theirs
    assert drawn[1] > weak.max()
    assert drawn[1] > 2 * weak.mean()


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_every_autoreset_mode_counts_the_same_hands(mode, monkeypatch):
    """Table 0 plays the same matches of three hands in every mode; no reset is taken for a hand."""
    mix, counted = new_mix([untrained(1)]), []
    monkeypatch.setattr(mix, "count_hands", lambda kinds, rows, rewards: counted.extend(rewards.tolist()))
    mix.update(untrained(9))
    env = SelfPlayEnv(1, RULES, mix, autoreset_mode=mode, max_hands=3, seat=0)
    assert env.metadata["autoreset_mode"].value == mode
    env.reset(seed=3)
    paid, ends, player = [], 0, make_agent("heuristic")
    while ends < 2:
        _, rewards, terminated, truncated, _ = env.step(player.act_batch(env.tables, np.arange(1)))
        paid += rewards[rewards != 0].tolist()
        if terminated[0] or truncated[0]:
            ends += 1
            if mode == "NextStep":
                env.step(np.zeros(1, int))
            if mode == "Disabled":
                env.reset(options={"reset_mask": np.array([True])})
    assert len(counted) == 6
    assert [reward for reward in counted if reward] == paid


def small_run(folder, **changes):
    settings = {"n_envs": 32, "n_steps": 32, "batch_size": 512, "layers": "16", "eval_hands": 100, "final_matches": 2}
    settings |= {"warm_start": 0, "eval_opponents": "random", "tensorboard": False, "max_hands": 20}
    run = new_run(Config(**settings | changes), folder)
    train(Config.load(run), run, console=Console(file=io.StringIO()))
    return run


def test_a_run_by_strength_keeps_its_margins(tmp_path):
    """The margins are in the checkpoint, depend only on the seed, and are restored when the run is resumed."""
    changes = {"opponents": "self:1,snapshot:3", "snapshot_sampling": "strength", "snapshots": 3}
    changes |= {"total_timesteps": 6_000, "snapshot_every": 1_000, "checkpoint_every": 1_000}
    first, second = (small_run(tmp_path, **changes) for _ in range(2))
    saved = Checkpoint.load(first)
    margins = saved.state["margins"]
    assert len(margins) == len(saved.snapshots) == 3
    assert any(margins)
    assert Checkpoint.load(second).state["margins"] == margins
    mix = new_mix([])
    saved.restore_mix(mix)
    assert mix.margins == margins
    assert mix.snapshots == saved.snapshots
    (first / "model.zip").unlink()
    train(Config.load(first), first, resume=True, console=Console(file=io.StringIO()))  # nothing is left to do
    assert Checkpoint.load(first).state["margins"] == margins


def test_a_search_player_in_the_mix(tmp_path):
    run = small_run(tmp_path, opponents="self:4,pimc:worlds=2:0.1", total_timesteps=1_024)
    assert Config.load(run).opponent_weights() == pytest.approx({"self": 4 / 4.1, "pimc:worlds=2": 0.1 / 4.1})
    assert make_agent(f"ppo:{run}").rules == RULES
