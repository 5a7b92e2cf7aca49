"""The command ``spades league``: how strong the policy of a training run was at each stage of its history."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from spades_env.checks import check_int
from spades_training.commands.tournament import play_settings
from spades_training.evaluation.intervals import Estimate
from spades_training.learning.config import Config
from spades_training.options import parse_rules

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["LEAGUE", "history", "league", "rows", "thinned"]

LEAGUE = "league"  # folder in that of a run, of all its snapshots, those too that no longer play


def thinned(steps: Sequence[int], most: int) -> list[int]:
    """At most ``most`` of ``steps``: the first, the last, and those nearest to points evenly spread between them."""
    ordered = np.array(sorted(steps))
    if len(ordered) <= most:
        return ordered.tolist()
    wanted = np.linspace(ordered[0], ordered[-1], most)
    return ordered[np.unique(np.abs(ordered[:, None] - wanted).argmin(axis=0))].tolist()


def history(run: Path, most: int) -> dict[str, int]:
    """The players of a run, oldest first, and the steps of self-play after which each was saved.

    Args:
        run: the folder of the run.
        most: snapshots, at least 2; the final model, if there is one yet, comes on top.

    Raises:
        ValueError: if there are no snapshots, or ``most`` makes no sense.
    """
    check_int("snapshots", most, 2, 1000)
    saved = {int(path.stem): path for path in (run / LEAGUE).glob("*.zip") if path.stem.isdigit()}
    if not saved:
        raise ValueError(f"the run {run} has no snapshots: no file like {run / LEAGUE / '000000000000.zip'}")
    players = {f"ppo:{saved[steps]}": steps for steps in thinned(list(saved), most)}
    if (run / "model.zip").exists():
        players[f"ppo:{run / 'model.zip'}"] = _trained(run / "metrics.csv")
    return players


def _trained(metrics: Path) -> int:
    """Steps of self-play at the end of a run."""
    try:
        with open(metrics, newline="", encoding="utf8") as file:
            return [int(row["steps"]) for row in csv.DictReader(file)][-1]
    except (OSError, ValueError, LookupError) as error:
        raise ValueError(f"cannot read the steps of the final model in {metrics}: {error}") from None


def rows(results: dict[str, Any], steps: dict[str, int], against: Sequence[str]) -> list[dict[str, Any]]:
    """A row for each player, those of the run by their steps, then the fixed ones.

    Args:
        results: of a tournament in which ``against[0]`` is the last agent, so that each other one is told beside it.
        steps: of the run's players, as :func:`history` gives them.
        against: the fixed players; the rating of the first is 0.
    """
    gaps = {cell["a"]: cell["rating_gap"] for cell in results["crosstable"] if cell["b"] == against[0]}
    gaps[against[0]] = {"value": 0.0, "low": 0.0, "high": 0.0}
    found = {row["agent"]: row for row in results["ratings"]}
    return [
        {
            "steps": steps.get(name),
            "player": name,
            "rating": gaps[name]["value"],
            "low": gaps[name]["low"],
            "high": gaps[name]["high"],
            **{key: found[name][key] for key in ("wins", "losses", "forfeits")},
        }
        for name in [*steps, *against]
    ]


def league(
    run: Annotated[Path, typer.Argument(help="Folder of a training run: runs/two_player")],
    snapshots: Annotated[int, typer.Option(help="Most snapshots to play; first and last are always among them.")] = 8,
    against: Annotated[
        list[str] | None,
        typer.Option(
            help="A fixed player; may be given again. The first has rating 0. [heuristic]", show_default=False
        ),
    ] = None,
    matches: Annotated[int, typer.Option(help="Matches of every pairing, rounded up to whole pairs.")] = 200,
    seed: Annotated[int, typer.Option("--seed", help="Names decks and dice: the same seed, the same result.")] = 0,
    max_hands: Annotated[int, typer.Option(help="A match of so many hands without a winner counts for nobody.")] = 100,
    workers: Annotated[int, typer.Option(help="Processes that play; 0: one for each CPU core.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Folder for the results; default: RUN/league/ratings")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for machines instead.")] = False,
) -> None:
    """Rate the history of a training run: its snapshots, its model and fixed players in a round robin.

    Writes league.csv and league.png, and all that a tournament writes, into the folder, after every round. After a
    kill the same command goes on where it was.
    """
    from rich.console import Console

    from spades_training.files import write_whole
    from spades_training.tournament.output import csv_text, print_forfeits, write_results
    from spades_training.tournament.schedule import make_settings

    try:
        from spades_training.learning.plots import rating_history
    except ModuleNotFoundError as error:
        raise ValueError(f"the plot needs the package {error.name}: pip install 'spades-env[train]'") from None

    rules = parse_rules(Config.load(run).rules)
    steps = history(run, snapshots)
    fixed = against or ["heuristic"]
    # A pairing tells how far its first agent is ahead of its second: newer policies first, the zero of the scale last.
    agents = [*fixed[1:], *reversed(steps), fixed[0]]
    settings = make_settings(agents, rules, matches=matches, seed=seed, max_hands=max_hands, confidence=None)
    folder = run / LEAGUE / "ratings" if out is None else out

    def write(results: dict[str, Any]) -> None:
        write_results(results, folder)
        found = rows(results, steps, fixed)
        write_whole(folder / "league.csv", csv_text(found))
        rating_history(found, rules, folder / "league.png")

    results = play_settings(settings, folder, workers, as_json, write)
    found = rows(results, steps, fixed)
    own = list(steps)
    first, last = own[0], own[-1]
    gain = next((cell["rating_gap"] for cell in results["crosstable"] if (cell["a"], cell["b"]) == (last, first)), None)
    if as_json:
        typer.echo(json.dumps({"run": str(run), "players": found, "gain": gain, "tournament": results}))
        return
    console = Console(highlight=False)
    _print_rows(console, found, fixed[0])
    print_forfeits(console, results)
    if gain is not None:
        text = f"{Path(last).name} is {Estimate(**gain).text(digits=0, signed=True)} Elo points ahead of the first"
        console.print(f"{text}; {settings.matches} matches of every pairing.", soft_wrap=True)
    console.print(f"plot: {folder / 'league.png'}", soft_wrap=True)


def _print_rows(console: Console, found: list[dict[str, Any]], reference: str) -> None:
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("steps", justify="right", no_wrap=True)
    table.add_column("player", overflow="fold", min_width=14)
    table.add_column(escape(f"ahead of {reference} [95%]"), justify="right")
    table.add_column("won-lost", justify="right", no_wrap=True)
    for row in found:
        own = row["steps"] is not None
        rating = Estimate(row["rating"], row["low"], row["high"]).text(digits=0, signed=True)
        table.add_row(
            f"{row['steps']:,}" if own else "",
            escape(Path(row["player"]).name if own else row["player"]),
            "0" if row["player"] == reference else rating,
            f"{row['wins']}-{row['losses']}",
        )
    console.print(table)
