"""Exact solver of the two-player game's play with both hands open.

Every question has one form: can seat 0 force the number of tricks that it takes from here on into the set ``want``? "At
least k" is the set of all numbers from k up, and a made nil is the set {0}. The value of the game for any payoff per
number of tricks is the greatest v such that seat 0 can force a number of tricks that pays v or more. The answer depends
on the relative ranks of the cards but not on the payoff, so one transposition table serves every card of a decision,
every world of a search and every later game.

The search is alpha-beta (each seat stops at the first card that settles the question) over runs of touching cards. An
entry of the transposition table holds the answers for "at least k" and "at most k", for all k, and the last two answers
about other sets.
"""

from typing import NamedTuple

import numpy as np

from spades_agents.compiler import jit
from spades_agents.solvers import lanes
from spades_agents.solvers.lanes import LANE_ONES, PLAIN, SPADE_LANE, after_trick, filled_down, lane_of, runs, takes
from spades_agents.solvers.two_table import CODES, NO_CARD, UNKNOWN, age, find, learn, number_range, recall, room
from spades_env.engine.bits import U64, bit, highest, lowest, popcount

LEADER_BIT = 15
BROKEN_BIT = 31


class TrickStart(NamedTuple):
    """A position between tricks: both hands in lanes, the seat that leads, and 1 if spades may be led."""

    h0: np.uint64
    h1: np.uint64
    leader: int | np.int64
    broken: int | np.int64


@jit
def can_cash(t, code, other_spades, may_lead_spades, sure):
    """Tricks that the leader can take without search: winners to cash, and ``sure``, spades that win in any line.

    ``code`` is the leader's hand in lanes with the ends marked.
    """
    ruffs = other_spades > 0
    if ruffs and may_lead_spades:
        ruffs = t.cash[code >> U64(SPADE_LANE)] & 15 < other_spades
    shift = 0 if ruffs else 4
    tricks = sure
    for lane in range(3):
        tricks += t.cash[code >> U64(16 * lane) & U64(CODES - 1)] >> shift & 15
    return tricks


@jit
def order_leads(f, leads):
    """Fill ``leads``, ``leads_2`` and ``leads_3`` of a frame, in the order in which they are tried."""
    below = filled_down(f.h1 if f.leader == 0 else f.h0)  # places below the other hand's highest card
    follows = (below & LANE_ONES) * lanes.LANE  # lanes in which the other hand must follow suit
    if f.eager:
        f.leads = leads & ~below & follows  # winners
        f.leads_2 = leads & below
    else:
        f.leads = leads & below
        f.leads_2 = leads & ~below & follows
    f.leads_3 = leads & ~follows


@jit
def next_lead(f):
    """Remove the next lead from the frame's lists."""
    group = f.leads if f.leads else f.leads_2 if f.leads_2 else f.leads_3
    card = highest(group) if f.eager else lowest(group)
    drop_lead(f, card)
    return card


@jit
def drop_lead(f, card):
    """Remove ``card`` from the frame's lists of leads."""
    others = ~bit(card)
    f.leads &= others
    f.leads_2 &= others
    f.leads_3 &= others


@jit
def order_replies(f, card):
    """Fill ``replies`` and ``replies_2`` of a frame, the legal replies to ``card``, in the order they are tried."""
    hand = f.h1 if f.leader == 0 else f.h0
    suit = hand & lane_of(card)
    if suit:
        higher = ~U64(0) << U64(card)
        take = runs(suit & higher)
        leave = runs(suit & ~higher)
    else:
        take = runs(hand & ~PLAIN)
        leave = runs(hand & PLAIN)
    f.replies = take if f.eager else leave
    f.replies_2 = leave if f.eager else take


@jit
def next_reply(f):
    """Remove the next reply from the frame's lists: the cheapest of the last suit, or the highest if not eager."""
    first = f.replies != U64(0)
    group = f.replies if first else f.replies_2
    card = highest(group)
    if f.eager:
        card = lowest(group & lane_of(card))
    if first:
        f.replies ^= bit(card)
    else:
        f.replies_2 ^= bit(card)
    return card


@jit
def settle(t, f, answer):
    """Store the answer to a frame's question."""
    if f.key == U64(0):
        return
    entry = room(t, f.key)
    data = t.entries[2 * entry + 1]
    low = np.int64(f.low)
    high = np.int64(f.high)
    if data == U64(0):
        data = U64(low | high << 4 | low << 8 | high << 12)
    data = learn(data, low, high, np.int64(f.want), answer)
    data = data & U64(0xFFFF_FFFF_FFFF) | U64(f.card) << U64(48)
    data |= U64(popcount(f.h0) | age(t) << 4) << U64(56)
    t.entries[2 * entry + 1] = data


