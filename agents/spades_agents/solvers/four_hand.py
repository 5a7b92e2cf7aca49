"""Exact solver of the play with open cards for three and four seats.

Every question is whether the seats of ``side`` can force at least ``need`` tricks, from here on, for the seats in
``counted``; the other seats try to prevent it. Most tricks for a side has ``counted`` equal to ``side``; "can this nil
be broken" has the opponents as the side and counts one trick of the nil bidder.

Zero-window alpha-beta with partition search (Ginsberg 1996): an answer is stored not for one position but for all that
agree in the lengths of the suits in every hand and in who holds the highest cards, down to the lowest one that
mattered to the answer. This and the shortcuts for winners that can be cashed are what makes double-dummy solvers
fast; see Chang, "Building a Fast Double-Dummy Bridge Solver" (1996), and Haglund and Hein, "Search Algorithms for a
Bridge Double Dummy Solver" (2014).
"""

from __future__ import annotations

import numpy as np

from spades_agents.compiler import jit
from spades_agents.solvers.four_bounds import last_trick, quick_tricks, reaches, shared_tricks, sure_tricks
from spades_agents.solvers.four_order import open_turn, run_below
from spades_agents.solvers.four_table import NO_CARD, TABLE, UNKNOWN, enter, look_up, new_table, shape_key, start_trick
from spades_agents.solvers.lanes import SPADE_LANE, filled_up, lane_of, takes, with_gap, without
from spades_env.engine.bits import U64, bit, popcount

__all__ = ["NO_CARD", "TABLE", "can", "new_table"]


@jit
def settle(t, p, seats, side, counted):
    """Answer the question at a position between tricks without search, if it can be."""
    if p.need <= 0:
        return 1, U64(0)
    if p.need > p.left:
        return 0, U64(0)
    if p.left == 1:
        winner, relevant = last_trick(p, seats)
        return counted >> winner & 1, relevant
    if p.all >> U64(SPADE_LANE) == U64(0):
        p.broken = 1
    if counted == side:
        everyone = (1 << seats) - 1
        friends = side if side >> p.leader & 1 else everyone ^ side
        need = p.need if friends == side else p.left - p.need + 1
        tricks, relevant = quick_tricks(p, seats, p.leader, friends, need)
        if tricks >= need:
            return 1 if friends == side else 0, relevant
        for partner in range(seats):
            if friends >> partner & 1 == 0 or partner == p.leader:
                continue
            tricks, relevant = shared_tricks(p, seats, p.leader, partner, friends, need)
            if tricks >= need:
                return 1 if friends == side else 0, relevant
            if reaches(p, seats, p.leader, partner, friends):
                tricks, relevant = quick_tricks(p, seats, partner, friends, need)
                if tricks >= need:
                    return 1 if friends == side else 0, relevant
        need = p.left - p.need + 1 if friends == side else p.need
        tricks, relevant = sure_tricks(p, seats, everyone ^ friends, need)
        if tricks >= need:
            return 0 if friends == side else 1, relevant
    else:
        tricks, relevant = sure_tricks(p, seats, counted, p.need)
        if tricks >= p.need:
            return 1, relevant
    p.key = shape_key(p, seats, side, counted)
    return look_up(t, p)


# What the search does next.
ENTER, OPEN, NEXT, DONE, RESULT = range(5)


@jit
def sort_gone(p):
    """Bring ``gone`` into ascending order."""
    for i in range(1, 4):
        place = p.gone[i]
        j = i
        while j > 0 and p.gone[j - 1] > place:
            p.gone[j] = p.gone[j - 1]
            j -= 1
        p.gone[j] = place


@jit
def trick_cards(p):
    """The set of the cards played to a trick."""
    cards = bit(p.gone[1]) | bit(p.gone[2]) | bit(p.gone[3])
    if p.gone[0] >= 0:
        cards |= bit(p.gone[0])
    return cards


@jit
def set_turn(t, p, depth, place, card):
    """Play ``card`` at the turn at ``depth``, with ``place`` cards in the trick before it."""
    f = t.turns[depth]
    f.card = card
    if place == 0:
        p.lead = card
        f.winner = f.seat
        f.top = card
        return
    before = t.turns[depth - 1]
    f.winner = before.winner
    f.top = before.top
    if takes(card, f.top):
        f.winner = f.seat
        f.top = card


