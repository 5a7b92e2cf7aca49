"""Runs a tournament: rounds of units, until the order is certain or all matches are played."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from spades_env.checks import check_int
from spades_training.tournament.log import Log
from spades_training.tournament.schedule import Schedule, Settings
from spades_training.tournament.sequential import order_is_certain
from spades_training.tournament.standings import Standings
from spades_training.tournament.workers import Workers

__all__ = ["run_tournament"]

LOG = "matches.jsonl"


def run_tournament(
    settings: Settings,
    folder: Path,
    *,
    workers: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    after_round: Callable[[dict[str, Any]], object] | None = None,
) -> dict[str, Any]:
    """Play a tournament, or what is missing of one that was killed.

    The results, times apart, do not depend on ``workers`` or on how often it was killed.

    Args:
        settings: of the tournament.
        folder: for its log; made if it is not there.
        workers: how many processes; by default one for each CPU core.
        progress: told now and then the matches played and the most matches there can be.
        after_round: told the results so far after each round.

    Returns:
        The results, as :meth:`Standings.results` gives them, with ``most_matches``, ``rounds`` and ``stopped``: why it
        ended, ``"order certain"``, ``"pairings certain"`` (every pairing is certain, but together they are no order) or
        ``"all matches played"``. After a round ``"running"``.

    Raises:
        ValueError: if an argument makes no sense, or the folder holds another tournament.
    """
    count = check_int("workers", (os.cpu_count() or 1) if workers is None else workers, 1, 1024)
    schedule = Schedule(settings)
    standings = Standings(schedule)
    folder.mkdir(parents=True, exist_ok=True)
    most = schedule.matches(unit for k in range(schedule.rounds) for unit in schedule.units(k, schedule.pairings))
    stopped = "running"
    results: dict[str, Any] = {}
    with Log(folder / LOG, settings) as log, Workers(count, settings) as processes:
        going = schedule.pairings
        for number in range(schedule.rounds):
            units = schedule.units(number, going)
            known = list(log.known(units))
            for record in known:
                standings.add(record)
            for record in processes.play(units[len(known) :]):
                log.append(record)
                standings.add(record)
                if progress:
                    progress(standings.matches, most)
            if settings.confidence is not None:
                verdicts = standings.verdicts()
                going = [pairing for pairing in schedule.pairings if not verdicts[pairing]]
                if order_is_certain(standings.ratings().order(), verdicts):
                    stopped = "order certain"
                elif not going:
                    stopped = "pairings certain"
            if number + 1 == schedule.rounds and stopped == "running":
                stopped = "all matches played"
            results = {"stopped": stopped, "rounds": number + 1, "most_matches": most, **standings.results()}
            if after_round:
                after_round(results)
            if stopped != "running":
                break
    return results
