"""The cost of a decision by number of tables, and memory."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from spades_env.tables import Tables
from spades_training.bench.measure import Case, Measured, Sampler, measure, timed
from spades_training.bench.ours import random_loop

COUNTS = (1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536)
_CHUNK = 16_384  # decisions between two readings of the clock, or one step of all tables if that is more


def measure_scaling(
    repeats: int,
    seconds: float,
    counts: tuple[int, ...] = COUNTS,
    progress: Callable[[int, int], object] | None = None,
) -> Measured:
    """Random play of ``partnership``, looped in compiled code (``compiled/1024``) or in Python (``calls/1024``)."""
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
    """Memory of tables.

    Attributes:
        state_bytes: bytes of a table's state.
        table_bytes: bytes of a table's state, its random streams and all arrays that the caller sees.
        tables: number of tables constructed.
        construction_seconds: time to construct them and deal their first hands.
        decisions: number of decisions then played at 1,024 tables.
        calls: number of calls of ``step`` then made at a single table.
        growth_bytes: growth of the process during these; None if the system does not report it.
    """

    state_bytes: int
    table_bytes: int
    tables: int
    construction_seconds: float
    decisions: int
    calls: int
    growth_bytes: int | None


def measure_memory(tables: int = COUNTS[-1], decisions: int = 10_000_000, calls: int = 100_000) -> Memory:
    """Measure memory.

    Args:
        tables: number of tables to construct.
        decisions: number of decisions to play at 1,024 tables.
        calls: number of steps at one table.
    """
    Tables("partnership", 1, 0)  # compiles
    start = time.perf_counter()
    made = Tables("partnership", tables, 0)
    seconds = time.perf_counter() - start
    inputs = made.states, made.agent_rng
    outputs = made.observation, made.action_mask, made.reward, made.terminated, made.truncated
    table_bytes = sum(array.nbytes for array in inputs + outputs) // tables
    state_bytes = made.states.itemsize
    del made, inputs, outputs

    many, one = Tables("partnership", 1024, 0), Tables("partnership", 1, 0)
    before: int | None = None
    for share in (10, 1):  # the first tenth warms up, so that one-time allocations are not growth
        before = _resident()
        for _ in range(max(1, decisions // share // 1024)):
            many.step_random()
        for _ in range(max(1, calls // share)):
            one.step(one.random_actions())
    after = _resident()
    growth = None if before is None or after is None else after - before
    return Memory(state_bytes, table_bytes, tables, seconds, decisions, calls, growth)


def _resident() -> int | None:
    """Resident memory of this process in bytes; None if the system does not report it."""
    try:
        for line in Path("/proc/self/status").read_text("utf8").splitlines():
            if line.startswith("VmRSS:"):
                return 1024 * int(line.split()[1])
    except OSError:
        pass
    return None