@jit
def next_trick(t, p, q, seats, depth, counted):
    """Fill ``q`` with the position after the trick ``p`` whose last turn is at ``depth``."""
    last = t.turns[depth]
    p.gone[0] = NO_CARD
    q.broken = p.broken
    for k in range(seats):
        card = t.turns[depth - k].card
        p.gone[3 - k] = card
        if card >= SPADE_LANE:
            q.broken = 1
    sort_gone(p)
    for seat in range(4):
        word = p.h[seat]
        for k in range(seats):
            word = without(word, p.gone[3 - k])
        q.h[seat] = word
    start_trick(q)
    q.leader = last.winner
    q.need = p.need - (counted >> last.winner & 1)


@jit.apart
def can(t, seats, side, counted, played, only):
    """Whether ``side`` can force ``need`` tricks for ``counted``, from the position in ``tricks[0]``.

    ``tricks[0]`` holds the hands (with the cards played to the trick), ``leader``, ``broken`` and ``need``; the first
    ``played`` turns hold ``card``.

    Args:
        t: a :data:`TABLE` record.
        seats: 3 or 4.
        side: set of the seats that want the tricks.
        counted: set of the seats whose tricks count.
        played: how many cards the trick has.
        only: place of the card that must be played, NO_CARD for a choice.
    """
    p = t.tricks[0]
    start_trick(p)
    p.best = NO_CARD
    p.key = U64(0)
    nil = counted != side
    everyone = (1 << seats) - 1
    for k in range(played):
        t.turns[k].seat = (p.leader + k) % seats
        set_turn(t, p, k, k, t.turns[k].card)
    depth = played
    level = 0  # tricks below the root
    place = played  # cards in the trick at this depth
    answer = UNKNOWN
    relevant = U64(0)
    hint = NO_CARD
    state = ENTER if played == 0 and only < 0 else OPEN
    while True:
        if state == ENTER:
            t.nodes += 1
            answer, relevant = settle(t, t.tricks[level], seats, side, counted)
            state = OPEN
            if answer >= 0:
                state = RESULT
                if depth == played:
                    return answer == 1
                depth -= 1
                level -= 1
                place = seats - 1
        p = t.tricks[level]
        f = t.turns[depth]
        if state == OPEN:
            seat = p.leader + place
            f.seat = seat if seat < seats else seat - seats
            if depth == played and only >= 0:
                f.moves[0] = only
                f.count = 1
                f.next = 0
                f.relevant = U64(0)
                f.same = U64(0)
            else:
                friends = side if side >> f.seat & 1 else everyone ^ side
                open_turn(t, p, depth, seats, place, friends, counted if nil else 0)
            state = NEXT
        wanted = side >> f.seat & 1
        if state == RESULT:
            if place == seats - 1:
                # The cards that mattered, in the places that they had before the trick.
                for k in range(4 - seats, 4):
                    relevant = with_gap(relevant, p.gone[k])
                if popcount(trick_cards(p) & lane_of(f.top)) > 1:
                    relevant |= bit(f.top)
            hint = f.card
            state = DONE
            if answer != wanted:
                state = NEXT
                f.relevant |= relevant
                low = lane_of(f.card) & ~filled_up(relevant)
                if low & bit(f.card):
                    f.same |= low  # none of these ranks mattered
                if relevant & bit(f.card):
                    f.relevant |= run_below(p.h[f.seat], f.card)  # touching cards, left out for being the same
        if state == NEXT:
            while f.next < f.count and f.same & bit(f.moves[f.next]):
                f.next += 1
            if f.next == f.count:
                answer = 1 - wanted
                relevant = f.relevant
                hint = p.best
                state = DONE
        if state == DONE:
            if place == 0 and p.key != U64(0):
                enter(t, p, answer, relevant, hint)
            if depth == played:
                return answer == 1
            depth -= 1
            place -= 1
            if place < 0:
                place = seats - 1
                level -= 1
            state = RESULT
            continue
        set_turn(t, p, depth, place, np.int64(f.moves[f.next]))
        f.next += 1
        depth += 1
        place += 1
        state = OPEN
        if place == seats:
            next_trick(t, p, t.tricks[level + 1], seats, depth - 1, counted)
            level += 1
            place = 0
            state = ENTER
