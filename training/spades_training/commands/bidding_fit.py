"""The command ``spades bidding-fit``: a model from bidding data."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Annotated, Any

import typer

from spades_training.commands.bidding_data import needs

__all__ = ["bidding_fit"]


def bidding_fit(
    folder: Annotated[Path, typer.Argument(help="What spades bidding-data wrote.")],
    out: Annotated[Path, typer.Option(help="File for the model, as JSON.")] = Path("bidding_model.json"),
    plot: Annotated[Path | None, typer.Option(help="File for the calibration plots, a PNG.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for machines instead.")] = False,
) -> None:
    """Fit the bidding model, score it on the last fifth of the deals, which it is not fitted to, and save it.

    spades bid --model FILE advises by it.
    """
    try:
        import polars  # noqa: F401
        import sklearn  # noqa: F401
    except ModuleNotFoundError as error:
        raise needs(str(error.name)) from None
    model, scores, held_out, rules = fit_and_score(folder, None if as_json else lambda text: typer.echo(text, err=True))
    from spades_training.files import write_whole

    write_whole(out, model.to_json())
    if plot is not None:
        from spades_training.bidding.quality import calibration_plot

        calibration_plot(model, held_out, rules, plot)
    if as_json:
        typer.echo(json.dumps(model.card))
    else:
        _print(scores, rules.name)
        typer.echo(f"model saved: {out}")


def fit_and_score(folder: Path, report: Any) -> tuple[Any, dict[str, Any], Any, Any]:
    """The model of a folder of data with its card, its scores, the rows held out and the rules."""
    from spades_training.bidding.data import read_data, read_settings
    from spades_training.bidding.fit import Rows, fit_model, split
    from spades_training.bidding.quality import score_model

    frame, rules = read_data(folder)
    fitted, held_out = split(frame)
    tell = (lambda name, count: report(f"{name}: {count} rows")) if report else None
    model = fit_model(fitted, rules, tell)
    scores = score_model(model, Rows.of(fitted, rules), Rows.of(held_out, rules), rules)
    settings = read_settings(folder)
    card = {
        "rules": settings["rules"],
        "data": {name: value for name, value in settings.items() if name != "rules"},
        "deals_fitted": int(fitted["deal"].n_unique()),
        "deals_held_out": int(held_out["deal"].n_unique()),
        "scores": {name: dataclasses.asdict(found) for name, found in scores.items()},
    }
    return dataclasses.replace(model, card=card), scores, Rows.of(held_out, rules), rules


def _print(scores: dict[str, Any], name: str) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(title=f"{name}: scores on deals held out", title_justify="left", box=box.SIMPLE_HEAD)
    table.add_column("head")
    for column in ("rows", "log score", "better than shares by", "CRPS", "better by", "Brier, made"):
        table.add_column(column, justify="right")
    for head, found in scores.items():
        estimates = found.log_score, found.log_gain, found.crps, found.crps_gain
        cells = [estimate.text(digits=3) for estimate in estimates]
        brier = "" if found.brier is None else found.brier.text(digits=4)
        table.add_row(head, str(found.rows), *cells, brier)
    table.caption = "the smaller the better; 95% intervals over deals"
    Console(highlight=False).print(table)
