"""Who plays the seats that the learner does not: agents, or texts that name them."""

from __future__ import annotations

import copy
import importlib
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from spades_env.engine.episode import agent_stream
from spades_env.game import View
from spades_env.tables import Tables

# Whoever knows agents by name: a module with a function make_agent(text). It is looked up at run time alone,
# so that this package works without it when it is given agents themselves.
AGENT_MAKER = "spades_agents"


class Opponent(Protocol):
    """A player; see ``spades_agents.base.Agent``. It may also have ``act_batch(tables, rows)``."""

    name: str

    def reset(self, seed: int | None = None) -> None:
        """Begin a match; a player that rolls dice seeds them."""
        ...

    def act(self, view: View) -> int:
        """A legal action for ``view.observer``, who is on turn."""
        ...


Opponents = str | Opponent | Sequence[str | Opponent]


def make_opponents(opponents: Opponents, count: int) -> list[Opponent]:
    """The players of the ``count`` seats after the learner's, clockwise.

    One agent or text stands for all seats, and then the same object comes back for each of them.

    Raises:
        ValueError: if there are too few or too many, if a text names no agent, or if something is not an agent.
        ModuleNotFoundError: if a text is given but no package is installed that knows agents by name.
    """
    if isinstance(opponents, str) or not isinstance(opponents, Sequence):
        return [_make(opponents)] * count
    if len(opponents) != count:
        raise ValueError(f"opponents must be one agent, or a list of {count}, got a list of {len(opponents)}")
    return [_make(one) for one in opponents]


def _make(opponent: str | Opponent) -> Opponent:
    if isinstance(opponent, str):
        try:
            maker = importlib.import_module(AGENT_MAKER)
        except ModuleNotFoundError as error:
            if error.name != AGENT_MAKER:
                raise
            text = f"opponents={opponent!r} needs the package {AGENT_MAKER}, which is not installed: pass an agent"
            raise ModuleNotFoundError(text, name=AGENT_MAKER) from None
        return maker.make_agent(opponent)
    missing = [part for part in ("reset", "act") if not callable(getattr(opponent, part, None))]
    if missing:
        raise ValueError(f"opponents: {opponent!r} is not an agent: it has no {' and no '.join(missing)}")
    return opponent


def apart(agents: Sequence[Opponent]) -> list[Opponent]:
    """The same agents, with copies where one object sits at several seats: each has its own memory and dice."""
    return [copy.deepcopy(agent) if agent in agents[:k] else agent for k, agent in enumerate(agents)]


class OneByOne:
    """Makes a batch agent of one that can only ``act``: a copy of its own for each table and seat.

    Args:
        agent: the player to copy.
    """

    def __init__(self, agent: Opponent) -> None:
        self.agent = agent
        self.name = agent.name
        self._copies: dict[tuple[int, int], Opponent] = {}
        self._matches: dict[tuple[int, int], tuple[int, int]] = {}

    def forget(self, rows: Any) -> None:
        """The copies at the tables ``rows`` begin anew when they act next, as they do at every new match."""
        for row in rows:
            for seat in range(4):
                self._matches.pop((int(row), seat), None)

    def act_batch(self, tables: Tables, rows: Any) -> np.ndarray:
        """The actions of the seats on turn at the tables ``rows``, an int64 array."""
        return np.array([self._act(tables, int(row)) for row in rows], np.int64)

    def _act(self, tables: Tables, row: int) -> int:
        state = tables.states[row]
        place = row, int(state["seat"])
        match = int(state["key"]), int(state["match"])
        if place not in self._copies:
            self._copies[place] = copy.deepcopy(self.agent)
        if self._matches.get(place) != match:
            self._matches[place] = match
            self._copies[place].reset(int(agent_stream(state["key"], match[1], place[1])))
        return self._copies[place].act(tables.view(row))
