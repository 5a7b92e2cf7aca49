"""Tables: N games stepped together, with all results in preallocated arrays."""

from __future__ import annotations

import functools
import itertools
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from spades_env.action_space import IllegalAction
from spades_env.cards import NUM_ACTIONS, action_name
from spades_env.checks import check_int, check_list, check_seed
from spades_env.engine import batch
from spades_env.engine.bits import stream_key
from spades_env.engine.episode import agent_stream, episode_array
from spades_env.engine.state import OVER, STATE, rules_array
from spades_env.episodes import Episode, Reward, check_episode
from spades_env.game import View
from spades_env.observation import observation_rows
from spades_env.rules import Rules, as_rules


def agent_seed(seed: int | Sequence[int], seat: int) -> int:
    """The seed of the player at ``seat`` in one match.

    A player that seeds a SplitMix64 stream with it (``agent.reset(seed)``) draws the same random numbers as a batch
    agent that uses ``Tables.agent_rng``.

    Args:
        seed: the seed of the :class:`spades_env.game.Game`: (seed, table, match), where missing numbers are 0.
        seat: 0 to 3.

    Raises:
        ValueError: if the seed is invalid.
    """
    base, table, match = check_seed(seed)
    return int(agent_stream(np.uint64(stream_key(np.uint64(base), table)), match, seat))


