"""The command ``spades bench``."""

from __future__ import annotations

import dataclasses
import json
from typing import Annotated

import typer
from rich.console import Console

from spades_env.checks import check_int
from spades_training.bench import machine, ours, peers, scaling
from spades_training.bench.measure import measure, one_core
from spades_training.bench.report import Report
from spades_training.bench.start import measure_start
from spades_training.bench.training import measure_training
from spades_training.options import JsonOption
from spades_training.terminal.display import progress_bar

__all__ = ["bench"]


def bench(
    repeats: Annotated[int, typer.Option(help="Number of measurements of each case.")] = 5,
    seconds: Annotated[float, typer.Option(help="Duration of each measurement.")] = 0.4,
    only: Annotated[
        str, typer.Option(help="Run only the cases whose key starts with this: tables or tables,aec.")
    ] = "",
    with_peers: Annotated[
        bool, typer.Option("--peers", help="Also run OpenSpiel's spades, RLCard and more PettingZoo games.")
    ] = False,
    yardstick: Annotated[
        str,
        typer.Option(help="Command that prints '<number> steps/s'; run in turn with the cases.", metavar="COMMAND"),
    ] = "",
    with_scaling: Annotated[
        bool, typer.Option("--scaling", help="Also measure memory, and the cost by number of tables.")
    ] = False,
    with_start: Annotated[
        bool, typer.Option("--start", help="Also measure import, first compilation and later starts.")
    ] = False,
    with_training: Annotated[
        bool, typer.Option("--training", help="Also measure the environment's share of MaskablePPO's time.")
    ] = False,
    everything: Annotated[bool, typer.Option("--all", help="Measure all of these, including the peers.")] = False,
    as_json: JsonOption = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown instead.")] = False,
) -> None:
    """Measure decisions per second of this package's interfaces and of other games under the same loops.

    All cases run on one core in interleaved repeats, with random legal actions.
    """
    check_int("--repeats", repeats, 1, 1000)
    if not 0 < seconds <= 60:
        raise ValueError(f"--seconds must be above 0 and at most 60, got {seconds}")
    if as_json and markdown:
        raise ValueError("--json and --markdown cannot be combined")
    cases = [*ours.cases(), *peers.references(), *(peers.peers() if with_peers or everything else ())]
    parts = tuple(part.strip() for part in only.split(",") if part.strip())
    if parts:
        known = ", ".join(case.key for case in cases)
        cases = [case for case in cases if case.key.startswith(parts)]
        if not cases:
            raise ValueError(f"--only {only}: no key starts with this; the keys are {known}")
    if yardstick:
        cases.insert(0, peers.yardstick(yardstick))

    quiet = as_json or markdown
    with one_core() as core:
        described = machine.describe(core)
        settings = {"repeats": repeats, "seconds": seconds, "yardstick": yardstick or None}
        with progress_bar("measuring", shown=not quiet) as progress:
            report = Report(described, settings, measure(cases, repeats, seconds, progress))
        if with_scaling or everything:
            with progress_bar("scaling", shown=not quiet) as progress:
                scaled = scaling.measure_scaling(repeats, seconds / 4, progress=progress)
            report = dataclasses.replace(report, scaling=scaled, memory=scaling.measure_memory())
        if with_start or everything:
            report = dataclasses.replace(report, start=measure_start(repeats))
        if with_training or everything:
            with progress_bar("training", shown=not quiet) as progress:
                found, reasons = measure_training(repeats, progress=progress)
            report = dataclasses.replace(report, training=found, no_training=reasons)
    if as_json:
        typer.echo(json.dumps(report.to_dict()))
    elif markdown:
        typer.echo(report.markdown())
    else:
        report.print(Console())
