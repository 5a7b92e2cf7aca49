"""Rates of different things on one machine, comparable: measured turn and turn about, on one core.

A machine's speed drifts by a factor of two and more with what else runs on it, so a rate by itself says little. Here
every repeat measures all cases one after the other, a ratio is formed within a repeat, and what is reported of the
repeats is the median with the lowest and the highest.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

__all__ = ["Case", "Loop", "Measured", "NotRun", "Rates", "measure", "one_core", "timed"]

Loop = Callable[[], int]
"""Plays for some milliseconds; returns how many decisions it made."""

Sampler = Callable[[float], float]
"""Plays for about so many seconds; returns decisions per second."""


@dataclass(frozen=True)
class Case:
    """Something to measure.

    Attributes:
        key: names it, as in ``tables/random/partnership``.
        text: says what is measured.
        make: sets it up, which is not timed. An ``ImportError`` means that it cannot be run here.
        unit: what is counted.
    """

    key: str
    text: str
    make: Callable[[], Sampler]
    unit: str = "decisions"


@dataclass(frozen=True)
class Rates:
    """Numbers of the same thing, one from each repeat."""

    values: tuple[float, ...]

    @property
    def median(self) -> float:
        """The middle one."""
        return statistics.median(self.values)

    @property
    def low(self) -> float:
        """The lowest."""
        return min(self.values)

    @property
    def high(self) -> float:
        """The highest."""
        return max(self.values)

    def over(self, other: Rates) -> Rates:
        """The ratios to ``other``, repeat by repeat."""
        return Rates(tuple(a / b for a, b in zip(self.values, other.values, strict=True)))

    def to_dict(self) -> dict[str, Any]:
        """All of it as values that JSON can hold."""
        return {"median": self.median, "low": self.low, "high": self.high, "values": list(self.values)}


@dataclass(frozen=True)
class NotRun:
    """A case that could not be run, and why."""

    case: Case
    reason: str


@dataclass(frozen=True)
class Measured:
    """What a series of measurements gave.

    Attributes:
        cases: those that ran, in order.
        rates: decisions per second, by key.
        not_run: the others.
    """

    cases: tuple[Case, ...]
    rates: dict[str, Rates]
    not_run: tuple[NotRun, ...]


def timed(loop: Loop) -> Sampler:
    """Measures how many decisions a second ``loop`` makes."""

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
    """Measure all cases, turn and turn about.

    Args:
        cases: what to measure.
        repeats: how often.
        seconds: how long to run a case each time.
        progress: called with the measurements done and those in all.
    """
    runnable: dict[str, tuple[Case, Sampler]] = {}
    not_run = []
    for case in cases:
        try:
            sampler = case.make()
        except ImportError as error:
            not_run.append(NotRun(case, f"not installed: {error.name or error}"))
            continue
        sampler(0.0)  # the first call compiles, and fills the caches
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
    """Keep this process, and those that it starts, on one core; yields its number, None where that is not possible."""
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
