"""Runs a tournament in rounds, until the order is certain or all matches have been played."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from spades_env.checks import check_int
from spades_training.processes import leave_if_imported
from spades_training.tournament.log import Log
from spades_training.tournament.nodes import Nodes
from spades_training.tournament.schedule import Pairing, Schedule, Settings, Unit
from spades_training.tournament.sequential import order_is_certain
from spades_training.tournament.standings import Standings
from spades_training.tournament.workers import Workers

LOG = "matches.jsonl"


def run_tournament(
    settings: Settings,
    folder: Path,
    *,
    workers: int | None = None,
    on: Executor | None = None,
    progress: Callable[[int, int], object] | None = None,
    after_round: Callable[[dict[str, Any]], object] | None = None,
) -> dict[str, Any]:
    """Play a tournament, or the rest of one that was interrupted.

    Apart from times, the results do not depend on ``workers``, on ``on`` or on interruptions.

    Args:
        settings: the settings of the tournament.
        folder: for its log; created if it does not exist.
        workers: number of processes; by default one for each CPU core.
        on: an executor from :func:`spades_training.cluster.connect`, whose machines play instead of ``workers``.
        progress: called from time to time with the number of matches played and the maximum.
        after_round: called after each round with the results so far.

    Returns:
        The results of :meth:`Standings.results`, with ``most_matches``, ``rounds`` and ``stopped``, the reason for the
        end: ``"order certain"``, ``"pairings certain"`` (every pairing is certain, but together they form no order) or
        ``"all matches played"``. After a round it is ``"running"``.

    Raises:
        ValueError: if an argument is invalid, or the folder holds another tournament.
        RuntimeError: if a script calls this function outside ``if __name__ == "__main__":``.
        ClusterError: if a machine of ``on`` is refused.
    """
    leave_if_imported()
    count = check_int("workers", (os.cpu_count() or 1) if workers is None else workers, 1, 1024)
    schedule = Schedule(settings)
    standings = Standings(schedule)
    folder.mkdir(parents=True, exist_ok=True)
    most = schedule.matches(unit for k in range(schedule.rounds) for unit in schedule.units(k, schedule.pairings))
    stopped = "running"
    results: dict[str, Any] = {}

    def players() -> AbstractContextManager[Workers | Nodes]:
        return Workers(count, settings) if on is None else Nodes(on, settings)

    # The log first: it may refuse the folder.
    with Log(folder / LOG, settings) as log, players() as playing:
        open_pairings = schedule.pairings
        for number in range(schedule.rounds):
            units = schedule.units(number, open_pairings)
            known = list(log.known(units))
            for entry in known:
                standings.add(entry)
            remaining = units[len(known) :]
            if isinstance(playing, Nodes):
                entries = playing.play(remaining, _later_units(schedule, number, open_pairings))
            else:
                entries = playing.play(remaining)
            for entry in entries:
                log.append(entry)
                standings.add(entry)
                if progress:
                    progress(standings.matches, most)
            if settings.confidence is not None:
                verdicts = standings.verdicts()
                open_pairings = [pairing for pairing in schedule.pairings if not verdicts[pairing]]
                if order_is_certain(standings.ratings().order(), verdicts):
                    stopped = "order certain"
                elif not open_pairings:
                    stopped = "pairings certain"
            if number + 1 == schedule.rounds and stopped == "running":
                stopped = "all matches played"
            results = {"stopped": stopped, "rounds": number + 1, "most_matches": most, **standings.results()}
            if after_round:
                after_round(results)
            if stopped != "running":
                break
    return results


def _later_units(schedule: Schedule, number: int, pairings: Sequence[Pairing]) -> Iterator[Unit]:
    """The units of the rounds after ``number``, if the same pairings stay open."""
    for later in range(number + 1, schedule.rounds):
        yield from schedule.units(later, pairings)
