"""The action space of one seat."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from spades_env.cards import NUM_ACTIONS


class IllegalAction(ValueError):
    """An action that is not legal now; the table is as it was."""


class ActionSpace(spaces.Discrete):
    """``Discrete(75)``: the same answers and the same draws, sooner.

    Gymnasium takes longer to check an action, and several times longer to draw one by a mask, than the game takes to
    carry it out.
    """

    def __init__(self) -> None:
        super().__init__(NUM_ACTIONS)

    def contains(self, x: Any) -> bool:
        """Whether it is an int from 0 to 74."""
        if type(x) is int or type(x) is np.int64:
            return bool(0 <= x < NUM_ACTIONS)
        return super().contains(x)

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """A random action (int64).

        Args:
            mask: int8 of shape (75,), 1 where an action may be drawn, all alike; if there is none the result is 0.
            probability: float64 of shape (75,), how probable each action is; instead of ``mask``.
        """
        if probability is None and type(mask) is np.ndarray and mask.dtype == np.int8 and mask.shape == (NUM_ACTIONS,):
            legal = mask.nonzero()[0]
            if 0 < len(legal) == mask.tobytes().count(1):  # what is not 0 is 1
                return legal[self.np_random.integers(len(legal))]
        return super().sample(mask, probability)
