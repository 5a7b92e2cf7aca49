"""The players of the seats other than the learner's: agents, or their names."""

from __future__ import annotations

import copy
import importlib
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from spades_env.engine.episode import agent_stream
from spades_env.game import View
from spades_env.rules import Rules
from spades_env.tables import Tables

# The module whose make_agent(name) makes agents by name. It is only imported when a name is given, so this package
# works without it.
AGENT_MAKER = "spades_agents"


class Opponent(Protocol):
    """A player, see ``spades_agents.base.Agent``.

    It may also have ``act_batch(tables, rows)``, and ``check_rules(rules)`` if it cannot play every game.
    """

    name: str

    def reset(self, seed: int | None = None) -> None:
        """Start a match; a player that uses randomness seeds it."""
        ...

    def act(self, view: View) -> int:
        """A legal action for ``view.observer``, which is on turn."""
        ...


Opponents = str | Opponent | Sequence[str | Opponent]


def make_opponents(opponents: Opponents, rules: Rules) -> list[Opponent]:
    """The players of the seats after the learner's, clockwise.

    A single agent or name is used for all seats, and is returned as the same object for each of them.

    Raises:
        ValueError: if there are too few or too many, if a name is unknown, if something is not an agent, or if an agent
            cannot play the rules.
        ModuleNotFoundError: if a name is given, but the package that makes agents by name is not installed.
    """
    count = rules.players - 1
    if isinstance(opponents, str) or not isinstance(opponents, Sequence):
        return [_make(opponents, rules)] * count
    if len(opponents) != count:
        raise ValueError(f"opponents must be one agent, or a list of {count}, got a list of {len(opponents)}")
    return [_make(one, rules) for one in opponents]


def _make(opponent: str | Opponent, rules: Rules) -> Opponent:
    agent = _agent(opponent)
    check = getattr(agent, "check_rules", None)
    if check is not None:
        check(rules)
    return agent


def _agent(opponent: str | Opponent) -> Opponent:
    if isinstance(opponent, str):
        try:
            maker = importlib.import_module(AGENT_MAKER)
        except ModuleNotFoundError as error:
            if error.name != AGENT_MAKER:
                raise
            text = f"opponents={opponent!r} needs the package {AGENT_MAKER}, which is not installed; pass an agent"
            raise ModuleNotFoundError(text, name=AGENT_MAKER) from None
        return maker.make_agent(opponent)
    missing = [part for part in ("reset", "act") if not callable(getattr(opponent, part, None))]
    if missing:
        raise ValueError(f"opponents: {opponent!r} is not an agent: it has no {' and no '.join(missing)}")
    return opponent


def apart(agents: Sequence[Opponent]) -> list[Opponent]:
    """The same agents, copied where one object plays several seats: each seat has its own memory and randomness."""
    return [copy.deepcopy(agent) if agent in agents[:k] else agent for k, agent in enumerate(agents)]


class OneByOne:
    """A batch agent made of an agent that can only ``act``: a copy of it for each table and seat.

    Args:
        agent: the player to copy.
    """

    def __init__(self, agent: Opponent) -> None:
        self.agent = agent
        self.name = agent.name
        self._copies: dict[tuple[int, int], Opponent] = {}  # by table and seat
        self._matches: dict[tuple[int, int], tuple[int, int]] = {}

    def forget(self, rows: Any) -> None:
        """Reset the copies at the tables ``rows`` before they next act, as at the start of a match."""
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
