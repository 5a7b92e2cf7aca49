"""The command ``spades tournament``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spades_training.options import parse_rules

if TYPE_CHECKING:
    from spades_training.tournament.schedule import Settings

__all__ = ["play_settings", "tournament"]


def tournament(
    agents: Annotated[
        list[str],
        typer.Argument(help="Players: heuristic, pimc:worlds=10, ppo:runs/x/model.zip, my_module:MyAgent ..."),
    ],
    rules: Annotated[
        str, typer.Option("--rules", help="Preset, with changes if need be: two_player,target=300,blind_nil=0")
    ] = "two_player",
    matches: Annotated[int, typer.Option(help="Most matches of every pairing, rounded up to whole pairs.")] = 400,
    confidence: Annotated[
        float, typer.Option(help="End when the order is certain to this degree; 0: play all matches.")
    ] = 0.95,
    time_limit: Annotated[
        float, typer.Option(help="Most seconds for a decision; who takes longer loses the match. 0: no limit.")
    ] = 0,
    seed: Annotated[int, typer.Option("--seed", help="Names decks and dice: the same seed, the same result.")] = 0,
    max_hands: Annotated[int, typer.Option(help="A match of so many hands without a winner counts for nobody.")] = 100,
    workers: Annotated[int, typer.Option(help="Processes that play; 0: one for each CPU core.")] = 0,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the results; default: tournaments/ and the name of the rules.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for machines instead.")] = False,
) -> None:
    """Let every agent play every other one, in duplicate matches; rate them all.

    Writes results.json, ratings.csv, pairings.csv and report.html into the folder, after every round. After a kill
    the same command goes on where it was.
    """
    from rich.console import Console

    from spades_training.tournament.output import print_results, write_results
    from spades_training.tournament.schedule import make_settings

    chosen = parse_rules(rules)
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
    results = play_settings(settings, folder, workers, as_json, lambda found: write_results(found, folder))
    if as_json:
        typer.echo(json.dumps(results))
        return
    console = Console(highlight=False)
    print_results(console, results)
    console.print(f"report: {folder / 'report.html'}", soft_wrap=True)


def play_settings(
    settings: Settings, folder: Path, workers: int, quiet: bool, write: Callable[[dict[str, Any]], object]
) -> dict[str, Any]:
    """Play a tournament as a command does: a bar and a line for each round on stderr, unless ``quiet``.

    Args:
        settings: of the tournament.
        folder: for its log.
        workers: processes that play; 0 for one for each CPU core.
        quiet: show nothing.
        write: given the results so far after each round.

    Returns:
        The results. Ctrl-C ends the program with code 130 and one line.
    """
    from rich.console import Console

    from spades_training.terminal import display
    from spades_training.tournament.run import run_tournament

    errors = Console(stderr=True, highlight=False)

    def after_round(results: dict[str, Any]) -> None:
        write(results)
        if not quiet:
            places = "  ".join(f"{row['agent']} {row['rating']['value']:+.0f}" for row in results["ratings"])
            errors.print(f"round {results['rounds']}, {results['matches']} matches:  {places}", markup=False)

    try:
        with display.progress_bar(f"{len(settings.agents)} agents", shown=not quiet) as progress:
            return run_tournament(settings, folder, workers=workers or None, progress=progress, after_round=after_round)
    except KeyboardInterrupt:
        typer.echo("error: interrupted; the same command goes on from here", err=True)
        raise typer.Exit(130) from None
