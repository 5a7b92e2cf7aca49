"""Plays one unit of a tournament; a player that crashes, moves illegally or is too slow forfeits the match."""

from __future__ import annotations

import contextlib
import faulthandler
import time
import traceback
from collections.abc import MutableSequence
from dataclasses import dataclass, field, replace
from typing import Any, TextIO

import numpy as np
from spades_agents.base import Agent
from spades_agents.engines import EngineAgent, EngineError, EngineTimeout
from spades_agents.registry import make_agent

from spades_env.game import IllegalAction
from spades_env.rules import Rules
from spades_training.agent_errors import agent_trace
from spades_training.evaluation.series import NOBODY, Series
from spades_training.evaluation.totals import Totals
from spades_training.tournament.schedule import Settings, Unit

MANY = -1  # in place of a match: the decision is for many matches together
START_SECONDS = 600.0  # limit of the first decision, which may compile or load
MOST_TEXT = 10_000  # characters of a traceback


@dataclass(frozen=True)
class Forfeit:
    """Why a match was forfeited.

    Attributes:
        kind: ``"crash"``, ``"illegal move"``, ``"time"`` or ``"process died"``.
        message: one line.
        traceback: the lines of the agent's code, or Python's traceback if there are none.
    """

    kind: str
    message: str
    traceback: str


@dataclass(frozen=True)
class Job:
    """A unit, and what has been learned from processes that died while playing it.

    Attributes:
        unit: what to play.
        forfeits: for each forfeited match, counted from 0 in the unit, the player (0: A, 1: B) and the reason.
        apart: play one match at a time.
        record: whether the log entry holds the actions.
    """

    unit: Unit
    forfeits: dict[int, tuple[int, Forfeit]] = field(default_factory=dict)
    apart: bool = False
    record: bool = False


class Watch:
    """Records who is deciding, visibly to the parent process, and ends this process if a decision hangs.

    Only a decision that never returns ends the process. One that returns too late is detected afterwards.

    Args:
        marker: two ints in shared memory: the player (0: A, 1: B, otherwise -1) and the match in the unit.
        limit: seconds for a decision, or None.
        file: receives Python's traceback if a decision hangs.
    """

    def __init__(self, marker: MutableSequence[int], limit: float | None, file: TextIO) -> None:
        self.marker, self.limit, self.file = marker, limit, file
        self._armed = 0.0

    def begin(self, player: int, match: int, start: bool = False) -> None:
        """Start a decision; the limit does not apply to the first one (``start``)."""
        self.marker[0], self.marker[1] = player, match
        if self.limit is None:
            return
        now = time.monotonic()
        # Arming it starts a thread, which is too slow for every decision.
        if start or now - self._armed > self.limit / 2:
            after = START_SECONDS if start else 2 * self.limit + 1
            faulthandler.dump_traceback_later(after, file=self.file, exit=True)
            self._armed = -float("inf") if start else now

    def end(self) -> None:
        """End the decision."""
        self.marker[0] = NOBODY

    def stop(self) -> None:
        """End the decision and cancel the timer."""
        self.end()
        if self.limit is not None:
            faulthandler.cancel_dump_traceback_later()
            self._armed = -float("inf")


class _PlayApart(Exception):
    """A decision for many matches failed: play them one at a time to find out which."""


class _Refereed(Series):
    """A series that continues when a player fails."""

    def __init__(self, agents: tuple[Agent, Agent], settings: Settings, unit: Unit, watch: Watch) -> None:
        pairs = range(unit.first, unit.first + unit.count)
        super().__init__(agents, Rules.from_dict(settings.rules), settings.seed, pairs, settings.max_hands)
        self.watch, self.limit = watch, settings.time_limit
        self.forfeits: dict[int, tuple[int, Forfeit]] = {}

    def forfeit(self, match: int, player: int, why: Forfeit) -> None:
        """Forfeit the match for ``player`` (0: A, 1: B)."""
        self.forfeits[match] = player, why
        self.loser[match] = player

    def _warm_up(self, k: int, seed: int) -> None:
        rows = self._first_rows(k)
        self.watch.begin(k, int(rows[0]) if len(rows) else MANY, start=True)
        try:
            self.agents[k].reset(seed)
        except Exception as error:
            for match in np.flatnonzero(self.loser == NOBODY):
                self._failed(k, np.array([match]), error)
        else:
            # A failure in this decision recurs in the match and is handled there.
            with contextlib.suppress(Exception):
                super()._warm_up(k, seed)
        finally:
            self.watch.stop()

    def _reset_single(self, match: int) -> None:
        for k in range(2):
            self.watch.begin(k, match)
            try:
                self._reset_one(k, match)
            except Exception as error:
                self._failed(k, np.array([match]), error)
            self.watch.end()

    def _decide(self, k: int, rows: np.ndarray) -> np.ndarray:
        self.watch.begin(k, int(rows[0]) if len(rows) == 1 else MANY)
        start = time.perf_counter()
        actions = super()._decide(k, rows)
        took = time.perf_counter() - start
        self.watch.end()
        if self.limit is not None and took > self.limit:
            raise _TooLate(f"took {took:.3g} s for a decision; the limit is {self.limit:g} s")
        return actions

    def _failed(self, k: int, rows: np.ndarray, error: Exception) -> None:
        if len(rows) > 1:
            raise _PlayApart
        text = str(error).strip()
        if isinstance(error, IllegalAction):
            kind = "illegal move"
            text = text.partition(": ")[2]  # after the number of the table
        elif isinstance(error, (_TooLate, EngineTimeout)):
            kind = "time"
        else:
            kind, text = "crash", f"{type(error).__name__}: {text}"
        trace = agent_trace(error)
        if trace or isinstance(error, EngineError):
            trace = f"{trace}\n{type(error).__name__}: {error}".lstrip()
        else:
            trace = _python_trace(error)
        self.forfeit(int(rows[0]), k, Forfeit(kind, " ".join(text.split())[:500], trace[-MOST_TEXT:]))


