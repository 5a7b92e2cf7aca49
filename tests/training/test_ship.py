import datetime
import hashlib

import numpy as np
import pytest
from rich.console import Console
from spades_agents.policy.model_file import read_model
from spades_agents.policy.shipped import read_card, read_shipped
from spades_training.learning.fast import ppo
from spades_training.learning.fast.settings import Settings
from spades_training.learning.train import new_run
from spades_training.maintenance.ship import ship

from spades_env.rules import PRESETS

TINY = Settings(
    warm_start=0,
    total_timesteps=256,
    n_envs=8,
    n_steps=32,
    layers="6",
    critic_layers="6",
    card_features=False,
    eval_opponents="random",
    eval_matches=2,
    final_matches=2,
    tensorboard=False,
    threads=1,
)


def test_a_run_of_the_fast_learner_can_be_shipped(tmp_path):
    run = new_run(TINY, tmp_path, "tiny")
    ppo.train(TINY, run, console=Console(quiet=True))
    date = datetime.date(2026, 1, 31)
    ship(run, tmp_path, {}, date)
    card = read_card("two_player", tmp_path)
    command = "spades train --learner fast --total-timesteps 256 --warm-start 0 --teacher learned"
    assert card["commands"][0].startswith(command)
    assert card["commands"][0].endswith("--no-tensorboard --name tiny")
    assert card["steps"] == 256
    assert card["date"] == "2026-01-31"
    assert card["sha256"] == hashlib.sha256((tmp_path / "two_player.safetensors").read_bytes()).hexdigest()
    network, rules = read_shipped("two_player", tmp_path)
    assert rules == PRESETS["two_player"]
    trained, _ = read_model(run)
    rows = (np.random.default_rng(0).random((4, trained.layout.size)) < 0.2).astype(np.int8)
    np.testing.assert_allclose(network.logits(rows), trained.logits(rows), atol=1e-3)  # half precision


def test_other_rules_are_not_shipped(tmp_path):
    run = new_run(Settings(rules="two_player,target=300"), tmp_path, "other")
    with pytest.raises(ValueError, match="the rules of a shipped player must be one of"):
        ship(run, tmp_path, {}, datetime.date(2026, 1, 31))
