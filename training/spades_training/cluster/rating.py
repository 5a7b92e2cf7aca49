"""Ratings of actions by rollouts, in this process or on the machines of an executor."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from functools import lru_cache
from typing import Any

import numpy as np
from spades_agents.heuristic.scripted import new_scratch
from spades_agents.match_value import match_table
from spades_agents.search.rollout import rate_rows
from spades_agents.search.workspace import PLAN, Aim, Rater

from spades_env.cards import NUM_ACTIONS
from spades_env.rules import Rules
from spades_env.tables import Tables
from spades_training.cluster.spread import Spread

REACH = 3  # bids rated on either side of the reference
TOGETHER = 4  # batches that are sent in one call


@lru_cache(maxsize=8)
def _rater(rules: Rules, thread: int) -> tuple[Rater, np.ndarray]:
    """What a thread needs to rate, with the packed rules."""
    packed = Tables(rules, 1, [0]).rules_array
    return Rater(np.zeros(1, PLAN), new_scratch(), Aim(match_table(rules), 1.0, 0.0)), packed


def rate(rules: Rules, states: np.ndarray, references: np.ndarray) -> np.ndarray:
    """The chance of winning the match after every action, if the scripted player finishes the hand.

    Args:
        rules: the rules.
        states: STATE of shape (n,), the tables.
        references: int64 of shape (n,), an action at each; only bids close to it are rated.

    Returns:
        float64 of shape (n, 75); NaN for actions that are illegal or not rated.
    """
    found = np.empty((len(states), NUM_ACTIONS))
    rater, packed = _rater(rules, threading.get_ident())
    rate_rows(states, np.arange(len(states)), references, REACH, packed, rater, found)
    return found


class Ratings:
    """Ratings of several batches of decisions, which other machines may compute in the meantime.

    Args:
        rules: the rules.
        spread: the machines, or None for this process.
    """

    def __init__(self, rules: Rules, spread: Spread | None = None) -> None:
        self.rules, self._spread = rules, spread
        self._found: list[np.ndarray] = []
        self._unsent: list[tuple[np.ndarray, np.ndarray]] = []
        self._sent: dict[Future[Any], list[int]] = {}

    def add(self, states: np.ndarray, references: np.ndarray) -> None:
        """Rate a batch; the arguments are copied, and those of :func:`rate`."""
        if self._spread is None:
            self._found.append(rate(self.rules, states, references))
            return
        self._unsent.append((states.copy(), references.copy()))
        if len(self._unsent) == TOGETHER:
            self._send(self._spread)

    def take(self) -> list[np.ndarray]:
        """The ratings of all batches since the last call, in their order."""
        if self._spread is not None:
            self._send(self._spread)
            arrived: dict[Future[Any], np.ndarray] = {}
            while len(arrived) < len(self._sent):
                future = self._spread.wait()
                arrived[future] = self._spread.result(future)
            for future, sizes in self._sent.items():
                self._found += np.split(arrived[future], np.cumsum(sizes)[:-1])
            self._sent.clear()
        found, self._found = self._found, []
        return found

    def _send(self, spread: Spread) -> None:
        if self._unsent:
            states, references = (np.concatenate(arrays) for arrays in zip(*self._unsent, strict=True))
            self._sent[spread.submit(rate, self.rules, states, references)] = [len(part) for part, _ in self._unsent]
            self._unsent.clear()
