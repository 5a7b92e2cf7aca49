"""Write some bidding data and answer a question with it: how many tricks does each number of spades win?

Run ``python examples/read_bidding_data.py`` (needs the ``research`` extra).
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import polars
from spades_training.bidding.data import DataSettings, read_data, write_data

from spades_env import Rules


def tricks_by_spades(folder: Path, deals: int = 500) -> dict[int, float]:
    """Mean tricks by the number of spades held.

    Args:
        folder: where the data files go.
        deals: number of deals to play.
    """
    settings = DataSettings(
        rules=Rules.preset("partnership").to_dict(),
        agents=("heuristic",),  # plays every seat
        seed=0,
        explore=0.1,  # share of bids drawn at random
        blind=0.0,
        double_dummy=False,
        shard=deals,
    )
    write_data(settings, folder, deals)
    frame, rules = read_data(folder)
    print(f"{len(frame):,} hands of {rules.name}, {len(frame.columns)} columns")
    return dict(frame.group_by("spades").agg(polars.col("tricks").mean()).sort("spades").iter_rows())


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp())
    for spades, tricks in tricks_by_spades(target).items():
        print(f"{spades:.0f} spades: {tricks:.2f} tricks")
