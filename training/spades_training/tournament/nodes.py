"""Units of a tournament, played on the machines of an executor."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import threading
import weakref
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future
from dataclasses import replace
from typing import Any

from spades_training.cluster.parcel import portable
from spades_training.cluster.spread import Spread
from spades_training.tournament.schedule import Settings, Unit
from spades_training.tournament.workers import Workers


class Nodes:
    """Plays units on the machines of an executor; a context manager that cancels what still runs at its end.

    On every machine a process plays as in a tournament on one machine, so an agent that fails is judged where it
    failed. A machine that is lost is blamed on nobody: another one plays the unit from its start.

    Args:
        executor: the executor.
        settings: the settings of the tournament.
    """

    def __init__(self, executor: Executor, settings: Settings) -> None:
        names = tuple(map(portable, settings.agents))
        self.settings = replace(settings, agents=names)
        self._spread = Spread(executor, names)
        self._begun: set[Unit] = set()
        self._running: dict[Future[Any], Unit] = {}
        self._entries: dict[Unit, dict[str, Any]] = {}

    def __enter__(self) -> Nodes:
        self._spread.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._spread.__exit__(*error)

    def play(self, units: Sequence[Unit], later: Iterable[Unit] = ()) -> Iterator[dict[str, Any]]:
        """Play units; yields their log entries in order.

        Args:
            units: the units.
            later: units that probably follow. They are begun when machines would otherwise have nothing to do.

        Raises:
            ClusterError: if a machine is refused, or a unit was lost again and again.
        """
        coming = (unit for unit in itertools.chain(units, later) if unit not in self._begun)
        for unit in units:
            while unit not in self._entries:
                while self._spread.room > 0:
                    following = next(coming, None)
                    if following is None:
                        break
                    self._begun.add(following)
                    self._running[self._spread.submit(play_unit, self.settings, following)] = following
                future = self._spread.wait()
                self._entries[self._running.pop(future)] = self._spread.result(future)
            yield self._entries.pop(unit)


class _Kept:
    """A process that plays unit after unit of one tournament, and ends with this object."""

    def __init__(self, settings: Settings) -> None:
        self.key = settings, os.getcwd()  # the folder has the files of the players
        self.workers = Workers(1, settings)
        self.end = weakref.finalize(self, self.workers.__exit__)


_of_thread = threading.local()  # has ``kept``, so it ends with the thread


def play_unit(settings: Settings, unit: Unit) -> dict[str, Any]:
    """The log entry of a unit, played by a process of this machine that is kept for the next unit."""
    if multiprocessing.current_process().daemon:
        raise RuntimeError(
            "this process may start no others; start a worker of Dask with DASK_DISTRIBUTED__WORKER__DAEMON=False"
        )
    kept: _Kept | None = getattr(_of_thread, "kept", None)
    if kept is None or kept.key != (settings, os.getcwd()):
        if kept is not None:
            kept.end()
        kept = _of_thread.kept = _Kept(settings)
    (entry,) = kept.workers.play([unit])
    return entry
