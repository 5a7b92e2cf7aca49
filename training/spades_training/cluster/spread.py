"""Calls spread over the machines of an executor, with a report of what each of them does."""

from __future__ import annotations

import pickle
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import BrokenExecutor, Executor, Future
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

import spades_env
from spades_training.cluster import node
from spades_training.cluster.executor import ClusterError, ClusterExecutor, Node, OtherExecutor
from spades_training.cluster.parcel import pack, package_digest

LOOK = 2.0  # seconds between two looks at the list of nodes
REPORT = 60.0  # seconds between two reports of what each node has done
QUEUE = 2  # calls in the cluster for each CPU: one that runs, one that waits
LEAST = 64  # calls in the cluster, so that nodes that join have some

Key = TypeVar("Key")
Result = TypeVar("Result")


class Spread:
    """Runs calls on the machines of an executor; a context manager that cancels what still runs at its end.

    Every machine checks that it has the same sources of this project and the same files of the players before it
    runs anything.

    Args:
        executor: where to run.
        agents: names of the players that the calls create, as :func:`portable` returns them.

    Attributes:
        done: number of calls that each node has completed, by the name of the node.
    """

    def __init__(self, executor: Executor, agents: Iterable[str] = ()) -> None:
        self.executor = executor if isinstance(executor, ClusterExecutor) else OtherExecutor(executor)
        self.done: Counter[str] = Counter()
        self._nodes: dict[str, Node] = {}
        self._names: dict[str, str] = {}
        self._running: set[Future[Any]] = set()
        self._finished: SimpleQueue[Future[Any]] = SimpleQueue()
        self._looked, self._reported = 0.0, time.monotonic()
        self._parcel = self.executor.share(pickle.dumps(pack(agents)))
        self._look()

    def __enter__(self) -> Spread:
        return self

    def __exit__(self, kind: type | None, *_: object) -> None:
        for future in list(self._running):
            future.cancel()
        if self.done and kind is None:
            self._look()  # a node may have been lost, and its calls run elsewhere, since the last look
            self._report_done()

    @property
    def room(self) -> int:
        """How many more calls to submit now, so that no CPU waits and few calls are cancelled at the end."""
        most = max(LEAST, int(QUEUE * sum(node.cpus for node in self._nodes.values())))
        return most - len(self._running)

    def submit(self, work: Callable[..., Any], *job: Any) -> Future[Any]:
        """Start a call. :meth:`wait` returns the future when it is done, and :meth:`result` its result."""
        call = pickle.dumps((work, job))
        future = self.executor.submit(node.run, spades_env.__version__, package_digest(), self._parcel, call)
        self._running.add(future)
        future.add_done_callback(self._finished.put)
        return future

    def wait(self) -> Future[Any]:
        """The next future that is done."""
        while True:
            if time.monotonic() - self._looked > LOOK:
                self._look()
            try:
                future = self._finished.get(timeout=LOOK)
            except Empty:
                continue
            self._running.discard(future)
            return future

    def result(self, future: Future[Any]) -> Any:
        """The result of a call.

        Raises:
            Exception: what the call raised.
            ClusterError: if a node was refused, or the call was lost again and again.
        """
        try:
            outcome: node.Outcome = future.result()
        except BrokenExecutor as error:
            raise ClusterError(f"the executor broke: {error}") from None
        except Exception as error:
            text = " ".join(str(error).split())[:300]
            raise ClusterError(f"a call on the cluster failed: {type(error).__name__}: {text}") from None
        name = self._names.get(outcome.node, outcome.node)
        if outcome.refused:
            raise ClusterError(f"node {name} was refused: {outcome.refused}")
        if outcome.error is not None:
            raise outcome.error
        self.done[name] += 1
        return outcome.value

    def run_all(self, work: Callable[..., Result], jobs: Mapping[Key, tuple]) -> Iterator[tuple[Key, Result]]:
        """Call ``work(*job)`` for all jobs; yields (key, result) as they complete."""
        keys: dict[Future[Any], Key] = {}
        waiting = deque(jobs.items())
        for _ in range(len(jobs)):
            while waiting and self.room > 0:
                key, job = waiting.popleft()
                keys[self.submit(work, *job)] = key
            future = self.wait()
            yield keys.pop(future), self.result(future)

    def _look(self) -> None:
        """Report which nodes have joined, and which were lost."""
        self._looked = time.monotonic()
        if self._looked - self._reported > REPORT:
            self._report_done()
        before, self._nodes = self.executor.known, self.executor.nodes()
        self.executor.known = self._nodes
        self._names |= {key: found.name for key, found in (before | self._nodes).items() if key not in self._names}
        cpus = sum(found.cpus for found in self._nodes.values())
        now = f"{len(self._nodes)} node{'s' * (len(self._nodes) != 1)}, {cpus:g} CPU{'s' * (cpus != 1)}"
        for key in before.keys() - self._nodes.keys():
            self.executor.report(f"node {self._names[key]} was lost ({now} left); its calls run again elsewhere")
        for key in self._nodes.keys() - before.keys():
            self.executor.report(f"node {self._names[key]} joined ({now})")

    def _report_done(self) -> None:
        self._reported = time.monotonic()
        self.executor.report("done by node: " + ", ".join(f"{name} {n}" for name, n in sorted(self.done.items())))
