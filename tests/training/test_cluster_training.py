"""Runs side by side: chains of calls whose files come back end as runs in this process do."""

from __future__ import annotations

import csv
import json
import zipfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from spades_command import fails, spades
from spades_training.cluster import side_by_side
from spades_training.cluster.executor import OtherExecutor
from spades_training.cluster.side_by_side import train_side_by_side
from spades_training.learning.config import Config
from spades_training.learning.fast.settings import Settings

SMALL = {"max_hands": 20, "eval_opponents": "random", "tensorboard": False, "final_matches": 2, "seed": 3}
SMALL |= {"eval_every": 1_000, "snapshot_every": 1_000, "checkpoint_every": 1_000, "warm_start": 0}
SB3 = Config(**SMALL | {"n_envs": 16, "n_steps": 32, "batch_size": 256, "layers": "16", "critic_layers": "16"})
SB3 = Config(**json.loads(SB3.to_json()) | {"total_timesteps": 3_000, "eval_hands": 100})
FAST = Settings(**SMALL | {"n_envs": 16, "n_steps": 32, "batch_size": 256, "layers": "12", "critic_layers": "12"})
FAST = Settings(**{**vars(FAST), "total_timesteps": 3_000, "eval_matches": 2})


def left(run):
    """Weights, metrics without times, results, names of the snapshots."""
    with zipfile.ZipFile(run / "model.zip") as members, members.open("actor.npz") as file:
        weights = np.load(file)["weights"]
    with open(run / "metrics.csv", newline="") as file:
        rows = [{k: v for k, v in row.items() if "second" not in k} for row in csv.DictReader(file)]
    against = json.loads((run / "results.json").read_text())["against"]["random"]["win_rate"]
    return weights.tolist(), rows, against, sorted(path.name for path in (run / "league").iterdir())


@pytest.mark.parametrize("config", [SB3, FAST], ids=["sb3", "fast"])
def test_a_run_in_parts_is_the_same(config, tmp_path, monkeypatch):
    here, there = tmp_path / "here" / "run", tmp_path / "there" / "run"
    assert list(train_side_by_side({here: config})) == [here]
    monkeypatch.setattr(side_by_side, "PART", 0.0)  # a call ends with the first checkpoint
    lines: list[str] = []
    with ThreadPoolExecutor(1) as threads:
        executor = OtherExecutor(threads)
        executor.report = lines.append
        assert list(train_side_by_side({there: config}, on=executor)) == [there]
        assert list(train_side_by_side({there: config}, on=executor)) == []
    (line,) = lines
    assert int(line.split()[-1]) > 2  # calls
    assert left(here) == left(there)
    with pytest.raises(ValueError, match="was trained with other settings"):
        list(train_side_by_side({there: Config(**json.loads(SB3.to_json()) | {"seed": 9})}))


def test_players_with_absolute_paths_are_refused(tmp_path):
    (tmp_path / "bot.py").write_text("from spades_agents.heuristic import HeuristicAgent as Bot\n")
    config = Config(**json.loads(SB3.to_json()) | {"opponents": f"{tmp_path / 'bot.py'}:Bot:1"})
    with ThreadPoolExecutor(1) as executor, pytest.raises(ValueError, match=r"bot\.py:Bot' has an absolute path"):
        list(train_side_by_side({tmp_path / "run": config}, on=executor))


def test_the_command_trains_seeds(tmp_path):
    options = ["--learner", "sb3", "--total-timesteps", 500, "--warm-start", 0, "--n-envs", 16, "--n-steps", 16]
    options += ["--batch-size", 128, "--layers", 8, "--critic-layers", 8, "--eval-hands", 20, "--final-matches", 2]
    options += ["--eval-opponents", "random", "--no-tensorboard", "--runs", tmp_path, "--name", "a", "--seeds", 2]
    first = spades("train", *options, "--seed", 4)
    assert first.exit_code == 0, first.output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a-4", "a-5"]
    for seed in (4, 5):
        assert json.loads((tmp_path / f"a-{seed}" / "config.json").read_text())["seed"] == seed
        assert (tmp_path / f"a-{seed}" / "model.zip").exists()
    assert spades("train", *options, "--seed", 4).stderr == ""


def test_one_run_without_rollouts_has_nothing_to_spread():
    message = "error: --on needs --seeds, or a run that learns from rollouts"
    fails(message, "train", "--on", "test_cluster_places:three_threads")
