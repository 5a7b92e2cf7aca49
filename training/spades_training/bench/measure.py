"""Comparable rates on one machine: measured in interleaved repeats, on one core.

The speed of a machine can drift by a factor of two or more with its load, so that a single rate says little. Therefore
every repeat measures all cases one after the other, and a ratio is computed within a repeat. The report gives the
median, lowest and highest of the repeats.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

Loop = Callable[[], int]
"""Plays for some milliseconds; returns the number of decisions."""

Sampler = Callable[[float], float]
"""Plays for about the given number of seconds; returns decisions per second."""


@dataclass(frozen=True)
class Case:
    """Something to measure.

    Attributes:
        key: a name such as ``tables/random/partnership``.
        text: what is measured.
        make: sets it up, which is not timed. An ``ImportError`` means that it cannot run here.
        unit: what is counted.
    """

    key: str
    text: str
    make: Callable[[], Sampler]
    unit: str = "decisions"


@dataclass(frozen=True)
class Rates:
    """Values of one quantity, one for each repeat."""

    values: tuple[float, ...]

    @property
    def median(self) -> float:
        """The median."""
        return statistics.median(self.values)

    @property
    def low(self) -> float:
        """The lowest value."""
        return min(self.values)

    @property
    def high(self) -> float:
        """The highest value."""
        return max(self.values)

    def over(self, other: Rates) -> Rates:
        """The ratios to ``other``, computed within each repeat."""
        return Rates(tuple(a / b for a, b in zip(self.values, other.values, strict=True)))

    def to_dict(self) -> dict[str, Any]:
        """The values as JSON can hold them."""
        return {"median": self.median, "low": self.low, "high": self.high, "values": list(self.values)}


@dataclass(frozen=True)
class NotRun:
    """A case that could not run, and the reason."""

    case: Case
    reason: str


@dataclass(frozen=True)
class Measured:
    """The result of a series of measurements.

    Attributes:
        cases: the cases that ran, in order.
        rates: decisions per second, by key.
        not_run: the other cases.
    """

    cases: tuple[Case, ...]
    rates: dict[str, Rates]
    not_run: tuple[NotRun, ...]


def timed(loop: Loop) -> Sampler:
    """Measure the decisions per second of ``loop``."""

    def sample(seconds: float) -> float:
        done = 0
        start = time.perf_counter()
        while True:
            done += loop()
            elapsed = time.perf_counter() - start
            if elapsed >= seconds:
                return done / elapsed

    return sample


def measure(
    cases: Sequence[Case], repeats: int, seconds: float, progress: Callable[[int, int], object] | None = None
) -> Measured:
    """Measure all cases in interleaved repeats.

    Args:
        cases: what to measure.
        repeats: number of repeats.
        seconds: duration of each measurement.
        progress: called with the number of measurements done and the total.
    """
    runnable: dict[str, tuple[Case, Sampler]] = {}
    not_run = []
    for case in cases:
        try:
            sampler = case.make()
        except ImportError as error:
            not_run.append(NotRun(case, f"not installed: {error.name or error}"))
            continue
        sampler(0.0)  # the first call compiles and fills caches
        runnable[case.key] = case, sampler
    values: dict[str, list[float]] = {key: [] for key in runnable}
    for repeat in range(repeats):
        for k, (key, (_, sampler)) in enumerate(runnable.items()):
            values[key].append(sampler(seconds))
            if progress:
                progress(repeat * len(runnable) + k + 1, repeats * len(runnable))
    return Measured(
        cases=tuple(case for case, _ in runnable.values()),
        rates={key: Rates(tuple(found)) for key, found in values.items()},
        not_run=tuple(not_run),
    )


@contextmanager
def one_core() -> Iterator[int | None]:
    """Pin this process and its children to one core; yields its number, or None where that is not possible."""
    if not hasattr(os, "sched_setaffinity"):  # macOS
        yield None
        return
    allowed = os.sched_getaffinity(0)
    core = max(allowed)
    os.sched_setaffinity(0, {core})
    try:
        yield core
    finally:
        os.sched_setaffinity(0, allowed)
