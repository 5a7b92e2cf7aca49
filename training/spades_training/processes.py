"""Work for several processes."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context, parent_process
from typing import TypeVar

from spades_training.agent_errors import keep_trace

Key = TypeVar("Key")
Result = TypeVar("Result")


def run_all(work: Callable[..., Result], jobs: Mapping[Key, tuple], workers: int) -> Iterator[tuple[Key, Result]]:
    """Call ``work(*job)`` for all jobs in ``workers`` processes; yields (key, result) as they complete."""
    if workers == 1 or len(jobs) < 2:
        yield from ((key, work(*job)) for key, job in jobs.items())
        return
    with ProcessPoolExecutor(workers, get_context("spawn"), initializer=end_with_parent) as pool:
        running = {pool.submit(_with_trace, work, job): key for key, job in jobs.items()}
        for done in as_completed(running):
            yield running[done], done.result()


def _with_trace(work: Callable[..., Result], job: tuple) -> Result:
    try:
        return work(*job)
    except Exception as error:
        keep_trace(error)
        raise


def end_with_parent() -> None:
    """Let this process exit when its parent is killed; otherwise it would wait for work forever."""
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=lambda: (parent.join(), os._exit(1)), daemon=True).start()
