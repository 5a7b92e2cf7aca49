"""Three and four seats: how many tricks each card leads to, and whether it lets a nil be broken."""

from __future__ import annotations

import numpy as np

from spades_agents.compiler import jit
from spades_agents.solvers.four_hand import NO_CARD, can
from spades_agents.solvers.lanes import packed, place
from spades_env.engine.bits import U64, bit, lowest, popcount
from spades_env.engine.play import playable


@jit
def set_root(t, hands, seats, leader, trick, played, broken):
    """Put a position into the table's first trick; returns the set of all cards in play.

    ``hands`` are 52-bit sets by seat, ``trick`` the cards of the trick so far, ``played`` their number.
    """
    root = t.tricks[0]
    for seat in range(4):
        root.h[seat] = hands[seat] if seat < seats else U64(0)
    for k in range(played):
        root.h[(leader + k) % seats] |= bit(trick[k])
    play = root.h[0] | root.h[1] | root.h[2] | root.h[3]
    for seat in range(seats):
        root.h[seat] = packed(root.h[seat], play)
    for k in range(played):
        t.turns[k].card = place(trick[k], play)
    root.leader = leader
    root.broken = broken
    return play


@jit
def most_tricks(t, seats, side, counted, played, only, low, high, guess):
    """The most tricks, in ``low``..``high``, that ``side`` can force for ``counted`` from the root on.

    ``only`` is the place of the card played next, NO_CARD for any.
    """
    guess = min(max(guess, low + 1), high)
    while low < high:
        t.tricks[0].need = guess
        if can(t, seats, side, counted, played, only):
            low = guess
            guess += 1
        else:
            high = guess - 1
            guess -= 1
    return low


@jit
def rate_tricks(t, hands, seats, leader, trick, played, broken, side, counted, most, legal, out):
    """Write to ``out[card]`` the tricks that ``side`` can force for ``counted`` after each card in ``legal``.

    Args:
        t: a :data:`~spades_agents.solvers.four_hand.TABLE` record.
        hands: cards held, 52-bit sets by seat.
        seats: 3 or 4.
        leader: the seat that led the trick, or leads it.
        trick: the cards of the trick so far, in order.
        played: their number.
        broken: 1 if spades may be led.
        side: set of the seats that play for the tricks; the others play against them.
        counted: set of the seats whose tricks count, from this trick on.
        most: tricks above this number make no difference: 1 asks only whether there will be any.
        legal: the cards to rate; if there are none, only the value is found.
        out: numbers by card id; other cards' places are left alone.

    Returns:
        The value of the position: the best of all cards for the seat on turn.
    """
    play = set_root(t, hands, seats, leader, trick, played, broken)
    seat = (leader + played) % seats
    mine = t.tricks[0].h[seat]
    wants = side >> seat & 1
    high = min(popcount(mine), most)
    value = 0
    best = 0
    known = NO_CARD
    guess = (popcount(mine) + 1) // 2
    if legal == U64(0):
        any_card = np.int64(NO_CARD)  # a plain constant would be another type, and all compiled twice
        return most_tricks(t, seats, side, counted, played, any_card, 0, high, guess)
    rest = legal
    while rest:
        card = lowest(rest)
        here = place(card, play)
        if known < 0 or here != known + 1 or here >> 4 != known >> 4:
            value = most_tricks(t, seats, side, counted, played, here, 0, high, guess)
            guess = value if wants else value + 1
        known = here  # the next card touches this one: same value
        if rest == legal or (value > best if wants else value < best):
            best = value
        rest &= rest - U64(1)
        out[card] = value
    return best


@jit
def rate_state(t, s, r, side, counted, most, out):
    """:func:`rate_tricks` for the seat on turn at a table in the play phase, all hands known."""
    trick = s.order[s.played - s.in_trick :]
    broken = 1 if s.broken or not r.spades_must_break else 0
    return rate_tricks(
        t, s.hands, r.players, s.leader, trick, s.in_trick, broken, side, counted, most, playable(s, r), out
    )


@jit.apart
def rate_rows(tables, hands, seats, leader, trick, played, broken, side, counted, most, legal, values, cards):
    """:func:`rate_tricks` for every row of the arrays."""
    for k in range(values.size):
        values[k] = rate_tricks(
            tables[0],
            hands[k],
            seats,
            leader[k],
            trick[k],
            played,
            broken[k],
            side,
            counted,
            most,
            legal[k],
            cards[k],
        )
