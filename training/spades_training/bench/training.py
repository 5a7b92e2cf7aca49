"""Decisions per second of both learners, and the share of the time that the environment takes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from spades_training.bench.loops import Picker
from spades_training.bench.measure import Case, Rates, Sampler, measure
from spades_training.learning.config import Config
from spades_training.options import parse_rules

ENVIRONMENT, NETWORKS, UPDATES, REST = "environment", "opponents' networks", "updates", "policy and buffers"
_STORED = 64  # steps that the empty environment repeats


@dataclass(frozen=True)
class Training:
    """Measurements of one learner in one environment.

    Attributes:
        text: the names of both.
        rates: learner's decisions per second, including updates.
        ratio: ratio of the rates to those of MaskablePPO on the empty environment; None for that one.
        seconds: time of all repeats, by part, summed over the threads.
    """

    text: str
    rates: Rates
    ratio: Rates | None
    seconds: dict[str, float]

    def shares(self) -> dict[str, float]:
        """``seconds`` as shares that sum to 1."""
        total = sum(self.seconds.values())
        return {name: seconds / total for name, seconds in self.seconds.items()}

    def to_dict(self) -> dict[str, Any]:
        """The measurements as values that JSON can hold."""
        ratio = None if self.ratio is None else self.ratio.to_dict()
        return {"text": self.text, "rates": self.rates.to_dict(), "ratio": ratio, "shares": self.shares()}


def measure_training(
    repeats: int,
    settings: dict[str, Any] | None = None,
    fast_settings: dict[str, Any] | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> tuple[tuple[Training, ...], tuple[str, ...]]:
    """Train with both learners of ``spades train``.

    MaskablePPO trains on an empty environment, against the scripted player, and in self-play; the fast learner in
    self-play with a thread for each core, in float32 and, if the processor has instructions for it, in bfloat16.

    Args:
        repeats: number of batches of each, interleaved, each with its update.
        settings: changes to ``Config``.
        fast_settings: changes to the ``Settings`` of the fast learner.
        progress: called with the number of measurements done and the total.

    Returns:
        The results, and the reasons for results that are missing.
    """
    texts = {
        "nothing": "MaskablePPO, empty environment that returns stored arrays",
        "heuristic": "MaskablePPO, SpadesVecEnv against heuristic",
        "selfplay": "MaskablePPO, self-play of spades train --learner sb3",
    }
    clocks = {key: _Clock() for key in texts}
    cases = [Case(key, text, lambda key=key: _learner(key, settings or {}, clocks[key])) for key, text in texts.items()]
    for key in ("float32", "bfloat16")[: 1 + _multiplies_bfloat16()]:
        clocks[key] = _Clock()
        changes = {"warm_start": 0, "bfloat16": key == "bfloat16"} | (fast_settings or {})
        text = f"fast learner, self-play, {key}, {os.cpu_count()} cores"
        cases.append(Case(key, text, lambda key=key, changes=changes: _fast_learner(changes, clocks[key])))
    found = measure(cases, repeats, 0.0, progress)
    results = []
    for case in found.cases:
        rates = found.rates[case.key]
        ratio = None if case.key == "nothing" else rates.over(found.rates["nothing"])
        results.append(Training(case.text, rates, ratio, clocks[case.key].seconds()))
    return tuple(results), tuple(sorted({one.reason for one in found.not_run}))


class _Clock:
    """Accumulates the time spent in some methods."""

    def __init__(self) -> None:
        self.total = 0.0
        self.spent: dict[str, float] = dict.fromkeys((ENVIRONMENT, NETWORKS, UPDATES), 0.0)

    def watch(self, owner: Any, method: str, part: str, inside: str | None = None) -> None:
        """Add the time of ``owner.method`` to ``part``, without the time it spends in the part ``inside``."""
        work = getattr(owner, method)

        def timed(*args: Any, **kwargs: Any) -> Any:
            before = self.spent[inside] if inside else 0.0
            start = time.perf_counter()
            result = work(*args, **kwargs)
            self.spent[part] += time.perf_counter() - start
            if inside:
                self.spent[part] -= self.spent[inside] - before
            return result

        setattr(owner, method, timed)

    def seconds(self) -> dict[str, float]:
        """The seconds of each part."""
        return {**self.spent, REST: self.total - sum(self.spent.values())}


def _multiplies_bfloat16() -> bool:
    try:
        from spades_training.learning.fast.networks import multiplies_bfloat16
    except ImportError:  # no torch
        return False
    return multiplies_bfloat16()


def _fast_learner(settings: dict[str, Any], clock: _Clock) -> Sampler:
    """A batch of decisions and its update by the fast learner."""
    from spades_training.learning.fast.ppo import Learner
    from spades_training.learning.fast.settings import Settings

    learner = Learner(Settings(**settings))
    parts = {"environment": ENVIRONMENT, "update": UPDATES}

    def sample(_seconds: float) -> float:
        before, start = learner.seconds, time.perf_counter()
        learner.advance()
        elapsed = time.perf_counter() - start
        for name, seconds in learner.seconds.items():
            clock.total += seconds - before[name]
            if name in parts:
                clock.spent[parts[name]] += seconds - before[name]
        return learner.batch / elapsed

    return sample


def _learner(key: str, settings: dict[str, Any], clock: _Clock) -> Sampler:
    """A batch of decisions and its update in one of the environments."""
    import torch

    from spades_training.learning.sb3 import SpadesVecEnv, policy_network
    from spades_training.learning.selfplay import OpponentMix, SelfPlayEnv
    from spades_training.learning.train import new_model
    from spades_training.learning.trajectories import EpisodeOptions, LearnerTrajectories

    config = Config(**settings)
    rules = parse_rules(config.rules)
    torch.set_num_threads(config.threads)
    opponents = config.opponent_weights() if key == "selfplay" else {"heuristic": 1.0}
    mix = OpponentMix(opponents, rules, config.snapshots, np.random.default_rng(config.seed))
    tables = SelfPlayEnv(config.n_envs, rules, mix, max_hands=config.max_hands)
    spades = (
        SpadesVecEnv(tables) if key == "selfplay" else SpadesVecEnv(config.n_envs, rules=rules, opponents="heuristic")
    )
    env: Any = LearnerTrajectories(spades, EpisodeOptions(config.episode == "hand", config.bag_shaping))
    if key == "nothing":
        env = _replayed(env)
    clock.watch(env, "step_wait", ENVIRONMENT, inside=NETWORKS)
    clock.watch(env, "env_method", ENVIRONMENT)
    model = new_model(config, env)
    clock.watch(model, "train", UPDATES)

    def sample(_seconds: float) -> float:
        if key == "selfplay":
            network = policy_network(model)
            clock.watch(network, "sample", NETWORKS)
            if not mix.snapshots:
                mix.add_snapshot(network)
            mix.update(network)
        steps = config.n_envs * config.n_steps
        start = time.perf_counter()
        model.learn(steps, reset_num_timesteps=False)
        elapsed = time.perf_counter() - start
        clock.total += elapsed
        return steps / elapsed

    return sample


def _replayed(env: Any) -> Any:
    """An environment that repeats arrays once returned by ``env``."""
    from stable_baselines3.common.vec_env import VecEnvWrapper

    class Replayed(VecEnvWrapper):
        def __init__(self) -> None:
            super().__init__(env)
            self.turn = 0
            self.first = env.reset()
            self.first_masks = env.env_method("action_masks").copy()
            self.steps, self.masks = [], []
            masks, picker = self.first_masks, Picker(env.num_envs)
            for _ in range(_STORED):
                picker.pick(masks)
                observations, rewards, dones, _infos = env.step(picker.actions)
                masks = env.env_method("action_masks").copy()
                self.steps.append((observations.copy(), rewards.copy(), dones.copy(), [{} for _ in dones]))
                self.masks.append(masks)
            self.now = self.first_masks

        def reset(self) -> Any:
            self.now = self.first_masks
            return self.first

        def step_async(self, actions: np.ndarray) -> None:
            pass

        def step_wait(self) -> Any:
            self.turn = (self.turn + 1) % _STORED
            self.now = self.masks[self.turn]
            return self.steps[self.turn]

        def env_method(self, method_name: str, *args: Any, **kwargs: Any) -> Any:
            return self.now if method_name == "action_masks" else super().env_method(method_name, *args, **kwargs)

        def has_attr(self, attr_name: str) -> bool:
            return attr_name == "action_masks" or super().has_attr(attr_name)

    return Replayed()
