"""The command ``spades puzzles``."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from rich.console import Console
from spades_agents.base import check_plays, plays
from spades_agents.puzzles import load_puzzles, score
from spades_agents.registry import make_agent

from spades_env.cards import action_name
from spades_training import options
from spades_training.terminal.solving import solve_puzzles
from spades_training.terminal.table import FittedTable


def puzzles(
    agent: Annotated[
        str | None,
        typer.Argument(help="The player: heuristic, pimc:worlds=60, ppo:runs/x/model.zip ...; without one, you solve."),
    ] = None,
    theme: Annotated[str, typer.Option(help="Use only the puzzles of this theme.")] = "",
    seed: options.SeedOption = 0,
    wrong: Annotated[bool, typer.Option("--wrong", help="Show only the puzzles that the player gets wrong.")] = False,
    as_json: options.JsonOption = False,
) -> None:
    """Solve positions that have a known best action, or test a player on them.

    Without a player, the positions are shown one by one; you answer, and get the answer and the reason. A trained
    player gets only the puzzles of the game that it was trained for.
    """
    chosen = load_puzzles()
    if theme:
        known = sorted({puzzle.theme for puzzle in chosen})
        chosen = tuple(puzzle for puzzle in chosen if puzzle.theme == theme)
        if not chosen:
            raise ValueError(f"no puzzle has the theme {theme!r}: use one of {', '.join(known)}")
    if agent is None:
        if as_json or wrong:
            raise ValueError(f"{'--json' if as_json else '--wrong'} needs a player: spades puzzles heuristic ...")
        solve_puzzles(chosen, Console(highlight=False))
        return
    player = make_agent(agent)
    playable = tuple(puzzle for puzzle in chosen if plays(player, puzzle.rules))
    if not playable:
        check_plays(player, chosen[0].rules)
    chosen = playable
    attempts = score(player, chosen, seed)
    right = sum(attempt.right for attempt in attempts)
    rows: list[dict[str, Any]] = [
        {
            "name": attempt.puzzle.name,
            "theme": attempt.puzzle.theme,
            "rules": attempt.puzzle.rules.name,
            "answer": [action_name(action) for action in attempt.puzzle.answer],
            "choice": action_name(attempt.action),
            "right": attempt.right,
            "reason": attempt.puzzle.reason,
        }
        for attempt in attempts
    ]
    if as_json:
        typer.echo(json.dumps({"agent": player.name, "right": right, "puzzles": len(rows), "attempts": rows}))
        return
    title = f"{player.name}: {right} of {len(rows)} puzzles right"
    table = FittedTable(("puzzle", "right", "choice", "reason"), left=(1, 2), wrap=True, title=title)
    for row in rows:
        if not (wrong and row["right"]):
            mark = "[green]yes[/green]" if row["right"] else f"[red]no: {' or '.join(row['answer'])}[/red]"
            table.add_row(row["name"], mark, row["choice"], row["reason"])
    Console(highlight=False).print(table)
