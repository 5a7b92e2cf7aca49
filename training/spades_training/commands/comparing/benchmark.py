"""The command ``spades benchmark``."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from spades_training import options
from spades_training.benchmark.card import CARD, TEXT, quote, run_benchmark
from spades_training.benchmark.field import FIELD, BenchmarkError, Field
from spades_training.benchmark.verify import verify as check
from spades_training.terminal.display import progress_bar, reporter


def benchmark(
    agent: Annotated[str | None, typer.Argument(help="The player: heuristic, my_agent.py:MyAgent, ppo:runs/x")] = None,
    rules: Annotated[
        list[str] | None, typer.Option("--rules", help="A preset (repeatable); default: all that the player plays.")
    ] = None,
    verify: Annotated[Path | None, typer.Option(help="Check this card instead: benchmarks/x/card.json")] = None,
    moves: Annotated[
        bool, typer.Option("--moves/--no-moves", help="With --verify, also let the opponents play again.")
    ] = True,
    field: Annotated[Path, typer.Option(help="File of another field (docs/benchmark.md).", show_default=False)] = FIELD,
    workers: options.WorkersOption = 0,
    out: Annotated[Path | None, typer.Option(help="Folder for the results; default: benchmarks/AGENT")] = None,
    as_json: options.JsonOption = False,
) -> None:
    """Play the frozen field of players and write a card to quote, or check a card.

    Writes card.json, card.md and records.tar.xz, the records of all matches. To
    continue an interrupted run, run the same command again. --verify replays the
    records and computes every figure again; the exit code is 1 if anything differs.
    """
    if (agent is None) == (verify is None):
        raise ValueError("give a player to benchmark, or --verify CARD")
    chosen = Field.load(field)
    try:
        if agent is not None:
            folder = out or Path("benchmarks") / re.sub(r"[^A-Za-z0-9_.=,-]+", "-", agent).strip("-.")
            _run(agent, folder, chosen, rules or [], workers, as_json)
        elif verify is not None:
            _verify(verify, chosen, workers, moves, as_json)
    except BenchmarkError as error:
        options.fail(str(error), code=1)


def _run(agent: str, folder: Path, field: Field, rules: list[str], workers: int, as_json: bool) -> None:
    say = reporter(shown=not as_json)

    def progress(game: str):
        say(f"{agent}, {game}")
        return update

    with (
        options.interruptible("run the same command again to continue"),
        progress_bar("matches", shown=not as_json) as update,
    ):
        card = run_benchmark(agent, folder, field, rules, workers, progress)
    if as_json:
        typer.echo(json.dumps(card))
        return
    typer.echo((folder / TEXT).read_text("utf8"))
    console = Console(highlight=False)
    for game in card["games"]:
        console.print(quote(card, game), markup=False, soft_wrap=True)
    console.print(f"card: {folder / CARD}", soft_wrap=True)


def _verify(path: Path, field: Field, workers: int, moves: bool, as_json: bool) -> None:
    with (
        options.interruptible("nothing was written"),
        progress_bar("matches replayed", shown=not as_json) as progress,
    ):
        unchecked = check(path, field, workers, moves, progress)
    if as_json:
        typer.echo(json.dumps({"card": str(path), "correct": True, "not_checked": unchecked}))
        return
    for line in unchecked:
        typer.echo(f"not checked: {line}")
    typer.echo(f"{path}: every match, figure and digest checked")
