"""Runs the spades command in this process."""

from __future__ import annotations

import os
from typing import Any

from spades_training.cli import app
from typer.testing import CliRunner


def spades(*args: Any, stdin: str | None = None, columns: int = 80):
    # The tests neither read nor change the choices that the user's own commands remember.
    env = {"COLUMNS": str(columns), "SPADES_CONFIG_DIR": os.environ.get("SPADES_CONFIG_DIR", os.devnull)}
    return CliRunner().invoke(app, list(map(str, args)), input=stdin, env=env)


def fails(message: str, *args: Any) -> None:
    """The command prints one line that starts with ``message`` on stderr, and exits with code 2."""
    result = spades(*args, stdin="")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(message), result.stderr
    assert result.stderr.count("\n") == 1
