"""Exact results for arrays of positions, on as many threads as asked for."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from spades_agents.compiler import jit
from spades_agents.search.payoffs import solve_rows
from spades_agents.search.two_hand import NO_CARD, new_table
from spades_env.cards import SPADES, SPADES_MASK, SUIT_MASKS, card_name

__all__ = ["Solved", "legal_cards", "solve_two"]


@dataclass(frozen=True)
class Solved:
    """Results of ``n`` positions.

    Attributes:
        values: float64[n], the value of each position with best play by both sides.
        cards: float64[n, 52], the value after each card that may be played, by card id; NaN for all others.
    """

    values: np.ndarray
    cards: np.ndarray


def legal_cards(hands: np.ndarray, led: np.ndarray, may_lead_spades: np.ndarray) -> np.ndarray:
    """The cards that may be played, a uint64[n] of 52-bit sets.

    Args:
        hands: uint64[n], the hands on turn.
        led: int[n], the card led to the trick, -1 where the hand on turn leads.
        may_lead_spades: bool[n], whether spades may be led.
    """
    suits = np.array([*SUIT_MASKS, 0], np.uint64)[np.where(led < 0, 4, led // 13)]
    leads = np.where(may_lead_spades, hands, hands & ~np.uint64(SPADES_MASK))
    preferred = np.where(led < 0, leads, hands & suits)
    return np.where(preferred > 0, preferred, hands)


def in_threads(work: Callable[[slice], None], rows: int, threads: int | None) -> None:
    """Call ``work`` on even shares of ``rows`` rows, each in a thread of its own (kernels hold no lock)."""
    count = max(1, min(threads or os.cpu_count() or 1, rows))
    edges = np.linspace(0, rows, count + 1).astype(int)
    shares = [slice(start, stop) for start, stop in itertools.pairwise(edges)]
    if count == 1:
        work(shares[0])
        return
    with ThreadPoolExecutor(count) as pool:
        list(pool.map(work, shares))


def per_row(name: str, value: Any, rows: int, dtype: Any, low: int, high: int) -> np.ndarray:
    """``value`` as an array with one number for each row, checked to lie in ``low``..``high``."""
    array = np.broadcast_to(np.asarray(value), (rows,)).astype(dtype)
    if array.size and not (low <= array.min() and array.max() <= high):
        raise ValueError(f"{name} must lie in {low}..{high}, got {array.min()}..{array.max()}")
    return array


def solve_two(
    hands: ArrayLike,
    on_turn: ArrayLike = 0,
    *,
    led: ArrayLike = NO_CARD,
    spades_broken: ArrayLike = False,
    spades_must_break: bool = True,
    payoffs: ArrayLike | None = None,
    won: ArrayLike = 0,
    threads: int | None = None,
) -> Solved:
    """Solve positions of the two-player game's play with both hands open, exactly.

    Args:
        hands: uint64[n, 2], the cards of seats 0 and 1 (52-bit sets; see :func:`spades_env.cards.mask_of`). The seat on
            turn holds as many as the other, or one more when a card has been led.
        on_turn: int[n], the seat that plays next. Like all that follow, one value may stand for every row.
        led: int[n], the card the other seat has led to the current trick; -1 if there is none.
        spades_broken: bool[n].
        spades_must_break: whether the rule holds.
        payoffs: float[n, 14] or float[14], what seat 0 gets for 0..13 tricks won in the whole hand; seat 1 gets
            the negative. By default the number of tricks that seat 0 takes from here on.
        won: int[n], the tricks that seat 0 has already won.
        threads: how many to use; one for each processor by default.

    Returns:
        Values to seat 0: seat 0 plays for the greatest, seat 1 for the least.

    Raises:
        ValueError: if the arrays do not fit each other or a position makes no sense; the message says which.
    """
    sets = np.ascontiguousarray(np.asarray(hands), np.uint64)
    if sets.ndim != 2 or sets.shape[1] != 2:
        raise ValueError(f"hands must have the shape (n, 2), got {sets.shape}")
    rows = len(sets)
    turn = per_row("on_turn", on_turn, rows, np.int64, 0, 1)
    table = per_row("led", led, rows, np.int64, NO_CARD, 51)
    wins = per_row("won", won, rows, np.int64, 0, 13)
    broken = per_row("spades_broken", spades_broken, rows, np.int64, 0, 1)
    broken |= not spades_must_break
    broken |= table // 13 == SPADES
    _check_two(sets, turn, table, wins)
    if payoffs is None:
        pays = (np.arange(14) - wins[:, None]).astype(float)
    else:
        pays = np.asarray(payoffs, float)
        if pays.shape not in ((14,), (rows, 14)):
            raise ValueError(f"payoffs must have the shape (14,) or ({rows}, 14), got {pays.shape}")
        pays = np.ascontiguousarray(np.broadcast_to(pays, (rows, 14)))
    mine = np.take_along_axis(sets, turn[:, None], 1)[:, 0]
    legal = legal_cards(mine, table, broken > 0)
    values = np.empty(rows)
    cards = np.full((rows, 52), np.nan)
    jit.announce("the agents")

    def work(share: slice) -> None:
        arrays = (sets, turn, table, broken, legal, pays, wins, values, cards)
        solve_rows(new_table(), *(array[share] for array in arrays))

    in_threads(work, rows, threads)
    return Solved(values, cards)


def sizes(sets: np.ndarray) -> np.ndarray:
    """Number of cards of each of the 52-bit sets, int64 of the same shape."""
    return np.unpackbits(sets[..., None].view(np.uint8), axis=-1).sum(axis=-1, dtype=np.int64)


def refuse(wrong: ArrayLike, why: Callable[[int], str]) -> None:
    """Raise ValueError for the first row that is marked ``wrong``."""
    rows = np.flatnonzero(wrong)
    if rows.size:
        raise ValueError(f"position {rows[0]}: {why(rows[0])}")


def _check_two(sets: np.ndarray, turn: np.ndarray, led: np.ndarray, won: np.ndarray) -> None:
    """Raise ValueError for a position that cannot be."""
    refuse(np.any(sets >> np.uint64(52), axis=1), lambda k: "a hand has bits above 51")
    counts = sizes(sets)
    index = np.arange(len(sets))
    mine, others = counts[index, turn], counts[index, 1 - turn]
    refuse(sets[:, 0] & sets[:, 1] > 0, lambda k: "a card is in both hands")
    refuse(mine == 0, lambda k: "the hand on turn is empty")
    refuse(mine != others + (led >= 0), lambda k: f"the seat on turn holds {mine[k]} cards, the other {others[k]}")
    refuse(won + mine > 13, lambda k: f"{won[k]} tricks won and {mine[k]} cards left are more than 13")
    on_table = np.where(led < 0, np.uint64(0), np.uint64(1) << np.maximum(led, 0).astype(np.uint64))
    refuse(np.any(sets & on_table[:, None], axis=1), lambda k: f"{card_name(int(led[k]))} was led and is in a hand")
