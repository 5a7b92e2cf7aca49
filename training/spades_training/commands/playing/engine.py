"""The command ``spades engine``."""

from __future__ import annotations

import sys
from typing import Annotated

import typer


def engine(
    agent: Annotated[str, typer.Argument(help="The player, such as heuristic, pimc:worlds=60 or ppo:runs/x.")],
) -> None:
    """Play for another program, in JSON lines over standard input and output.

    The documentation's page on engines specifies the protocol. Any program that
    speaks it plays here as engine:COMMAND.
    """
    from spades_agents.engines.serve import Engine, serve

    serve(Engine(agent), sys.stdin.buffer, sys.stdout.buffer)
