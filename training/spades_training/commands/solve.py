"""The command ``spades solve``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich.console import Console

from spades_training import options
from spades_training.bidding.double_dummy import answer, parse_position
from spades_training.terminal.table import FittedTable


def solve(
    deal: Annotated[str, typer.Argument(help="Two to four hands clockwise, separated by |: 'AS KS 2H | ♠Q ♥3 ♦4'.")],
    leader: Annotated[str | None, typer.Option(help="Who leads: N, E, S, W or 0 to 3; default: first hand.")] = None,
    trick: Annotated[str, typer.Option(help="Cards of the current trick, in order: 'QH,2H'.")] = "",
    bids: Annotated[str, typer.Option(help="Bids by seat from 0 (N): '4,nil,3,5'; 'blind' is a blind nil.")] = "",
    won: Annotated[str, typer.Option(help="Tricks won so far, by seat; default: none.")] = "",
    broken: Annotated[bool, typer.Option("--broken", help="Spades are broken.")] = False,
    rules: Annotated[str | None, typer.Option(help="A preset with changes; default: by the number of hands.")] = None,
    as_json: options.JsonOption = False,
) -> None:
    """Solve a deal with all cards open: the tricks of the side on turn after each card.

    A hand is AS KS 2H, or ♠AK ♥2, or S:AK H:2. In the notation of bridge, spades
    first, spaces separate the hands: 'AK.2.. Q.3.4.', or with four hands also the
    seat of the first: 'N:A.2.. K.3.. Q.4.. J.5..'.

    With bids, a two-player deal also gets a value: the lead in points, with every
    bag charged its share of the penalty, if both sides play for that. With three
    or four hands the result says whether each nil is safe.
    """
    chosen = options.parse_rules(rules) if rules else None
    result = answer(parse_position(deal, leader, trick, bids, won, broken, chosen))
    if as_json:
        typer.echo(json.dumps(result))
    else:
        _print(result)


def _print(result: dict[str, Any]) -> None:
    """Print a table in which cards of one suit with equal results share a row."""
    names = list(result["best"])
    title = f"{result['rules']}: {result['turn']} to play, {result['left']} tricks left"
    table = FittedTable(("card", *names), title=title)
    groups: dict[tuple[str, Sequence[float]], list[str]] = {}
    for card, values in result["cards"].items():
        groups.setdefault((card[-1], tuple(values[name] for name in names)), []).append(card)
    best = tuple(result["best"].values())
    for (_, values), cards in groups.items():
        cells = [_cell(name, value) for name, value in zip(names, values, strict=True)]
        table.add_row(" ".join(cards), *cells, style="bold" if values == best else None)
    table.add_section()
    table.add_row("best", *(_cell(name, value) for name, value in zip(names, best, strict=True)))
    Console().print(table)


def _cell(name: str, value: float) -> str:
    if name.startswith("nil"):
        return "safe" if value else "broken"
    return f"{value:+g}" if name == "value" else f"{value:g}"
