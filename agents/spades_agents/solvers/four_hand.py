"""Exact solver of the play with open cards for three and four seats.

Every :class:`~spades_agents.solvers.four_table.Question` is whether the seats of ``side`` can force at least ``need``
tricks, from here on, for the seats in ``counted``, against all other seats. For the most tricks of a side ``counted``
is ``side``. For "can this nil be broken" the opponents are the side, and the tricks of the nil bidder are counted.

The search is zero-window alpha-beta with partition search (Ginsberg 1996): an answer is stored for all positions that
agree in the lengths of the suits in every hand and in the holders of the highest cards, down to the lowest card that
mattered to the answer. This and the shortcuts for winners that can be cashed make double-dummy solvers fast; see Chang,
"Building a Fast Double-Dummy Bridge Solver" (1996), and Haglund and Hein, "Search Algorithms for a Bridge Double Dummy
Solver" (2014).
"""

import numpy as np

from spades_agents.compiler import jit
from spades_agents.solvers.four_bounds import last_trick, quick_tricks, reaches, shared_tricks, sure_tricks
from spades_agents.solvers.four_order import open_turn, run_below
from spades_agents.solvers.four_table import NO_CARD, UNKNOWN, enter, look_up, shape_key, start_trick
from spades_agents.solvers.lanes import SPADE_LANE, filled_up, lane_of, takes, with_gap, without
from spades_env.engine.bits import U64, bit, popcount


@jit
def settle(t, p, ask):
    """The answer between two tricks if it needs no search, else UNKNOWN; and the cards that it depends on."""
    seats = ask.seats
    side = ask.side
    if p.need <= 0:
        return 1, U64(0)
    if p.need > p.left:
        return 0, U64(0)
    if p.left == 1:
        winner, relevant = last_trick(p, seats)
        return ask.counted >> winner & 1, relevant
    if p.all >> U64(SPADE_LANE) == U64(0):
        p.broken = 1
    if ask.counted == side:
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
        tricks, relevant = sure_tricks(p, seats, ask.counted, p.need)
        if tricks >= p.need:
            return 1, relevant
    p.key = shape_key(p, ask)
    return look_up(t, p)


# The states of the search, see `can`.
ENTER, OPEN, NEXT, DONE, RESULT = range(5)


@jit
def sort_gone(p):
    """Sort ``p.gone``, ascending."""
    for i in range(1, 4):
        place = p.gone[i]
        j = i
        while j > 0 and p.gone[j - 1] > place:
            p.gone[j] = p.gone[j - 1]
            j -= 1
        p.gone[j] = place


@jit
def trick_cards(p):
    """The set of the cards played to the trick ``p``."""
    cards = bit(p.gone[1]) | bit(p.gone[2]) | bit(p.gone[3])
    if p.gone[0] >= 0:
        cards |= bit(p.gone[0])
    return cards


@jit
def set_turn(t, p, depth, place, card):
    """Play ``card`` at the turn at ``depth``, as card number ``place`` of the trick, counted from 0."""
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
def next_trick(t, p, q, depth, ask):
    """Fill ``q`` with the position after the trick ``p``, whose last turn is at ``depth``."""
    seats = ask.seats
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
    q.need = p.need - (ask.counted >> last.winner & 1)


@jit.apart
def can(t, ask, played, only):
    """Whether ``ask.side`` can force ``need`` tricks for ``ask.counted``, from the position in ``t.tricks[0]``.

    This is the following recursion, unrolled into a loop; the labels on the right are the loop's states. The local
    variables are in ``t.tricks[level]``, the position ``p`` between tricks, and in ``t.turns[depth]``, the turn ``f``
    of a seat within a trick. ``relevant`` is the set of cards that an answer depends on::

        def trick(p):                                                   # ENTER
            answer, relevant = settle(p)
            return (answer, relevant) if answer is known else turn(p, 0)

        def turn(p, place):
            f.moves = the legal cards, best first                       # OPEN
            wanted = whether the seat on turn is in `side`
            for f.card in f.moves, without those in f.same:             # NEXT
                play f.card
                if it ends the trick:
                    answer, relevant = trick(the position after p)
                else:
                    answer, relevant = turn(p, place + 1)
                if it ended the trick:                                  # RESULT
                    map relevant to the lanes before the trick, and add the winning card
                if answer == wanted:
                    break
                add relevant to f.relevant, and the cards that must fail as well to f.same
            else:
                answer, relevant = not wanted, f.relevant
            if place == 0:                                              # DONE
                store the answer for p
            return answer, relevant

    Args:
        t: one :data:`~spades_agents.solvers.four_table.TABLE`. ``tricks[0]`` holds the hands (with the cards played to
            the trick), ``leader``, ``broken`` and ``need``; the first ``played`` turns hold ``card``.
        ask: the :class:`~spades_agents.solvers.four_table.Question`.
        played: number of cards in the trick.
        only: place of the card that must be played next, NO_CARD if the seat may choose.
    """
    p = t.tricks[0]
    start_trick(p)
    p.best = NO_CARD
    p.key = U64(0)
    seats = ask.seats
    side = ask.side
    nil = ask.counted if ask.counted != side else 0
    everyone = (1 << seats) - 1
    for k in range(played):
        t.turns[k].seat = (p.leader + k) % seats
        set_turn(t, p, k, k, t.turns[k].card)
    depth = played
    level = 0  # index of the trick
    place = played  # number of cards in the trick
    answer = UNKNOWN
    relevant = U64(0)
    hint = NO_CARD
    state = ENTER if played == 0 and only < 0 else OPEN
    while True:
        if state == ENTER:
            t.nodes += 1
            answer, relevant = settle(t, t.tricks[level], ask)
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
            friends = side if side >> f.seat & 1 else everyone ^ side
            open_turn(t, p, depth, seats, place, friends, nil)
            if depth == played and only >= 0:
                f.moves[0] = only
                f.count = 1
            state = NEXT
        wanted = side >> f.seat & 1
        if state == RESULT:
            if place == seats - 1:
                # The cards that mattered, at their places before the trick.
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
                    f.relevant |= run_below(p.h[f.seat], f.card)  # equivalent touching cards, not in the moves
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
            next_trick(t, p, t.tricks[level + 1], depth - 1, ask)
            level += 1
            place = 0
            state = ENTER
