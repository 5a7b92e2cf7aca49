"""How the lookup tables of :mod:`spades_agents.match_value` are made: value iteration over hands of scripted players.

``python -m spades_agents.match_table`` plays the hands and writes ``match_value.npz`` next to this file. It takes
about five minutes on one core.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import NamedTuple

import numpy as np

from spades_agents.compiler import jit
from spades_agents.contract import Result, Standing, after_hand, seat_result
from spades_agents.heuristic.agent import HeuristicAgent
from spades_agents.match_value import BAGS, LOWEST, STEPS, pack, win_chance
from spades_env.engine.state import BLIND_BID, rules_array
from spades_env.rules import Rules
from spades_env.tables import Tables

HANDS = 200_000
TABLES = 2048
MOST_RESULTS = 600
SWEEPS = 60
PRECISION = 2e-4
CONTRACT, COUNTED, NILS, LOOSE = range(4)  # the fields of a Result, as columns


class Hands(NamedTuple):
    """How hands end when the match is level and far from its end."""

    results: np.ndarray  # int64[n, 2, 4], the distinct results of both sides, the opener's side first, by field
    shares: np.ndarray  # float64[n], the relative frequency of each


def play_hands(rules: Rules, hands: int = HANDS, seed: int = 0) -> Hands:
    """Play hands between scripted players.

    Args:
        rules: rules with two sides.
        hands: minimum number of hands.
        seed: seed of the decks.
    """
    # No hand ends the match, so no player bids for the end of it.
    tables = Tables(dataclasses.replace(rules, target=10_000, loss=None), TABLES, seed=seed, max_hands=10**6)
    agent = HeuristicAgent()
    everyone = np.arange(TABLES)
    level = np.zeros((TABLES, rules.sides), np.int64)
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


@jit.apart
def sweep(values, rules, hands):
    """Set every cell to its expected value after the next hand, from the end of the match backwards.

    Returns the largest change.
    """
    r = rules[0]
    change = 0.0
    for total in range(2 * STEPS - 2, -1, -1):
        for i in range(max(0, total - STEPS + 1), min(total, STEPS - 1) + 1):
            j = total - i
            for m in range(BAGS):
                for n in range(BAGS):
                    value = expected(
                        values, r, hands, Standing(10 * (i + LOWEST) + m, m), Standing(10 * (j + LOWEST) + n, n)
                    )
                    change = max(change, abs(value - values[i, j, m, n]))
                    values[i, j, m, n] = value
    return change


def solve(rules: Rules, hands: Hands, report: bool = False) -> np.ndarray:
    """Value iteration.

    Args:
        rules: rules with two sides.
        hands: how hands end.
        report: print the change of every sweep.

    Returns:
        float32 of shape (STEPS, STEPS, BAGS, BAGS), indexed by own tens, other tens, own bags, other bags.
    """
    values = np.full((STEPS, STEPS, BAGS, BAGS), 0.5, np.float32)
    packed_rules = rules_array(rules)
    for _ in range(SWEEPS):
        change = sweep(values, packed_rules, hands)
        if report:
            print(f"change {change:.5f}", flush=True)
        if change < PRECISION:
            break
    return values


def main() -> None:
    """Make and save the lookup tables of both presets."""
    packed = {}
    for name in ("two_player", "partnership"):
        rules = Rules.preset(name)
        hands = play_hands(rules)
        print(f"{name}: {len(hands.shares)} results", flush=True)
        order = np.argsort(-hands.shares, kind="stable")[:MOST_RESULTS]
        common = Hands(hands.results[order], hands.shares[order] / hands.shares[order].sum())
        packed[name] = pack(solve(rules, common, report=True))
    path = Path(__file__).with_name("match_value.npz")
    np.savez_compressed(path, **packed)
    print(f"{path}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
