"""Observations with their masks, and observations as floats: the values are those of the plain environments."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from spades_env import MaskInObservation, SpadesEnv, SpadesVectorEnv, VectorMaskInObservation, spades_v0
from spades_env.cards import DONE

MODES = [mode.value for mode in gymnasium.vector.AutoresetMode]


def first_legal(masks):
    return np.asarray(masks).argmax(-1)


def assert_masked(found, observation, mask, space):
    assert found in space
    assert list(found) == ["observations", "action_mask"]
    assert found["observations"].dtype == found["action_mask"].dtype == np.float32
    assert (found["observations"] == observation).all()
    assert (found["action_mask"] == mask).all()
    assert mask.any(-1).all()


@pytest.mark.filterwarnings("ignore:.*is different from the unwrapped version")  # which is the point
@pytest.mark.parametrize("env", [SpadesEnv(dtype=np.float32), MaskInObservation(SpadesEnv())], ids=str)
def test_the_checker_of_gymnasium(env):
    check_env(env, skip_render_check=True)


def test_one_table():
    plain, env = SpadesEnv(episode="hand"), MaskInObservation(SpadesEnv(episode="hand"))
    (observation, info), (found, _) = plain.reset(seed=3), env.reset(seed=3)
    over = False
    while not over:
        assert_masked(found, observation, info["action_mask"], env.observation_space)
        action = first_legal(info["action_mask"])
        observation, reward, over, _, info = plain.step(action)
        found, *rest, _ = env.step(action)
        assert rest == [reward, over, False]
    assert found["action_mask"].nonzero()[0].tolist() == [DONE]
    assert_masked(found, observation, info["action_mask"], env.observation_space)


@pytest.mark.parametrize("mode", MODES)
def test_many_tables(mode):
    options = {"rules": "partnership", "episode": "hand", "autoreset_mode": mode, "seat": 1}
    plain, env = SpadesVectorEnv(3, **options), VectorMaskInObservation(SpadesVectorEnv(3, **options))
    (observations, infos), (found, _) = plain.reset(seed=3), env.reset(seed=3)
    ends = 0
    for _ in range(50):
        assert_masked(found, observations, infos["action_mask"], env.observation_space)
        actions = first_legal(infos["action_mask"])
        observations, rewards, over, _, infos = plain.step(actions)
        found, *rest, masked_infos = env.step(actions)
        assert [part.tolist() for part in rest] == [rewards.tolist(), over.tolist(), [False] * 3]
        for row in np.flatnonzero(over) if mode == "SameStep" else ():
            last, mask = infos["final_obs"][row], infos["final_info"]["action_mask"][row]
            assert_masked(masked_infos["final_obs"][row], last, mask, env.single_observation_space)
            assert masked_infos["final_info"]["scores"][row].tolist() == infos["final_info"]["scores"][row].tolist()
        assert {"action_mask", "_action_mask"} | masked_infos.keys() == infos.keys()
        ends += over.sum()
        if mode == "Disabled" and over.any():
            observations, infos = plain.reset(options={"reset_mask": over})
            found, _ = env.reset(options={"reset_mask": over})
    assert ends >= 6


@pytest.mark.parametrize("copy", [True, False])
@pytest.mark.parametrize("mode", MODES[:2])
def test_floats_of_many_tables(mode, copy):
    options = {"episode": "hand", "autoreset_mode": mode, "copy": copy}
    ints, floats = SpadesVectorEnv(3, **options), SpadesVectorEnv(3, **options, dtype=np.float32)
    (one, infos), (other, _) = ints.reset(seed=1), floats.reset(seed=1)
    for _ in range(60):
        assert other.dtype == np.float32
        assert other in floats.observation_space
        assert (one == other).all()
        actions = first_legal(infos["action_mask"])
        one, *_, infos = ints.step(actions)
        other, *_, float_infos = floats.step(actions)
        if "final_obs" in infos:
            row = np.flatnonzero(infos["_final_obs"])[0]
            assert float_infos["final_obs"][row].dtype == np.float32
            assert (float_infos["final_obs"][row] == infos["final_obs"][row]).all()
    assert floats.observe().dtype == np.float32


def test_floats_of_pettingzoo():
    ints, floats = spades_v0.env(), spades_v0.env(dtype=np.float32)
    for env in (ints, floats):
        env.reset(seed=2)
    one, other = ints.last()[0], floats.last()[0]
    assert other["observation"].dtype == floats.state().dtype == np.float32
    assert other in floats.observation_space("player_0")
    assert floats.state() in floats.unwrapped.state_space
    assert (one["observation"] == other["observation"]).all()
    assert (ints.state() == floats.state()).all()
    assert one["action_mask"].dtype == other["action_mask"].dtype == np.int8


@pytest.mark.parametrize("make", [SpadesEnv, SpadesVectorEnv, spades_v0.env, spades_v0.parallel_env])
@pytest.mark.parametrize("dtype", [np.float64, np.uint8, "text", object()])
def test_other_dtypes_are_refused(make, dtype):
    with pytest.raises(ValueError, match=r"dtype must be np.int8 or np.float32, got "):
        make(dtype=dtype)
