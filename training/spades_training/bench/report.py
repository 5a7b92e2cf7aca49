"""What ``spades bench`` prints: tables for people, the same as Markdown, and JSON."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table

from spades_training.bench.machine import one_line
from spades_training.bench.measure import Measured, Rates
from spades_training.bench.ours import BATCH
from spades_training.bench.peers import YARDSTICK
from spades_training.bench.scaling import Memory
from spades_training.bench.start import Start
from spades_training.bench.training import Training

__all__ = ["RATIOS", "Report"]

# Which two cases are worth a ratio. Every case has one to the yardstick besides, where there is one.
RATIOS = (
    ("tables/random/two_player", "tables/random/partnership"),
    ("tables/step/1024", "tables/random/partnership"),
    ("tables/step/8192", "tables/random/partnership"),
    ("tables/random/partnership", "openspiel/observed"),
    ("tables/random/partnership", "openspiel/legal"),
    ("vector/two_player", "tables/random/two_player"),
    ("sb3/two_player", "vector/two_player"),
    ("aec/env", "connect_four/env"),
    ("aec/raw_env", "connect_four/raw_env"),
    ("aec/raw_env", "connect_four/env"),
    ("aec/env/sample", "connect_four/env/sample"),
    ("gymnasium", "connect_four/env"),
    ("aec/env", "tictactoe/env"),
    ("aec/env", "rlcard/leduc-holdem"),
    ("aec/env", "rlcard/bridge"),
    ("aec/env", "rlcard/gin-rummy"),
    ("aec/env", "nothing/env"),
    ("aec/raw_env", "nothing/raw_env"),
)


@dataclass(frozen=True)
class Report:
    """All that was measured; what was not asked for is None."""

    machine: dict[str, Any]
    settings: dict[str, Any]
    main: Measured
    start: Start | None = None
    scaling: Measured | None = None
    memory: Memory | None = None
    training: tuple[Training, ...] = ()
    no_training: tuple[str, ...] = ()

    def ratios(self) -> list[tuple[str, str, Rates]]:
        """(key, key of what it is compared with, ratios), for all pairs of which both ran."""
        rates = self.main.rates
        return [(a, b, rates[a].over(rates[b])) for a, b in RATIOS if a in rates and b in rates]

    def to_dict(self) -> dict[str, Any]:
        """All of it as values that JSON can hold."""
        result: dict[str, Any] = {
            "machine": self.machine,
            "settings": self.settings,
            "cases": [
                {"key": case.key, "text": case.text, "unit": case.unit, **self.main.rates[case.key].to_dict()}
                for case in self.main.cases
            ],
            "ratios": [
                {"of": a, "to": b, **ratio.to_dict()} for a, b, ratio in [*self._to_yardstick(), *self.ratios()]
            ],
            "not_run": [{"key": one.case.key, "reason": one.reason} for one in self.main.not_run]
            + [{"key": "training", "reason": reason} for reason in self.no_training],
        }
        if self.start:
            result["start"] = dataclasses.asdict(self.start)
        if self.scaling:
            result["scaling"] = {key: rates.to_dict() for key, rates in self.scaling.rates.items()}
        if self.memory:
            result["memory"] = dataclasses.asdict(self.memory)
        if self.training:
            result["training"] = [one.to_dict() for one in self.training]
        return result

    def sections(self) -> list[Section]:
        """The tables, for people."""
        found = [self._rates_section(), self._ratios_section()]
        if self.scaling:
            found.append(_scaling_section(self.scaling))
        if self.memory:
            found.append(_memory_section(self.memory))
        if self.start:
            found.append(_start_section(self.start))
        if self.training:
            found.append(_training_section(self.training))
        return [section for section in found if section.rows]

    def lines(self) -> list[str]:
        """What stands above the tables, and what could not be measured."""
        repeats, seconds = self.settings["repeats"], self.settings["seconds"]
        intro = f"Decisions per second of random play, {repeats} repeats of {seconds:g} s each, turn and turn about: "
        tables = f"Batches are of {BATCH:,} tables unless it says otherwise; the choice of the actions is in the time."
        lines = [one_line(self.machine), f"{intro}median (lowest - highest). {tables}"]
        lines += [f"not run: {one.case.text}: {one.reason}" for one in self.main.not_run]
        return lines + [f"not run: training: {reason}" for reason in self.no_training]

    def print(self, console: Console) -> None:
        """Print it for people."""
        for line in self.lines():
            console.print(line, highlight=False, markup=False)
        for section in self.sections():
            console.print(section.table())

    def markdown(self) -> str:
        """The same, to paste into a page."""
        return "\n\n".join([*self.lines(), *(section.markdown() for section in self.sections())])

    def _to_yardstick(self) -> list[tuple[str, str, Rates]]:
        rates = self.main.rates
        if YARDSTICK not in rates:
            return []
        return [(case.key, YARDSTICK, rates[case.key].over(rates[YARDSTICK])) for case in self.main.cases]

    def _rates_section(self) -> Section:
        to_yardstick = {of: _span(ratio) for of, _, ratio in self._to_yardstick()}
        rows = []
        for case in self.main.cases:
            row = (case.text, case.unit, _span(self.main.rates[case.key]))
            rows.append((*row, to_yardstick[case.key]) if to_yardstick else row)
        columns = ("what", "counted", "a second", *(["of the yardstick"] if to_yardstick else []))
        return Section("Rates", columns, rows)

    def _ratios_section(self) -> Section:
        text = {case.key: case.text for case in self.main.cases}
        rows = [(text[a], text[b], _span(ratio)) for a, b, ratio in self.ratios()]
        return Section("Ratios", ("of", "to", "ratio"), rows)


@dataclass(frozen=True)
class Section:
    """One table: its title, the names of its columns, its rows."""

    title: str
    columns: tuple[str, ...]
    rows: list[tuple[str, ...]]

    def table(self) -> Table:
        """For the terminal."""
        table = Table(title=self.title, title_justify="left", title_style="bold")
        for k, column in enumerate(self.columns):
            number = k and column not in ("to", "counted")
            table.add_column(column, justify="right" if number else "left", no_wrap=bool(number))
        for row in self.rows:
            table.add_row(*row)
        return table

    def markdown(self) -> str:
        """For a page."""
        lines = [self.columns, ("---",) * len(self.columns), *self.rows]
        return f"**{self.title}**\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _scaling_section(scaling: Measured) -> Section:
    rows = []
    for count in sorted({int(key.split("/")[1]) for key in scaling.rates}):
        row = [f"{count:,}"]
        for loop in ("compiled", "calls"):
            rates = scaling.rates[f"{loop}/{count}"].values
            row.append(_span(Rates(tuple(1e9 / rate for rate in rates)), 0))
        rows.append(tuple(row))
    title = "Nanoseconds for a decision, by the number of tables"
    return Section(title, ("tables", "steps looped over in compiled code", "a call of step_random() a step"), rows)


def _memory_section(memory: Memory) -> Section:
    growth = "not told by this system" if memory.growth_bytes is None else f"{memory.growth_bytes / 1024:,.0f} KiB"
    rows = [
        ("bytes of state for a table", f"{memory.state_bytes:,}"),
        ("bytes for a table with its observation and all other arrays", f"{memory.table_bytes:,}"),
        (f"construction of {memory.tables:,} tables", f"{memory.construction_seconds:.2f} s"),
        (f"growth over {memory.decisions:,} decisions and {memory.calls:,} calls", growth),
    ]
    return Section("Memory", ("what", "how much"), rows)


def _start_section(start: Start) -> Section:
    rows = [
        ("python alone", start.python),
        ("import spades_env (with torch)" if start.torch else "import spades_env (without torch)", start.importing),
        ("first step of Tables, nothing compiled", start.first_tables),
        ("first step of Tables, compiled before", start.later_tables),
        ("first step of every interface, nothing compiled", start.first_all),
        ("first step of every interface, compiled before", start.later_all),
    ]
    return Section("Start of a process", ("what", "seconds"), [(text, f"{seconds:.2f}") for text, seconds in rows])


def _training_section(training: tuple[Training, ...]) -> Section:
    rows = []
    for one in training:
        shares = tuple(f"{100 * share:.0f}%" for share in one.shares().values())
        rows.append((one.text, _span(one.rates), *shares, "" if one.ratio is None else _span(one.ratio)))
    columns = ("MaskablePPO", "decisions/s", *training[0].shares(), "to nothing")
    return Section("Training, share of wall time", columns, rows)


def _span(rates: Rates, digits: int | None = None) -> str:
    if digits is None:
        median, low, high = (_rounded(value) for value in (rates.median, rates.low, rates.high))
    else:
        median, low, high = (f"{value:,.{digits}f}" for value in (rates.median, rates.low, rates.high))
    return f"{median} ({low} - {high})"


def _rounded(value: float) -> str:
    """Three digits: 54.3 M, 812 k, 0.0513."""
    for size, unit in ((1e6, " M"), (1e3, " k")):
        if value >= size:
            return f"{value / size:.{_decimals(value / size)}f}{unit}"
    return f"{value:.{_decimals(value)}f}"


def _decimals(value: float) -> int:
    """How many digits after the point make three in all."""
    return max(0, 2 - math.floor(math.log10(value)))
