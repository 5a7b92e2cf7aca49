"""The command ``spades tournament``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from spades_training import options
from spades_training.cluster.connect import HERE
from spades_training.tournament.output import print_results, run_in_terminal, write_results
from spades_training.tournament.schedule import make_settings


def tournament(
    agents: Annotated[list[str], typer.Argument(help="Players: heuristic, pimc:worlds=10, ppo:runs/x, module:MyAgent")],
    rules: options.RulesOption = "two_player",
    matches: Annotated[int, typer.Option(help="Maximum matches of each pairing, rounded up to whole pairs.")] = 400,
    confidence: Annotated[float, typer.Option(help="Stop when the order is this certain; 0: play all matches.")] = 0.95,
    time_limit: Annotated[float, typer.Option(help="Seconds per decision; a slower player forfeits; 0: no limit.")] = 0,
    seed: options.SeedOption = 0,
    max_hands: options.MaxHandsOption = 100,
    workers: options.WorkersOption = 0,
    on: options.OnOption = HERE,
    out: Annotated[Path | None, typer.Option(help="Folder for the results; default: tournaments/RULES")] = None,
    as_json: options.JsonOption = False,
) -> None:
    """Play a round robin of duplicate matches and rate all players.

    Writes results.json, ratings.csv, pairings.csv and report.html to the folder
    after every round. To continue an interrupted tournament, run the same command
    again.
    """
    chosen = options.parse_rules(rules)
    settings = make_settings(
        agents,
        chosen,
        matches=matches,
        seed=seed,
        max_hands=max_hands,
        confidence=confidence or None,
        time_limit=time_limit or None,
    )
    folder = Path("tournaments") / chosen.name if out is None else out
    with options.interruptible("run the same command again to continue"):
        results = run_in_terminal(settings, folder, workers, on, as_json, lambda found: write_results(found, folder))
    if as_json:
        typer.echo(json.dumps(results))
        return
    console = Console(highlight=False)
    print_results(console, results)
    console.print(f"report: {folder / 'report.html'}", soft_wrap=True)
