"""Processes that play units, so that the tournament survives anything that an agent's code does."""

from __future__ import annotations

import contextlib
import faulthandler
import multiprocessing
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from spades_agents.registry import AGENTS

from spades_env.rules import Rules
from spades_training.cluster.folders import temporary_folder
from spades_training.evaluation.series import NOBODY
from spades_training.processes import NO_GUARD, end_with_parent, guard_missing
from spades_training.tournament.referee import MANY, Forfeit, Job, Watch, play
from spades_training.tournament.schedule import Settings, Unit
from spades_training.warm import warm

MOST_DEATHS = 3  # of processes playing one unit while no agent was deciding
MOST_TEXT = 10_000  # characters of a traceback


class Workers:
    """``count`` processes; a context manager that ends them.

    Args:
        count: number of processes.
        settings: the settings of the tournament.
        record: whether the log entries hold the actions.
    """

    def __init__(self, count: int, settings: Settings, record: bool = False) -> None:
        self.settings, self.record = settings, record
        # The fork server imports everything once, so that new processes start quickly.
        self.context = multiprocessing.get_context("forkserver")
        self.context.set_forkserver_preload([__name__])
        self.folder = temporary_folder("spades-tournament")
        self.workers: list[_Worker | None] = [None] * count

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self.workers:
            if worker is not None:
                worker.end()
        self.folder.cleanup()

    def play(self, units: Sequence[Unit]) -> Iterator[dict[str, Any]]:
        """Play units; yields their log entries in order.

        Raises:
            RuntimeError: if processes keep dying while no agent is deciding, or the calling script has no guard.
        """
        waiting = [(index, Job(unit, record=self.record)) for index, unit in enumerate(units)][::-1]
        busy: dict[int, tuple[int, Job]] = {}
        done: dict[int, dict[str, Any]] = {}
        deaths: dict[int, list[tuple[int, int]]] = {}
        following = 0
        if waiting and len(self.workers) > 1:
            self._prepare()
        while following < len(units):
            for k in range(len(self.workers)):
                if k not in busy and waiting:
                    busy[k] = waiting.pop()
                    self._worker(k).give(busy[k][1])
            connections = {worker.connection: k for k, worker in enumerate(self.workers) if worker and k in busy}
            for connection in wait(list(connections)):
                k = connections[connection]  # type: ignore[index]
                index, job = busy.pop(k)
                worker = self._worker(k)
                try:
                    done[index] = worker.connection.recv()
                except (EOFError, ConnectionError):
                    self.workers[k] = None
                    worker.process.join()
                    if worker.process.exitcode == NO_GUARD:
                        raise RuntimeError(guard_missing()) from None
                    waiting.append((index, _after_death(job, *worker.post_mortem(), deaths.setdefault(index, []))))
            while following in done:
                yield done.pop(following)
                following += 1

    def _prepare(self) -> None:
        """Let one process compile what all need; only players of the package, since any other may do anything."""
        names = [name for name in self.settings.agents if name.partition(":")[0] in AGENTS] or ["random"]
        process = self.context.Process(target=_compile, args=(names, self.settings.rules), daemon=True)
        with _interrupts_ignored():
            process.start()
        try:
            process.join()
        finally:
            process.kill()

    def _worker(self, k: int) -> _Worker:
        worker = self.workers[k]
        if worker is None:
            self.workers[k] = worker = _Worker(self.context, self.settings, self.folder.name)
        return worker


def _after_death(
    job: Job, cause: str, trace: str, hung: bool, marker: tuple[int, int], deaths: list[tuple[int, int]]
) -> Job:
    """The job to try next after a process died while playing ``job``.

    A process may also be killed from outside. An agent therefore loses a match only if two processes died while it was
    deciding, or if a process ended itself because the decision hung.
    """
    player, match = marker
    deaths.append(marker)
    if player == NOBODY:
        if deaths.count(marker) >= MOST_DEATHS:
            raise RuntimeError(f"processes keep dying while no agent is deciding: {cause}\n{trace}")
        return job
    if match == MANY:
        return replace(job, apart=True)
    if not hung and deaths.count(marker) < 2:
        return job
    kind = "time" if hung else "process died"
    return replace(job, forfeits={**job.forfeits, match: (player, Forfeit(kind, cause, trace))})


class _Worker:
    """The parent's side of a process."""

    def __init__(self, context: Any, settings: Settings, folder: str) -> None:
        handle, name = tempfile.mkstemp(dir=folder)
        os.close(handle)
        self.settings, self.file = settings, Path(name)
        self.marker = context.RawArray("i", [NOBODY, NOBODY])
        self.connection, other = context.Pipe()
        self.process = context.Process(target=_work, args=(other, settings, self.marker, name), daemon=True)
        with _interrupts_ignored():
            self.process.start()
        other.close()

    def give(self, job: Job) -> None:
        """Send a job; the log entry arrives on the connection."""
        with contextlib.suppress(ConnectionError):  # a dead process is noticed when its connection is read
            self.connection.send(job)

    def post_mortem(self) -> tuple[str, str, bool, tuple[int, int]]:
        """How it died: the cause in one line, Python's traceback, whether a decision hung, and the marker."""
        self.process.join()
        code = self.process.exitcode
        trace = self.file.read_text(errors="replace")
        hung = trace.startswith("Timeout (")
        if hung:
            cause = f"no decision after twice the limit of {self.settings.time_limit:g} s"
        elif code is not None and code < 0:
            cause = f"the process was killed by {signal.Signals(-code).name}"
        else:
            cause = f"the process ended with exit code {code}"
        self.connection.close()
        return cause, trace[-MOST_TEXT:], hung, (self.marker[0], self.marker[1])

    def end(self) -> None:
        """Kill the process."""
        self.connection.close()
        self.process.kill()
        self.process.join()


@contextlib.contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Processes started in this block ignore Ctrl-C from the start, so that they print no traceback."""
    if threading.current_thread() is not threading.main_thread():  # signals can only be set there
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _compile(names: list[str], rules: dict[str, Any]) -> None:
    """The work of the process that compiles; a player that cannot be prepared fails in its first match."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
    with contextlib.suppress(Exception):
        for _ in warm(names, [Rules.from_dict(rules)]):
            pass


def _work(connection: Connection, settings: Settings, marker: Any, file_name: str) -> None:
    """The loop of a process: receive jobs and send log entries, until the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    end_with_parent()
    sys.stdout = sys.stderr  # keep what an agent prints out of the command's output
    with open(file_name, "w") as file:
        faulthandler.enable(file)
        watch = Watch(marker, settings.time_limit, file)
        agents: dict[str, Any] = {}
        while True:
            try:
                job = connection.recv()
            except EOFError:
                return
            connection.send(play(job, settings, agents, watch))