def _python_trace(error: Exception) -> str:
    return "".join(traceback.format_exception(type(error), error, error.__traceback__))


class _TooLate(Exception):
    """A decision came after the time limit."""


def play(job: Job, settings: Settings, agents: dict[str, Agent], watch: Watch) -> dict[str, Any]:
    """Play a unit; returns its log entry as values that JSON can hold.

    Args:
        job: the unit.
        settings: the settings of the tournament.
        agents: agents already created, by name; new ones are added, and those that fail are removed.
        watch: watches the decisions.

    Returns:
        ``unit`` (a, b, first, count); for each match ``outcome`` (1: A won, -1: A lost, 0: no winner), ``hands`` and
        ``margin`` (A's points minus the mean of the other sides'); ``totals`` of A and B; ``forfeits``. If they are
        recorded, ``moves`` holds the actions of each match, a byte each, in hexadecimal digits.
    """
    unit = job.unit
    names = settings.agents[unit.a], settings.agents[unit.b]
    matches = range(unit.count * Rules.from_dict(settings.rules).sides)
    still = [match for match in matches if match not in job.forfeits]
    if not still:  # creating a player may already end the process
        return _not_played(job, job.forfeits)
    for k, name in enumerate(names):
        if name not in agents:
            watch.begin(k, still[0], start=True)
            try:
                agent = make_agent(name)
                if isinstance(agent, EngineAgent):
                    if settings.time_limit is not None:  # a late answer then does not end this process
                        agent.limit = min(agent.limit, settings.time_limit)
                    agent.prepare(Rules.from_dict(settings.rules))
                agents[name] = agent
            except Exception as error:
                trace = agent_trace(error) or _python_trace(error)
                kind = "time" if isinstance(error, EngineTimeout) else "crash"
                why = Forfeit(kind, str(error)[:500], trace[-MOST_TEXT:])
                return _not_played(job, {match: job.forfeits.get(match, (k, why)) for match in matches})
            finally:
                watch.stop()
    series = _play_series((agents[names[0]], agents[names[1]]), job, settings, watch)
    for player, _ in series.forfeits.values():
        agents.pop(names[player], None)
    return {
        "unit": [unit.a, unit.b, unit.first, unit.count],
        "outcome": np.where(series.decided, 2 * series.won - 1, 0).tolist(),
        "hands": series.hands.tolist(),
        "margin": series.margin.tolist(),
        "totals": [totals.to_dict() for totals in series.totals],
        "forfeits": [_entry(match, *series.forfeits[match]) for match in sorted(series.forfeits)],
        **({} if series.moves is None else {"moves": [bytes(moves).hex() for moves in series.moves]}),
    }


def _play_series(pair: tuple[Agent, Agent], job: Job, settings: Settings, watch: Watch) -> _Refereed:
    series = _Refereed(pair, settings, job.unit, watch)
    if job.record:
        series.record()
    for match, (player, why) in job.forfeits.items():
        series.forfeit(match, player, why)
    try:
        series.play(1 if job.apart else len(series.loser))
    except _PlayApart:
        return _play_series(pair, replace(job, apart=True), settings, watch)
    finally:
        watch.stop()
    return series


def _entry(match: int, player: int, why: Forfeit) -> dict[str, Any]:
    return {"match": match, "player": player, "kind": why.kind, "message": why.message, "traceback": why.traceback}


def _not_played(job: Job, forfeits: dict[int, tuple[int, Forfeit]]) -> dict[str, Any]:
    """The log entry of a unit in which all matches are forfeited."""
    unit, matches = job.unit, sorted(forfeits)
    return {
        "unit": [unit.a, unit.b, unit.first, unit.count],
        "outcome": [1 if forfeits[match][0] else -1 for match in matches],
        "hands": [0] * len(matches),
        "margin": [0.0] * len(matches),
        "totals": [Totals().to_dict(), Totals().to_dict()],
        "forfeits": [_entry(match, *forfeits[match]) for match in matches],
        **({"moves": [""] * len(matches)} if job.record else {}),
    }
