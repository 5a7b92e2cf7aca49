"""Bidding data: a row for every seat of every deal, in Parquet files written shard by shard."""

from __future__ import annotations

import io
import json
import os
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import Any

import numpy as np
from spades_agents.bidder.features import FEATURES, hand_features
from spades_agents.registry import make_agent
from spades_agents.search import solve_four, solve_two

from spades_env.checks import check_int
from spades_env.engine.state import BLIND_BID
from spades_env.rules import Rules
from spades_training.bidding.hands import PlayedHands, play_hands
from spades_training.files import write_whole

__all__ = ["COLUMNS", "DataSettings", "double_dummy", "read_data", "rows_of", "write_data"]

SETTINGS = "settings.json"
# Name of each column, with {k} for the other seats (clockwise from 1) or the sides (0 the own), and what it says.
COLUMNS = {
    "deal": "number of the deal: its cards are those of the first hand of Game(rules, seed=(seed, deal)), seat 0 opens",
    "seat": "the seat that the row is about",
    "position": "its place in the bidding order; so many bids it has heard",
    "hand": "its 13 (17) cards when it bid, a set of 52 bits; after the draft and the exchange",
    **FEATURES,
    "bid": "its bid, 0 for nil",
    "blind": "whether it is a blind nil",
    "drawn": "whether the bid was drawn at random, not the player's own",
    "bid_{k}": "bids of the other seats, clockwise",
    "blind_{k}": "whether they are blind nils",
    "score_{k}": "points of each side before the hand, the own side first",
    "bags_{k}": "its bags",
    "tricks": "tricks won by the seat",
    "tricks_{k}": "by the other seats, clockwise",
    "points": "points that the hand brought the seat's side, bag penalties included",
    "double_dummy": "tricks that its side takes if all see all cards and play for tricks alone; null if not solved",
}


@dataclass(frozen=True)
class DataSettings:
    """What the rows depend on; the number of workers is not among it.

    Attributes:
        rules: every field of the rules.
        agents: names of the players, one for all seats or one for each.
        seed: of the deals.
        explore: the share of bids drawn at random.
        blind: the share of blind questions answered by blind nil at random.
        double_dummy: whether all deals are solved.
        shard: deals in a file.
    """

    rules: dict[str, Any]
    agents: tuple[str, ...]
    seed: int
    explore: float
    blind: float
    double_dummy: bool
    shard: int

    def __post_init__(self) -> None:
        check_int("seed", self.seed, 0, 2**64 - 1)
        check_int("shard", self.shard, 1, 1_000_000)
        for name in ("explore", "blind"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} must lie in 0..1, got {getattr(self, name)}")
        players = Rules.from_dict(self.rules).players
        if len(self.agents) not in (1, players):
            raise ValueError(f"agents must be one name or {players}, got {len(self.agents)}")
        for agent in self.agents:
            make_agent(agent)

    def text(self) -> str:
        """As JSON."""
        return json.dumps(asdict(self), indent=1) + "\n"


def double_dummy(rules: Rules, hands: np.ndarray) -> np.ndarray:
    """Tricks that each side takes with all cards open, playing for tricks alone.

    Args:
        rules: the rules.
        hands: uint64[n, players], whole hands by seat; seat 0 has opened.

    Returns:
        int64[n, sides].
    """
    leader = rules.leads_first
    shared = {"spades_must_break": rules.spades_must_break, "every_card": False, "threads": 1}
    first = np.ascontiguousarray(hands)
    if rules.players == 2:
        own = solve_two(first, leader, **shared).values
    elif rules.partners:
        own = solve_four(first, leader, **shared).values
    else:
        sides = [solve_four(first, leader, side=[seat], **shared).values for seat in range(rules.players)]
        return np.stack(sides, axis=1).astype(np.int64)
    return np.stack([own, rules.hand_size - own], axis=1).astype(np.int64)


def rows_of(hands: PlayedHands, rules: Rules, first: int, solved: np.ndarray | None) -> dict[str, np.ndarray]:
    """The columns of :data:`COLUMNS` for some hands, sorted by deal and seat; ``double_dummy`` only if solved."""
    states, players, sides = hands.states, rules.players, rules.sides
    count = len(states)
    held = (states["hands"] | states["plays"])[:, :players]
    seats = np.arange(players)
    opener = states["opener"].astype(np.int64)
    around = (seats[:, None] + seats) % players  # around[seat, k]: the k-th seat clockwise
    by_side = (seats[:, None] + np.arange(sides)) % sides

    def per_seat(values: np.ndarray) -> np.ndarray:
        return values[:, :players].reshape(-1)

    def others(values: np.ndarray, index: np.ndarray, k: int) -> np.ndarray:
        return values[:, index[:, k]].reshape(-1)

    bids, blind = states["bids"], states["blind"] == BLIND_BID
    columns = {
        "deal": np.repeat(np.arange(first, first + count), players),
        "seat": np.tile(seats, count).astype(np.int8),
        "position": per_seat((seats - opener[:, None] - rules.bids_first) % players).astype(np.int8),
        "hand": per_seat(held),
    }
    features = hand_features(columns["hand"], rules).astype(np.float32)
    columns |= {name: features[:, k] for k, name in enumerate(FEATURES)}
    columns |= {"bid": per_seat(bids), "blind": per_seat(blind), "drawn": per_seat(hands.drawn)}
    for k in range(1, players):
        columns |= {f"bid_{k}": others(bids, around, k), f"blind_{k}": others(blind, around, k)}
    for k in range(sides):
        columns[f"score_{k}"] = others(states["scores"], by_side, k).astype(np.int32)
        columns[f"bags_{k}"] = others(states["bags"], by_side, k).astype(np.int16)
    columns["tricks"] = per_seat(hands.tricks).astype(np.int8)
    columns |= {f"tricks_{k}": others(hands.tricks, around, k).astype(np.int8) for k in range(1, players)}
    columns["points"] = others(hands.points, by_side, 0).astype(np.int32)
    if solved is not None:
        columns["double_dummy"] = others(solved, by_side, 0).astype(np.int8)
    return columns


