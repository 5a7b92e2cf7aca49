"""Work for several processes."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children, current_process, get_context, parent_process
from typing import TypeVar

from spades_training.agent_errors import keep_trace
from spades_training.cluster.spread import Spread

NO_GUARD = 77  # exit code of a process that only repeats the script that started it

Key = TypeVar("Key")
Result = TypeVar("Result")


def run_all(
    work: Callable[..., Result],
    jobs: Mapping[Key, tuple],
    workers: int,
    on: Executor | None = None,
    agents: Iterable[str] = (),
) -> Iterator[tuple[Key, Result]]:
    """Call ``work(*job)`` for all jobs in ``workers`` processes; yields (key, result) as they complete.

    With an executor ``on`` (see :func:`spades_training.cluster.connect`), its machines do the work instead. ``agents``
    are the names of the players that the jobs create, as :func:`spades_training.cluster.parcel.portable` returns them.

    Raises:
        RuntimeError: if a process dies, or the calling script has no guard: see :func:`leave_if_imported`.
    """
    if on is not None:
        with Spread(on, agents) as spread:
            yield from spread.run_all(work, jobs)
        return
    if workers == 1 or len(jobs) < 2:
        yield from ((key, work(*job)) for key, job in jobs.items())
        return
    leave_if_imported()
    with ProcessPoolExecutor(workers, get_context("spawn"), initializer=end_with_parent) as pool:
        running, processes = {}, set()
        for key, job in jobs.items():
            running[pool.submit(_with_trace, work, job)] = key
            processes.update(active_children())  # one that ends early is no longer among them later
        try:
            for done in as_completed(running):
                yield running[done], done.result()
        except BrokenProcessPool:
            for process in processes:
                process.join(1)
            if any(process.exitcode == NO_GUARD for process in processes):
                raise RuntimeError(guard_missing()) from None
            raise RuntimeError("a process died: it was killed, or there was too little memory") from None


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


def leave_if_imported() -> None:
    """End this process if it is only importing the script of the process that started it.

    New processes import the main script. If it starts processes outside ``if __name__ == "__main__":``, the import
    would start further ones. The parent sees the exit code :data:`NO_GUARD`.
    """
    if getattr(current_process(), "_inheriting", False):  # multiprocessing's mark of this stage
        os._exit(NO_GUARD)


def guard_missing() -> str:
    """What a script without the guard has to change, in one line."""
    script = os.path.basename(getattr(sys.modules["__main__"], "__file__", None) or "the script")
    return f'processes import {script}: put the code that starts them under `if __name__ == "__main__":`'
