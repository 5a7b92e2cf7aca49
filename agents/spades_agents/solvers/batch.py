"""Exact results for arrays of positions, on several threads."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from spades_agents.solvers import payoffs as two_hands
from spades_agents.solvers import tricks as four_hands
from spades_agents.solvers.four_table import Question
from spades_agents.solvers.four_table import new_table as new_trick_table
from spades_agents.solvers.two_table import NO_CARD, new_table
from spades_env.cards import NUM_CARDS, SPADES, SPADES_MASK, SUIT_MASKS, card_name, mask_of


@dataclass(frozen=True)
class Solved:
    """Results of ``n`` positions.

    Attributes:
        values: float64[n], the value of each position with best play by both sides.
        cards: float64[n, 52], the value after each legal card, by card id; NaN for all others.
    """

    values: np.ndarray
    cards: np.ndarray


def legal_cards(hands: np.ndarray, led: np.ndarray, may_lead_spades: np.ndarray) -> np.ndarray:
    """The legal cards, uint64[n] of 52-bit sets.

    Args:
        hands: uint64[n], the hands on turn.
        led: int[n], the card led to the trick, -1 if the hand on turn leads.
        may_lead_spades: bool[n], whether spades may be led.
    """
    suits = np.array([*SUIT_MASKS, 0], np.uint64)[np.where(led < 0, 4, led // 13)]
    leads = np.where(may_lead_spades, hands, hands & ~np.uint64(SPADES_MASK))
    preferred = np.where(led < 0, leads, hands & suits)
    return np.where(preferred > 0, preferred, hands)


def in_threads(work: Callable[[slice], None], rows: int, threads: int | None) -> None:
    """Call ``work`` on equal shares of ``rows`` rows, each in its own thread (kernels release the GIL)."""
    count = max(1, min(threads or os.cpu_count() or 1, rows))
    edges = np.linspace(0, rows, count + 1).astype(int)
    shares = [slice(start, stop) for start, stop in itertools.pairwise(edges)]
    if count == 1:
        work(shares[0])
        return
    with ThreadPoolExecutor(count) as pool:
        list(pool.map(work, shares))


def per_row(name: str, value: Any, rows: int, low: int, high: int) -> np.ndarray:
    """``value`` as int64 with an entry for each row, after checking that all are in ``low``..``high``."""
    array = np.broadcast_to(np.asarray(value), (rows,)).astype(np.int64)
    if array.size and not (low <= array.min() and array.max() <= high):
        raise ValueError(f"{name} must be in {low}..{high}, got {array.min()}..{array.max()}")
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
    """Solve positions of the two-player game's play exactly, with both hands open.

    Args:
        hands: uint64[n, 2], the cards of seats 0 and 1 (52-bit sets, see :func:`spades_env.cards.mask_of`). The seat on
            turn holds as many cards as the other, or one more if a card has been led.
        on_turn: int[n], the seat that plays next. Here and in all following arrays a single value applies to every row.
        led: int[n], the card that the other seat has led to the current trick; -1 if there is none.
        spades_broken: bool[n], whether spades are broken.
        spades_must_break: whether spades must be broken before they may be led.
        payoffs: float[n, 14] or float[14], what seat 0 gets for 0..13 tricks won in the whole hand; seat 1 gets the
            negative. By default the number of tricks that seat 0 takes from here on.
        won: int[n], the tricks that seat 0 has already won.
        every_card: whether to rate every card. If not, ``cards`` is NaN and the values take about half the time.
        threads: number of threads; by default one for each processor.

    Returns:
        The values to seat 0, which maximises them; seat 1 minimises them.

    Raises:
        ValueError: if the arrays do not fit each other or a position is invalid; the message says which.
    """
    sets = np.ascontiguousarray(np.asarray(hands), np.uint64)
    if sets.ndim != 2 or sets.shape[1] != 2:
        raise ValueError(f"hands must have the shape (n, 2), got {sets.shape}")
    rows = len(sets)
    turn = per_row("on_turn", on_turn, rows, 0, 1)
    table = per_row("led", led, rows, NO_CARD, 51)
    wins = per_row("won", won, rows, 0, 13)
    broken = per_row("spades_broken", spades_broken, rows, 0, 1) | (not spades_must_break) | (table // 13 == SPADES)
    _check_two(sets, turn, table, wins)
    if payoffs is None:
        pays = (np.arange(14) - wins[:, None]).astype(float)
    else:
        pays = np.asarray(payoffs, float)
        if pays.shape not in ((14,), (rows, 14)):
            raise ValueError(f"payoffs must have the shape (14,) or ({rows}, 14), got {pays.shape}")
        pays = np.broadcast_to(pays, (rows, 14)).copy()  # a broadcast array is read-only, another type for numba
    mine = np.take_along_axis(sets, turn[:, None], 1)[:, 0]
    legal = legal_cards(mine, table, broken > 0)
    if not every_card:
        legal[table < 0] = 0  # a reply has few choices; they are rated anyway and discarded
    values = np.empty(rows)
    cards = np.full((rows, 52), np.nan)

    def work(share: slice) -> None:
        positions = two_hands.Position(*(array[share] for array in (sets, turn, table, broken, legal)))
        two_hands.solve_rows(new_table(), positions, pays[share], wins[share], values[share], cards[share])

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
    """The most tricks that a side can force against all other seats, with three or four open hands.

    Args:
        hands: uint64[n, 4] or uint64[n, 3], the cards that each seat holds (52-bit sets).
        leader: int[n], the seat that leads or has led the current trick. For this and ``spades_broken`` a single value
            applies to every row.
        side: the seats that play together; by default 0 and 2 of four, 0 of three.
        trick: int[n, k] or int[k], the cards of the current trick in order of play; k may be 0.
        spades_broken: bool[n], whether spades are broken.
        spades_must_break: whether spades must be broken before they may be led.
        every_card: whether to rate every card. If not, ``cards`` is NaN and the values take about half the time.
        threads: number of threads; by default one for each processor.

    Returns:
        The tricks of the side, the current trick included: the value of each position, and after each legal card.

    Raises:
        ValueError: if the arrays do not fit each other or a position is invalid; the message says which.
    """
    seats = _seats(hands)
    chosen = _seat_set("side", ((0, 2) if seats == 4 else (0,)) if side is None else side, seats)
    broken = spades_broken if spades_must_break else 1
    return _solve_tricks(hands, leader, trick, broken, Question(seats, chosen, chosen, 17), every_card, threads)


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
    """Whether the opponents of the seat ``nil`` can force it to take a trick from here on, with all hands open.

    ``partner`` is the seat that helps the nil bidder, -1 for none; by default the opposite seat of four, none of three.
    All other arguments are those of :func:`solve_four`.

    Returns:
        1.0 if the nil is broken with best play, 0.0 if it is safe: for each position, and after each legal card.

    Raises:
        ValueError: see :func:`solve_four`.
    """
    seats = _seats(hands)
    helper = (nil + 2 if seats == 4 else -1) if partner is None else partner
    counted = _seat_set("nil", [nil], seats)
    friends = counted if helper == -1 else _seat_set("partner", [nil, helper % seats], seats)
    side = (1 << seats) - 1 - friends
    broken = spades_broken if spades_must_break else 1
    return _solve_tricks(hands, leader, trick, broken, Question(seats, side, counted, 1), every_card, threads)


def _seats(hands: ArrayLike) -> int:
    shape = np.shape(hands)
    if len(shape) != 2 or shape[1] not in (3, 4):
        raise ValueError(f"hands must have the shape (n, 3) or (n, 4), got {shape}")
    return shape[1]


def _seat_set(name: str, chosen: Iterable[int], seats: int) -> int:
    listed = list(chosen)
    if not listed or any(seat not in range(seats) for seat in listed):
        raise ValueError(f"{name} must hold seats in 0..{seats - 1}, got {listed}")
    return mask_of(listed)


def _solve_tricks(
    hands: ArrayLike,
    leader: ArrayLike,
    trick: ArrayLike,
    spades_broken: ArrayLike,
    ask: Question,
    every_card: bool,
    threads: int | None,
) -> Solved:
    """What :func:`solve_four` and :func:`nil_can_be_broken` share."""
    held = np.asarray(hands, np.uint64)
    rows, seats = held.shape
    sets = np.zeros((rows, 4), np.uint64)
    sets[:, :seats] = held
    leads = per_row("leader", leader, rows, 0, seats - 1)
    given = np.asarray(trick, np.int64)
    if given.ndim not in (1, 2) or given.shape[-1] >= seats or (given.ndim == 2 and len(given) != rows):
        raise ValueError(f"trick must have the shape ({rows}, k) or (k,) with k < {seats}, got {given.shape}")
    count = given.shape[-1]
    table = np.full((rows, 3), NO_CARD, np.int64)
    table[:, :count] = given
    if given.size and not (given.min() >= 0 and given.max() < NUM_CARDS):
        raise ValueError(f"trick must hold cards in 0..51, got {given.min()}..{given.max()}")
    broken = per_row("spades_broken", spades_broken, rows, 0, 1) | np.any(table // 13 == SPADES, axis=1)
    _check_four(held, leads, table[:, :count])
    turn = (leads + count) % seats
    legal = legal_cards(np.take_along_axis(sets, turn[:, None], 1)[:, 0], table[:, 0], broken > 0)
    if not every_card:
        legal[:] = 0
    values = np.empty(rows)
    cards = np.full((rows, 52), np.nan)

    def work(share: slice) -> None:
        positions = four_hands.Position(sets[share], leads[share], table[share], count, broken[share], legal[share])
        four_hands.rate_rows(new_trick_table(), positions, ask, values[share], cards[share])

    in_threads(work, rows, threads)
    return Solved(values, cards)


def _check_four(sets: np.ndarray, leader: np.ndarray, trick: np.ndarray) -> None:
    """Raise ValueError for an invalid position."""
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
    """The number of cards in each 52-bit set, int64 of the same shape."""
    return np.unpackbits(sets[..., None].view(np.uint8), axis=-1).sum(axis=-1, dtype=np.int64)


def refuse(wrong: ArrayLike, why: Callable[[int], str]) -> None:
    """Raise ValueError for the first row where ``wrong`` is true."""
    rows = np.flatnonzero(wrong)
    if rows.size:
        raise ValueError(f"position {rows[0]}: {why(rows[0])}")


def _check_two(sets: np.ndarray, turn: np.ndarray, led: np.ndarray, won: np.ndarray) -> None:
    """Raise ValueError for an invalid position."""
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
