"""Gymnasium's and Stable-Baselines3's recorders film the environments: the extra ``render`` installs what they need."""

import gymnasium
import numpy as np
import pytest

import spades_env
from spades_env import SpadesVectorEnv

pytest.importorskip("moviepy")


def test_one_environment_is_filmed(tmp_path):
    gymnasium.register_envs(spades_env)
    made = gymnasium.make("spades_env/Spades-v0", rules="partnership", episode="hand", render_mode="rgb_array")
    env = gymnasium.wrappers.RecordVideo(made, str(tmp_path / "films"))
    _, info = env.reset(seed=1)
    over = False
    while not over:
        _, _, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))
        over = terminated or truncated
    env.close()
    (film,) = (tmp_path / "films").glob("*.mp4")
    assert film.stat().st_size > 1000


def test_a_vector_environment_is_filmed(tmp_path):
    envs = SpadesVectorEnv(2, "partnership", episode="hand", render_mode="rgb_array")
    filmed = gymnasium.wrappers.vector.RecordVideo(
        envs, str(tmp_path / "films"), episode_trigger=lambda episode: episode == 0, video_aspect_ratio=(3, 2)
    )
    _, infos = filmed.reset(seed=1)
    for _ in range(20):
        *_, infos = filmed.step(np.array([np.flatnonzero(mask)[0] for mask in infos["action_mask"]]))
    filmed.close()
    assert [film.stat().st_size > 1000 for film in (tmp_path / "films").glob("*.mp4")] == [True]
