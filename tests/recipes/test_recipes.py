"""Every recipe runs a short iteration and ends with a player that can be loaded and that plays legally."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from spades_agents import make_agent

from spades_env import Game

ROOT = Path(__file__).parents[2]
RECIPES = ROOT / "recipes"
optional = pytest.mark.optional
SAVED = r"saved; try: spades evaluate (ppo:\w+\.zip) (heuristic|random) --rules two_player"

# The packages that a recipe needs beside torch, arguments that make it quick, and the last line that it prints.
CASES = {
    "cleanrl_ppo": ([], "--num-envs 16 --num-steps 8 --total-timesteps 256 --minibatch-size 64", SAVED),
    "openspiel_game": (["pyspiel"], "", r"try: spades evaluate recipes/openspiel_game.py:(\w+) random .*"),
    "torchrl_ppo": (["torchrl"], "--tables 16 --steps 8 --iterations 2", SAVED),
    "minari_dataset": (["minari", "h5py"], "--tables 4 --matches 1 --epochs 1 --player random", SAVED),
    # ray[rllib] brings tree; ray alone, which the extra "cluster" installs, is not enough
    "rllib_vector": (["ray", "tree"], "--tables 16 --batch 128 --iterations 2", SAVED),
    "rllib_selfplay": (["ray", "tree"], "--batch 64 --iterations 2", SAVED),
}
HEAVY = set(CASES) - {"cleanrl_ppo", "openspiel_game"}


def run(arguments, folder):
    """Run Python with the packages of this checkout and the recipes on its path; returns what it printed."""
    path = [str(ROOT / part) for part in (".", "agents", "training")] + [str(RECIPES)]
    settings = {"PYTHONPATH": os.pathsep.join(path), "OMP_NUM_THREADS": "1", "MINARI_DATASETS_PATH": str(folder)}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=os.environ | settings, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def need(packages):
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}, which is not installed here")


def test_every_recipe_is_listed():
    assert {path.stem for path in RECIPES.glob("*.py")} == set(CASES)
    page = (ROOT / "docs" / "recipes.md").read_text()
    assert set(re.findall(r"^\| `(\w+)\.py`", page, re.M)) == set(CASES)


@pytest.mark.parametrize("name", CASES)
def test_a_recipe_reads_in_one_sitting(name):
    assert len((RECIPES / f"{name}.py").read_text().splitlines()) <= 150


@pytest.mark.parametrize("name", [pytest.param(name, marks=[optional] if name in HEAVY else []) for name in CASES])
def test_a_recipe_ends_with_a_player(name, tmp_path):
    packages, arguments, last = CASES[name]
    need(packages)
    printed = run([str(RECIPES / f"{name}.py"), *arguments.split()], tmp_path).splitlines()
    found = re.fullmatch(last, printed[-1])
    assert found, printed
    assert any(re.search(r"\d+ decisions.*, \d+/s", line) for line in printed), printed
    if found[1].startswith("ppo:"):
        player = make_agent(f"ppo:{tmp_path / found[1].removeprefix('ppo:')}")
    else:
        player = make_agent(f"{RECIPES / name}.py:{found[1]}")
        player.simulations = 5
    player.reset(1)
    game, random = Game("two_player", seed=1), make_agent("random:seed=1")
    while game.hand_number == 0:
        view = game.view()
        game.apply((player if view.observer == 0 else random).act(view))
    assert sum(game.last_hand["tricks"]) == 13


NODES = """
import argparse, functools, ray, rllib_vector
from ray.cluster_utils import Cluster

cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
node = cluster.add_node(num_cpus=1)
ray.init(address=cluster.address)
args = argparse.Namespace(rules="two_player", iterations=9, runners=2, tables=16, batch=256)
config = rllib_vector.config(args).fault_tolerance(
    env_runner_health_probe_timeout_s=5, delay_between_env_runner_restarts_s=1
)
algorithm = config.build_algo()

def iteration():
    found = algorithm.train()
    group = algorithm.env_runner_group
    print("iteration", found["training_iteration"], found["env_runners"]["num_env_steps_sampled"],
          group.num_healthy_remote_env_runners(), flush=True)

iteration()
cluster.remove_node(node, allow_graceful=False)
iteration()
iteration()
cluster.add_node(num_cpus=1)
while algorithm.env_runner_group.num_healthy_remote_env_runners() < 2 and algorithm.iteration < 20:
    iteration()
iteration()
algorithm.stop()
ray.shutdown()
cluster.shutdown()
"""


@optional
@pytest.mark.timeout(900)  # Ray starts three processes that import RLlib
def test_rllib_trains_on_after_one_of_two_nodes_is_killed(tmp_path):
    need(["ray", "tree"])
    lines = [line.split() for line in run(["-c", NODES], tmp_path).splitlines() if line.startswith("iteration")]
    assert [int(number) for _, number, *_ in lines] == list(range(1, len(lines) + 1))
    healthy = [int(count) for *_, count in lines]
    assert healthy[0] == healthy[-1] == 2  # env runners: one on each node, and again after a node has joined
    assert healthy[2] == 1
    assert all(float(steps) >= 256 for _, _, steps, _ in lines), lines
