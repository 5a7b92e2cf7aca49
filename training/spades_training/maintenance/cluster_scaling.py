"""How a cluster scales: this machine's part alone, with simulated workers, and real nodes against one.

``python -m spades_training.maintenance.cluster_scaling --workers 1000`` runs a tournament whose units take as long as
real ones and do nothing, and reports how busy the workers were and how long finished units waited for their line in the
log. With ``--ray ADDRESS`` it times bidding data and a tournament on a Ray cluster.
"""

from __future__ import annotations

import heapq
import pickle
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from spades_env.rules import Rules
from spades_training.bidding.data import DataSettings, write_data
from spades_training.cluster.connect import connect
from spades_training.cluster.executor import Node, OtherExecutor
from spades_training.cluster.node import Outcome
from spades_training.evaluation.totals import Totals
from spades_training.tournament import make_settings, run_tournament
from spades_training.tournament.output import write_results
from spades_training.tournament.schedule import Schedule, Settings, Unit

SIDES = 2


class _Simulated(Executor):
    """Workers that are busy for a random time with each unit of a tournament, and then send a made-up entry.

    Args:
        workers: their number.
        seconds: mean time of a unit; the times are lognormal with a standard deviation of half the mean.
    """

    def __init__(self, workers: int, seconds: float) -> None:
        self.workers, self.seconds = workers, seconds
        self.rng = np.random.default_rng(0)
        self.spans: dict[Unit, tuple[float, float]] = {}  # when each unit began and ended
        self._waiting: deque[tuple[Future[Any], tuple[Settings, Unit]]] = deque()
        self._running: list[tuple[float, int, Future[Any], Unit]] = []
        self._changed = threading.Condition()
        self._count = 0
        threading.Thread(target=self._work, daemon=True).start()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Queue a unit; ``args`` are those of :func:`spades_training.cluster.node.run`."""
        _, job = pickle.loads(args[-1])
        future: Future[Any] = Future()
        with self._changed:
            self._waiting.append((future, job))
            self._changed.notify()
        return future

    def _work(self) -> None:
        sigma = np.sqrt(np.log(1.25))
        while True:
            with self._changed:
                now = time.monotonic()
                while self._waiting and len(self._running) < self.workers:
                    future, (_, unit) = self._waiting.popleft()
                    if not future.set_running_or_notify_cancel():
                        continue
                    takes = float(self.rng.lognormal(np.log(self.seconds) - sigma**2 / 2, sigma))
                    self.spans[unit] = now, now + takes
                    self._count += 1
                    heapq.heappush(self._running, (now + takes, self._count, future, unit))
                done = []
                while self._running and self._running[0][0] <= now:
                    done.append(heapq.heappop(self._running))
                if not done:
                    self._changed.wait(self._running[0][0] - now if self._running else None)
            for _, _, future, unit in done:
                future.set_result(Outcome(f"node{hash(unit) % 100}", _entry(unit, self.rng)))


def _entry(unit: Unit, rng: np.random.Generator) -> dict[str, Any]:
    """An entry of the usual size: the agent that comes first in the list wins a little more often."""
    matches = unit.count * SIDES
    return {
        "unit": [unit.a, unit.b, unit.first, unit.count],
        "outcome": np.where(rng.random(matches) < 0.55, 1, -1).tolist(),
        "hands": rng.integers(4, 20, matches).tolist(),
        "margin": rng.normal(0, 100, matches).tolist(),
        "totals": [Totals().to_dict(), Totals().to_dict()],
        "forfeits": [],
    }


class _Machines(OtherExecutor):
    """Simulated workers in machines of ten CPUs."""

    def __init__(self, simulated: _Simulated) -> None:
        super().__init__(simulated)
        self._workers = simulated.workers

    def nodes(self) -> dict[str, Node]:
        """All of them."""
        return {f"node{k}": Node(f"node{k}", 10) for k in range(self._workers // 10)}


def simulate(workers: int, agents: int, matches: int, seconds: float) -> None:
    """Run a tournament with simulated workers, and print how busy they were and how far the log was behind."""
    names = [f"pimc:worlds={k + 1}" for k in range(agents)]
    settings = make_settings(names, matches=matches, confidence=None)
    simulated = _Simulated(workers, seconds)
    written: list[float] = []
    start, cpu = time.monotonic(), time.process_time()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run_tournament(
            settings,
            folder,
            on=_Machines(simulated),
            progress=lambda done, most: written.append(time.monotonic()),
            after_round=lambda found: write_results(found, folder),
        )
    wall, cpu = time.monotonic() - start, time.process_time() - cpu
    schedule = Schedule(settings)
    rounds = (schedule.units(k, schedule.pairings) for k in range(schedule.rounds))
    spans = np.array([simulated.spans[unit] for units in rounds for unit in units])
    # The log is in order: the line of a unit can be written when it and all before it are finished.
    lags = np.array(written) - np.maximum.accumulate(spans[:, 1])
    last = spans[:, 0].max()  # from then on there is not enough work for all
    busy = (np.minimum(spans[:, 1], last) - spans[:, 0]).sum() / (workers * (last - start))
    typer.echo(f"{len(spans)} units in {wall:.1f} s, {len(spans) / wall:.0f} a second; {cpu / wall:.0%} of a core")
    typer.echo(f"workers busy until the last unit began: {busy:.1%}")
    typer.echo(f"seconds from a finished unit to its line: median {np.median(lags):.3f}, most {lags.max():.2f}")


def measure(address: str, deals: int, matches: int) -> None:
    """Time bidding data and a tournament on a Ray cluster, after a first run that loads the compiled code."""
    data = DataSettings(Rules.preset("two_player").to_dict(), ("heuristic",), 0, 0.3, 0.02, True, 200)
    players = ["pimc:worlds=4", "rollout:worlds=4"]
    with connect(f"ray:{address}") as cluster:
        for first in (True, False):
            with tempfile.TemporaryDirectory() as folder:
                start = time.monotonic()
                write_data(data, Path(folder) / "data", 800 if first else deals, on=cluster)
                middle = time.monotonic()
                settings = make_settings(players, matches=8 if first else matches, confidence=None)
                run_tournament(settings, Path(folder) / "tournament", on=cluster)
                end = time.monotonic()
    typer.echo(f"bidding-data {middle - start:.1f} s, tournament {end - middle:.1f} s")


def main(
    workers: Annotated[int, typer.Option(help="Number of simulated CPUs.")] = 1000,
    agents: Annotated[int, typer.Option(help="Number of agents of the simulated tournament.")] = 12,
    matches: Annotated[int, typer.Option(help="Matches of each pairing.")] = 400,
    seconds: Annotated[float, typer.Option(help="Mean time of a simulated unit, a pair of matches.")] = 4.0,
    ray: Annotated[str, typer.Option(help="Address of an idle Ray cluster to time instead.")] = "",
    deals: Annotated[int, typer.Option(help="Deals of the bidding data on Ray, in shards of 200.")] = 4000,
) -> None:
    """Measure how many workers this machine can feed, or how fast a Ray cluster is."""
    if ray:
        measure(ray, deals, matches)
    else:
        simulate(workers, agents, matches, seconds)


if __name__ == "__main__":
    typer.run(main)
