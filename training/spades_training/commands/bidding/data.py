"""The command ``spades bidding-data``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from spades_training import options
from spades_training.bidding.data import DataSettings, write_data
from spades_training.cluster.connect import HERE, connect
from spades_training.terminal.display import progress_bar, reporter


def bidding_data(
    folder: Annotated[Path, typer.Argument(help="Folder for the Parquet files.")],
    rules: options.RulesOption = "two_player",
    deals: Annotated[int, typer.Option(help="Number of deals, rounded up to whole shards.")] = 100_000,
    agents: Annotated[str, typer.Option(help="One player, or one for each seat, separated by spaces.")] = "heuristic",
    explore: Annotated[float, typer.Option(help="Share of random bids: nil, or within 2 of the player's.")] = 0.3,
    blind: Annotated[float, typer.Option(help="Share of blind nil decisions forced to blind nil.")] = 0.02,
    double_dummy: Annotated[bool, typer.Option(help="Solve every deal double-dummy.")] = True,
    shard: Annotated[int, typer.Option(help="Deals per file.")] = 5000,
    workers: Annotated[int, typer.Option(help="Number of processes; it does not change the files.")] = 2,
    on: options.OnOption = HERE,
    seed: options.SeedOption = 0,
    as_json: options.JsonOption = False,
) -> None:
    """Play deals and write bidding data: what each seat held, bid and won, one row per seat.

    The scores and bags before a hand are random. To continue an interrupted run,
    run the same command again.
    """
    with options.needs("research", "bidding research"):
        import polars  # noqa: F401

    game = options.parse_rules(rules)
    settings = DataSettings(game.to_dict(), tuple(agents.split()), seed, explore, blind, double_dummy, shard)
    with (
        options.interruptible("run the same command again to continue"),
        connect(on, reporter(shown=not as_json)) as cluster,
        progress_bar("shards", shown=not as_json) as progress,
    ):
        written = write_data(settings, folder, deals, workers, progress, cluster)
    count = -(-deals // shard) * shard
    found = {"folder": str(folder), "deals": count, "rows": count * game.players, "shards_written": written}
    if as_json:
        typer.echo(json.dumps(found))
    else:
        typer.echo(f"{folder}: {count} deals, {count * game.players} rows; new shards: {written}")
