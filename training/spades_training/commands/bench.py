"""The command ``spades bench``."""

from __future__ import annotations

import dataclasses
import json
from typing import Annotated

import typer
from rich.console import Console

from spades_env.checks import check_int
from spades_training import options
from spades_training.bench import machine, ours
from spades_training.bench import peers as others
from spades_training.bench import scaling as growth
from spades_training.bench.measure import measure, one_core
from spades_training.bench.report import Report
from spades_training.bench.start import measure_start
from spades_training.bench.training import measure_training
from spades_training.terminal.display import progress_bar


def bench(
    repeats: Annotated[int, typer.Option(help="Number of measurements of each case.")] = 5,
    seconds: Annotated[float, typer.Option(help="Duration of each measurement.")] = 0.4,
    only: Annotated[str, typer.Option(help="Prefixes of the keys to run: tables or tables,aec.")] = "",
    peers: Annotated[bool, typer.Option("--peers", help="Add games of OpenSpiel, RLCard and PettingZoo.")] = False,
    yardstick: Annotated[str, typer.Option(metavar="COMMAND", help="Add a command that prints 'N steps/s'.")] = "",
    scaling: Annotated[bool, typer.Option("--scaling", help="Add memory, and the cost by number of tables.")] = False,
    start: Annotated[bool, typer.Option("--start", help="Add import, first compilation and later starts.")] = False,
    training: Annotated[bool, typer.Option("--training", help="Add the speed of both learners, on all cores.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="Add all of these except the yardstick.")] = False,
    as_json: options.JsonOption = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown instead.")] = False,
) -> None:
    """Measure decisions per second of this package's interfaces and of other games under the same loops.

    All cases but --training run on one core in interleaved repeats, with random legal actions.
    """
    check_int("--repeats", repeats, 1, 1000)
    if not 0 < seconds <= 60:
        raise ValueError(f"--seconds must be above 0 and at most 60, got {seconds}")
    if as_json and markdown:
        raise ValueError("--json and --markdown cannot be combined")
    cases = [*ours.cases(), *others.references(), *(others.peers() if peers or everything else ())]
    parts = tuple(part.strip() for part in only.split(",") if part.strip())
    if parts:
        known = ", ".join(case.key for case in cases)
        cases = [case for case in cases if case.key.startswith(parts)]
        if not cases:
            raise ValueError(f"--only {only}: no key starts with this; the keys are {known}")
    if yardstick:
        cases.insert(0, others.yardstick(yardstick))

    quiet = as_json or markdown
    with one_core() as core:
        described = machine.describe(core)
        settings = {"repeats": repeats, "seconds": seconds, "yardstick": yardstick or None}
        with progress_bar("measuring", shown=not quiet) as progress:
            report = Report(described, settings, measure(cases, repeats, seconds, progress))
        if scaling or everything:
            with progress_bar("scaling", shown=not quiet) as progress:
                scaled = growth.measure_scaling(repeats, seconds / 4, progress=progress)
            report = dataclasses.replace(report, scaling=scaled, memory=growth.measure_memory())
        if start or everything:
            report = dataclasses.replace(report, start=measure_start(repeats))
    if training or everything:  # on all cores
        with progress_bar("training", shown=not quiet) as progress:
            found, reasons = measure_training(repeats, progress=progress)
        report = dataclasses.replace(report, training=found, no_training=reasons)
    if as_json:
        typer.echo(json.dumps(report.to_dict()))
    elif markdown:
        typer.echo(report.markdown())
    else:
        report.print(Console())
