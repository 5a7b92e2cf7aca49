"""How the lookup tables of :mod:`spades_agents.match_value` are made: value iteration over hands of scripted players.

``python -m spades_agents.match_table`` plays the hands and writes ``match_value.npz`` next to this file. It takes
about five minutes on one core for each preset. For other rules :func:`kept` computes a coarser table in seconds.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import io
import json
import zipfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

from spades_agents.compiler import jit
from spades_agents.contract import Result, Standing, after_hand, seat_result
from spades_agents.heuristic.agent import HeuristicAgent
from spades_agents.match_chance import win_chance
from spades_env.compiling.cache import cache_folder
from spades_env.engine.state import BLIND_BID, rules_array
from spades_env.files import write_whole
from spades_env.rules import Rules
from spades_env.tables import Tables

SHIPPED = ("two_player", "partnership", "two_player_dealt")  # presets whose tables are part of the package
VERSION = 1  # of the computed tables; part of the digest under which they are kept
LOWEST = -200  # points at which a table starts unless the match is lost earlier
MOST_STEPS = 120
TABLES = 2048
SWEEPS = 60
CONTRACT, COUNTED, NILS, LOOSE = range(4)  # the fields of a Result, as columns


class Effort(NamedTuple):
    """How exactly a table is computed."""

    hands: int  # minimum number of hands played
    results: int  # maximum number of distinct results, the most frequent ones
    bags: int  # maximum number of entries for bags
    precision: float  # the value iteration stops below this change


SHIPPING = Effort(200_000, 600, 10, 2e-4)
QUICK = Effort(4_000, 40, 5, 2e-3)


class Hands(NamedTuple):
    """How hands end when the match is level and far from its end."""

    results: np.ndarray  # int64[n, 2, 4], the distinct results of both sides, the opener's side first, by field
    shares: np.ndarray  # float64[n], the relative frequency of each


def play_hands(rules: Rules, hands: int, seed: int = 0) -> Hands:
    """Play hands between scripted players.

    Args:
        rules: rules with two sides.
        hands: minimum number of hands.
        seed: seed of the decks.
    """
    # No hand ends the match, so no player bids for the end of it.
    together = min(TABLES, hands)
    tables = Tables(dataclasses.replace(rules, target=10_000, loss=None), together, seed=seed, max_hands=10**6)
    agent = HeuristicAgent()
    everyone = np.arange(together)
    level = np.zeros((together, rules.sides), np.int64)
    found: list[np.ndarray] = []
    count = 0
    while count < hands:
        before = tables.states["hand_number"].copy()
        openers = tables.states["opener"].copy()
        tables.advance(agent.act_batch(tables, everyone))
        ended = np.flatnonzero(tables.states["hand_number"] != before)
        if ended.size:
            found.append(np.zeros((ended.size, 2, 4), np.int64))
            last_results(tables.states, tables.rules_array, ended, openers, found[-1])
            count += ended.size
            tables.set_scores(level[ended], level[ended], ended)
    results, counts = np.unique(np.concatenate(found), axis=0, return_counts=True)
    return Hands(results, counts / counts.sum())


@jit
def last_results(states, rules, rows, openers, found):
    """Write the results of the last hands at the tables ``rows`` to ``found``, as in :class:`Hands`."""
    r = rules[0]
    for k in range(len(rows)):
        s = states[rows[k]]
        for seat in range(r.players):
            result = seat_result(r, s.last_bids[seat], s.last_blind[seat] == BLIND_BID, s.last_tricks[seat])
            row = found[k, (seat + openers[rows[k]]) % 2]
            row[CONTRACT] += result.contract
            row[COUNTED] += result.tricks
            row[NILS] += result.nil_points
            row[LOOSE] += result.nil_bags


@jit
def enough(r, contract, score, other_score, other_points):
    """What a side bids in place of ``contract`` near the end of the match, as the scripted player does.

    That is no more than it needs to win, unless the other side may end the match too.
    """
    if other_score + other_points >= r.target - 10:
        return contract
    return min(contract, max(1, -((score - r.target) // 10)))


@jit
def expected(values, r, hands, mine, theirs):
    """The chance that the side that opens a hand wins the match, over the results of :class:`Hands`.

    ``mine`` and ``theirs`` are the :class:`~spades_agents.contract.Standing` of that side and of the other one.
    """
    total = 0.0
    share = 5 * r.hand_size
    for k in range(len(hands.shares)):
        own = hands.results[k, 0]
        other = hands.results[k, 1]
        # with bids_first=0 the opener's side bids first, before it knows the other side's bid
        first = share if r.bids_first % 2 == 0 else 10 * other[CONTRACT] + max(other[NILS], 0)
        second = share if r.bids_first % 2 == 1 else 10 * own[CONTRACT] + max(own[NILS], 0)
        contract = enough(r, own[CONTRACT], mine.score, theirs.score, first) if own[CONTRACT] else 0
        against = enough(r, other[CONTRACT], theirs.score, mine.score, second) if other[CONTRACT] else 0
        a = after_hand(r, mine, Result(contract, own[COUNTED], own[NILS], own[LOOSE]))
        b = after_hand(r, theirs, Result(against, other[COUNTED], other[NILS], other[LOOSE]))
        total += hands.shares[k] * win_chance(values, r, a, b, False)
    return total


@jit
def standing_at(values, r, place, entry):
    """The :class:`~spades_agents.contract.Standing` that an entry of the table stands for."""
    entries = values.shape[2]
    bags = (2 * entry + 1) * r.bag_limit // (2 * entries)
    return Standing(r.target - 10 * (len(values) - place) + bags, bags)


@jit.apart
def sweep(values, rules, hands):
    """Set every cell to its expected value after the next hand, from the end of the match backwards.

    Returns the largest change.
    """
    r = rules[0]
    change = 0.0
    steps = len(values)
    for total in range(2 * steps - 2, -1, -1):
        for i in range(max(0, total - steps + 1), min(total, steps - 1) + 1):
            j = total - i
            for m in range(values.shape[2]):
                for n in range(values.shape[2]):
                    value = expected(values, r, hands, standing_at(values, r, i, m), standing_at(values, r, j, n))
                    change = max(change, abs(value - values[i, j, m, n]))
                    values[i, j, m, n] = value
    return change


def solve(rules: Rules, hands: Hands, effort: Effort = SHIPPING, report: bool = False) -> np.ndarray:
    """Value iteration.

    Args:
        rules: rules with two sides.
        hands: how hands end.
        effort: the number of entries for bags, and the precision.
        report: print the change of every sweep.

    Returns:
        A table as :func:`spades_agents.match_value.match_table` describes it.
    """
    lowest = LOWEST if rules.loss is None else max(rules.loss, LOWEST)
    steps = min(max((rules.target - lowest) // 10, 2), MOST_STEPS)
    bags = min(max(rules.bag_limit, 1), effort.bags)
    values = np.full((steps, steps, bags, bags), 0.5, np.float32)
    packed_rules = rules_array(rules)
    for _ in range(SWEEPS):
        change = sweep(values, packed_rules, hands)
        if report:
            print(f"change {change:.5f}", flush=True)
        if change < effort.precision:
            break
    return values


def compute(rules: Rules, effort: Effort, report: bool = False) -> np.ndarray:
    """The table for any rules of two sides: hands of scripted players, then value iteration."""
    hands = play_hands(rules, effort.hands)
    order = np.argsort(-hands.shares, kind="stable")[: effort.results]
    common = Hands(hands.results[order], hands.shares[order] / hands.shares[order].sum())
    return solve(rules, common, effort, report)


def pack(table: np.ndarray) -> np.ndarray:
    """A lookup table as int16 differences along its second axis, in steps of 1/4096; they compress to a byte each."""
    steps = np.rint(table * 4096).astype(np.int32)
    return np.diff(steps, axis=1, prepend=0).astype(np.int16)


def unpack(packed: np.ndarray) -> np.ndarray:
    """The inverse of :func:`pack`."""
    return (np.cumsum(packed, axis=1, dtype=np.int32) / 4096).astype(np.float32)


@functools.lru_cache(maxsize=64)
def kept(rules: Rules) -> np.ndarray:
    """The table for ``rules``, two sides, from the cache folder; computed and kept there on first use."""
    key = json.dumps([VERSION, QUICK, rules.to_dict()], sort_keys=True)
    folder = cache_folder("match_values")
    path = None if folder is None else folder / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.npz"
    if path is not None:
        try:
            with np.load(path, allow_pickle=False) as file:
                if str(file["rules"]) == key:
                    return np.ascontiguousarray(file["values"], np.float32)
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            pass  # missing or damaged
    values = compute(rules, QUICK)
    if path is not None:
        packed = io.BytesIO()
        np.savez_compressed(packed, rules=key, values=values)
        with contextlib.suppress(OSError):
            write_whole(path, packed.getvalue())
    return values


def main() -> None:
    """Make and save the lookup tables of the presets."""
    packed = {}
    for name in SHIPPED:
        print(name, flush=True)
        packed[name] = pack(compute(Rules.preset(name), SHIPPING, report=True))
    path = Path(__file__).with_name("match_value.npz")
    np.savez_compressed(path, **packed)
    print(f"{path}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
