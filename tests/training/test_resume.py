"""A resumed run is the same as one that was never interrupted."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
import zipfile

import numpy as np
import pytest
from rich.console import Console
from spades_command import fails, spades
from spades_training.learning import train as training
from spades_training.learning.checkpoint import Checkpoint
from spades_training.learning.config import Config
from spades_training.learning.train import new_run, train

SMALL = {"n_envs": 32, "n_steps": 32, "batch_size": 512, "layers": "32", "eval_hands": 100, "final_matches": 2}
SMALL |= {"eval_opponents": "random", "tensorboard": False, "max_hands": 20}
MANY = {"checkpoint_every": 1_000, "snapshot_every": 1_500, "eval_every": 2_000}


class Stopped(Exception):
    """Raised right after a checkpoint."""


def quiet():
    return Console(file=io.StringIO())


def left(run):
    """The weights, and the metrics without times."""
    with zipfile.ZipFile(run / "model.zip") as members, members.open("actor.npz") as file:
        weights = np.load(file)["weights"]
    with open(run / "metrics.csv", newline="") as file:
        return weights, [{k: v for k, v in row.items() if "second" not in k} for row in csv.DictReader(file)]


def same(run, other):
    (weights, rows), (weights_there, rows_there) = left(run), left(other)
    return (weights == weights_there).all() and rows == rows_there


def count_checkpoints(monkeypatch, stop=None):
    """Count checkpoints from now on, in a list; checkpoint number ``stop`` raises Stopped."""
    save, count = Checkpoint.save, [0]

    def counted(self, run):
        save(self, run)
        count[0] += 1
        if count[0] == stop:
            raise Stopped

    monkeypatch.setattr(Checkpoint, "save", counted)
    return count


@pytest.mark.parametrize(
    "settings,stops",
    [
        ({"warm_start": 3_000}, (1, 3)),
        (
            {
                "rules": "partnership",
                "warm_start": 0,
                "opponents": "self:1,snapshot:3,random:1",
                "snapshot_sampling": "strength",
                "random_scores": 0.3,
                "duplicate_baseline": True,
            },
            (2,),
        ),
        (
            {
                "rules": "cutthroat",
                "warm_start": 0,
                "episode": "match",
                "reward": "win",
                "opponents": "self:1,heuristic:1,pimc:worlds=1:0.05",
            },
            (2,),
        ),
        (
            {
                "reward": "match",
                "warm_start": 3_000,
                "teacher": "bidder",
                "hint": "bidder",
                "card_features": True,
                "rollouts": 8_000,
                "oracle_critic": True,
                "random_scores": 0.3,
                "total_timesteps": 3_000,
            },
            (1, 3, 6, 7),  # after the imitation, within the rollouts, at their end, within the self-play
        ),
    ],
    ids=["imitation", "strength", "matches", "rollouts"],
)
def test_a_resumed_run_is_the_same_run(settings, stops, tmp_path, monkeypatch):
    """It is bit-identical in every stage, also when it is interrupted again."""
    config = Config(**SMALL | MANY | {"total_timesteps": 5_000} | settings)
    whole = new_run(config, tmp_path, "whole")
    with monkeypatch.context() as patch:
        count = count_checkpoints(patch)
        train(config, whole, console=quiet())
    assert count[0] > max(stops)
    stopped = new_run(config, tmp_path, "stopped")
    before = 0
    for stop in stops:
        with monkeypatch.context() as patch:
            count_checkpoints(patch, stop - before)
            with pytest.raises(Stopped):
                train(config, stopped, resume=before > 0, console=quiet())
        before = stop
    train(config, stopped, resume=True, console=quiet())
    assert same(whole, stopped)


def test_after_a_kill(tmp_path):
    """A run killed with SIGKILL ends the same, without repeating what was done."""
    changes = SMALL | {"warm_start": 0, "total_timesteps": 12_000, "checkpoint_every": 3_000}
    args = ["train", "--learner", "sb3", "--runs", str(tmp_path), "--name", "killed", "--no-tensorboard"]
    args += [f"--{key.replace('_', '-')}={value}" for key, value in changes.items() if not isinstance(value, bool)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(
        [sys.executable, "-m", "spades_training.cli", *args], env=environment, stdout=subprocess.DEVNULL
    )
    run = tmp_path / "killed"
    try:
        for _ in range(2_400):
            if (run / "checkpoint.zip").exists() or process.poll() is not None:
                break
            time.sleep(0.05)
    finally:
        process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    config = Config.load(run)
    assert config == Config(**changes)
    before = json.loads(json.dumps(Checkpoint.load(run).state["metrics"]["rows"]))
    assert not (run / "model.zip").exists()
    result = spades("train", "--resume", run)
    assert result.exit_code == 0, result.output
    assert "resuming from the checkpoint: 0 imitated, 0 rated, " in result.output
    whole = new_run(config, tmp_path, "whole")
    train(config, whole, console=quiet())
    assert same(whole, run)
    with open(run / "metrics.csv", newline="") as file:
        assert [row["seconds"] for row in csv.DictReader(file)][: len(before)] == [str(r["seconds"]) for r in before]


def test_interrupted_before_the_first_checkpoint(tmp_path, monkeypatch):
    """The command that the message names starts the run from the beginning."""
    monkeypatch.chdir(tmp_path)

    def interrupt(*_):
        raise KeyboardInterrupt

    small = [
        "--learner",
        "sb3",
        "--n-envs",
        4,
        "--n-steps",
        32,
        "--batch-size",
        64,
        "--layers",
        8,
        "--final-matches",
        2,
        "--eval-hands",
        64,
    ]
    small += ["--max-hands", 2, "--total-timesteps", 128, "--warm-start", 100, "--eval-opponents", "random"]
    with monkeypatch.context() as patch:
        patch.setattr(training, "imitate", interrupt)
        result = spades("train", *small)
    assert result.exit_code == 130
    command = "spades train --resume runs/two_player"
    assert result.stderr == f"error: interrupted; `{command}` starts it again: no checkpoint yet\n"
    result = spades(*command.split()[1:])
    assert result.exit_code == 0, result.output
    assert "runs/two_player has no checkpoint yet: the run starts from the beginning" in result.stdout
    assert (tmp_path / "runs" / "two_player" / "model.zip").exists()


@pytest.mark.parametrize("learner", ["sb3", "fast"])
def test_changed_code_of_a_player_is_refused(learner, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "style.py").write_text("NAME = 'mine'\n")
    (tmp_path / "mine.py").write_text(
        "import style\n"
        "from spades_agents.random_agent import UniformAgent\n"
        "class Mine(UniformAgent):\n"
        "    name = style.NAME\n"
    )
    small = ["--learner", learner, "--n-envs", 4, "--n-steps", 32, "--batch-size", 64, "--final-matches", 2]
    small += ["--max-hands", 2, "--total-timesteps", 128, "--warm-start", 0, "--eval-opponents", "random"]
    small += ["--layers", 12, "--opponents", "self:1,mine.py:Mine:1", "--no-tensorboard"]
    small += ["--eval-hands", 64] if learner == "sb3" else ["--eval-matches", 2]
    done = spades("train", *small, "--name", "a")
    assert done.exit_code == 0, done.output
    again = spades("train", "--resume", "runs/a")
    assert again.exit_code == 0, again.output
    (tmp_path / "style.py").write_text("NAME = 'other'\n")
    message = "error: runs/a was trained with other code: style.py of agent 'mine.py:Mine' has changed; restore it, or "
    fails(message, "train", "--resume", "runs/a")
    (tmp_path / "runs" / "a" / "checkpoint.zip").unlink()
    done = spades("train", "--resume", "runs/a")  # from the beginning, with the new code
    assert done.exit_code == 0, done.output
    assert spades("train", "--resume", "runs/a").exit_code == 0
    (tmp_path / "mine.py").unlink()
    fails("error: cannot load agent 'mine.py:Mine': FileNotFoundError", "train", "--resume", "runs/a")


def test_a_damaged_checkpoint(tmp_path):
    with pytest.raises(ValueError, match=r"nothing to resume: there is no .*checkpoint.zip"):
        Checkpoint.load(tmp_path)
    (tmp_path / "checkpoint.zip").write_bytes(b"PK\x03\x04 and nothing more")
    with pytest.raises(ValueError, match=r"the checkpoint .*checkpoint.zip is damaged"):
        Checkpoint.load(tmp_path)


def test_a_checkpoint_of_other_settings(tmp_path):
    """Settings edited so that the tables no longer fit are refused."""
    config = Config(**SMALL | {"warm_start": 0, "total_timesteps": 1_000})
    run = new_run(config, tmp_path)
    train(config, run, console=quiet())
    changed = Config(**json.loads(config.to_json()) | {"n_envs": 16, "total_timesteps": 2_000})
    with pytest.raises(ValueError, match="the tables in the checkpoint have other settings"):
        train(changed, run, resume=True, console=quiet())
