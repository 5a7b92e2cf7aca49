"""Exact results for arrays of positions, on as many threads as asked for."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from spades_agents.compiler import jit
from spades_agents.solvers.four_hand import new_table as new_trick_table
from spades_agents.solvers.payoffs import solve_rows
from spades_agents.solvers.tricks import rate_rows
from spades_agents.solvers.two_hand import NO_CARD, new_table
from spades_env.cards import NUM_CARDS, SPADES, SPADES_MASK, SUIT_MASKS, card_name, mask_of

__all__ = ["Solved", "legal_cards", "nil_can_be_broken", "solve_four", "solve_two"]


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
    every_card: bool = True,
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
        every_card: whether to rate every card; without, ``cards`` is all NaN and the values take about half the time.
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
        pays = np.broadcast_to(pays, (rows, 14)).copy()  # what numpy broadcasts is read-only: another type to numba
    mine = np.take_along_axis(sets, turn[:, None], 1)[:, 0]
    legal = legal_cards(mine, table, broken > 0)
    if not every_card:
        legal[table < 0] = 0  # a reply has few choices: they are all rated, and forgotten
    values = np.empty(rows)
    cards = np.full((rows, 52), np.nan)
    jit.announce("the agents")

    def work(share: slice) -> None:
        arrays = (sets, turn, table, broken, legal, pays, wins, values, cards)
        solve_rows(new_table(), *(array[share] for array in arrays))

    in_threads(work, rows, threads)
    if not every_card:
        cards[:] = np.nan
    return Solved(values, cards)


def solve_four(
    hands: ArrayLike,
    leader: ArrayLike = 0,
    *,
    side: Iterable[int] | None = None,
    trick: ArrayLike = (),
    spades_broken: ArrayLike = False,
    spades_must_break: bool = True,
    every_card: bool = True,
    threads: int | None = None,
) -> Solved:
    """Most tricks that a side can force with three or four open hands, the other seats all playing against it.

    Args:
        hands: uint64[n, 4] or uint64[n, 3], the cards that each seat holds (52-bit sets).
        leader: int[n], the seat that leads the trick, or has led it. Like ``spades_broken``, one value may stand for
            every row.
        side: the seats that play together; by default 0 and 2 of four, 0 of three.
        trick: int[n, k] or int[k], the cards of the current trick in order of play; k may be 0.
        spades_broken: bool[n].
        spades_must_break: whether the rule holds.
        every_card: whether to rate every card; without, ``cards`` is all NaN and the values take about half the time.
        threads: how many to use; one for each processor by default.

    Returns:
        Tricks of the side from the current trick on: the value of each position, and after each card that the
        seat on turn may play.

    Raises:
        ValueError: if the arrays do not fit each other or a position makes no sense; the message says which.
    """
    seats = _seats(hands)
    chosen = _seat_set("side", ((0, 2) if seats == 4 else (0,)) if side is None else side, seats)
    return _solve_tricks(
        hands, leader, trick, spades_broken, spades_must_break, chosen, chosen, 17, every_card, threads
    )


def nil_can_be_broken(
    hands: ArrayLike,
    nil: int,
    leader: ArrayLike = 0,
    *,
    partner: int | None = None,
    trick: ArrayLike = (),
    spades_broken: ArrayLike = False,
    spades_must_break: bool = True,
    every_card: bool = True,
    threads: int | None = None,
) -> Solved:
    """Whether the opponents of a nil bidder, all hands open, can make it take a trick from here on.

    Args:
        hands: as in :func:`solve_four`, like all that is not listed here.
        nil: the seat that bid nil.
        leader: the seat that leads the trick, or has led it.
        partner: the seat that helps it; by default the one opposite of four, none of three. -1 for none.
        trick: the cards of the current trick.
        spades_broken: whether spades are broken.
        spades_must_break: whether the rule holds.
        every_card: whether to rate every card.
        threads: how many to use.

    Returns:
        1.0 where the nil is broken with best play, 0.0 where it is safe; by position, and after each card.

    Raises:
        ValueError: as :func:`solve_four`.
    """
    seats = _seats(hands)
    helper = (nil + 2 if seats == 4 else -1) if partner is None else partner
    counted = _seat_set("nil", [nil], seats)
    friends = counted if helper == -1 else _seat_set("partner", [nil, helper % seats], seats)
    side = (1 << seats) - 1 - friends
    return _solve_tricks(hands, leader, trick, spades_broken, spades_must_break, side, counted, 1, every_card, threads)


def _seats(hands: ArrayLike) -> int:
    shape = np.shape(hands)
    if len(shape) != 2 or shape[1] not in (3, 4):
        raise ValueError(f"hands must have the shape (n, 3) or (n, 4), got {shape}")
    return shape[1]


def _seat_set(name: str, chosen: Iterable[int], seats: int) -> int:
    listed = list(chosen)
    if not listed or any(seat not in range(seats) for seat in listed):
        raise ValueError(f"{name} must name seats in 0..{seats - 1}, got {listed}")
    return mask_of(listed)


def _solve_tricks(
    hands: ArrayLike,
    leader: ArrayLike,
    trick: ArrayLike,
    spades_broken: ArrayLike,
    spades_must_break: bool,
    side: int,
    counted: int,
    most: int,
    every_card: bool,
    threads: int | None,
) -> Solved:
    """What :func:`solve_four` and :func:`nil_can_be_broken` share."""
    seats = _seats(hands)
    held = np.asarray(hands, np.uint64)
    rows = len(held)
    sets = np.zeros((rows, 4), np.uint64)
    sets[:, :seats] = held
    leads = per_row("leader", leader, rows, np.int64, 0, seats - 1)
    broken = per_row("spades_broken", spades_broken, rows, np.int64, 0, 1)
    given = np.asarray(trick, np.int64)
    if given.ndim not in (1, 2) or given.shape[-1] >= seats or (given.ndim == 2 and len(given) != rows):
        raise ValueError(f"trick must have the shape ({rows}, k) or (k,) with k < {seats}, got {given.shape}")
    count = given.shape[-1]
    table = np.full((rows, 3), NO_CARD, np.int64)
    table[:, :count] = given
    if count and not (given.min() >= 0 and given.max() < NUM_CARDS):
        raise ValueError(f"trick must hold cards in 0..51, got {given.min()}..{given.max()}")
    broken |= not spades_must_break
    broken |= np.any(table // 13 == SPADES, axis=1)
    _check_four(sets[:, :seats], leads, table[:, :count])
    turn = (leads + count) % seats
    led = table[:, 0]
    legal = legal_cards(np.take_along_axis(sets, turn[:, None], 1)[:, 0], led, broken > 0)
    if not every_card:
        legal[:] = 0
    values = np.empty(rows)
    cards = np.full((rows, 52), np.nan)
    jit.announce("the agents")

    def work(share: slice) -> None:
        rate_rows(
            new_trick_table(),
            sets[share],
            seats,
            leads[share],
            table[share],
            count,
            broken[share],
            side,
            counted,
            most,
            legal[share],
            values[share],
            cards[share],
        )

    in_threads(work, rows, threads)
    return Solved(values, cards)


def _check_four(sets: np.ndarray, leader: np.ndarray, trick: np.ndarray) -> None:
    """Raise ValueError for a position that cannot be."""
    refuse(np.any(sets >> np.uint64(52), axis=1), lambda k: "a hand has bits above 51")
    index = np.arange(len(sets))
    seats, count = sets.shape[1], trick.shape[1]
    held = sets.copy()
    on_table = np.uint64(1) << trick.astype(np.uint64)
    for k in range(count):
        held[index, (leader + k) % seats] |= on_table[:, k]
    everything = np.bitwise_or.reduce(np.concatenate([sets, on_table], axis=1), axis=1)
    total = sizes(sets).sum(axis=1) + count
    refuse(sizes(everything) != total, lambda k: "a card is in two places")
    counts = sizes(held)
    refuse(np.any(counts != counts[:, :1], axis=1), lambda k: f"with the trick, the hands have {counts[k]} cards")
    refuse(counts[:, 0] == 0, lambda k: "no cards left")


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
