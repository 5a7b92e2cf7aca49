"""Training: it learns, its files are right, and its errors are clear."""

from __future__ import annotations

import csv
import errno
import io
import json
import os
import shlex
import zipfile

import numpy as np
import pytest
import torch
from rich.console import Console
from spades_agents import make_agent
from spades_agents.policy.shipped import LearnedAgent
from spades_command import fails, spades
from spades_training.evaluation.evaluate import evaluate
from spades_training.learning.checkpoint import Checkpoint
from spades_training.learning.config import PRESETS, Config
from spades_training.learning.monitor import TrainingError
from spades_training.learning.sb3 import SpadesVecEnv
from spades_training.learning.train import new_run, train
from spades_training.learning.trajectories import EpisodeOptions, LearnerTrajectories
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from spades_env.files import write_whole
from spades_env.rules import Rules

SMALL = {"n_envs": 32, "n_steps": 32, "batch_size": 512, "layers": "32", "eval_hands": 100, "final_matches": 2}
SMALL |= {"warm_start": 0, "eval_opponents": "random", "tensorboard": False, "max_hands": 20}


def quiet():
    return Console(file=io.StringIO())


def rows_of(run):
    with open(run / "metrics.csv", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A run on a budget of seconds: its folder and its output."""
    config = Config(**SMALL | {"total_timesteps": 60_000, "n_envs": 64, "n_steps": 64, "layers": "64,64"})
    # Untrained, the network of seed 1 bids absurdly; with some other seeds it bids low, which beats random.
    more = {"eval_hands": 400, "eval_every": 30_000, "tensorboard": True, "seed": 1}
    config = Config(**json.loads(config.to_json()) | more)
    run = new_run(config, tmp_path_factory.mktemp("runs"))
    console = Console(record=True, file=io.StringIO(), width=120)
    train(config, run, console=console)
    return run, console.export_text()


def test_it_learns(trained):
    """Points per hand against random on the same decks rise from far below 0, and the intervals are disjoint."""
    run, _ = trained
    first, last = rows_of(run)[0], rows_of(run)[-1]
    assert float(first["random"]) < -60
    assert float(last["random"]) > float(first["random"]) + 60
    assert float(last["random_low"]) > float(first["random_high"])
    assert int(last["steps"]) >= 60_000


def test_the_files_of_a_run(trained):
    run, text = trained
    names = {path.name for path in run.iterdir()}
    assert {"model.zip", "config.json", "metrics.csv", "learning_curve.png", "results.json", "checkpoint.zip"} <= names
    assert (run / "learning_curve.png").read_bytes().startswith(b"\x89PNG")
    assert list((run / "tensorboard").glob("events*"))
    assert Config.load(run).total_timesteps == 60_000
    results = json.loads((run / "results.json").read_text())
    assert results["against"]["random"]["matches"] == 2
    assert "two_player, 60,000 decisions, rounded up to 61,440 (15 updates of 4,096); if interrupted" in text
    for part in ("random", "match wins % [95%]", "points/hand"):
        assert part in text


def test_tensorboard_shows_every_evaluation_at_its_own_step(tmp_path):
    """Before and after the imitation, during the self-play and at the end, as in the metrics."""
    run = small_run(tmp_path, warm_start=8_000, eval_every=2_000, tensorboard=True)
    events = EventAccumulator(str(run / "tensorboard")).Reload().Scalars("eval/points_per_hand_random")
    rows = [(int(row["decisions"]), float(row["random"])) for row in rows_of(run)]
    assert [decisions for decisions, _ in rows] == [0, 8_000, 10_048, 11_072]
    assert [event.step for event in events] == [decisions for decisions, _ in rows]
    assert [event.value for event in events] == pytest.approx([points for _, points in rows], rel=1e-6)


def test_the_model_plays_as_it_was_measured(trained):
    """An evaluation of the saved player gives the numbers in the last row of the metrics."""
    run, _ = trained
    found = evaluate(make_agent(f"ppo:{run}/model.zip"), "random", matches=100, max_hands=4, seed=1)
    assert found.points_per_hand.value == float(rows_of(run)[-1]["random"])
    assert evaluate(make_agent(f"ppo:{run}"), "random", matches=100, max_hands=4, seed=1, batch=7) == found.__class__(
        **{**found.__dict__, "a": found.a.__class__(**{**found.a.__dict__, "name": f"ppo:{run}"})}
    )


def small_run(folder, **changes):
    config = Config(**{**SMALL, "total_timesteps": 3_000, "checkpoint_every": 1_000, **changes})
    run = new_run(config, folder)
    train(config, run, console=quiet())
    return run


def weights(run):
    with zipfile.ZipFile(run / "model.zip") as members, members.open("actor.npz") as file:
        return np.load(file)["weights"]


@pytest.mark.parametrize("rules", ["two_player", "partnership", "cutthroat,nil=50"])
def test_the_command_that_it_suggests_works(rules, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    console = Console(record=True, file=io.StringIO(), width=40)
    config = Config(**SMALL | {"total_timesteps": 1, "rules": rules})
    train(config, new_run(config, tmp_path / "my runs"), console=console)
    suggested = shlex.split(console.export_text().rpartition("Next: ")[2])
    assert suggested[:2] == ["spades", "play"]
    result = spades(*suggested[1:], "--seed", "1", stdin="l\nq\n")
    assert result.exit_code == 0, result.output
    assert "record saved" in result.stdout


def test_the_same_seed_gives_the_same_run(tmp_path):
    first, second, other = (small_run(tmp_path, seed=seed) for seed in (1, 1, 2))
    assert (weights(first) == weights(second)).all()
    assert (weights(first) != weights(other)).any()
    assert first != second


@pytest.mark.parametrize("rules", ["partnership", "solo", "cutthroat"])
def test_other_rules_and_settings(rules, tmp_path):
    run = small_run(
        tmp_path, rules=rules, warm_start=5_000, opponents="self:1,snapshot:1", snapshot_every=1_000, snapshots=2
    )
    assert len(Checkpoint.load(run).snapshots) == 2
    league = [make_agent(f"ppo:{path}").network.to_bytes() for path in sorted((run / "league").iterdir())]
    assert len(league) == 3
    assert league[-1] == Checkpoint.load(run).snapshots[-1].to_bytes()
    more = {
        "card_features": True,
        "hint": "heuristic",
        "rollouts": 3_000,
        "oracle_critic": True,
        "random_scores": 0.3,
        "reward": "match",
        "critic_layers": "16",
        "duplicate_baseline": True,
    }
    assert make_agent(f"ppo:{small_run(tmp_path, rules=rules, **more)}").rules.name == rules
    win = small_run(tmp_path, rules=rules, episode="match", reward="win", max_hands=2)
    assert make_agent(f"ppo:{win}").rules.name == rules


def test_a_run_that_starts_from_another(tmp_path):
    """With a learning rate of 0 it ends with the weights that it started from."""
    first = small_run(tmp_path, seed=1)
    frozen = {"learning_rate": 0.0, "final_learning_rate": 0.0, "seed": 2}
    second = small_run(tmp_path, start=str(first / "model.zip"), **frozen)
    assert (weights(first) == weights(second)).all()
    with pytest.raises(ValueError, match=r"cannot start from the model .*: its networks have another size"):
        small_run(tmp_path, start=str(first / "model.zip"), layers="16")
    with pytest.raises(ValueError, match=r"no model file no/model\.zip"):
        small_run(tmp_path, start="no/model.zip")


@pytest.mark.parametrize("rules", ["two_player", "partnership"])
def test_a_run_that_starts_from_the_shipped_player(rules, tmp_path):
    """Before learning it plays as that player."""
    settings = PRESETS["match"] | SMALL | {"rules": rules, "start": "learned", "layers": "256,256", "rollouts": 0}
    config = Config(**settings | {"total_timesteps": 1_024, "learning_rate": 0.0, "final_learning_rate": 0.0})
    run = new_run(config, tmp_path)
    train(config, run, console=quiet())
    assert make_agent(f"ppo:{run}").network.to_bytes() == LearnedAgent().player(Rules.preset(rules)).network.to_bytes()
    with pytest.raises(ValueError, match="cannot start from the model learned: its networks have another size"):
        train(Config(**settings | {"layers": "32"}), new_run(config, tmp_path), console=quiet())
    with pytest.raises(ValueError, match="agent 'learned' plays only two_player, partnership and cutthroat"):
        new_run(Config(**settings | {"rules": "solo", "teacher": "heuristic"}), tmp_path)


def test_a_policy_with_a_hint_plays_as_it_learned(tmp_path):
    """Single and batch decisions agree, and are those of the network on the learner's observations."""
    run = small_run(tmp_path, card_features=True, hint="heuristic", total_timesteps=1_024)
    agent = make_agent(f"ppo:{run}")
    env = LearnerTrajectories(SpadesVecEnv(6, seed=1), EpisodeOptions(True, True), features=True, hint="heuristic")
    observations, rows = env.reset(), np.arange(6)
    for _ in range(40):
        masks = env.env_method("action_masks")
        actions = agent.act_batch(env.spades.tables, rows)
        assert (actions == agent.network.best(observations, masks)).all()
        assert agent.act(env.spades.tables.view(2)) == actions[2]
        scripted = make_agent("heuristic").act_batch(env.spades.tables, rows)
        assert (env.hinted(observations) == scripted).all()
        observations, *_ = env.step(actions)


def test_a_loss_that_is_not_a_number(tmp_path, monkeypatch):
    from sb3_contrib import MaskablePPO

    def broken(model):
        model.logger.record("train/loss", float("nan"))

    monkeypatch.setattr(MaskablePPO, "train", broken)
    with pytest.raises(TrainingError, match="the loss is nan after 1,024 steps: try a lower learning_rate"):
        small_run(tmp_path)


def test_weights_that_are_not_numbers(tmp_path, monkeypatch):
    from sb3_contrib import MaskablePPO

    def broken(model):
        with torch.no_grad():
            model.policy.action_net.bias.fill_(float("nan"))

    monkeypatch.setattr(MaskablePPO, "train", broken)
    with pytest.raises(TrainingError, match="some weights are not finite after 1,024 steps: try a lower learning"):
        small_run(tmp_path)


def test_a_full_disk(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    (tmp_path / "file").write_text("old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"cannot write .*file: No space left on device"):
        write_whole(tmp_path / "file", "new")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text() == "old"


@pytest.mark.parametrize(
    "args,message",
    [
        (["--preset", "slow"], "error: unknown preset 'slow': use one of quick, standard, strong, match"),
        (["--n-envs", "-4"], "error: n_envs must be an int in 1..1000000000000, got -4"),
        (["--opponents", "self:1,ppo:no/model.zip:1"], "error: no model file no/model.zip"),
        (["--opponents", "self:1,best:1"], "error: unknown agent 'best'"),
        (["--eval-opponents", "best"], "error: unknown agent 'best'"),
        (["--rules", "bridge"], "error: unknown rules 'bridge'"),
        (["--rules", "solo", "--teacher", "learned"], "error: agent 'learned' plays only two_player, partnership"),
        (["--rules", "solo", "--opponents", "learned:1"], "error: agent 'learned' plays only two_player,"),
        (["--rules", "solo", "--eval-opponents", "learned"], "error: agent 'learned' plays only two_player,"),
        (["--rules", "cutthroat", "--card-features", "--hint", "bidder"], "error: there are bidding models for two"),
        (["--runs", "/dev/null/runs"], "error: cannot create the folder /dev/null/runs/two_player: Not a directory"),
        (["--learner", "sb3", "--batch-size", "1"], "error: batch_size=1 leaves a minibatch of one decision"),
        (["--learner", "sb3", "--batch-size", "32767"], "error: batch_size=32767 leaves a minibatch of one decision"),
        (["--resume", "no_such_run"], "error: cannot read the settings no_such_run/config.json"),
        (["--resume", "x", "--seed", "3"], "error: --resume takes all settings from x/config.json, but seed was given"),
        (["--name", "../x"], "error: name must be the name of a new folder in runs, got '../x'"),
        (["--no-such-option"], "error: No such option"),
    ],
)
def test_bad_input_is_one_line_and_code_2(args, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fails(message, "train", *args)
    assert list(tmp_path.iterdir()) == []


def test_names_of_runs(tmp_path):
    config = Config()
    other = [new_run(Config(rules=f"two_player,nil={nil}"), tmp_path).name for nil in (50, 60, 50)]
    assert other == ["two_player,nil=50", "two_player,nil=60", "two_player,nil=50-2"]
    names = [new_run(config, tmp_path).name for _ in range(3)]
    assert names == ["two_player", "two_player-2", "two_player-3"]
    assert new_run(config, tmp_path, "mine").name == "mine"
    with pytest.raises(ValueError, match="mine exists: choose another name, or continue it with --resume"):
        new_run(config, tmp_path, "mine")
