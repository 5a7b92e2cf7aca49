"""The commands of bidding research."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from spades_training.options import parse_rules

__all__ = ["bidding_data"]


def needs(package: str) -> ValueError:
    """The error that says how to install a package."""
    return ValueError(f"bidding research needs the package {package}: pip install 'spades-env[research]'")


def bidding_data(
    folder: Annotated[Path, typer.Argument(help="Where the Parquet files go; run again to go on after a kill.")],
    rules: Annotated[str, typer.Option(help="Preset, with changes if need be.")] = "two_player",
    deals: Annotated[int, typer.Option(help="How many deals, rounded up to whole shards.")] = 100_000,
    agents: Annotated[str, typer.Option(help="The players: one for all seats, or one for each, with spaces.")] = (
        "heuristic"
    ),
    explore: Annotated[float, typer.Option(help="Share of bids drawn at random: nil, or within two of one's own.")] = (
        0.3
    ),
    blind: Annotated[float, typer.Option(help="Share of blind questions answered by blind nil at random.")] = 0.02,
    double_dummy: Annotated[bool, typer.Option(help="Solve every deal with open cards.")] = True,
    shard: Annotated[int, typer.Option(help="Deals in a file.")] = 5000,
    workers: Annotated[int, typer.Option(help="Processes; the files do not depend on it.")] = 2,
    seed: Annotated[int, typer.Option(help="Names decks and dice: the same seed, the same rows.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for machines instead.")] = False,
) -> None:
    """Play deals and write what each seat held, bid and won, a row for each: to learn from.

    Scores and bags before a hand are drawn at random. Killed and started again with the same options, it goes on.
    """
    try:
        import polars  # noqa: F401
    except ModuleNotFoundError:
        raise needs("polars") from None
    from spades_training.bidding.data import DataSettings, write_data
    from spades_training.terminal.display import progress_bar

    game = parse_rules(rules)
    settings = DataSettings(game.to_dict(), tuple(agents.split()), seed, explore, blind, double_dummy, shard)
    with progress_bar("shards", shown=not as_json) as progress:
        written = write_data(settings, folder, deals, workers, progress)
    count = -(-deals // shard) * shard
    found = {"folder": str(folder), "deals": count, "rows": count * game.players, "shards_written": written}
    if as_json:
        typer.echo(json.dumps(found))
    else:
        typer.echo(f"{folder}: {count} deals, {count * game.players} rows, {written} shards written now")
