"""The cases of this package."""

from __future__ import annotations

from typing import Any

import numpy as np

from spades_env import SpadesEnv, SpadesVectorEnv, spades_v0
from spades_env.rules import PRESETS
from spades_env.tables import Tables
from spades_training.bench.loops import aec_loop, gymnasium_loop, sample, vector_loop
from spades_training.bench.measure import Case, Loop, Sampler, timed

BATCH = 1024
_LEARNER = "learner decisions"


def cases() -> list[Case]:
    """All cases, in the order of the table."""
    return [
        *(
            Case(f"tables/random/{rules}", f"Tables.step_random(), {rules}", lambda rules=rules: _random(rules))
            for rules in ("partnership", *(name for name in PRESETS if name != "partnership"))
        ),
        *(
            Case(
                f"tables/step/{count}",
                f"Tables.step(actions), partnership, {count:,} tables",
                lambda count=count: _step(count),
            )
            for count in (BATCH, 8 * BATCH)
        ),
        *(
            Case(
                f"vector/{rules}", f"SpadesVectorEnv, {rules}, heuristic", lambda rules=rules: _vector(rules), _LEARNER
            )
            for rules in ("two_player", "partnership")
        ),
        Case("sb3/two_player", "SpadesVecEnv (SB3), two_player, heuristic", _sb3, _LEARNER),
        Case("aec/env", "spades_v0.env()", lambda: _aec("env")),
        Case("aec/raw_env", "spades_v0.raw_env()", lambda: _aec("raw_env")),
        Case("aec/env/sample", "spades_v0.env(), actions from space.sample()", lambda: _aec("env", sample)),
        Case("gymnasium", "SpadesEnv, two_player, random", _gymnasium, _LEARNER),
    ]


def random_loop(tables: Any, steps: int = 64) -> Loop:
    """Random actions drawn in compiled code; writes observations, masks and rewards at every step."""

    def loop() -> int:
        tables.step_random(steps)
        return steps * tables.count

    return loop


def step_loop(tables: Any, steps: int = 8) -> Loop:
    """Random actions passed as an array."""

    def loop() -> int:
        for _ in range(steps):
            tables.step(tables.random_actions())
        return steps * tables.count

    return loop


def _random(rules: str) -> Sampler:
    return timed(random_loop(Tables(rules, BATCH, 0)))


def _step(count: int) -> Sampler:
    return timed(step_loop(Tables("partnership", count, 0)))


def _vector(rules: str) -> Sampler:
    env = SpadesVectorEnv(BATCH, rules, "heuristic")
    return timed(
        vector_loop(lambda: env.reset(seed=0)[1]["action_mask"], lambda actions: env.step(actions)[4]["action_mask"])
    )


def _sb3() -> Sampler:
    from spades_training.learning.sb3 import SpadesVecEnv

    env = SpadesVecEnv(BATCH, 0, rules="two_player", opponents="heuristic")

    def reset() -> np.ndarray:
        env.reset()
        return env.env_method("action_masks")

    def step(actions: np.ndarray) -> np.ndarray:
        env.step(actions)
        return env.env_method("action_masks")

    return timed(vector_loop(reset, step))


def _aec(kind: str, *choose: Any) -> Sampler:
    return timed(aec_loop(getattr(spades_v0, kind)("two_player"), *choose))


def _gymnasium() -> Sampler:
    return timed(gymnasium_loop(SpadesEnv("two_player", "random")))
