"""The timed loops: choose a legal action uniformly and carry it out.

They are the same for this package and its peers. Interfaces called from Python one decision at a time use :func:`pick`;
batches use a :class:`Picker`, which is compiled.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from spades_env.cards import NUM_ACTIONS
from spades_env.engine.bits import U64, below, gather, popcount
from spades_env.engine.jit import ENGINE_SOURCES, Compiler
from spades_env.engine.step import nth_legal
from spades_training.bench.measure import Loop

DECISIONS = 200  # of a loop in Python between two readings of the clock

jit = Compiler(Path(__file__), *ENGINE_SOURCES)
_random = random.Random(0).random


def pick(mask: np.ndarray) -> Any:
    """Draw a legal action uniformly."""
    legal = mask.nonzero()[0]
    return legal[int(_random() * len(legal))]


@jit
def _pick_rows(masks, stream, actions):
    made = 0
    for row in range(len(masks)):
        low = gather(masks[row], 0)
        # the last 64 actions without those in `low`
        high = gather(masks[row], NUM_ACTIONS - 64) >> U64(128 - NUM_ACTIONS)
        count = popcount(low) + popcount(high)
        actions[row] = nth_legal(low, high, below(stream, count)) if count else 0
        made += count > 0
    return made


class Picker:
    """Draws legal actions for a batch, from a fixed random stream.

    Args:
        count: number of rows.
    """

    def __init__(self, count: int) -> None:
        self._stream = np.zeros(1, np.uint64)
        self.actions = np.zeros(count, np.int64)

    def pick(self, masks: np.ndarray) -> int:
        """Set ``actions`` to a uniform legal action for each row of ``masks`` (bool or int8), 0 if there is none.

        Returns:
            The number of rows with a legal action.
        """
        return _pick_rows(masks.view(np.int8), self._stream, self.actions)


def sample(env: Any, agent: str, mask: np.ndarray) -> Any:
    """Sample as in PettingZoo's documentation, which is far slower than :func:`pick`."""
    return env.action_space(agent).sample(mask)


def _pick(env: Any, agent: str, mask: np.ndarray) -> Any:
    return pick(mask)


def aec_loop(env: Any, choose: Callable[[Any, str, np.ndarray], Any] = _pick) -> Loop:
    """Whole episodes of a PettingZoo environment with ``agent_iter``, ``last`` and ``step``."""
    env.reset(seed=0)

    def loop() -> int:
        made = 0
        while made < DECISIONS:
            env.reset()
            for agent in env.agent_iter():
                observation, _reward, terminated, truncated, _info = env.last()
                if terminated or truncated:
                    env.step(None)
                else:
                    env.step(choose(env, agent, observation["action_mask"]))
                    made += 1
        return made

    return loop


def gymnasium_loop(env: Any) -> Loop:
    """Decisions of the learner in a Gymnasium environment with the action mask in ``info``."""
    mask = env.reset(seed=0)[1]["action_mask"]

    def loop() -> int:
        nonlocal mask
        for _ in range(DECISIONS):
            _observation, _reward, terminated, truncated, info = env.step(pick(mask))
            if terminated or truncated:
                info = env.reset()[1]
            mask = info["action_mask"]
        return DECISIONS

    return loop


def vector_loop(reset: Callable[[], np.ndarray], step: Callable[[np.ndarray], np.ndarray], steps: int = 4) -> Loop:
    """Decisions of all learners of a vector environment.

    Args:
        reset: starts the environments; returns the masks (int8 or bool, one row for each environment).
        step: carries out the actions (int64); returns the next masks.
        steps: number of steps between two readings of the clock.
    """
    masks = reset()
    picker = Picker(len(masks))

    def loop() -> int:
        nonlocal masks
        made = 0
        for _ in range(steps):
            made += picker.pick(masks)
            masks = step(picker.actions)
        return made

    return loop
