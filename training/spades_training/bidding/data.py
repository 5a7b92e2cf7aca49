"""Bidding data: one row for each seat of each deal, written shard by shard to Parquet files."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from spades_agents.base import check_plays
from spades_agents.bidder.features import FEATURES, hand_features
from spades_agents.registry import make_agent
from spades_agents.source import agent_files

from spades_env.cards import hand_text
from spades_env.checks import check_int
from spades_env.engine.state import BLIND_BID
from spades_env.files import write_whole
from spades_env.rules import Rules
from spades_training.bidding.double_dummy import double_dummy
from spades_training.bidding.hands import Exploration, PlayedHands, play_hands
from spades_training.cluster.parcel import portable
from spades_training.compare import changed_file, first_difference
from spades_training.processes import leave_if_imported, run_all

SETTINGS = "settings.json"
# The columns and their meaning; {k} counts the other seats (clockwise from 1) or the sides (0 is the seat's own side).
COLUMNS = {
    "deal": "number of the deal: its cards are those of the first hand of Game(rules, seed=(seed, deal)); seat 0 opens",
    "seat": "the seat",
    "position": "its place in the bidding order, which is the number of bids that it has heard",
    "hand": "its 13 (17) cards when it bid, after the draft and the exchange, as a 52-bit set",
    **FEATURES,
    "cards": "the hand as text: AS KS 4S QH ...",
    "nil_chance": "chance to make a nil by the scripted player's estimate, from 0 to 1",
    "bid": "its bid, 0 for nil",
    "blind": "whether the bid is a blind nil",
    "drawn": "whether the bid was drawn at random instead of chosen by the player",
    "bid_{k}": "bids of the other seats, clockwise",
    "blind_{k}": "whether they are blind nils",
    "score_{k}": "points of each side before the hand, the seat's own side first",
    "bags_{k}": "bags of each side before the hand",
    "tricks": "tricks won by the seat",
    "tricks_{k}": "tricks won by the other seats, clockwise",
    "points": "points of the seat's side for the hand, including bag penalties",
    "double_dummy": "tricks of its side when all cards are open and everyone plays only for tricks; null if not solved",
}


@dataclass(frozen=True)
class DataSettings:
    """Everything that determines the rows.

    Attributes:
        rules: every field of the rules.
        agents: names of the players, one for all seats or one for each seat.
        seed: seed of the deals.
        explore: share of bids drawn at random.
        blind: share of blind nil decisions forced to blind nil.
        double_dummy: whether every deal is solved double-dummy.
        shard: deals per file.
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
                raise ValueError(f"{name} must be in 0..1, got {getattr(self, name)}")
        rules = Rules.from_dict(self.rules)
        if len(self.agents) not in (1, rules.players):
            raise ValueError(f"agents must be one name or {rules.players}, got {len(self.agents)}")
        for agent in self.agents:
            check_plays(make_agent(agent), rules)

    def text(self) -> str:
        """The settings as JSON, with the files that the players consist of besides this package."""
        files = {name: found for name in dict.fromkeys(self.agents) if (found := agent_files(name))}
        return json.dumps(asdict(self) | ({"files": files} if files else {}), indent=1) + "\n"


def rows_of(hands: PlayedHands, rules: Rules, first: int, solved: np.ndarray | None) -> dict[str, np.ndarray]:
    """The columns of :data:`COLUMNS`, sorted by deal and seat.

    Args:
        hands: the hands of consecutive deals.
        rules: their rules.
        first: the number of the first deal.
        solved: int64 of shape (n, sides), the double-dummy tricks; without them that column is left out.
    """
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
    columns |= _for_people(columns["hand"], columns["nil_odds"])
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


def _for_people(hands: np.ndarray, nil_odds: np.ndarray) -> dict[str, np.ndarray]:
    """The columns that repeat coded ones in a form for people."""
    cards = np.array([hand_text(hand) for hand in hands], object)
    return {"cards": cards, "nil_chance": (1 / (1 + np.exp(-nil_odds))).astype(np.float32)}


def shard_file(folder: Path, index: int) -> Path:
    """The path of a shard."""
    return folder / f"shard-{index:05d}.parquet"


def make_shard(settings: DataSettings, index: int) -> bytes:
    """Play and solve one shard; returns its file."""
    import polars

    rules = Rules.from_dict(settings.rules)
    first = index * settings.shard
    exploration = Exploration(settings.explore, settings.blind)
    hands = play_hands(rules, settings.agents, settings.seed, first, settings.shard, exploration)
    solved = None
    if settings.double_dummy:
        solved = double_dummy(rules, (hands.states["hands"] | hands.states["plays"])[:, : rules.players])
    frame = polars.DataFrame(rows_of(hands, rules, first, solved))
    if solved is None:
        frame = frame.with_columns(polars.lit(None, polars.Int8).alias("double_dummy"))
    file = io.BytesIO()
    frame.write_parquet(file)
    return file.getvalue()


