"""What a player is: the Agent protocol and its form for many tables at once."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np

from spades_env.game import View
from spades_env.rules import Rules

__all__ = ["Agent", "BatchAgent", "RowsAgent", "TableArrays", "check_on_turn"]


@runtime_checkable
class Agent(Protocol):
    """A player. One object may sit at several seats and tables: it decides from the view alone.

    Attributes:
        name: what results and records call it.
    """

    name: str

    def reset(self, seed: int | None = None) -> None:
        """Begin anew: forget what was played; a player that rolls dice seeds them (None: from the operating system)."""
        ...

    def act(self, view: View) -> int:
        """A legal action for ``view.observer``, who is on turn."""
        ...


class TableArrays(Protocol):
    """Many tables under the same rules, as :class:`spades_env.tables.Tables` holds them.

    Attributes:
        states: array of :data:`spades_env.engine.state.STATE` records, one for each table.
        rules: the rules of all of them.
        rules_array: array of one :data:`spades_env.engine.state.RULES` record, the same for kernels.
        agent_rng: uint64 of shape (tables, 4), a SplitMix64 stream for each table and seat, begun anew in each
            match. An agent that rolls dice in a batch moves on the stream of the seat on turn.
    """

    states: np.ndarray
    rules: Rules
    rules_array: np.ndarray
    agent_rng: np.ndarray


@runtime_checkable
class BatchAgent(Agent, Protocol):
    """An agent that can also act for many tables in one call."""

    def act_batch(self, tables: TableArrays, rows: Any) -> np.ndarray:
        """The actions of the seats on turn at some tables, from what these seats may know.

        Args:
            tables: the tables; nothing but ``agent_rng`` is changed.
            rows: ints, the tables to act for; none of their matches may be over.

        Returns:
            int64 array, one action for each row.
        """
        ...


class RowsAgent:
    """Single and batch decisions of an agent that decides for rows of tables: subclasses define :meth:`decide`."""

    def act(self, view: View) -> int:
        """The action for ``view.observer``, who must be on turn."""
        check_on_turn(view)
        return int(self.decide(view.state, view.rules, view.rules_array, np.zeros(1, np.int64))[0])

    def act_batch(self, tables: TableArrays, rows: Any) -> np.ndarray:
        """The actions of the seats on turn at the tables ``rows``, an int64 array."""
        return self.decide(tables.states, tables.rules, tables.rules_array, np.asarray(rows, np.int64))

    def decide(self, states: np.ndarray, rules: Rules, record: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """The same from arrays: STATE records of tables, their rules, as a record too, and which tables (int64)."""
        raise NotImplementedError


def check_on_turn(view: View) -> None:
    """Raise ``ValueError`` unless the view's observer has a decision to make."""
    if view.is_over:
        raise ValueError("the match is over: there is nothing to decide")
    if view.seat != view.observer:
        raise ValueError(f"seat {view.seat} is on turn, but the view is that of seat {view.observer}")
