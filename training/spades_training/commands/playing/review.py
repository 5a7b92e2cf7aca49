"""The command ``spades review``."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from spades_agents.review import Judged
from spades_agents.review import review as judgments

from spades_env.cards import action_name
from spades_env.game import Phase
from spades_env.records.record import Record
from spades_training import options
from spades_training.terminal.display import progress_bar
from spades_training.terminal.table import FittedTable

# What a cost is called and the factor in front of it, by the unit of the ratings.
_UNITS = {
    "win": ("chance to win the match, in %", 100.0),
    "points": ("points", 1.0),
    "probability": ("probability that the player acts so, in %", 100.0),
}


def review(
    file: Annotated[Path, typer.Argument(metavar="RECORD", help="Record of a match, as saved by spades play.")],
    player: Annotated[str, typer.Option(help="Player that rates the decisions.")] = "pimc:worlds=60",
    seat: Annotated[int | None, typer.Option(help="Review only this seat, from 0; default: all.")] = None,
    top: Annotated[int, typer.Option(help="Decisions to list for each seat.", min=1)] = 10,
    as_json: options.JsonOption = False,
) -> None:
    """List the decisions of each seat that cost most, with what the player would have done.

    Each decision is rated from what the seat knew. The cost is the rating of the
    best action minus that of the action played, with its standard error.
    """
    try:
        record = Record.load(file)
    except OSError as error:
        raise ValueError(f"cannot read {file}: {error.strerror}") from None
    found: list[Judged] = []
    total = sum(len(hand.actions) for hand in record.hands)
    before = _actions_before(record)
    with progress_bar(f"{player} reviews {file}", shown=not as_json) as progress:
        for judged in judgments(record, player, None if seat is None else [seat]):
            found.append(judged)
            progress(before[judged.hand - record.start.hand_number] + judged.index + 1, total)
    seats = range(record.rules.players) if seat is None else [seat]
    if as_json:
        typer.echo(json.dumps({"player": player, "seats": [_seat(found, k, top) for k in seats]}))
        return
    console = Console(highlight=False)
    for k in seats:
        name = record.agents[k] if record.agents else f"seat {k}"
        console.print(_table(_seat(found, k, top), f"{name}, seat {k}" if record.agents else name))


def _actions_before(record: Record) -> list[int]:
    """The number of actions before each hand."""
    counts = [len(hand.actions) for hand in record.hands]
    return [sum(counts[:k]) for k in range(len(counts))]


def _seat(found: list[Judged], seat: int, top: int) -> dict[str, Any]:
    """What a seat decided and its costliest decisions, the worst first."""
    own = [judged for judged in found if judged.seat == seat]
    costly = sorted((judged for judged in own if judged.cost > 0), key=lambda judged: -judged.cost)
    return {"seat": seat, "decisions": len(own), "costliest": [_row(judged) for judged in costly[:top]]}


def _row(judged: Judged) -> dict[str, Any]:
    view = judged.view
    return {
        "hand": judged.hand,
        "index": judged.index,
        "phase": view.phase.name.lower(),
        "trick": len(view.played) // view.rules.players + 1 if view.phase == Phase.PLAY else None,
        "action": action_name(judged.action),
        "best": action_name(judged.best),
        "cost": judged.cost,
        "error": _finite(judged.error),
        "unit": judged.ratings[judged.best].unit,
        "ratings": {
            action_name(action): {"value": rating.value, "error": _finite(rating.error)}
            for action, rating in judged.ratings.items()
        },
    }


def _finite(error: float) -> float | None:
    """JSON has no NaN."""
    return None if math.isnan(error) else error


def _table(seat: dict[str, Any], name: str) -> FittedTable:
    units = sorted({row["unit"] for row in seat["costliest"]})
    caption = "cost: " + "; ".join(_UNITS[unit][0] for unit in units) if units else "nothing given away"
    title = f"{name}: {seat['decisions']} decisions"
    titles = ("did", "cost", "better", "hand", "when")
    table = FittedTable(titles, keep=3, left=(2, 4), title=escape(title), caption=caption)
    for row in seat["costliest"]:
        scale = _UNITS[row["unit"]][1]
        error = "" if row["error"] is None else f" ± {scale * row['error']:.1f}"
        when = f"trick {row['trick']}" if row["trick"] else row["phase"]
        table.add_row(row["action"], f"{scale * row['cost']:.1f}{error}", row["best"], str(row["hand"] + 1), when)
    return table