def write_data(
    settings: DataSettings,
    folder: str | os.PathLike[str],
    deals: int,
    workers: int = 1,
    progress: Callable[[int, int], object] | None = None,
    on: Executor | None = None,
) -> int:
    """Write the shards that are missing from ``folder``; calling it again continues an interrupted run.

    Args:
        settings: must equal those of the data that the folder already holds.
        folder: created if necessary. Only one call at a time may write to it.
        deals: number of deals, rounded up to whole shards. More deals than before add shards.
        workers: number of processes; it does not change the files.
        progress: called with the number of shards that exist and the total.
        on: an executor from :func:`spades_training.cluster.connect`, whose machines do the work instead of ``workers``.

    Returns:
        The number of shards written.

    Raises:
        ValueError: if the folder holds data with other settings, other files, or a damaged shard.
        RuntimeError: if a script calls this function outside ``if __name__ == "__main__":`` with several workers.
        OSError: if a file cannot be written.
    """
    leave_if_imported()
    folder = Path(folder)
    shards = -(-check_int("deals", deals, 1, 10**9) // settings.shard)
    check_int("workers", workers, 1, 1024)
    _prepare(settings, folder)
    players = Rules.from_dict(settings.rules).players
    missing = []
    for index in range(shards):
        if shard_file(folder, index).exists():
            _read_shard(shard_file(folder, index), settings.shard * players, ["deal"])
        else:
            missing.append(index)
    done = shards - len(missing)
    report = progress or (lambda done, total: None)
    report(done, shards)
    if on is not None:
        settings = replace(settings, agents=tuple(map(portable, settings.agents)))
    jobs = {index: (settings, index) for index in missing}
    for index, data in run_all(make_shard, jobs, workers, on, settings.agents):
        write_whole(shard_file(folder, index), data)
        done += 1
        report(done, shards)
    return len(missing)


def _prepare(settings: DataSettings, folder: Path) -> None:
    """Create the folder, or check that it holds data with these settings."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / SETTINGS
    if not file.exists():
        if any(folder.iterdir()):
            raise ValueError(f"the folder {folder} is not empty and has no {SETTINGS}: choose another one")
        write_whole(file, settings.text())
        return
    before, now = read_settings(folder), json.loads(settings.text())
    changed = changed_file(_files(before), _files(now))
    if changed:
        raise ValueError(f"{folder} holds data of other code: {changed} has changed; choose another folder")
    difference = first_difference(before, now)
    if difference:
        raise ValueError(f"{folder} holds data with other settings ({difference}): choose another folder")
    for left in folder.glob(".shard-*"):  # temporary file of a killed process
        left.unlink()


def _files(settings: dict[str, Any]) -> dict[str, dict[str, str]]:
    return {f"agent {name!r}": files for name, files in settings.get("files", {}).items()}


def read_settings(folder: Path) -> dict[str, Any]:
    """The settings of the data in a folder.

    Raises:
        ValueError: if it holds no bidding data.
    """
    try:
        return json.loads((folder / SETTINGS).read_text())
    except (OSError, json.JSONDecodeError) as error:
        raise ValueError(f"{folder} holds no bidding data: cannot read {SETTINGS} ({error})") from None


def read_data(folder: str | os.PathLike[str]) -> tuple[Any, Rules]:
    """All rows in a folder as a polars DataFrame, sorted by deal and seat, and their rules.

    Args:
        folder: the folder that ``spades bidding-data`` or :func:`write_data` wrote.

    Returns:
        The rows, with the columns of :data:`COLUMNS`, and the rules.

    Raises:
        ValueError: if there are none, or a shard is missing or damaged; the message names it.
    """
    import polars

    folder = Path(folder)
    settings = read_settings(folder)
    rules = Rules.from_dict(settings["rules"])
    files = sorted(folder.glob("shard-*.parquet"))
    if not files:
        raise ValueError(f"{folder} holds no shards yet: run spades bidding-data")
    for index in range(len(files)):
        if shard_file(folder, index) not in files:
            raise ValueError(f"{shard_file(folder, index)} is missing: run spades bidding-data again to write it")
    frames = [_read_shard(file, settings["shard"] * rules.players) for file in files]
    return polars.concat([_with_text(frame) for frame in frames]), rules


def _read_shard(file: Path, rows: int, columns: list[str] | None = None) -> Any:
    """A shard as a polars DataFrame.

    Raises:
        ValueError: if it is damaged or does not hold ``rows`` rows.
    """
    import polars

    again = "delete it and run spades bidding-data again to write it"
    try:
        frame = polars.read_parquet(file, columns=columns)
    except (OSError, polars.exceptions.PolarsError) as error:
        raise ValueError(f"{file} is damaged ({' '.join(str(error).split())[:80]}): {again}") from None
    if len(frame) != rows:
        raise ValueError(f"{file} holds {len(frame)} rows instead of {rows}: {again}")
    return frame


def _with_text(frame: Any) -> Any:
    """The rows with all columns; shards of earlier versions have none for people."""
    import polars

    if "cards" in frame.columns:
        return frame
    added = _for_people(frame["hand"].to_numpy(), frame["nil_odds"].to_numpy())
    columns = list(frame.columns)
    columns[columns.index("bid") : columns.index("bid")] = list(added)
    return frame.with_columns(polars.DataFrame(added).get_columns()).select(columns)