@functools.cache
def _threads(count: int, process: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(count)


class Tables:
    """``count`` tables of the same game, stepped by one call.

    The arrays below are allocated once and written in place by every step; ``reset`` and ``step`` return
    nothing. Row ``i`` plays exactly as ``Game(rules, seed=(seed, i))``, regardless of ``count`` and ``threads``.

    Args:
        rules: a preset's name or a :class:`Rules`.
        count: number of tables.
        seed: one seed for all tables (table ``i`` has stream (seed, i)); or a sequence of seeds or of pairs
            (seed, stream), one for each table; None takes a seed from the operating system.
        episode: ``"match"``, or ``"hand"`` to end after every hand.
        reward: ``"score"``: after each hand every seat gets its side's score change minus the mean of the
            other sides', in hundreds of points; ``"win"``: 1 or -1 when the match is won or lost.
        max_hands: a match without a winner is truncated after this many hands.
        auto_reset: start the next match in the step that ends an episode; otherwise call :meth:`reset_rows`.
        threads: number of threads that share the rows; it does not change the results.

    Attributes:
        observation: int8 of shape (count, SIZE), of the seat on turn.
        action_mask: int8 of shape (count, 75), of the seat on turn.
        seat: int8 of shape (count,), the seat on turn.
        reward: float32 of shape (count, players), the reward of each seat for the last step.
        terminated: bool of shape (count,), whether the last step ended the episode.
        truncated: bool of shape (count,), whether the last step reached ``max_hands``.
        states: the packed states, of dtype ``engine.state.STATE``; ``rules_array`` are their packed rules.
        agent_rng: uint64 of shape (count, 4): SplitMix64 streams for players that use random numbers, one for each
            table and seat, seeded again in each match (see :func:`agent_seed`).

    Raises:
        ValueError: if an argument is invalid.

    Example:
        >>> tables = Tables("partnership", 1024, seed=0)
        >>> tables.step(tables.random_actions())
        >>> tables.observation.shape, tables.action_mask.shape, tables.reward.shape
        ((1024, 960), (1024, 75), (1024, 4))
    """

    def __init__(
        self,
        rules: str | Rules = "two_player",
        count: int = 1,
        seed: int | Sequence[int | tuple[int, int]] | None = None,
        *,
        episode: Episode = "match",
        reward: Reward | str = "score",
        max_hands: int = 100,
        auto_reset: bool = True,
        threads: int = 1,
    ) -> None:
        self.rules = as_rules(rules)
        self.count = check_int("count", count, 1, 10_000_000)
        self.episode, self.reward_kind, self.max_hands = check_episode(episode, reward, max_hands)
        self.auto_reset = auto_reset
        self.threads = check_int("threads", threads, 1, 1024)
        self.rules_array = rules_array(self.rules)
        self.states = np.zeros(count, STATE)
        self.agent_rng = np.zeros((count, 4), np.uint64)
        self.observation = observation_rows(self.count)
        self.action_mask = np.zeros((count, NUM_ACTIONS), np.int8)
        self.reward = np.zeros((count, self.rules.players), np.float32)
        self.terminated = np.zeros(count, np.bool_)
        self.truncated = np.zeros(count, np.bool_)
        self._options = episode_array(self.episode, self.reward_kind, self.max_hands, auto_reset)
        self._rows = np.arange(count)
        self._on_turn = np.full(count, -1, np.int8)
        self.reset(seed)

    @property
    def seat(self) -> np.ndarray:
        """int8 of shape (count,): the seat on turn at each table."""
        return self.states["seat"]

    @property
    def rules_record(self) -> np.ndarray:
        """The former name of :attr:`rules_array`."""
        return self.rules_array

    def reset(self, seed: int | Sequence[int | tuple[int, int]] | None = None) -> None:
        """Start new matches at all tables; ``seed`` as in the constructor.

        Raises:
            ValueError: if the seed is invalid; then nothing has changed.
        """
        if seed is None or isinstance(seed, (int, np.integer)):
            seeds = np.full(self.count, check_seed(seed)[0], np.uint64)
            streams = self._rows
        else:
            chosen = [check_seed(one) for one in check_list("seed", seed)]
            if len(chosen) != self.count:
                raise ValueError(f"seed must be an int or {self.count} seeds, one for each table, got {len(chosen)}")
            seeds = np.array([one[0] for one in chosen], np.uint64)
            streams = np.array([one[1] for one in chosen], np.int64)
        batch.seed_rows(self.states, self.rules_array, seeds, streams, 0, self.agent_rng)
        self.reward[:] = 0
        self.terminated[:] = False
        self.truncated[:] = False
        self.observe()

    def reset_rows(self, rows: np.ndarray) -> None:
        """Start the next match at each of ``rows`` (int64), as ``auto_reset`` would."""
        batch.reset_rows(self.states, self.rules_array, rows, 0, self.agent_rng)

    def set_scores(self, scores: np.ndarray, bags: np.ndarray, rows: np.ndarray | None = None) -> None:
        """Change the points and bags at some tables; call :meth:`observe` to update the observations.

        Args:
            scores: points, ints of shape (rows, sides).
            bags: bag counters, ints of shape (rows, sides), not negative.
            rows: int64 indices of tables; by default all.

        Raises:
            ValueError: if a shape is wrong.
        """
        rows = self._rows if rows is None else rows
        for name, values in (("scores", scores), ("bags", bags)):
            if np.shape(values) != (len(rows), self.rules.sides):
                raise ValueError(f"{name} must have shape {len(rows), self.rules.sides}, got {np.shape(values)}")
        batch.set_scores(self.states, self.rules_array, rows, np.asarray(scores), np.asarray(bags))

    def step(self, actions: np.ndarray) -> None:
        """Carry out one action at every table, then write the observations and masks of the seats on turn.

        Args:
            actions: ints of shape (count,).

        Raises:
            IllegalAction: if an action is illegal; the message names the table. Then nothing has changed.
        """
        actions = self.check_actions(actions, self._rows)
        self._split(self.count, lambda part: batch.step_all(self._inputs(part), actions[part], self._outputs(part)))

    def step_random(self, steps: int = 1) -> None:
        """:meth:`step` ``steps`` times with uniform legal actions, drawn from ``agent_rng``."""
        self._split(self.count, lambda part: batch.step_random(self._inputs(part), self._outputs(part), steps))

    def _inputs(self, part: slice) -> tuple[np.ndarray, ...]:
        return self.states[part], self.rules_array, self._options, self.agent_rng[part]

    def _outputs(self, part: slice) -> tuple[np.ndarray, ...]:
        arrays = self.observation, self.action_mask, self.reward, self.terminated, self.truncated
        return tuple(array[part] for array in arrays)

    def advance(self, actions: np.ndarray, rows: np.ndarray | None = None) -> None:
        """Carry out ``actions[k]`` at table ``rows[k]`` (by default all) without writing observations.

        ``reward``, ``terminated`` and ``truncated`` are written in these rows.

        Raises:
            IllegalAction: if an action is illegal; the message names the table. Then nothing has changed.
        """
        rows = self._rows if rows is None else rows
        actions = self.check_actions(actions, rows)
        tables, ends = self._inputs(slice(None)), (self.reward, self.terminated, self.truncated)
        self._split(len(rows), lambda part: batch.advance_rows(tables, rows[part], actions[part], ends))

    def check_actions(self, actions: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """``actions`` as an array, after a check that ``actions[k]`` is legal at table ``rows[k]``.

        Raises:
            IllegalAction: if an action is illegal; the message names the table.
            ValueError: if they are not ints, or not one for each row.
        """
        actions = np.asarray(actions)
        if actions.shape != rows.shape or actions.dtype.kind not in "iu":
            raise ValueError(f"actions must be ints of shape {rows.shape}, got {actions.dtype} {actions.shape}")
        wrong = batch.first_illegal(self.states, self.rules_array, rows, actions)
        if wrong >= 0:
            raise self.illegal_action(int(rows[wrong]), int(actions[wrong]))
        return actions

    def observe(self, rows: np.ndarray | None = None, seats: np.ndarray | None = None) -> None:
        """Write ``observation`` and ``action_mask`` at ``rows`` (by default all).

        Args:
            rows: int64 indices of tables.
            seats: int8, the observer at each of ``rows``; by default, and where it is -1, the seat on turn.
        """
        rows = self._rows if rows is None else rows
        seats = self._on_turn[: len(rows)] if seats is None else seats
        outputs = self.observation, self.action_mask
        self._split(
            len(rows),
            lambda part: batch.observe_rows(self.states, self.rules_array, rows[part], seats[part], *outputs),
        )

    def random_actions(self, rows: np.ndarray | None = None) -> np.ndarray:
        """A uniform legal action (int64) for each of ``rows`` (int64; by default all), drawn from ``agent_rng``."""
        rows = self._rows if rows is None else rows
        actions = np.empty(len(rows), np.int64)
        batch.choose_random(self.states, self.rules_array, rows, self.agent_rng, actions)
        return actions

    def view(self, row: int, seat: int | None = None) -> View:
        """What ``seat`` (by default the seat on turn) may know of one table."""
        states = self.states[row : row + 1]
        return View(self.rules, self.rules_array, states, int(states["seat"][0]) if seat is None else seat)

    def _split(self, count: int, work: Callable[[slice], None]) -> None:
        if self.threads == 1 or count < 2 * self.threads:
            work(slice(0, count))
            return
        edges = np.linspace(0, count, self.threads + 1).astype(int)
        parts = [slice(int(a), int(b)) for a, b in itertools.pairwise(edges)]
        # Not an attribute: tables can be pickled, copied and used after a fork, which threads do not survive.
        pool = _threads(self.threads, os.getpid())
        for done in [pool.submit(work, part) for part in parts]:
            done.result()

    def illegal_action(self, row: int, action: int) -> IllegalAction:
        """The error for an ``action`` that is not legal at one table."""
        if self.states["phase"][row] == OVER:
            return IllegalAction(f"table {row}: the match is over; call reset_rows to start the next")
        name = action_name(action) if 0 <= action < NUM_ACTIONS else str(action)
        legal = " ".join(map(action_name, self.view(row).legal_actions()))
        return IllegalAction(f"table {row}: illegal action {name} for seat {self.seat[row]}: legal actions are {legal}")
