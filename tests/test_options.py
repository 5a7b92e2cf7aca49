"""Every accepted option of every interface changes something."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from spades_training.sb3 import SpadesVecEnv

from spades_env import IllegalAction, Rules, SpadesEnv, SpadesVectorEnv, Tables, spades_v0

# For each option a value other than the default; "render_mode" and options with errors have their own tests.
OTHER = {
    "rules": "solo",
    "episode": "hand",
    "reward": "win",
    "max_hands": 1,
    "opponents": "heuristic",
    "seat": 1,
    "illegal": "raise",
    "autoreset_mode": "SameStep",
    "copy": False,
    "num_envs": 3,
    "count": 3,
    "seed": 2,
    "auto_reset": False,
    "dtype": np.float32,
}
SAME_RESULT = {"threads", "render_mode"}  # who computes it, and what render() returns: both have tests elsewhere
ILLEGAL = 69  # a bid of 17
SHORT = Rules.preset("two_player", loss=-300)


def pick(mask, step):
    """A legal action that depends on nothing but the mask and the step."""
    legal = np.flatnonzero(mask)
    return int(legal[(2654435761 * (step + 1) >> 16) % len(legal)])


def of_agents(env):
    env.reset(seed=1)
    seen = []
    while env.agents and len(seen) < 1000:
        observation, reward, terminated, truncated, _ = env.last()
        over = terminated or truncated
        seen.append((observation["observation"].tobytes(), reward, terminated, truncated))
        env.step(None if over else pick(observation["action_mask"], len(seen)))
    return seen


def in_parallel(env):
    observations, _ = env.reset(seed=1)
    seen = []
    while env.agents and len(seen) < 1000:
        actions = {agent: pick(one["action_mask"], len(seen)) for agent, one in observations.items()}
        observations, *rest, _ = env.step(actions)
        seen.append(([one["observation"].tobytes() for one in observations.values()], rest))
    return seen


def of_one(env):
    _, info = env.reset(seed=1)
    seen = [info["seat"]]
    over = False
    while not over and len(seen) < 500:
        observation, reward, terminated, truncated, info = env.step(pick(info["action_mask"], len(seen)))
        seen.append((observation.tobytes(), reward, terminated, truncated))
        over = terminated or truncated
    env.reset(seed=1)
    try:
        return [*seen, env.step(ILLEGAL)[1]]
    except IllegalAction:
        return [*seen, "raised"]


def of_many(envs):
    observations, infos = envs.reset(seed=1)
    seen = [observations.tobytes(), infos["seat"].tolist()]
    for _ in range(500):
        *_, rewards, terminated, truncated, infos = result = envs.step(
            np.array([pick(mask, len(seen)) for mask in infos["action_mask"]])
        )
        seen.append((result[0].tobytes(), rewards.tolist(), terminated.tolist(), truncated.tolist()))
    seen.append(np.shares_memory(result[0], envs.step(infos["action_mask"].argmax(1))[0]))
    try:
        return [*seen, envs.step(np.full(envs.num_envs, ILLEGAL))[1].tolist()]
    except IllegalAction:
        return [*seen, "raised"]


def of_sb3(envs):
    seen = [envs.reset().tobytes()]
    for _ in range(500):
        observations, rewards, dones, infos = envs.step(
            np.array([pick(mask, len(seen)) for mask in envs.action_masks()])
        )
        truncated = [info.get("TimeLimit.truncated") for info in infos]
        seen.append((observations.tobytes(), rewards.tolist(), dones.tolist(), truncated))
    last = observations
    seen.append(np.shares_memory(last, envs.step(envs.action_masks().argmax(1))[0]))
    try:
        return [*seen, envs.step(np.full(envs.num_envs, ILLEGAL))[1].tolist()]
    except IllegalAction:
        return [*seen, "raised"]


def of_tables(tables):
    seen = []
    for _ in range(500):
        tables.step(np.array([pick(mask, len(seen) // 2) for mask in tables.action_mask]))
        seen.append([part.tobytes() for part in (tables.observation, tables.reward, tables.terminated)])
        seen.append(tables.truncated.tobytes())
        if not tables.auto_reset and (tables.terminated | tables.truncated).any():
            break
    return seen


INTERFACES = {
    "raw_env": (spades_v0.raw_env, of_agents, {}),
    "env": (spades_v0.env, of_agents, {}),
    "parallel_env": (spades_v0.parallel_env, in_parallel, {}),
    "SpadesEnv": (SpadesEnv, of_one, {}),
    "SpadesVectorEnv": (SpadesVectorEnv, of_many, {"num_envs": 2}),
    "SpadesVecEnv": (SpadesVecEnv, of_sb3, {"num_envs": 2, "seed": 1}),
    "Tables": (Tables, of_tables, {"count": 2, "seed": 1}),
}


def options(name):
    make = INTERFACES[name][0]
    taken = [*inspect.signature(make).parameters]
    if "options" in taken:  # SpadesVecEnv hands them to SpadesVectorEnv, and needs its own autoreset mode
        taken.remove("options")
        taken += [option for option in options("SpadesVectorEnv") if option not in (*taken, "autoreset_mode")]
    return [option for option in taken if option not in SAME_RESULT]


@pytest.mark.parametrize("name", INTERFACES)
def test_every_option_does_something(name):
    make, play, given = INTERFACES[name]
    given = {"rules": SHORT, **given}
    default = play(make(**given))
    assert play(make(**given)) == default
    for option in options(name):
        assert play(make(**given | {option: OTHER[option]})) != default, option


@pytest.mark.parametrize("name", [name for name in INTERFACES if name != "Tables"])
@pytest.mark.parametrize("mode", ["ansi", "rgb_array"])
def test_every_render_mode_shows_the_table(name, mode):
    make, _, given = INTERFACES[name]
    env = make(**given, render_mode=mode)
    if name == "SpadesVecEnv":
        env.reset()
    else:
        env.reset(seed=1)
    shown = env.render()
    assert mode in env.metadata["render_modes"]
    first = shown[0] if isinstance(shown, tuple) else shown
    assert "hand 1, " in first if mode == "ansi" else first.shape[2] == 3 and first.any()
    other = make(**given)
    other.reset()
    assert other.render_mode is None
    with pytest.raises(ValueError, match="render_mode must be None or one of"):
        make(**given, render_mode="gif")
