"""What a player is: the Agent protocol, and its extension to many tables at once."""

from __future__ import annotations

from collections import namedtuple
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np

from spades_env.action_space import IllegalAction
from spades_env.cards import NUM_ACTIONS, action_name
from spades_env.game import View
from spades_env.rules import Rules
from spades_env.tables import Tables

# The rules that make two tables the same game for a trained player.
GAME_FIELDS = ("players", "partners", "draft", "removed")

Unit = Literal["win", "points", "probability"]


class Rating(NamedTuple):
    """How a player rates an action.

    Attributes:
        value: the higher, the better.
        error: the standard error of the value over the worlds drawn, NaN after a single world; 0 for players that draw
            none.
        unit: ``"win"``, the chance that the own side wins the match; ``"points"``, the points that the own side gains
            in the hand relative to the mean of the other sides, with each bag charged its share of the penalty; or
            ``"probability"``, the probability with which the player takes the action.
    """

    value: float
    error: float
    unit: Unit


@runtime_checkable
class Agent(Protocol):
    """A player. It decides only from the view, so one object can play several seats and tables.

    A player that cannot play every game also has a method ``check_rules(rules)``, which raises ``ValueError`` for rules
    that it cannot play: see :func:`check_plays`. One that compiles or loads something in its first decision may have a
    method ``prepare(rules)``, which does so before: see :func:`prepare`. One that can tell how good each action is has
    a method ``rate(view)``, which returns a dict with a :class:`Rating` for every legal action.

    Attributes:
        name: the player's name in results and records.
    """

    name: str

    def reset(self, seed: int | None = None) -> None:
        """Forget everything played so far, and seed the random numbers if the player uses any.

        Args:
            seed: the seed; None takes one from the operating system.
        """
        ...

    def act(self, view: View) -> int:
        """A legal action for ``view.observer``, who is on turn."""
        ...


class TableArrays(Protocol):
    """Many tables under the same rules; :class:`spades_env.tables.Tables` is one implementation.

    Attributes:
        states: the packed states, an array of :data:`spades_env.engine.state.STATE`, one for each table.
        rules: the rules of all tables.
        rules_array: the packed rules, an array of one :data:`spades_env.engine.state.RULES`.
        agent_rng: uint64 of shape (tables, 4), a SplitMix64 random stream for each table and seat, reseeded in every
            match. A batch agent that uses randomness advances the stream of the seat on turn.
    """

    states: np.ndarray
    rules: Rules
    rules_array: np.ndarray
    agent_rng: np.ndarray


OneTable = namedtuple("OneTable", ("states", "rules", "rules_array", "agent_rng"))  # as TableArrays


@runtime_checkable
class BatchAgent(Agent, Protocol):
    """An agent that can also act for many tables in one call."""

    def act_batch(self, tables: TableArrays, rows: Any) -> np.ndarray:
        """The actions of the seats on turn, each from what that seat may know.

        Args:
            tables: the tables. Only ``agent_rng`` is changed.
            rows: ints, the tables to act for. None of their matches may be over.

        Returns:
            int64 array, one action for each row.
        """
        ...


@runtime_checkable
class StochasticAgent(BatchAgent, Protocol):
    """A batch agent that can tell the probability of each action."""

    def probabilities(self, tables: TableArrays, rows: Any) -> np.ndarray:
        """The probabilities of all actions of the seats on turn.

        Args:
            tables: as in :meth:`BatchAgent.act_batch`.
            rows: as in :meth:`BatchAgent.act_batch`.

        Returns:
            float32 array of shape (len(rows), 75); those of illegal actions are 0.
        """
        ...


class RowsAgent:
    """Base of the batch agents: a single decision is a batch of one. Subclasses define :meth:`act_batch`."""

    agent_rng = np.zeros((1, 4), np.uint64)  # the random streams of the seats in `act`
    _row = np.zeros(1, np.int64)

    def reset(self, seed: int | None = None) -> None:
        """Do nothing: by default an agent keeps no memory and uses no randomness."""

    def act(self, view: View) -> int:
        """The action for ``view.observer``, who must be on turn."""
        check_on_turn(view)
        table: Any = OneTable(view.state, view.rules, view.rules_array, self.agent_rng)
        return int(self.act_batch(table, self._row)[0])

    def act_batch(self, tables: TableArrays, rows: Any) -> np.ndarray:
        """See :class:`BatchAgent`."""
        raise NotImplementedError

    def check_rules(self, rules: Rules) -> None:
        """Raise ``ValueError`` if the player cannot play these rules; this base plays all."""

    def prepare(self, rules: Rules) -> None:
        """Compile and load what the player needs under these rules; this base does nothing.

        Later decisions are the same as without it.

        Raises:
            ValueError: if the player cannot play these rules.
        """


def check_plays(agent: Agent, rules: Rules) -> None:
    """Raise ``ValueError`` if ``agent`` cannot play these rules; a player without ``check_rules`` plays all."""
    check = getattr(agent, "check_rules", None)
    if check is not None:
        check(rules)


def prepare(agent: Agent, rules: Rules) -> None:
    """Let ``agent`` compile and load now what its first decision would; a player without ``prepare`` does nothing.

    Raises:
        ValueError: if the player cannot play these rules.

    Example:
        >>> from spades_agents import make_agent
        >>> from spades_env import Rules
        >>> prepare(make_agent("heuristic"), Rules.preset("partnership"))
    """
    check_plays(agent, rules)
    method = getattr(agent, "prepare", None)
    if method is not None:
        method(rules)


def decide_nothing(agent: BatchAgent, rules: Rules) -> None:
    """Compile and load what the decisions of ``agent`` need: it decides at no table, and uses no random numbers."""
    check_plays(agent, rules)
    agent.act_batch(Tables(rules, 1, seed=0), np.zeros(0, np.int64))


def legal_move(agent: Agent, view: View) -> int:
    """The action of ``agent`` for the seat on turn.

    Raises:
        IllegalAction: if it is not legal; the message names the agent.
    """
    action = agent.act(view)
    legal = view.legal_actions()
    if not hasattr(action, "__index__") or int(action) not in legal:
        names = ", ".join(map(action_name, legal))
        known = hasattr(action, "__index__") and 0 <= int(action) < NUM_ACTIONS
        found = action_name(int(action)) if known else repr(action)[:80]
        raise IllegalAction(f"player {agent.name!r} made an illegal move: {found}; legal are {names}")
    return int(action)


def plays(agent: Agent, rules: Rules) -> bool:
    """Whether ``agent`` can play these rules."""
    try:
        check_plays(agent, rules)
    except ValueError:
        return False
    return True


def check_same_game(name: str, own: Rules, table: Rules) -> None:
    """Raise ``ValueError`` unless ``own``, for which the player ``name`` was trained, are rules of the same game."""
    for field in GAME_FIELDS:
        if getattr(own, field) != getattr(table, field):
            text = f"{field}={getattr(own, field)}; this table has {field}={getattr(table, field)}"
            raise ValueError(f"agent {name!r} was trained for {text}")


def check_on_turn(view: View) -> None:
    """Raise ``ValueError`` unless the view's observer has a decision to make."""
    if view.is_over:
        raise ValueError("the match is over: there is nothing to decide")
    if view.seat != view.observer:
        raise ValueError(f"seat {view.seat} is on turn, but the view is that of seat {view.observer}")