def shard_file(folder: Path, index: int) -> Path:
    """The file of a shard."""
    return folder / f"shard-{index:05d}.parquet"


def make_shard(settings: DataSettings, folder: Path, index: int) -> int:
    """Play, solve and write one shard; returns its number."""
    import polars

    rules = Rules.from_dict(settings.rules)
    first = index * settings.shard
    hands = play_hands(rules, settings.agents, settings.seed, first, settings.shard, settings.explore, settings.blind)
    solved = None
    if settings.double_dummy:
        solved = double_dummy(rules, (hands.states["hands"] | hands.states["plays"])[:, : rules.players])
    frame = polars.DataFrame(rows_of(hands, rules, first, solved))
    if solved is None:
        frame = frame.with_columns(polars.lit(None, polars.Int8).alias("double_dummy"))
    file = io.BytesIO()
    frame.write_parquet(file)
    write_whole(shard_file(folder, index), file.getvalue())
    return index


def write_data(
    settings: DataSettings,
    folder: Path,
    deals: int,
    workers: int = 1,
    progress: Callable[[int, int], object] | None = None,
) -> int:
    """Write the shards that ``folder`` lacks: called again after a kill, it goes on where it was.

    Args:
        settings: of the rows; those of a folder that was begun must be the same.
        folder: made if need be. One call at a time may write to it.
        deals: how many, rounded up to whole shards; more than before adds shards.
        workers: processes; the files do not depend on it.
        progress: called with the shards that are there and the shards in all.

    Returns:
        How many shards were written.

    Raises:
        ValueError: if the folder holds data of other settings, or something else.
        OSError: if it cannot be written.
    """
    shards = -(-check_int("deals", deals, 1, 10**9) // settings.shard)
    check_int("workers", workers, 1, 1024)
    _prepare(settings, folder)
    missing = [index for index in range(shards) if not shard_file(folder, index).exists()]
    done = shards - len(missing)
    tell = progress or (lambda done, total: None)
    tell(done, shards)
    if workers == 1 or len(missing) < 2:
        for index in missing:
            make_shard(settings, folder, index)
            done += 1
            tell(done, shards)
        return len(missing)
    with ProcessPoolExecutor(workers, get_context("spawn"), initializer=_end_with_parent) as pool:
        for finished in as_completed([pool.submit(make_shard, settings, folder, index) for index in missing]):
            finished.result()
            done += 1
            tell(done, shards)
    return len(missing)


def _prepare(settings: DataSettings, folder: Path) -> None:
    """Make the folder, or check that it holds data of these settings."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / SETTINGS
    if not file.exists():
        if any(folder.iterdir()):
            raise ValueError(f"the folder {folder} holds something else: it has no {SETTINGS}")
        write_whole(file, settings.text())
        return
    before, now = read_settings(folder), json.loads(settings.text())
    for name, value in now.items():
        if before.get(name) != value:
            raise ValueError(f"{folder} was begun with {name}={before.get(name)}, now it is {value}")
    for left in folder.glob(".shard-*"):  # of a process that was killed
        left.unlink()


def _end_with_parent() -> None:
    """Let a worker end when the process that started it was killed; it would wait for work for ever."""
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=lambda: (parent.join(), os._exit(1)), daemon=True).start()


def read_settings(folder: Path) -> dict[str, Any]:
    """The settings of a folder of data.

    Raises:
        ValueError: if it is not one.
    """
    try:
        return json.loads((folder / SETTINGS).read_text())
    except (OSError, json.JSONDecodeError) as error:
        raise ValueError(f"{folder} holds no bidding data: cannot read {SETTINGS} ({error})") from None


def read_data(folder: Path) -> tuple[Any, Rules]:
    """All rows of a folder as a polars DataFrame, sorted by deal and seat, and their rules.

    Raises:
        ValueError: if there are none.
    """
    import polars

    rules = Rules.from_dict(read_settings(folder)["rules"])
    files = sorted(folder.glob("shard-*.parquet"))
    if not files:
        raise ValueError(f"{folder} holds no bidding data yet: run spades bidding-data")
    return polars.concat([polars.read_parquet(file) for file in files]), rules
