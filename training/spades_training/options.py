"""What several commands share: options, rules given as text, and errors of one line."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from spades_env.rules import Rules

RulesOption = Annotated[
    str, typer.Option("--rules", help="A preset, optionally with changes: solo,target=300,blind_nil=0")
]
SeedOption = Annotated[int, typer.Option("--seed", help="Random seed; the same seed gives the same result.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead.")]
MaxHandsOption = Annotated[
    int, typer.Option("--max-hands", help="Truncate a match without a winner after this many hands; it is not counted.")
]
WorkersOption = Annotated[int, typer.Option("--workers", help="Number of processes; 0 uses every CPU core.")]
OnOption = Annotated[
    str, typer.Option("--on", help="Machines: here, ray, ray:ADDRESS, dask:ADDRESS, module:function (docs/cluster.md).")
]
RunsOption = Annotated[Path, typer.Option("--runs", help="Folder that holds the runs.")]

_WORDS: dict[str, Any] = {"true": True, "yes": True, "false": False, "no": False, "none": None}


def parse_rules(text: str) -> Rules:
    """Parse ``preset`` or ``preset,field=value,...``, as in ``two_player,target=300,blind_nil=0``.

    Raises:
        ValueError: if there is no such preset or field, or the combination of values is invalid.
    """
    name, *changes = text.split(",")
    preset = Rules.preset(name.strip())
    known = [field.name for field in dataclasses.fields(Rules)]
    fields: dict[str, Any] = {}
    for change in changes:
        key, equals, value = (part.strip() for part in change.partition("="))
        if not equals or key not in known:
            raise ValueError(
                f"rules {text!r}: {change.strip()!r} is not field=value, where field is one of {', '.join(known)}"
            )
        fields[key] = _value(value)
    return dataclasses.replace(preset, **fields)


def _value(text: str) -> Any:
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    try:
        return int(text)
    except ValueError:
        return text


def fail(text: str, code: int = 2, trace: str = "") -> NoReturn:
    """Print one line on stderr, then the lines of ``trace``, and exit."""
    typer.echo(f"error: {' '.join(text.split())}" + (f"\n{trace}" if trace else ""), err=True)
    raise typer.Exit(code)


@contextmanager
def interruptible(advice: str | Callable[[], str]) -> Iterator[None]:
    """Exit with code 130 on Ctrl-C, after one line that ends in ``advice``, or in what it then returns."""
    try:
        yield
    except KeyboardInterrupt:
        fail(f"interrupted; {advice if isinstance(advice, str) else advice()}", code=130)


@contextmanager
def needs(extra: str, purpose: str) -> Iterator[None]:
    """Turn a missing optional package into an error that says how to install it.

    Raises:
        ValueError: if an import in the block fails; ``extra`` names the extra to install.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise ValueError(f"{purpose} needs the package {error.name}: pip install 'spades-env[{extra}]'") from None
