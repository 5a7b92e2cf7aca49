"""The command ``spades warm``."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from spades_training import options


def warm(
    agents: Annotated[list[str] | None, typer.Argument(help="Players; by default all that the package ships.")] = None,
    rules: Annotated[
        list[str] | None,
        typer.Option("--rules", help="The rules to prepare for; may be repeated. Default: every preset."),
    ] = None,
) -> None:
    """Compile the engine and the players now, so that no other command has to wait for it.

    The compiled code is kept in the cache folder. Commands and your own programs
    then load it in about a second.
    """
    from spades_training.warm import warm as prepare

    console = Console(highlight=False)
    for what, seconds in prepare(agents or (), [options.parse_rules(text) for text in rules or ()]):
        console.print(f"{what}: {seconds:.1f} s")
