"""What each card of a two-player game is worth to seat 0 for any payoff per number of tricks, from exact answers.

The payoffs are ranked; the value is the greatest that seat 0 can force, found by bisection.
"""

from __future__ import annotations

import numpy as np

from spades_agents.compiler import jit
from spades_agents.solvers.lanes import SPADE_LANE, after_trick, packed, place, takes
from spades_agents.solvers.two_hand import NO_CARD, can
from spades_env.engine.bits import U64, bit, lowest, popcount
from spades_env.engine.play import playable


@jit
def can_after(t, h0, h1, leader, broken, want, led, card):
    """The same as :func:`can` after the seat on turn has played ``card``; NO_CARD for its choice of leads."""
    only = card
    if led >= 0:
        only = NO_CARD
        h0 = after_trick(h0, led, card)
        h1 = after_trick(h1, led, card)
        if takes(card, led):
            leader = 1 - leader
        if leader == 0:
            want >>= 1
        broken = 1 if broken or led >= SPADE_LANE or card >= SPADE_LANE else 0
    return can(t, h0, h1, leader, broken, want, only)


@jit
def rank_payoffs(t, payoffs, start, most):
    """Fill ``order`` with 0..most by rising ``payoffs[start + k]``."""
    for k in range(most + 1):
        j = k
        while j > 0 and payoffs[start + t.order[j - 1]] > payoffs[start + k]:
            t.order[j] = t.order[j - 1]
            j -= 1
        t.order[j] = k


@jit
def card_value(t, h0, h1, leader, broken, led, card, payoffs, start, most, guess):
    """Place in ``order`` of the greatest payoff that seat 0 can force after ``card``; ``guess`` is tried first."""
    low = 0  # seat 0 can force order[low] or better
    high = most
    probe = guess + 1
    while low < high:
        if probe <= low or probe > high:
            probe = (low + high + 1) // 2
        # Equal payoffs are one question.
        floor = payoffs[start + t.order[probe]]
        while probe > low + 1 and payoffs[start + t.order[probe - 1]] == floor:
            probe -= 1
        want = 0
        for k in range(probe, most + 1):
            want |= 1 << t.order[k]
        if can_after(t, h0, h1, leader, broken, want, led, card):
            low = probe
            while low < high and payoffs[start + t.order[low + 1]] == floor:
                low += 1
            probe = low + 1
        else:
            high = probe - 1
            probe = high
    return low


@jit
def solve_cards(t, hand0, hand1, on_turn, led, broken, payoffs, start, legal, out):
    """Write to ``out[card]`` what each card in ``legal`` is worth to seat 0; returns the value of the position.

    Args:
        t: a :data:`TABLE` record.
        hand0: cards of seat 0 (a 52-bit set).
        hand1: cards of seat 1.
        on_turn: the seat that plays next.
        led: the card that the other has led to the current trick, NO_CARD if there is none.
        broken: 1 if spades may be led.
        payoffs: what seat 0 gets for each number of tricks of the whole hand, seat 1 getting its negative.
        start: tricks that seat 0 has won so far.
        legal: the cards to rate, all of them playable; if there are none, only the value of a lead is found.
        out: float64, by card id; other cards' places are left alone.
    """
    leader = on_turn
    if led >= 0:
        leader = 1 - on_turn
        if leader == 0:
            hand0 |= bit(led)
        else:
            hand1 |= bit(led)
    play = hand0 | hand1
    h0 = packed(hand0, play)
    h1 = packed(hand1, play)
    most = popcount(h0)
    led_place = place(led, play) if led >= 0 else NO_CARD
    rank_payoffs(t, payoffs, start, most)
    guess = most // 2
    best = 0.0
    known = NO_CARD
    if legal == U64(0):
        any_card = np.int64(NO_CARD)  # a plain constant would be another type, and all compiled twice
        guess = card_value(t, h0, h1, leader, broken, any_card, any_card, payoffs, start, most, guess)
        return float(payoffs[start + t.order[guess]])
    rest = legal
    while rest:
        card = lowest(rest)
        rest &= rest - U64(1)
        here = place(card, play)
        if known < 0 or here != known + 1 or here >> 4 != known >> 4:
            guess = card_value(t, h0, h1, leader, broken, led_place, here, payoffs, start, most, guess)
        known = here  # the next card touches this one: same value
        value = float(payoffs[start + t.order[guess]])
        if rest == legal & (legal - U64(1)) or (value > best if on_turn == 0 else value < best):
            best = value
        out[card] = value
    return best


@jit
def solve_state(t, s, r, payoffs, out):
    """Write to ``out[card]`` what each legal card of a table in the play phase is worth to seat 0.

    Args:
        t: a :data:`~spades_agents.solvers.two_hand.TABLE` record, best kept from call to call.
        s: the table's record, two players, both hands known.
        r: the record of its rules.
        payoffs: 14 numbers: what seat 0 gets if it wins 0..13 tricks of the hand; seat 1 gets the negative.
        out: floats by card id, at least 52; places of cards that are not legal are left alone.

    Returns:
        The value of the position to seat 0: the greatest of the cards' if it is on turn, else the least.
    """
    led = s.order[s.played - 1] if s.in_trick > 0 else NO_CARD
    broken = 1 if s.broken or not r.spades_must_break else 0
    return solve_cards(t, s.hands[0], s.hands[1], s.seat, led, broken, payoffs, s.tricks[0], playable(s, r), out)


@jit.apart
def solve_rows(tables, hands, on_turn, led, broken, legal, payoffs, won, values, cards):
    """:func:`solve_cards` for every row of the arrays."""
    for k in range(values.size):
        values[k] = solve_cards(
            tables[0],
            hands[k, 0],
            hands[k, 1],
            on_turn[k],
            led[k],
            broken[k],
            payoffs[k],
            won[k],
            legal[k],
            cards[k],
        )
