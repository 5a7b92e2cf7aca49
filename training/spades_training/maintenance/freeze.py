"""Makes the file of a field: the digests of its players, and their matches against its reference.

``python -m spades_training.maintenance.freeze plan.json field_2.json`` reads the settings of the field and its players
from a plan, which may be an older field; ``--check`` says which digests of a field are not those of this installation.
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Annotated, Any

import typer

from spades_env.files import write_whole
from spades_env.rules import Rules
from spades_training.benchmark.card import behaviors, differing, differs_text
from spades_training.benchmark.field import FIELD, Field, read_json
from spades_training.benchmark.figures import sum_up
from spades_training.benchmark.matches import play
from spades_training.options import WorkersOption, fail


def freeze(plan: dict[str, Any], folder: Path, workers: int = 0) -> dict[str, Any]:
    """The values of a field's file.

    Args:
        plan: the same values, where ``behavior``, ``wins`` and ``losses`` may be missing, and ``rules`` may be the name
            of a preset.
        folder: keeps the matches of an interrupted run; created if it does not exist.
        workers: number of processes; 0 uses every CPU core.
    """
    games: dict[str, Any] = {}
    for game, given in plan["games"].items():
        rules = Rules.preset(given["rules"]) if isinstance(given["rules"], str) else Rules.from_dict(given["rules"])
        empty = {"behavior": "", "wins": "", "losses": ""}
        players = {name: {**fields, **empty} for name, fields in given["players"].items()}
        games[game] = {"rules": rules.to_dict(), "players": players}
    raw = {**plan, "games": games}
    field = Field(raw)
    for (game, name), digest in behaviors(field, {one: field.part(one).opponents for one in games}, workers).items():
        games[game]["players"][name]["behavior"] = digest
    folder.mkdir(parents=True, exist_ok=True)
    for game in games:
        part = field.part(game)
        reference = next(one for one in part.opponents if one.name == field.reference)
        for k, player in enumerate(part.against(field.reference)):
            against = dataclasses.replace(reference, pairs=player.reference_pairs)
            (pairing,) = play(player.name, part, field, folder / f"{game}-{k}.jsonl", workers, opponents=[against])
            sums = sum_up(pairing, part.rules)
            digits = {name: "".join(str(int(n)) for n in getattr(sums, name)) for name in ("wins", "losses")}
            games[game]["players"][player.name] |= digits
    return raw


def main(
    plan: Annotated[Path, typer.Argument(help="The plan; with --check, a field.")] = FIELD,
    out: Annotated[Path | None, typer.Argument(help="File to write.")] = None,
    check: Annotated[bool, typer.Option("--check", help="Compare the digests of a field.")] = False,
    keep: Annotated[Path, typer.Option(help="Folder that keeps the matches of an interrupted run.")] = Path("freeze"),
    workers: WorkersOption = 0,
) -> None:
    """Freeze a field, or check the digests of one."""
    if check:
        field = Field.load(plan)
        here = behaviors(field, {game: field.part(game).opponents for game in field.games}, workers)
        changed = {game: names for game in field.games if (names := differing(field, game, here))}
        if changed:
            fail("; ".join(f"{game}: {differs_text(field.name, names)}" for game, names in changed.items()), code=1)
        typer.echo(f"all players are those of {field.name}")
        return
    if out is None:
        raise typer.BadParameter("give the file to write, or --check")
    write_whole(out, json.dumps(freeze(read_json(plan), keep, workers), indent=1) + "\n")


if __name__ == "__main__":
    typer.run(main)
