"""The report of ``spades bench``: tables for the terminal, Markdown and JSON."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.markup import escape

from spades_training.bench.machine import one_line
from spades_training.bench.measure import Measured, Rates
from spades_training.bench.ours import BATCH
from spades_training.bench.peers import YARDSTICK
from spades_training.bench.scaling import Memory
from spades_training.bench.start import Start
from spades_training.bench.training import Training
from spades_training.terminal.table import FittedTable

# Pairs of cases to compare. Every case is also compared with the yardstick, if there is one.
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
    """All measurements; those that were not requested are None or empty."""

    machine: dict[str, Any]
    settings: dict[str, Any]
    main: Measured
    start: Start | None = None
    scaling: Measured | None = None
    memory: Memory | None = None
    training: tuple[Training, ...] = ()
    no_training: tuple[str, ...] = ()

    def ratios(self) -> list[tuple[str, str, Rates]]:
        """(key, key of the reference, ratios) for all pairs of which both cases ran."""
        rates = self.main.rates
        return [(a, b, rates[a].over(rates[b])) for a, b in RATIOS if a in rates and b in rates]

    def to_dict(self) -> dict[str, Any]:
        """The report as values that JSON can hold."""
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
        """The tables."""
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
        """The lines above the tables, including the cases that could not be measured."""
        repeats, seconds = self.settings["repeats"], self.settings["seconds"]
        times = "1 repeat" if repeats == 1 else f"{repeats} interleaved repeats"
        intro = f"Decisions per second of random play, {times} of {seconds:g} s each: "
        tables = f"A batch is {BATCH:,} tables unless stated otherwise. Times include choosing the actions."
        lines = [one_line(self.machine), f"{intro}median (lowest - highest). {tables}"]
        lines += [f"not run: {one.case.text}: {one.reason}" for one in self.main.not_run]
        return lines + [f"not run: training: {reason}" for reason in self.no_training]

    def print(self, console: Console) -> None:
        """Print the report."""
        for line in self.lines():
            console.print(line, highlight=False, markup=False)
        for section in self.sections():
            console.print(section.table())

    def markdown(self) -> str:
        """The report as Markdown."""
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
        columns = ("case", "unit", "per second", *(["ratio to yardstick"] if to_yardstick else []))
        return Section("Rates", columns, rows)

    def _ratios_section(self) -> Section:
        text = {case.key: case.text for case in self.main.cases}
        rows = [(text[a], text[b], _span(ratio)) for a, b, ratio in self.ratios()]
        return Section("Ratios", ("case", "reference", "ratio"), rows)


@dataclass(frozen=True)
class Section:
    """One table: its title, column names and rows."""

    title: str
    columns: tuple[str, ...]
    rows: list[tuple[str, ...]]

    def table(self) -> FittedTable:
        """The table for the terminal: a case and its reference share a column, and the unit comes last."""
        unit = "unit" in self.columns

        def cells(row: Sequence[str]) -> list[str]:
            values = dict(zip(self.columns, map(escape, row), strict=True))
            if "reference" in values:
                values = {self.columns[0]: f"{values['case']} / {values['reference']}", "ratio": values["ratio"]}
            if unit:
                values["unit"] = values.pop("unit")
            return list(values.values())

        titles = cells(self.columns)
        table = FittedTable(titles, left=[len(titles) - 1] if unit else [], title=self.title)
        for row in self.rows:
            table.add_row(*cells(row))
        return table

    def markdown(self) -> str:
        """The table as Markdown."""
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
    title = "Nanoseconds per decision, by number of tables"
    return Section(title, ("tables", "compiled loop", "one call per step"), rows)


def _memory_section(memory: Memory) -> Section:
    growth = "not available on this system" if memory.growth_bytes is None else f"{memory.growth_bytes / 1024:,.0f} KiB"
    rows = [
        ("bytes per table, only the state", f"{memory.state_bytes:,}"),
        ("bytes per table, all arrays", f"{memory.table_bytes:,}"),
        (f"construction of {memory.tables:,} tables", f"{memory.construction_seconds:.2f} s"),
        (f"growth over {memory.decisions:,} decisions and {memory.calls:,} calls", growth),
    ]
    return Section("Memory", ("quantity", "value"), rows)


def _start_section(start: Start) -> Section:
    rows = [
        ("Python only", start.python),
        ("import spades_env (with torch)" if start.torch else "import spades_env (without torch)", start.importing),
        ("first step of Tables, nothing cached", start.first_tables),
        ("first step of Tables, compiled code cached", start.later_tables),
        ("first step of every interface, nothing cached", start.first_all),
        ("first step of every interface, compiled code cached", start.later_all),
    ]
    for agent, seconds in start.first_decision.items():
        rows.append((f"first decision of {agent}, nothing cached", seconds))
        rows.append((f"first decision of {agent}, compiled code cached", start.later_decision[agent]))
    return Section("Start of a process", ("process", "seconds"), [(text, f"{seconds:.2f}") for text, seconds in rows])


def _training_section(training: tuple[Training, ...]) -> Section:
    rows = []
    for one in training:
        shares = tuple(f"{100 * share:.0f}%" for share in one.shares().values())
        rows.append((one.text, _span(one.rates), *shares, "" if one.ratio is None else _span(one.ratio)))
    columns = ("learner, environment", "decisions/s", *training[0].shares(), "ratio to the first")
    return Section("Training: speed and shares of the time", columns, rows)


def _span(rates: Rates, digits: int | None = None) -> str:
    if digits is None:
        median, low, high = (_rounded(value) for value in (rates.median, rates.low, rates.high))
    else:
        median, low, high = (f"{value:,.{digits}f}" for value in (rates.median, rates.low, rates.high))
    return f"{median} ({low} - {high})"


def _rounded(value: float) -> str:
    """Three significant digits, such as 54.3 M, 812 k or 0.0513."""
    for size, unit in ((1e6, " M"), (1e3, " k")):
        if value >= size:
            return f"{value / size:.{_decimals(value / size)}f}{unit}"
    return f"{value:.{_decimals(value)}f}"


def _decimals(value: float) -> int:
    """Number of decimals for three significant digits."""
    return max(0, 2 - math.floor(math.log10(value)))
