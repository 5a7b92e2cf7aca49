"""A tournament in the terminal, and its results as files."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape

from spades_env.files import write_whole
from spades_training.cluster.connect import connect
from spades_training.evaluation.intervals import Estimate
from spades_training.terminal.display import progress_bar, reporter
from spades_training.terminal.table import FittedTable
from spades_training.tournament.report import UNCERTAIN, report, status, uncertain
from spades_training.tournament.run import run_tournament
from spades_training.tournament.schedule import Settings


def run_in_terminal(
    settings: Settings,
    folder: Path,
    workers: int,
    on: str,
    quiet: bool,
    write: Callable[[dict[str, Any]], object],
) -> dict[str, Any]:
    """Run a tournament with a progress bar and one line for each round on stderr.

    Args:
        settings: the settings of the tournament.
        folder: for its log.
        workers: number of processes; 0 uses every CPU core.
        on: the machines, as :func:`spades_training.cluster.connect` takes them.
        quiet: print nothing.
        write: called after each round with the results so far.

    Returns:
        The results.
    """
    errors = Console(stderr=True, highlight=False)

    def after_round(results: dict[str, Any]) -> None:
        write(results)
        if not quiet:
            places = "  ".join(f"{row['agent']} {row['rating']['value']:+.0f}" for row in results["ratings"])
            errors.print(f"round {results['rounds']}, {results['matches']} matches:  {places}", markup=False)

    with (
        connect(on, reporter(shown=not quiet)) as cluster,
        progress_bar(f"{len(settings.agents)} agents", shown=not quiet) as progress,
    ):
        return run_tournament(
            settings, folder, workers=workers or None, on=cluster, progress=progress, after_round=after_round
        )


def write_results(results: dict[str, Any], folder: Path) -> None:
    """Write ``results.json``, ``ratings.csv``, ``pairings.csv`` and ``report.html``."""
    write_whole(folder / "results.json", json.dumps(results, indent=1) + "\n")
    write_whole(folder / "ratings.csv", csv_text(map(_flat, results["ratings"])))
    write_whole(folder / "pairings.csv", csv_text(map(_flat, results["crosstable"])))
    write_whole(folder / "report.html", report(results))


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """Replace each estimate by three columns."""
    found: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, dict) or name == "ahead_of_next":
            found |= {
                f"{name}_{end}".removesuffix("_value"): (value or {}).get(end) for end in ("value", "low", "high")
            }
        else:
            found[name] = value
    return found


def csv_text(rows: Iterable[dict[str, Any]]) -> str:
    """One or more rows with the same columns as CSV with a header."""
    every = list(rows)
    file = io.StringIO()
    writer = csv.DictWriter(file, every[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows(every)
    return file.getvalue()


def print_results(console: Console, results: dict[str, Any]) -> None:
    """Print the ratings, and which of their differences are certain."""
    titles = ("", "agent", "rating [95%]", "won-lost", "ahead of next", "forfeits")
    table = FittedTable(titles, keep=3, name=1)
    for row in results["ratings"]:
        sure = {True: "certain", False: "not certain", None: ""}[row["ahead_is_certain"]]
        cells: Sequence[str] = (
            str(row["rank"]),
            escape(row["agent"]),
            Estimate(**row["rating"]).text(digits=0, signed=True),
            f"{row['wins']}-{row['losses']}",
            sure,
            str(row["forfeits"]),
        )
        table.add_row(*cells)
    console.print(table)
    if uncertain(results):
        console.print(UNCERTAIN, style="dim")
    print_forfeits(console, results)
    console.print(
        f"{status(results)} {results['matches']} of at most {results['most_matches']} matches.", soft_wrap=True
    )


def print_forfeits(console: Console, results: dict[str, Any]) -> None:
    """Print one line for each kind of forfeit."""
    for row in results["forfeits"]:
        text = (
            f"{row['agent']} forfeited {row['count']} matches against {row['against']}: {row['kind']}: {row['message']}"
        )
        console.print(escape(text), style="red", soft_wrap=True)
