"""The command ``spades bidding-fit``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from spades_env.files import write_whole
from spades_training import options
from spades_training.bidding.quality import HeadScores, calibration_plot, fit_and_score
from spades_training.terminal.table import FittedTable


def bidding_fit(
    folder: Annotated[Path, typer.Argument(help="Folder written by spades bidding-data.")],
    out: Annotated[Path, typer.Option(help="File for the model, as JSON.")] = Path("bidding_model.json"),
    plot: Annotated[Path | None, typer.Option(help="File for the calibration plots, as PNG.")] = None,
    as_json: options.JsonOption = False,
) -> None:
    """Fit the bidding model, score it on the last fifth of the deals, which are held out, and save it.

    spades bid --model FILE uses the model.
    """
    with options.needs("research", "bidding research"):
        import polars  # noqa: F401
        import sklearn  # noqa: F401

    def report(name: str, count: int) -> None:
        if not as_json:
            typer.echo(f"{name}: {count} rows", err=True)

    model, scores, held_out, rules = fit_and_score(folder, report)
    write_whole(out, model.to_json())
    if plot is not None:
        calibration_plot(model, held_out, rules, plot)
    if as_json:
        typer.echo(json.dumps(model.card))
    else:
        _print(scores, rules.name)
        typer.echo(f"model saved: {out}")


def _print(scores: dict[str, HeadScores], name: str) -> None:
    caption = "Lower is better. Gains are relative to predicting the class shares. 95% intervals over deals."
    titles = ("head", "log score", "gain", "CRPS", "gain of CRPS", "Brier, made", "rows")
    table = FittedTable(titles, title=f"{name}: scores on held-out deals", caption=caption)
    for head, found in scores.items():
        estimates = found.log_score, found.log_gain, found.crps, found.crps_gain
        cells = [estimate.text(digits=3) for estimate in estimates]
        brier = "" if found.brier is None else found.brier.text(digits=4)
        table.add_row(head, *map(escape, cells), escape(brier), str(found.rows))
    Console(highlight=False).print(table)
