"""The command ``spades bench``."""

from __future__ import annotations

import dataclasses
import json
from typing import Annotated

import typer

from spades_env.checks import check_int

__all__ = ["bench"]


def bench(
    repeats: Annotated[int, typer.Option(help="How often each case is measured.")] = 5,
    seconds: Annotated[float, typer.Option(help="How long each time.")] = 0.4,
    only: Annotated[
        str, typer.Option(help="Run the cases alone whose key begins so, as in tables or tables,aec.")
    ] = "",
    peers: Annotated[
        bool, typer.Option("--peers", help="Run OpenSpiel's spades, RLCard and more of PettingZoo too.")
    ] = False,
    yardstick: Annotated[
        str,
        typer.Option(help="A command that prints '<number> steps/s', run in turn with the cases.", metavar="COMMAND"),
    ] = "",
    scaling: Annotated[bool, typer.Option("--scaling", help="Cost by the number of tables, and memory.")] = False,
    start: Annotated[bool, typer.Option("--start", help="Import, first compilation, later starts.")] = False,
    training: Annotated[
        bool, typer.Option("--training", help="What the environment takes of MaskablePPO's time.")
    ] = False,
    everything: Annotated[bool, typer.Option("--all", help="All of these, peers too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for machines instead.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown to paste into a page instead.")] = False,
) -> None:
    """Measure decisions per second: this package's interfaces, and others' games under the same loops.

    On one core, turn and turn about; random play chosen from the legal actions.
    """
    from rich.console import Console

    from spades_training.bench import machine, ours
    from spades_training.bench import peers as others
    from spades_training.bench import scaling as growth
    from spades_training.bench.measure import measure, one_core
    from spades_training.bench.report import Report
    from spades_training.bench.start import measure_start
    from spades_training.bench.training import measure_training
    from spades_training.terminal import display

    check_int("--repeats", repeats, 1, 1000)
    if not 0 < seconds <= 60:
        raise ValueError(f"--seconds must be above 0 and at most 60, got {seconds}")
    if as_json and markdown:
        raise ValueError("--json and --markdown: choose one")
    cases = [*ours.cases(), *others.references(), *(others.peers() if peers or everything else ())]
    parts = tuple(part.strip() for part in only.split(",") if part.strip())
    if parts:
        known = ", ".join(case.key for case in cases)
        cases = [case for case in cases if case.key.startswith(parts)]
        if not cases:
            raise ValueError(f"--only {only}: no case begins so; there are {known}")
    if yardstick:
        cases.insert(0, others.yardstick(yardstick))

    quiet = as_json or markdown
    with one_core() as core:
        described = machine.describe(core)
        settings = {"repeats": repeats, "seconds": seconds, "yardstick": yardstick or None}
        with display.progress_bar("measuring", shown=not quiet) as progress:
            report = Report(described, settings, measure(cases, repeats, seconds, progress))
        if scaling or everything:
            with display.progress_bar("scaling", shown=not quiet) as progress:
                scaled = growth.measure_scaling(repeats, seconds / 4, progress=progress)
            report = dataclasses.replace(report, scaling=scaled, memory=growth.measure_memory())
        if start or everything:
            report = dataclasses.replace(report, start=measure_start(repeats))
        if training or everything:
            with display.progress_bar("training", shown=not quiet) as progress:
                found, reasons = measure_training(repeats, progress=progress)
            report = dataclasses.replace(report, training=found, no_training=reasons)
    if as_json:
        typer.echo(json.dumps(report.to_dict()))
    elif markdown:
        typer.echo(report.markdown())
    else:
        report.print(Console())
