"""Three and four seats: the number of tricks after each card, and whether a card lets a nil be broken."""

from typing import Any, NamedTuple

import numpy as np

from spades_agents.compiler import jit
from spades_agents.solvers.four_hand import NO_CARD, can
from spades_agents.solvers.lanes import packed, place
from spades_env.engine.bits import U64, bit, lowest, popcount
from spades_env.engine.play import playable


class Position(NamedTuple):
    """A position of three or four hands; or many, each attribute but ``played`` an array with a row for each."""

    hands: np.ndarray  # the cards that each seat holds, 52-bit sets
    leader: Any  # the seat that led the trick, or leads it
    trick: np.ndarray  # the cards of the trick so far, in order
    played: int  # their number
    broken: Any  # 1 if spades may be led
    legal: Any  # the cards to rate; if there are none, only the value is found


@jit
def set_root(t, position, seats):
    """Put a position into the first trick of ``t``; returns the set of all cards in play."""
    root = t.tricks[0]
    for seat in range(4):
        root.h[seat] = position.hands[seat] if seat < seats else U64(0)
    for k in range(position.played):
        root.h[(position.leader + k) % seats] |= bit(position.trick[k])
    play = root.h[0] | root.h[1] | root.h[2] | root.h[3]
    for seat in range(seats):
        root.h[seat] = packed(root.h[seat], play)
    for k in range(position.played):
        t.turns[k].card = place(position.trick[k], play)
    root.leader = position.leader
    root.broken = position.broken
    return play


@jit
def most_tricks(t, ask, played, only, high, guess):
    """The most tricks, in 0..high, for which the answer to a question about the root is yes.

    ``only`` is the place of the card played next, NO_CARD for any.
    """
    low = 0
    guess = min(max(guess, 1), high)
    while low < high:
        t.tricks[0].need = guess
        if can(t, ask, played, only):
            low = guess
            guess += 1
        else:
            high = guess - 1
            guess -= 1
    return low


@jit
def rate_tricks(t, position, ask, out):
    """Write to ``out[card]`` the tricks, from the current one on, that can be forced after each card to rate.

    Args:
        t: one :data:`~spades_agents.solvers.four_table.TABLE`.
        position: the :class:`Position`.
        ask: the :class:`~spades_agents.solvers.four_table.Question`.
        out: numbers by card id; the entries of other cards are left unchanged.

    Returns:
        The value of the position: the best of all cards for the seat on turn.
    """
    play = set_root(t, position, ask.seats)
    played = np.int64(position.played)
    seat = (position.leader + played) % ask.seats
    mine = t.tricks[0].h[seat]
    wants = ask.side >> seat & 1
    high = min(popcount(mine), ask.most)
    value = 0
    best = 0
    known = NO_CARD
    guess = (popcount(mine) + 1) // 2
    if position.legal == U64(0):
        any_card = np.int64(NO_CARD)  # a plain constant would be another type, and the search compiled twice
        return most_tricks(t, ask, played, any_card, high, guess)
    rest = position.legal
    while rest:
        card = lowest(rest)
        here = place(card, play)
        if known < 0 or here != known + 1 or here >> 4 != known >> 4:
            value = most_tricks(t, ask, played, here, high, guess)
            guess = value if wants else value + 1
        known = here  # a touching card has the same value
        if rest == position.legal or (value > best if wants else value < best):
            best = value
        rest &= rest - U64(1)
        out[card] = value
    return best


@jit
def rate_state(t, s, r, ask, out):
    """:func:`rate_tricks` for the seat on turn at a table in the play phase, all hands known."""
    trick = s.order[s.played - s.in_trick :]
    broken = 1 if s.broken or not r.spades_must_break else 0
    return rate_tricks(t, Position(s.hands, s.leader, trick, s.in_trick, broken, playable(s, r)), ask, out)


@jit.apart
def rate_rows(tables, positions, ask, values, cards):
    """:func:`rate_tricks` for many positions."""
    p = positions
    for k in range(values.size):
        position = Position(p.hands[k], p.leader[k], p.trick[k], p.played, p.broken[k], p.legal[k])
        values[k] = rate_tricks(tables[0], position, ask, cards[k])
