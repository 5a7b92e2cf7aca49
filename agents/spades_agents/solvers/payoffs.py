"""What each card of a two-player game is worth to seat 0, for any payoff per number of tricks.

The payoffs are sorted, and the greatest that seat 0 can force is found by bisection with exact answers.
"""

from typing import Any, NamedTuple

import numpy as np

from spades_agents.compiler import jit
from spades_agents.solvers.lanes import SPADE_LANE, after_trick, packed, place, takes
from spades_agents.solvers.two_hand import NO_CARD, TrickStart, can
from spades_env.engine.bits import U64, bit, lowest, popcount
from spades_env.engine.play import playable


class Position(NamedTuple):
    """A position of two hands; or many, each attribute an array with a row for each."""

    hands: np.ndarray  # the cards of seats 0 and 1, 52-bit sets
    on_turn: Any  # the seat that plays next
    led: Any  # the card that the other seat has led to the current trick, NO_CARD if there is none
    broken: Any  # 1 if spades may be led
    legal: Any  # the cards to rate, all of them legal; if there are none, only the value of a lead is found


@jit
def can_after(t, start, led, card, want):
    """:func:`can` after the seat on turn has played ``card``; NO_CARD for its choice of leads."""
    if led < 0:
        return can(t, start, want, card)
    leader = 1 - start.leader if takes(card, led) else start.leader
    if leader == 0:
        want >>= 1
    broken = 1 if start.broken or led >= SPADE_LANE or card >= SPADE_LANE else 0
    after = TrickStart(after_trick(start.h0, led, card), after_trick(start.h1, led, card), leader, broken)
    return can(t, after, want, np.int64(NO_CARD))


@jit
def rank_payoffs(t, payoffs, most):
    """Fill ``t.order`` with 0..most by rising ``payoffs[k]``."""
    for k in range(most + 1):
        j = k
        while j > 0 and payoffs[t.order[j - 1]] > payoffs[k]:
            t.order[j] = t.order[j - 1]
            j -= 1
        t.order[j] = k


@jit
def card_value(t, start, led, card, payoffs, guess):
    """The index in ``t.order`` of the greatest payoff that seat 0 can force after ``card``, trying ``guess`` first."""
    most = popcount(start.h0)
    low = 0  # seat 0 can force order[low] or better
    high = most
    probe = guess + 1
    while low < high:
        if probe <= low or probe > high:
            probe = (low + high + 1) // 2
        # Equal payoffs are one question.
        floor = payoffs[t.order[probe]]
        while probe > low + 1 and payoffs[t.order[probe - 1]] == floor:
            probe -= 1
        want = 0
        for k in range(probe, most + 1):
            want |= 1 << t.order[k]
        if can_after(t, start, led, card, want):
            low = probe
            while low < high and payoffs[t.order[low + 1]] == floor:
                low += 1
            probe = low + 1
        else:
            high = probe - 1
            probe = high
    return low


@jit
def solve_cards(t, position, payoffs, out):
    """Write to ``out[card]`` what each card to rate is worth to seat 0.

    Args:
        t: one :data:`~spades_agents.solvers.two_table.TABLE`.
        position: the :class:`Position`.
        payoffs: what seat 0 gets if it wins 0, 1, ... tricks from here on; seat 1 gets the negative.
        out: float64, by card id; the entries of other cards are left unchanged.

    Returns:
        The value of the position to seat 0.
    """
    hand0 = position.hands[0]
    hand1 = position.hands[1]
    led = np.int64(position.led)
    leader = np.int64(position.on_turn)
    if led >= 0:
        leader = 1 - leader
        if leader == 0:
            hand0 |= bit(led)
        else:
            hand1 |= bit(led)
    play = hand0 | hand1
    start = TrickStart(packed(hand0, play), packed(hand1, play), leader, np.int64(position.broken))
    led_place = place(led, play) if led >= 0 else NO_CARD
    most = popcount(start.h0)
    rank_payoffs(t, payoffs, most)
    guess = most // 2
    best = 0.0
    known = NO_CARD
    legal = position.legal
    if legal == U64(0):
        any_card = np.int64(NO_CARD)  # a plain constant would be another type, and the search compiled twice
        guess = card_value(t, start, any_card, any_card, payoffs, guess)
        return float(payoffs[t.order[guess]])
    rest = legal
    while rest:
        card = lowest(rest)
        rest &= rest - U64(1)
        here = place(card, play)
        if known < 0 or here != known + 1 or here >> 4 != known >> 4:
            guess = card_value(t, start, led_place, here, payoffs, guess)
        known = here  # a touching card has the same value
        value = float(payoffs[t.order[guess]])
        if rest == legal & (legal - U64(1)) or (value > best if position.on_turn == 0 else value < best):
            best = value
        out[card] = value
    return best


@jit
def solve_state(t, s, r, payoffs, out):
    """Write to ``out[card]`` what each legal card of a table in the play phase is worth to seat 0.

    Args:
        t: one :data:`~spades_agents.solvers.two_table.TABLE`, best kept from call to call.
        s: the state of the table, with two players, both hands known.
        r: the packed rules.
        payoffs: 14 numbers, what seat 0 gets if it wins 0..13 tricks of the hand; seat 1 gets the negative.
        out: floats by card id, at least 52; the entries of illegal cards are left unchanged.

    Returns:
        The value of the position to seat 0: the greatest of the cards' values if it is on turn, else the least.
    """
    led = s.order[s.played - 1] if s.in_trick > 0 else NO_CARD
    broken = 1 if s.broken or not r.spades_must_break else 0
    return solve_cards(t, Position(s.hands, s.seat, led, broken, playable(s, r)), payoffs[s.tricks[0] :], out)


@jit.apart
def solve_rows(tables, positions, payoffs, won, values, cards):
    """:func:`solve_cards` for many positions, with payoffs by tricks of the whole hand and the tricks ``won``."""
    for k in range(values.size):
        position = Position(
            positions.hands[k], positions.on_turn[k], positions.led[k], positions.broken[k], positions.legal[k]
        )
        values[k] = solve_cards(tables[0], position, payoffs[k, won[k] :], cards[k])
