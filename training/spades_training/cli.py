"""The ``spades`` command."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from spades_env import __version__
from spades_training.options import parse_rules

__all__ = ["app"]


class _OneLineErrors(TyperGroup):
    """Says in one line on stderr what was wrong with the input, and exits with code 2."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except Exception as error:
            # Wrong usage is click's UsageError; typer brings its own copy of click or not, depending on its version.
            usage = getattr(error, "format_message", None)
            if usage is None and not isinstance(error, (ValueError, OSError)):
                raise
            text = " ".join(str(usage() if usage else error).split())
            typer.echo(f"error: {text}", err=True)
            raise typer.Exit(2) from None


app = typer.Typer(
    name="spades", cls=_OneLineErrors, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False
)

# Options that several commands share. The modules behind a command are imported when it runs, so that
# `spades --help` does not wait for what it does not need.
RulesOption = Annotated[
    str, typer.Option("--rules", help="Preset, with changes if need be: two_player,target=300,blind_nil=0")
]
SeedOption = Annotated[int, typer.Option("--seed", help="Names decks and dice: the same seed, the same result.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for machines instead.")]


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"spades-env {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Spades for reinforcement learning."""


@app.command()
def evaluate(
    a: Annotated[str, typer.Argument(help="A player: random, heuristic, ppo:runs/x/model.zip, my_module:MyAgent")],
    b: Annotated[str, typer.Argument(help="Its opponent (at three or four seats: its opponents)")],
    rules: RulesOption = "two_player",
    matches: Annotated[int, typer.Option(help="How many matches, rounded up to whole pairs.")] = 400,
    seed: SeedOption = 0,
    max_hands: Annotated[int, typer.Option(help="A match of so many hands without a winner counts for nobody.")] = 100,
    as_json: JsonOption = False,
) -> None:
    """Play duplicate matches, A against B: the same decks for both, seats swapped."""
    from rich.console import Console

    from spades_training import display
    from spades_training.evaluate import evaluate as play

    with display.match_progress(f"{a} against {b}", shown=not as_json) as progress:
        result = play(a, b, parse_rules(rules), matches=matches, seed=seed, max_hands=max_hands, progress=progress)
    if as_json:
        typer.echo(json.dumps(result.to_dict()))
    else:
        display.print_result(Console(), result)


if __name__ == "__main__":
    app()
