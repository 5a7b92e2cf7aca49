"""Cost of a decision by the number of tables, and memory."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from spades_env.tables import Tables
from spades_training.bench.measure import Case, Measured, Sampler, measure, timed
from spades_training.bench.ours import random_loop

__all__ = ["COUNTS", "Memory", "measure_memory", "measure_scaling"]

COUNTS = (1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536)
_CHUNK = 16_384  # decisions, or one step of all tables if that is more, before a loop looks at the clock


def measure_scaling(
    repeats: int,
    seconds: float,
    counts: tuple[int, ...] = COUNTS,
    progress: Callable[[int, int], object] | None = None,
) -> Measured:
    """Random play of ``partnership``, looped over in compiled code (``compiled/1024``) or called (``calls/1024``)."""
    cases = []
    for count in counts:
        cases.append(Case(f"compiled/{count}", f"{count:,} tables", lambda count=count: _compiled(count)))
        cases.append(Case(f"calls/{count}", f"{count:,} tables", lambda count=count: _calls(count)))
    return measure(cases, repeats, seconds, progress)


def _compiled(count: int) -> Sampler:
    return timed(random_loop(Tables("partnership", count, 0), max(1, _CHUNK // count)))


def _calls(count: int) -> Sampler:
    tables = Tables("partnership", count, 0)
    steps = max(1, min(256, _CHUNK // count))

    def loop() -> int:
        for _ in range(steps):
            tables.step_random()
        return steps * count

    return timed(loop)


@dataclass(frozen=True)
class Memory:
    """What tables take.

    Attributes:
        state_bytes: of the record of a table.
        table_bytes: of the record, its players' streams and all arrays that the caller sees.
        tables: how many were made at once.
        construction_seconds: to make that many and deal their first hands.
        decisions: played afterwards at 1,024 tables ...
        calls: ... and calls of ``step`` at a single one.
        growth_bytes: of the memory of the process meanwhile; None where the system does not tell.
    """

    state_bytes: int
    table_bytes: int
    tables: int
    construction_seconds: float
    decisions: int
    calls: int
    growth_bytes: int | None


def measure_memory(tables: int = COUNTS[-1], decisions: int = 10_000_000, calls: int = 100_000) -> Memory:
    """Measure it.

    Args:
        tables: how many to make.
        decisions: how many to play at 1,024 tables.
        calls: how many steps at one table.
    """
    Tables("partnership", 1, 0)  # compiles
    start = time.perf_counter()
    made = Tables("partnership", tables, 0)
    seconds = time.perf_counter() - start
    arrays = (*made._inputs(slice(None)), *made._outputs(slice(None)))
    table_bytes = sum(array.nbytes for array in arrays if len(array) == tables) // tables
    state_bytes = made.states.itemsize
    del made, arrays

    many, one = Tables("partnership", 1024, 0), Tables("partnership", 1, 0)
    before: int | None = None
    for share in (10, 1):  # the first tenth warms up: what it allocates once is not growth
        before = _resident()
        for _ in range(max(1, decisions // share // 1024)):
            many.step_random()
        for _ in range(max(1, calls // share)):
            one.step(one.random_actions())
    after = _resident()
    growth = None if before is None or after is None else after - before
    return Memory(state_bytes, table_bytes, tables, seconds, decisions, calls, growth)


def _resident() -> int | None:
    """Bytes of memory that this process occupies, None where the system does not tell."""
    try:
        for line in Path("/proc/self/status").read_text("utf8").splitlines():
            if line.startswith("VmRSS:"):
                return 1024 * int(line.split()[1])
    except OSError:
        pass
    return None
