"""The command ``spades play``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from spades_agents.base import check_plays
from spades_agents.registry import make_agent

from spades_env.checks import check_int
from spades_env.game import Game
from spades_training import options
from spades_training.terminal.match import TerminalMatch, free_path


def play(
    against: Annotated[str, typer.Option(help="Player at all other seats, including your partner's.")] = "heuristic",
    rules: options.RulesOption = "two_player",
    seat: Annotated[int, typer.Option(help="Your seat.")] = 0,
    seed: Annotated[int | None, typer.Option(help="Seed of the decks; default: a random one.")] = None,
    record: Annotated[Path | None, typer.Option(help="File for the record; default: a new one in this folder.")] = None,
) -> None:
    """Play a match in the terminal; its record is saved when it ends or you quit."""
    game = Game(options.parse_rules(rules), seed)
    check_int("seat", seat, 0, game.rules.players - 1)
    path = free_path(game.rules, game.seed[0]) if record is None else record
    if path.exists():
        raise ValueError(f"the file {path} exists: choose another one for the record")
    if not path.absolute().parent.is_dir():
        raise ValueError(f"there is no folder {path.parent} for the record")
    agent = make_agent(against)
    check_plays(agent, game.rules)
    console = Console(highlight=False)
    try:
        TerminalMatch(game, agent, seat, console).play()
    finally:
        game.record(["you" if k == seat else agent.name for k in range(game.rules.players)]).save(path)
        console.print(f"record saved: {path}   (spades replay {path})")
