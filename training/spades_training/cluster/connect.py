"""From the option ``--on`` to an executor."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager

from spades_training import options
from spades_training.cluster.executor import ClusterExecutor, OtherExecutor, Report

HERE = "here"
PLACES = "here, ray, ray:ADDRESS, dask:ADDRESS or module:function"


@contextmanager
def connect(on: str = HERE, report: Report | None = None) -> Iterator[ClusterExecutor | None]:
    """Connect to the machines that do the work.

    Args:
        on: ``"here"``: this machine; ``"ray"``: the Ray cluster that this machine belongs to; ``"ray:ADDRESS"``: the
            cluster with this address; ``"dask:ADDRESS"``: the cluster of this Dask scheduler; ``"module:function"``: a
            function that returns a :class:`concurrent.futures.Executor`.
        report: called with a line of text when nodes join or are lost, and now and then with what each has done.

    Yields:
        The executor, or None for ``"here"``. It is shut down at the end of the block, and after an exception (such as
        Ctrl-C) what still runs on it is cancelled.

    Raises:
        ValueError: if there is no such place, or the package that it needs is not installed.

    Example:
        >>> from spades_training.bidding.data import DataSettings, write_data
        >>> with connect("ray:10.0.0.1:6379") as cluster:  # doctest: +SKIP
        ...     write_data(settings, "data", deals=1_000_000, on=cluster)
    """
    executor = _make(on)
    if executor is None:
        yield None
        return
    if report is not None:
        executor.report = report
    try:
        yield executor
    except BaseException:
        executor.shutdown(wait=False, cancel_futures=True)
        raise
    executor.shutdown()


def _make(on: str) -> ClusterExecutor | None:
    kind, _, rest = on.partition(":")
    if on == HERE:
        return None
    try:
        if kind == "ray":
            with options.needs("cluster", f"--on {on}"):
                from spades_training.cluster.ray_executor import RayExecutor

                return RayExecutor(rest or "auto")
        if kind == "dask" and rest:
            from spades_training.cluster.dask_executor import DaskExecutor

            return DaskExecutor(rest)
    except ModuleNotFoundError as error:
        raise ValueError(f"--on {on} needs the package {error.name}: pip install distributed") from None
    except (OSError, RuntimeError) as error:  # ConnectionError is an OSError
        text = " ".join(str(error).split())[:200]
        raise ValueError(f"--on {on}: cannot connect ({text})") from None
    if not rest.isidentifier():
        raise ValueError(f"unknown place {on!r}: use one of {PLACES}")
    if not {"", os.getcwd()} & set(sys.path):
        sys.path.insert(0, os.getcwd())  # as for agents
    try:
        executor = getattr(importlib.import_module(kind), rest)()
    except (ImportError, AttributeError, TypeError) as error:
        raise ValueError(f"--on {on}: {error}") from None
    if not isinstance(executor, Executor):
        raise ValueError(f"--on {on}: {rest} returned {executor!r} instead of a concurrent.futures.Executor")
    return executor if isinstance(executor, ClusterExecutor) else OtherExecutor(executor)
