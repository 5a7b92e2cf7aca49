"""The action space of one seat."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from spades_env.cards import NUM_ACTIONS


class IllegalAction(ValueError):
    """An action that is not legal now; the table has not changed."""


class ActionSpace(spaces.Discrete):
    """``Discrete(75)`` with faster methods and identical results.

    Gymnasium takes longer to check an action, and several times longer to sample one with a mask, than the game takes
    to carry it out.
    """

    def __init__(self) -> None:
        super().__init__(NUM_ACTIONS)

    def contains(self, x: Any) -> bool:
        """Whether ``x`` is an int in 0..74."""
        if type(x) is int or type(x) is np.int64:
            return bool(0 <= x < NUM_ACTIONS)
        return super().contains(x)

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """A random action (int64).

        Args:
            mask: int8 of shape (75,), 1 for the actions to choose from uniformly; if there are none, 0 is returned.
            probability: float64 of shape (75,), the probability of each action; instead of ``mask``.
        """
        if probability is None and type(mask) is np.ndarray and mask.dtype == np.int8 and mask.shape == (NUM_ACTIONS,):
            legal = mask.nonzero()[0]
            if 0 < len(legal) == mask.tobytes().count(1):  # all nonzero entries are 1
                return legal[self.np_random.integers(len(legal))]
        return super().sample(mask, probability)
