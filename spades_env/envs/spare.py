"""New arrays without the cost of new memory."""

from __future__ import annotations

import sys

import numpy as np

from spades_env.observation import observation_rows


class SpareRows:
    """Provides arrays of :func:`spades_env.observation.observation_rows` that are not in use.

    Getting new memory from the operating system takes half as long as encoding the observations. An array is therefore
    reused as soon as its reference count shows that the caller has dropped it and all views of it.

    Args:
        count: rows of each array.
    """

    MOST = 4  # arrays to keep track of; a caller that keeps more of them gets new ones

    def __init__(self, count: int) -> None:
        self.count = count
        self._rows: list[np.ndarray] = []
        self._idle = 0  # references to an array that only this object holds

    def take(self) -> np.ndarray:
        """An int8 array of shape (count, SIZE) that starts at a cache line."""
        for rows in self._rows:  # all views, also those of views, refer to the array that owns the memory
            if sys.getrefcount(rows.base) == self._idle:
                return rows.view()
        rows = observation_rows(self.count)
        self._rows = [rows, *self._rows[: self.MOST - 1]]
        self._idle = sys.getrefcount(rows.base)
        return rows.view()
