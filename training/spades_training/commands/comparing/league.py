"""The command ``spades league``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from spades_env.files import write_whole
from spades_training import options
from spades_training.cluster.connect import HERE
from spades_training.evaluation.intervals import Estimate
from spades_training.evaluation.league import LEAGUE, history, league_rows
from spades_training.learning.fast.settings import load_settings
from spades_training.terminal.table import FittedTable
from spades_training.tournament.output import csv_text, print_forfeits, run_in_terminal, write_results
from spades_training.tournament.schedule import make_settings


def league(
    run: Annotated[Path, typer.Argument(help="Folder of a training run: runs/two_player")],
    snapshots: Annotated[int, typer.Option(help="Maximum snapshots, the first and the last included.")] = 8,
    against: Annotated[list[str] | None, typer.Option(help="Fixed player (repeatable); default: heuristic.")] = None,
    matches: Annotated[int, typer.Option(help="Matches of each pairing, rounded up to whole pairs.")] = 200,
    seed: options.SeedOption = 0,
    max_hands: options.MaxHandsOption = 100,
    workers: options.WorkersOption = 0,
    on: options.OnOption = HERE,
    out: Annotated[Path | None, typer.Option(help="Folder for the results; default: RUN/league/ratings")] = None,
    as_json: options.JsonOption = False,
) -> None:
    """Rate the history of a training run: its snapshots, its model and fixed players.

    They play a round robin; the first fixed player has rating 0. Writes
    league.csv, league.png and the files of a tournament to the folder after every
    round. To continue an interrupted league, run the same command again.
    """
    with options.needs("train", "the plot"):
        from spades_training.learning.plots import rating_history

    rules = options.parse_rules(load_settings(run).rules)
    steps = history(run, snapshots)
    fixed = against or ["heuristic"]
    # A pairing reports how far its first agent is ahead: list newer policies first and the reference last.
    agents = [*fixed[1:], *reversed(steps), fixed[0]]
    settings = make_settings(agents, rules, matches=matches, seed=seed, max_hands=max_hands, confidence=None)
    folder = run / LEAGUE / "ratings" if out is None else out

    def write(results: dict[str, Any]) -> None:
        write_results(results, folder)
        rows = league_rows(results, steps, fixed)
        write_whole(folder / "league.csv", csv_text(rows))
        rating_history(rows, rules, folder / "league.png")

    with options.interruptible("run the same command again to continue"):
        results = run_in_terminal(settings, folder, workers, on, as_json, write)
    rows = league_rows(results, steps, fixed)
    own = list(steps)
    first, last = own[0], own[-1]
    gain = next((cell["rating_gap"] for cell in results["crosstable"] if (cell["a"], cell["b"]) == (last, first)), None)
    if as_json:
        typer.echo(json.dumps({"run": str(run), "players": rows, "gain": gain, "tournament": results}))
        return
    console = Console(highlight=False)
    _print_rows(console, rows, fixed[0])
    print_forfeits(console, results)
    if gain is not None:
        text = f"{Path(last).name} is {Estimate(**gain).text(digits=0, signed=True)} Elo points ahead of the first"
        console.print(f"{text}; {settings.matches} matches of every pairing.", soft_wrap=True)
    console.print(f"plot: {folder / 'league.png'}", soft_wrap=True)


def _print_rows(console: Console, rows: list[dict[str, Any]], reference: str) -> None:
    # A long name of the reference would take the width of the players' names.
    ahead = f"ahead of {reference if len(reference) <= 14 else 'the last'} [95%]"
    table = FittedTable(("player", ahead, "steps", "won-lost"), keep=2)
    for row in rows:
        own = row["steps"] is not None
        rating = Estimate(row["rating"], row["low"], row["high"]).text(digits=0, signed=True)
        table.add_row(
            escape(Path(row["player"]).name if own else row["player"]),
            "0" if row["player"] == reference else rating,
            f"{row['steps']:,}" if own else "",
            f"{row['wins']}-{row['losses']}",
        )
    console.print(table)
