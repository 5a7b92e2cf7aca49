"""The ``spades`` command."""

from __future__ import annotations

import typer

from spades_env import __version__

app = typer.Typer(name="spades", no_args_is_help=True, add_completion=False)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"spades-env {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: bool = typer.Option(False, "--version", callback=_print_version, is_eager=True, help="Print the version."),
) -> None:
    """Spades for reinforcement learning."""
