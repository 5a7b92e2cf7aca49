"""Two players that roll dice: ``uniform`` over all legal actions, and ``random``, which bids like a person."""

from __future__ import annotations

import secrets
from typing import Any

import numpy as np

from spades_agents.base import TableArrays, check_on_turn
from spades_agents.compiler import jit
from spades_env.cards import BID_0, DONE, LOOK
from spades_env.checks import check_int
from spades_env.engine.bits import below, popcount
from spades_env.engine.state import BID, BLIND, EXCHANGE
from spades_env.engine.step import legal, nth_legal
from spades_env.game import View

__all__ = ["RandomAgent", "UniformAgent"]


@jit
def uniform_action(s, r, rng):
    """Any legal action, all equally likely."""
    low, high = legal(s, r)
    return nth_legal(low, high, below(rng, popcount(low) + popcount(high)))


@jit
def fair_share(r, rng):
    """A bid of 1 or more: how many tricks fall to a seat if each trick falls to any seat alike.

    That is a binomial count of ``hand_size`` tricks with chance 1 / ``players``: 6.5 +- 1.8 for two
    players, 5.7 +- 1.9 for three, 3.3 +- 1.6 for four, a nil raised to 1.
    """
    count = 0
    for _ in range(r.hand_size):
        if below(rng, r.players) == 0:
            count += 1
    return max(count, 1)


@jit
def random_action(s, r, rng):
    """Any card, any draft choice; a bid of :func:`fair_share`; never nil or blind nil."""
    phase = s.phase
    if phase == BID:
        return BID_0 + fair_share(r, rng)
    if phase == BLIND:
        return LOOK
    if phase == EXCHANGE:
        return DONE
    return uniform_action(s, r, rng)


@jit
def uniform_actions(states, rules, rows, streams, actions):
    """Write the actions of the seats on turn at the tables ``rows``; each table and seat has its own stream."""
    for k in range(rows.size):
        s = states[rows[k]]
        actions[k] = uniform_action(s, rules[0], streams[rows[k], s.seat : s.seat + 1])


@jit
def random_actions(states, rules, rows, streams, actions):
    """The same for :func:`random_action`."""
    for k in range(rows.size):
        s = states[rows[k]]
        actions[k] = random_action(s, rules[0], streams[rows[k], s.seat : s.seat + 1])


class _Dice:
    """What both share: in a batch the dice are the tables' own, so that a table plays alike in any batch."""

    name: str
    _kernel: Any

    def __init__(self, seed: int | None = None) -> None:
        jit.announce("the agents")
        self._row = np.zeros(1, np.int64)
        self._action = np.zeros(1, np.int64)
        self.reset(seed)

    def reset(self, seed: int | None = None) -> None:
        """Begin the stream of :meth:`act` anew from ``seed`` (0 to 2**64 - 1); None: from the operating system.

        With :func:`spades_env.tables.agent_seed` it becomes the stream that :meth:`act_batch` finds at the table.
        """
        self._seed = secrets.randbits(64) if seed is None else check_int("seed", seed, 0, 2**64 - 1)
        # one for each seat, as the tables have it: an agent that plays several seats draws from one of each
        self._streams = np.full((1, 4), self._seed, np.uint64)

    def act(self, view: View) -> int:
        """A legal action, drawn from the agent's own stream."""
        check_on_turn(view)
        self._kernel(view.state, view.rules_array, self._row, self._streams, self._action)
        return int(self._action[0])

    def act_batch(self, tables: TableArrays, rows: Any) -> np.ndarray:
        """Actions of the seats on turn at the tables ``rows``, an int64 array, drawn from ``tables.agent_rng``."""
        rows = np.asarray(rows, np.int64)
        actions = np.empty(len(rows), np.int64)
        self._kernel(tables.states, tables.rules_array, rows, tables.agent_rng, actions)
        return actions


class UniformAgent(_Dice):
    """Every legal action equally likely, bids too: a very weak baseline, since most such bids cannot be made.

    Args:
        seed: of its dice; None takes one from the operating system.
    """

    name = "uniform"
    _kernel = staticmethod(uniform_actions)


class RandomAgent(_Dice):
    """Plays and drafts at random but bids about its share of the tricks and never nil.

    Args:
        seed: of its dice; None takes one from the operating system.
    """

    name = "random"
    _kernel = staticmethod(random_actions)
