"""How the tables of the match value are made: value iteration over hands between scripted players.

``python -m spades_agents.match_table`` plays the hands and writes ``match_value.npz`` beside this file; about
five minutes on one core.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np

from spades_agents.compiler import jit
from spades_agents.match_value import BAGS, LOWEST, STEPS, after_hand, pack, win_chance
from spades_agents.registry import make_agent
from spades_env.engine.state import BLIND_BID, rules_array
from spades_env.rules import Rules
from spades_env.tables import Tables

HANDS = 200_000
TABLES = 2048
MOST_RESULTS = 600
SWEEPS = 60
PRECISION = 2e-4
# A side of a hand, the opener's first: contract (0 if all its seats bid nil), tricks counted toward it, points of nils,
# bags of failed nils.
CONTRACT, COUNTED, NILS, LOOSE = range(4)


def play_hands(rules: Rules, hands: int = HANDS, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """How hands between scripted players end when the match is level and far from its end.

    Args:
        rules: of two sides.
        hands: at least so many are played.
        seed: of the decks.

    Returns:
        int64[n, 2, 4], the different results, at [k, side (0 opened), field]; and float64[n], how often each came up.
    """
    # No hand ends the match, and nobody bids for the end of it.
    tables = Tables(dataclasses.replace(rules, target=10_000, loss=None), TABLES, seed=seed, max_hands=10**6)
    agent = make_agent("heuristic")
    everyone = np.arange(TABLES)
    level = np.zeros((TABLES, rules.sides), np.int64)
    found: list[np.ndarray] = []
    count = 0
    while count < hands:
        before = tables.states["hand_number"].copy()
        openers = tables.states["opener"].copy()
        tables.advance(agent.act_batch(tables, everyone))  # type: ignore[attr-defined]
        ended = np.flatnonzero(tables.states["hand_number"] != before)
        if ended.size:
            found.append(_results(rules, tables.states[ended], openers[ended]))
            count += ended.size
            tables.set_scores(level[ended], level[ended], ended)
    results, counts = np.unique(np.concatenate(found), axis=0, return_counts=True)
    return results, counts / counts.sum()


def _results(rules: Rules, states: np.ndarray, openers: np.ndarray) -> np.ndarray:
    """The last hands of ``states`` as ``play_hands`` returns them."""
    bids = states["last_bids"][:, : rules.players].astype(np.int64)
    blind = states["last_blind"][:, : rules.players] == BLIND_BID
    tricks = states["last_tricks"][:, : rules.players].astype(np.int64)
    nil = bids == 0
    failed = nil & (tricks > 0)
    points = np.where(nil, np.where(failed, -1, 1) * np.where(blind, rules.blind_nil, rules.nil), 0)
    counted = np.where(nil & (rules.failed_nil != "contract"), 0, tricks)
    loose = failed * {"one_bag": 1, "bags": tricks}.get(rules.failed_nil, 0)
    fields = [values.reshape(len(states), -1, 2).sum(1) for values in (bids, counted, points, loose)]
    by_side = np.stack(fields, axis=2)
    return np.where((openers % 2 == 1)[:, None, None], by_side[:, ::-1], by_side)


@jit
def enough(r, contract, score, other_score, other_points):
    """What a side bids near the end of the match instead of ``contract``, as the scripted player does.

    No more than wins it, unless the other side may end it too.
    """
    if other_score + other_points >= r.target - 10:
        return contract
    return min(contract, max(1, -((score - r.target) // 10)))


@jit
def expected(values, r, results, shares, score, bags, other_score, other_bags):
    """The chance to win of the side that opens, over the results of a hand."""
    total = 0.0
    share = 5 * r.hand_size
    for k in range(len(shares)):
        mine = results[k, 0]
        other = results[k, 1]
        # with bids_first=0 the opener's side bids first, not knowing what the other will bid
        first = share if r.bids_first % 2 == 0 else 10 * other[CONTRACT] + max(other[NILS], 0)
        second = share if r.bids_first % 2 == 1 else 10 * mine[CONTRACT] + max(mine[NILS], 0)
        contract = enough(r, mine[CONTRACT], score, other_score, first) if mine[CONTRACT] else 0
        theirs = enough(r, other[CONTRACT], other_score, score, second) if other[CONTRACT] else 0
        a, a_bags = after_hand(r, score, bags, contract, mine[COUNTED], mine[NILS], mine[LOOSE])
        b, b_bags = after_hand(r, other_score, other_bags, theirs, other[COUNTED], other[NILS], other[LOOSE])
        total += shares[k] * win_chance(values, r, a, a_bags, b, b_bags, False)
    return total


@jit.apart
def sweep(values, rules, results, shares):
    """Set every cell to what the next hand brings on average, from the end of the match down; the greatest change."""
    r = rules[0]
    change = 0.0
    for total in range(2 * STEPS - 2, -1, -1):
        for i in range(max(0, total - STEPS + 1), min(total, STEPS - 1) + 1):
            j = total - i
            for m in range(BAGS):
                for n in range(BAGS):
                    score = 10 * (i + LOWEST) + m
                    other = 10 * (j + LOWEST) + n
                    value = expected(values, r, results, shares, score, m, other, n)
                    change = max(change, abs(value - values[i, j, m, n]))
                    values[i, j, m, n] = value
    return change


def solve(rules: Rules, results: np.ndarray, shares: np.ndarray, report: bool = False) -> np.ndarray:
    """The table, float32 of shape (STEPS, STEPS, BAGS, BAGS), at [own tens, other tens, own bags, other bags].

    Args:
        rules: of two sides.
        results: of :func:`play_hands`.
        shares: of :func:`play_hands`.
        report: print the change of every sweep.
    """
    values = np.full((STEPS, STEPS, BAGS, BAGS), 0.5, np.float32)
    record = rules_array(rules)
    for _ in range(SWEEPS):
        change = sweep(values, record, results, shares)
        if report:
            print(f"change {change:.5f}", flush=True)
        if change < PRECISION:
            break
    return values


def common(results: np.ndarray, shares: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    """The ``most`` results that came up most often, their shares scaled to 1."""
    order = np.argsort(-shares, kind="stable")[:most]
    return results[order], shares[order] / shares[order].sum()


def main() -> None:
    """Make and save the tables of both presets."""
    packed = {}
    for name in ("two_player", "partnership"):
        rules = Rules.preset(name)
        results, shares = play_hands(rules)
        print(f"{name}: {len(shares)} results", flush=True)
        packed[name] = pack(solve(rules, *common(results, shares, MOST_RESULTS), report=True))
    path = Path(__file__).with_name("match_value.npz")
    np.savez_compressed(path, **packed)
    print(f"{path}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
