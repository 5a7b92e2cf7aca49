"""What an executor of several machines adds to :class:`concurrent.futures.Executor`."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from typing import Any

RETRIES = 10  # of a call whose node or process was lost

Report = Callable[[str], object]


class ClusterError(RuntimeError):
    """A cluster that cannot do the work: a node was refused, or a call was lost again and again."""


@dataclass(frozen=True)
class Node:
    """A machine of a cluster.

    Attributes:
        name: how messages call it.
        cpus: number of calls that it runs at a time.
    """

    name: str
    cpus: float


class ClusterExecutor(Executor):
    """An executor that knows its machines.

    A call whose machine was lost runs again on another one, up to :data:`RETRIES` times.

    Attributes:
        report: called with a line of text when nodes join or are lost, and now and then with what each has done.
        known: the machines that were alive when somebody last looked.
    """

    report: Report = staticmethod(lambda line: None)

    def __init__(self) -> None:
        self.known: dict[str, Node] = {}

    def nodes(self) -> dict[str, Node]:
        """The machines that are alive, by the name that :func:`spades_training.cluster.node.own_id` has on each."""
        raise NotImplementedError

    def share(self, data: bytes) -> Any:
        """Send ``data`` to the cluster once; the return value can take its place as an argument of many calls."""
        raise NotImplementedError


class OtherExecutor(ClusterExecutor):
    """Any executor of another kind, whose machines are not known before they have done something."""

    def __init__(self, executor: Executor) -> None:
        super().__init__()
        self._executor = executor

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Start a call."""
        return self._executor.submit(fn, *args, **kwargs)

    def nodes(self) -> dict[str, Node]:
        """No machines."""
        return {}

    def share(self, data: bytes) -> bytes:
        """The same ``data``, which is sent with every call."""
        return data

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Shut the executor down."""
        self._executor.shutdown(wait, cancel_futures=cancel_futures)


def standalone() -> Callable[..., Any]:
    """A function that calls a pickled function, and needs none of this project's modules to be loaded itself.

    A machine without this project, or with one that lacks the function, can thus be named.
    """

    def call(function: bytes, *args: Any) -> Any:
        import importlib.util
        import pickle
        import platform

        try:
            work = pickle.loads(function)
        except (ImportError, AttributeError):
            has = "no spades-env"
            if importlib.util.find_spec("spades_env") is not None:
                has = f"spades-env {importlib.import_module('spades_env').__version__}, which runs no calls of this one"
            raise RuntimeError(f"node {platform.node()} has {has}: install the same version there") from None
        return work(*args)

    return call


def pickled(function: Callable[..., Any]) -> bytes:
    """The first argument of a :func:`standalone` call."""
    return pickle.dumps(function)