@jit.apart
def can(t, start, want, only):
    """Whether seat 0 can force the number of tricks that it takes from here on into ``want``.

    This is the following recursion, unrolled into a loop. ``t.frames[depth]`` holds the local variables of a call::

        def can(h0, h1, leader, broken, want):
            if the bounds or the transposition table give the answer:
                return it
            good = whether the leader is seat 0         # the answer that the leader wants
            for card in the leads, promising ones first:
                for reply in the legal replies, promising ones first:
                    answer = can(the position after card and reply, want minus the trick)
                    if answer != good:
                        break        # the lead is refuted
                if answer == good:
                    break            # the lead has met every reply
            store answer
            return answer

    Args:
        t: one :data:`~spades_agents.solvers.two_table.TABLE`.
        start: the position, a :class:`TrickStart`.
        want: set of numbers, bit k for k tricks.
        only: place of the card that must be led, NO_CARD for the leader's choice.
    """
    h0 = start.h0
    h1 = start.h1
    leader = start.leader
    broken = start.broken
    depth = 0
    while True:
        # A new call: settle it, or open its frame.
        t.nodes += 1
        left = popcount(h0)
        answer = UNKNOWN
        low = 0
        high = left
        key = U64(0)
        best = NO_CARD
        leads = U64(0)
        if left == 0:
            answer = want & 1
        elif depth > 0 or only < 0:
            ends = (h0 | h1) + LANE_ONES
            mine = h0 if leader == 0 else h1
            other = h1 if leader == 0 else h0
            code = mine | ends
            sure = np.int64(t.sure[code >> U64(SPADE_LANE)])
            sure_mine = sure & 15
            sure_other = sure >> 4
            low = sure_mine if leader == 0 else sure_other
            high = left - (sure_other if leader == 0 else sure_mine)
            full = number_range(low, high)
            want &= full
            if want == full:
                answer = 1
            elif want == 0:
                answer = 0
            elif left == 1:
                second_wins = takes(lowest(other), lowest(mine))
                answer = want >> (1 if second_wins == (leader == 1) else 0) & 1
            else:
                plain = mine & PLAIN
                if (mine | other) >> U64(SPADE_LANE) == U64(0):
                    broken = 1
                may_lead = mine if broken or plain == U64(0) else plain
                cashed = can_cash(t, code, popcount(other >> U64(SPADE_LANE)), broken or plain == U64(0), sure_mine)
                if leader == 0:
                    safe = number_range(cashed, high)
                    if want & safe == safe:
                        answer = 1
                elif want & number_range(low, left - cashed) == 0:
                    answer = 0
                if answer < 0:
                    key = code | U64(leader << LEADER_BIT) | U64(broken << BROKEN_BIT)
                    entry = find(t, key)
                    leads = runs(may_lead)
                    if entry >= 0:
                        data = t.entries[2 * entry + 1]
                        answer = recall(data, low, high, want)
                        best = np.int64(data >> U64(48)) & 63
                        if leads & bit(best) == U64(0):
                            best = NO_CARD

        if answer < 0:
            f = t.frames[depth]
            f.h0 = h0
            f.h1 = h1
            f.key = key
            f.want = want
            f.low = low
            f.high = high
            f.leader = leader
            f.broken = broken
            f.card = best
            f.replies = U64(0)
            f.replies_2 = U64(0)
            # Whether to try to win tricks first; to lose them for "at most k".
            f.eager = want >> low & 1 == 0 or want & (want + (1 << low)) != 0
            order_leads(f, bit(only) if depth == 0 and only >= 0 else leads)
            depth += 1
            answer = 1 if leader == 1 else 0  # as if a lead had just been refuted
            fresh = True
        else:
            fresh = False

        # Return the answer to the caller, until a caller has another card to try.
        while True:
            if depth == 0:
                return answer == 1
            f = t.frames[depth - 1]
            good = 1 if f.leader == 0 else 0
            if answer != good:  # the lead is refuted: try the next one
                if f.leads | f.leads_2 | f.leads_3 == U64(0):
                    settle(t, f, answer)
                    depth -= 1
                    continue
                if fresh and f.card >= 0:
                    drop_lead(f, f.card)  # the best card of the transposition table comes first
                else:
                    f.card = next_lead(f)
                order_replies(f, f.card)
            elif f.replies | f.replies_2 == U64(0):  # the lead has met every reply
                settle(t, f, answer)
                depth -= 1
                continue
            break
        # Call for the next reply.
        card = f.card
        reply = next_reply(f)
        leader = 1 - f.leader if takes(reply, card) else f.leader
        broken = 1 if f.broken or card >= SPADE_LANE or reply >= SPADE_LANE else 0
        h0 = after_trick(f.h0, card, reply)
        h1 = after_trick(f.h1, card, reply)
        want = f.want >> 1 if leader == 0 else f.want
        h0, h1 = lanes.sorted_lanes(h0, h1)
