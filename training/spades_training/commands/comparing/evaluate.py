"""The command ``spades evaluate``."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.console import Console

from spades_training import options
from spades_training.cluster.connect import HERE, connect
from spades_training.evaluation.evaluate import evaluate as play_matches
from spades_training.terminal import display


def evaluate(
    a: Annotated[str, typer.Argument(help="Player A: random, heuristic, ppo:runs/x/model.zip, my_module:MyAgent")],
    b: Annotated[str, typer.Argument(help="Player B; with three or four sides it takes all sides but A's.")],
    rules: options.RulesOption = "two_player",
    matches: Annotated[int, typer.Option(help="Number of matches, rounded up to whole pairs.")] = 400,
    seed: options.SeedOption = 0,
    max_hands: options.MaxHandsOption = 100,
    on: options.OnOption = HERE,
    as_json: options.JsonOption = False,
) -> None:
    """Play duplicate matches between two players: the same decks, with the seats swapped."""
    game = options.parse_rules(rules)
    with (
        connect(on, display.reporter(shown=not as_json)) as cluster,
        display.progress_bar(f"{a} against {b}", shown=not as_json) as progress,
    ):
        result = play_matches(
            a, b, game, matches=matches, seed=seed, max_hands=max_hands, progress=progress, on=cluster
        )
    if as_json:
        typer.echo(json.dumps(result.to_dict()))
    else:
        display.print_result(Console(), result)
