"""Two players that use randomness: ``uniform`` over all legal actions, and ``random``, which makes sensible bids."""

from __future__ import annotations

import secrets
from typing import Any

import numpy as np

from spades_agents.base import RowsAgent, TableArrays, decide_nothing
from spades_agents.compiler import jit
from spades_env.cards import BID_0, DONE, LOOK
from spades_env.checks import check_int
from spades_env.engine.bits import below, popcount
from spades_env.engine.state import BID, BLIND, EXCHANGE
from spades_env.engine.step import legal, nth_legal
from spades_env.rules import Rules


@jit
def uniform_action(s, r, rng):
    """A legal action, all equally likely."""
    low, high = legal(s, r)
    return nth_legal(low, high, below(rng, popcount(low) + popcount(high)))


@jit
def fair_share(r, rng):
    """A random bid of at least 1: the tricks of a seat if every seat is equally likely to win each trick.

    This is a binomial count of ``hand_size`` tricks with probability 1 / ``players``, with 0 raised to 1:
    6.5 +- 1.8 for two players, 5.7 +- 1.9 for three, 3.3 +- 1.6 for four.
    """
    count = 0
    for _ in range(r.hand_size):
        if below(rng, r.players) == 0:
            count += 1
    return max(count, 1)


@jit
def random_action(s, r, rng):
    """A uniform card or draft choice, or a bid of :func:`fair_share`; never nil, blind nil or an exchange."""
    phase = s.phase
    if phase == BID:
        return BID_0 + fair_share(r, rng)
    if phase == BLIND:
        return LOOK
    if phase == EXCHANGE:
        return DONE
    return uniform_action(s, r, rng)


@jit
def decide_rows(states, rules, rows, streams, uniform, actions):
    """Write the actions of the seats on turn at the tables ``rows``, each from its own random stream."""
    for k in range(rows.size):
        s = states[rows[k]]
        rng = streams[rows[k], s.seat : s.seat + 1]
        actions[k] = uniform_action(s, rules[0], rng) if uniform else random_action(s, rules[0], rng)


class _Stochastic(RowsAgent):
    """An agent with a random stream for each seat; in a batch it uses the tables', which makes batches reproducible."""

    name: str
    uniform = False  # bids too

    def __init__(self, seed: int | None = None) -> None:
        self.reset(seed)

    def reset(self, seed: int | None = None) -> None:
        """Restart the random streams of :meth:`act` from ``seed``.

        Args:
            seed: 0 to 2**64 - 1; None takes one from the operating system. With
                :func:`spades_env.tables.agent_seed` :meth:`act` uses the stream that :meth:`act_batch` finds at the
                table.
        """
        seed = secrets.randbits(64) if seed is None else check_int("seed", seed, 0, 2**64 - 1)
        self.agent_rng = np.full((1, 4), seed, np.uint64)

    def prepare(self, rules: Rules) -> None:
        """See :meth:`RowsAgent.prepare <spades_agents.base.RowsAgent.prepare>`."""
        decide_nothing(self, rules)

    def act_batch(self, tables: TableArrays, rows: Any) -> np.ndarray:
        """See :class:`~spades_agents.base.BatchAgent`; actions are drawn from ``tables.agent_rng``."""
        rows = np.asarray(rows, np.int64)
        actions = np.empty(len(rows), np.int64)
        decide_rows(tables.states, tables.rules_array, rows, tables.agent_rng, self.uniform, actions)
        return actions


class UniformAgent(_Stochastic):
    """Takes every legal action with equal probability, bids included: a very weak baseline that misses most contracts.

    Args:
        seed: the seed; None takes one from the operating system.
    """

    name = "uniform"
    uniform = True


class RandomAgent(_Stochastic):
    """Plays and drafts at random, but bids about its share of the tricks and never nil.

    Args:
        seed: the seed; None takes one from the operating system.
    """

    name = "random"
