"""A series of duplicate matches between two players: see :func:`spades_training.evaluation.evaluate.evaluate`."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from spades_agents.base import Agent, BatchAgent

from spades_env.engine.state import BLIND_BID, OVER
from spades_env.game import IllegalAction
from spades_env.rules import Rules
from spades_env.tables import Tables
from spades_training.evaluation.totals import Hands, Totals

NOBODY = -1


class Series:
    """Some pairs of matches; in match ``k``, of pair ``pairs[k // sides]``, A is side ``k % sides``.

    A match depends only on the players, ``seed`` and the number of its pair: pairs 0 to 99 may be played in one series
    or in ten.

    Args:
        agents: players A and B.
        rules: the rules.
        seed: pair p has the decks of ``Game(rules, seed=(seed, p))``.
        pairs: the numbers of the pairs.
        max_hands: a match without a winner after this many hands is truncated.

    Attributes:
        loser: int64 of shape (matches,), the player (0 for A, 1 for B) that forfeited the match, otherwise -1.
        hands: int64 of shape (matches,), number of hands completed.
        margin: float64 of shape (matches,), A's points minus the mean of the other sides' points, over all hands.
        totals: statistics of A and B.
        moves: for each match its actions so far, or None unless :meth:`record` was called.
    """

    def __init__(
        self, agents: tuple[Agent, Agent], rules: Rules, seed: int, pairs: range, max_hands: int = 100
    ) -> None:
        self.agents, self.rules, self.seed, self.first = agents, rules, seed, pairs.start
        sides, players = rules.sides, rules.players
        seeds = [(seed, pair) for pair in pairs for _ in range(sides)]
        self.tables = Tables(rules, len(seeds), seeds, max_hands=max_hands, auto_reset=False)
        rows = np.arange(len(seeds))
        self.single = not all(isinstance(agent, BatchAgent) for agent in agents)
        # The player of each side and seat, 0 for A and 1 for B: (rows, sides) and (rows, seats).
        self.side_player = np.where(np.arange(sides) == (rows % sides)[:, None], 0, 1)
        self.seat_player = self.side_player[:, np.arange(players) % sides]
        self.loser = np.full(len(seeds), NOBODY)
        self.hands = np.zeros(len(seeds), np.int64)
        self.margin = np.zeros(len(seeds))
        self.totals = (Totals(), Totals())
        self.moves: list[list[int]] | None = None

    def record(self) -> list[list[int]]:
        """Keep the actions of all matches from now on; returns :attr:`moves`."""
        self.moves = [[] for _ in range(self.tables.count)]
        return self.moves

    @property
    def decided(self) -> np.ndarray:
        """Bool of shape (matches,), whether a match has a winner, including by forfeit."""
        return (self.tables.states["phase"] == OVER) | (self.loser != NOBODY)

    @property
    def won(self) -> np.ndarray:
        """Bool of shape (matches,), whether A won."""
        winner = self.tables.states["winner"].astype(int)
        by_play = (self.tables.states["phase"] == OVER) & (winner == np.arange(self.tables.count) % self.rules.sides)
        return np.where(self.loser == NOBODY, by_play, self.loser == 1)

    def by_pair(self, values: np.ndarray) -> np.ndarray:
        """The sum over the matches of each pair, float64 of shape (pairs,)."""
        return values.reshape(-1, self.rules.sides).sum(1).astype(float)

    def play(self, batch: int, progress: Callable[[int, int], object] | None = None) -> None:
        """Play all matches to the end, at most ``batch`` at a time.

        ``progress`` is called with the number of matches finished and the total.

        Raises:
            IllegalAction: if a player's action is not legal.
        """
        self._start()
        if self.single:
            batch = 1
        waiting = np.flatnonzero(self.loser == NOBODY)
        count = len(waiting)
        active = np.arange(0)
        while len(waiting) or len(active):
            room = batch - len(active)
            if room > 0 and len(waiting):
                new, waiting = waiting[:room], waiting[room:]
                active = np.concatenate([active, new])
                if self.single:
                    self._reset_single(int(new[0]))
            self._step(active[self.loser[active] == NOBODY])
            over = self.tables.terminated[active] | self.tables.truncated[active] | (self.loser[active] != NOBODY)
            if over.any():
                active = active[~over]
                if progress:
                    progress(count - len(waiting) - len(active), count)

    def _start(self) -> None:
        """Seed both players and let them decide once, so that compiling and loading are not timed."""
        for k, seed in enumerate(np.random.SeedSequence(self.seed).generate_state(2, np.uint64)):
            self._warm_up(k, int(seed))

    def _warm_up(self, k: int, seed: int) -> None:
        self.agents[k].reset(seed)
        rows = self._first_rows(k)[:1]
        if len(rows):
            streams = self.tables.agent_rng[rows]
            self._actions(k, rows)
            self.tables.agent_rng[rows] = streams
            self.agents[k].reset(seed)

    def _first_rows(self, k: int) -> np.ndarray:
        """The matches still to be played in which player ``k`` decides first."""
        first = self.seat_player[np.arange(self.tables.count), self.tables.seat]
        return np.flatnonzero((first == k) & (self.loser == NOBODY))

    def _reset_single(self, match: int) -> None:
        """Seed the players that do not act in batches, so that a match does not depend on earlier ones."""
        for k in range(2):
            self._reset_one(k, match)

    def _reset_one(self, k: int, match: int) -> None:
        if not isinstance(self.agents[k], BatchAgent):
            number = self.first * self.rules.sides + match
            seeds = np.random.SeedSequence((self.seed, number, k))
            self.agents[k].reset(int(seeds.generate_state(1, np.uint64)[0]))

    def _step(self, active: np.ndarray) -> None:
        """One decision at each of the ``active`` tables."""
        tables = self.tables
        player = self.seat_player[active, tables.seat[active]]
        for k in range(2):
            rows = active[player == k]
            if not len(rows):
                continue
            before = tables.states["hand_number"][rows]
            try:
                actions = self._decide(k, rows)
                tables.advance(actions, rows)
            except Exception as error:
                self._failed(k, rows, error)
                continue
            if self.moves is not None:
                for row, action in zip(rows.tolist(), actions.tolist(), strict=True):
                    self.moves[row].append(action)
            finished = rows[tables.states["hand_number"][rows] != before]
            if len(finished):
                self._count_hands(finished)

    def _decide(self, k: int, rows: np.ndarray) -> np.ndarray:
        """The actions of player ``k`` at ``rows``, timed."""
        start = time.perf_counter()
        actions = self._actions(k, rows)
        self.totals[k].seconds += time.perf_counter() - start
        self.totals[k].decisions += len(rows)
        return actions

    def _actions(self, k: int, rows: np.ndarray) -> np.ndarray:
        agent = self.agents[k]
        if isinstance(agent, BatchAgent):
            return np.asarray(agent.act_batch(self.tables, rows))
        return np.array([agent.act(self.tables.view(int(row))) for row in rows])

    def _failed(self, k: int, rows: np.ndarray, error: Exception) -> None:
        """Handle that player ``k`` returned no legal action at ``rows``."""
        if isinstance(error, IllegalAction):
            raise IllegalAction(f"player {self.agents[k].name!r} made an illegal move: {error}") from None
        raise error

    def _count_hands(self, rows: np.ndarray) -> None:
        """Count the hands that have just ended at ``rows``."""
        rules, states = self.rules, self.tables.states[rows]
        points = states["points"][:, : rules.sides].astype(float)
        own = points[np.arange(len(rows)), rows % rules.sides]
        self.hands[rows] += 1
        self.margin[rows] += own - (points.sum(1) - own) / (rules.sides - 1)
        bids, blind, tricks = (states[f"last_{name}"][:, : rules.players] for name in ("bids", "blind", "tricks"))
        hand = Hands.score(rules, bids.astype(int), blind == BLIND_BID, tricks.astype(int))
        for k, totals in enumerate(self.totals):
            totals.add(hand, points, self.side_player[rows] == k, self.seat_player[rows] == k)
