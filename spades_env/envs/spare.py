"""Fresh arrays without the price of fresh memory."""

from __future__ import annotations

import sys

import numpy as np

from spades_env.observation import observation_rows


class SpareRows:
    """Gives out arrays of :func:`spades_env.observation.observation_rows` that nobody else holds.

    Memory new from the operating system costs as much as half the encoding of what goes into it. So an array is given
    out again as soon as the caller has let go of it and of all views of it, which its reference count tells.

    Args:
        count: rows of each.
    """

    MOST = 4  # arrays to keep track of; a caller that holds on to more gets new ones

    def __init__(self, count: int) -> None:
        self.count = count
        self._rows: list[np.ndarray] = []
        self._idle = 0  # references to an array that only this object holds

    def take(self) -> np.ndarray:
        """An int8 array of shape (count, SIZE), which begins at a cache line."""
        for rows in self._rows:
            if _references(rows.base) == self._idle:
                return rows.view()
        rows = observation_rows(self.count)
        self._rows = [rows, *self._rows[: self.MOST - 1]]
        self._idle = _references(rows.base)
        return rows.view()


def _references(owner: object) -> int:
    # Views, and views of views, all refer to the array that owns the memory.
    return sys.getrefcount(owner)
