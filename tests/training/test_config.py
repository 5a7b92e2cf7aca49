"""The settings of a run: presets, file, invalid values."""

from __future__ import annotations

import dataclasses

import pytest
from spades_training.learning.config import PRESETS, Config


@pytest.mark.parametrize("preset", PRESETS)
def test_round_trip(preset, tmp_path):
    config = Config(**PRESETS[preset], seed=3)
    assert Config.from_json(config.to_json()) == config
    (tmp_path / "config.json").write_text(config.to_json(), "utf8")
    assert Config.load(tmp_path) == config


def test_every_setting_has_a_help_text():
    for setting in dataclasses.fields(Config):
        assert len(setting.metadata["help"]) > 5


def test_opponents_and_layers():
    config = Config(opponents="self:6, ppo:runs/x/model.zip:2,random:2,heuristic:0", layers="64", critic_layers="8,9")
    assert config.opponent_weights() == {"self": 0.6, "ppo:runs/x/model.zip": 0.2, "random": 0.2}
    assert config.hidden_layers() == {"pi": [64], "vf": [8, 9]}
    assert Config(eval_opponents="").frozen_opponents() == []


def test_ints_are_accepted_for_floats():
    assert Config(gamma=1) == Config(gamma=1.0)


@pytest.mark.parametrize(
    "settings,message",
    [
        ({"rules": "bridge"}, "unknown rules 'bridge'"),
        ({"seed": -1}, "seed must be an int in 0.."),
        ({"n_envs": 0}, "n_envs must be an int in 1.."),
        ({"n_envs": 2.5}, "n_envs must be of type int, got 2.5"),
        ({"total_timesteps": -5}, "total_timesteps must be an int in 1.."),
        ({"learning_rate": -1e-3}, "learning_rate must be in 0..1, got -0.001"),
        ({"gamma": float("nan")}, "gamma must be in 0..1, got nan"),
        ({"gamma": "high"}, "gamma must be of type float, got 'high'"),
        ({"episode": "week"}, "episode must be one of 'match', 'hand', got 'week'"),
        ({"reward": "win"}, "reward='win' needs episode='match'"),
        ({"duplicate_baseline": True, "episode": "match"}, "duplicate_baseline needs episode='hand'"),
        ({"snapshot_sampling": "luck"}, "snapshot_sampling must be one of 'uniform', 'strength', got 'luck'"),
        ({"layers": "big"}, "layers must be sizes separated by commas"),
        ({"reward": "fame"}, "reward must be one of 'score', 'win', 'match', got 'fame'"),
        ({"random_scores": 1.5}, "random_scores must be in 0..1, got 1.5"),
        ({"critic_layers": "64,,2"}, "critic_layers must be sizes separated by commas"),
        ({"hint": "bidder"}, "hint needs card_features"),
        ({"hint": "pimc"}, "hint must be one of 'heuristic', 'bidder', got 'pimc'"),
        ({"rollouts": 5}, "rollouts need reward='match', got 'score'"),
        ({"doubt": -1.0}, "doubt must be in 0..10, got -1.0"),
        ({"layers": "64,-2"}, "layers must be sizes separated by commas"),
        ({"opponents": "self"}, "opponents must be name:weight pairs .* got 'self'"),
        ({"opponents": "self:-1"}, "opponents must be name:weight pairs .* got 'self:-1'"),
        ({"opponents": "self:0"}, "opponents must have a weight above 0"),
    ],
)
def test_invalid_settings(settings, message):
    with pytest.raises(ValueError, match=message):
        Config(**settings)


def test_a_damaged_file(tmp_path):
    with pytest.raises(ValueError, match=r"cannot read the settings .*config.json: No such file"):
        Config.load(tmp_path)
    for text in ("{", "[]", '{"n_envs": -1}', '{"speed": 3}'):
        (tmp_path / "config.json").write_text(text, "utf8")
        with pytest.raises(ValueError, match=r"cannot read the settings .*config.json: "):
            Config.load(tmp_path)
