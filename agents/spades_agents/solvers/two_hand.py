"""Exact solver of the two-player game's play with both hands open.

Every question is put as one: can seat 0 force the number of tricks that it takes from here on into the set
``want``? "At least k" is a set with all numbers from k up, a made nil is the set {0}, and the value of the game for any
payoff per number of tricks is the greatest payoff v such that seat 0 can force a number that pays v or
more. The answer depends on the cards' relative ranks alone, not on the payoff, so that one table of answers serves
every card of a decision, every world of a search, and every later game.

The search is alpha-beta (both sides stop at the first card that settles it) over touching cards merged to one, with a
transposition table that holds, for a position, what is known about "at least k" and "at most k" for all k, and the
last few answers about other sets.
"""

from __future__ import annotations

import numpy as np

from spades_agents.compiler import jit
from spades_agents.solvers.lanes import (
    LANE,
    LANE_ONES,
    PLAIN,
    SPADE_LANE,
    after_trick,
    filled_down,
    lane_of,
    runs,
    sorted_lanes,
    takes,
)
from spades_agents.solvers.two_table import (
    CODES,
    NO_CARD,
    TABLE,
    UNKNOWN,
    age,
    find,
    learn,
    new_table,
    number_range,
    recall,
    room,
)
from spades_env.engine.bits import U64, bit, highest, lowest, popcount

__all__ = ["NO_CARD", "TABLE", "can", "new_table"]

LEADER_BIT = 15
BROKEN_BIT = 31


@jit
def can_cash(t, code, other_spades, may_lead_spades, sure):
    """Tricks that the leader has for the taking: winners to cash, and spades that win whatever is played.

    ``code`` is the leader's hand by lanes, ends marked; ``sure`` the spades that win whatever is played.
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
def order_leads(f, leads, mine, other):
    """Fill ``leads``, ``leads_2`` and ``leads_3`` of a frame, the more promising first."""
    below = filled_down(other)  # places under the other's highest
    follows = (below & LANE_ONES) * LANE  # lanes in which the other must follow
    if f.eager:
        f.leads = leads & ~below & follows  # winners
        f.leads_2 = leads & below
    else:
        f.leads = leads & below
        f.leads_2 = leads & ~below & follows
    f.leads_3 = leads & ~follows


@jit
def next_lead(f):
    """Take a lead off the frame's lists."""
    group = f.leads if f.leads else f.leads_2 if f.leads_2 else f.leads_3
    card = highest(group) if f.eager else lowest(group)
    drop_lead(f, card)
    return card


@jit
def drop_lead(f, card):
    """Take ``card`` off the frame's lists."""
    others = ~bit(card)
    f.leads &= others
    f.leads_2 &= others
    f.leads_3 &= others


@jit
def order_replies(f, card):
    """Fill ``replies`` and ``replies_2`` of a frame: what the other may play to ``card``, the more promising first."""
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
    """Take a reply off the frame's lists: the cheapest of the last suit, or the highest if tricks are unwelcome."""
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
    """Enter the answer to a frame's question into the table."""
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
def can(t, h0, h1, leader, broken, want, only):
    """Whether seat 0 can force the number of tricks that it takes from here on into ``want``.

    Args:
        t: a :data:`TABLE` record.
        h0: hand of seat 0 in lanes.
        h1: hand of seat 1.
        leader: the seat that leads.
        broken: 1 if spades may be led.
        want: set of numbers, bit k for k tricks.
        only: place of the card that must be led, NO_CARD for the leader's choice.
    """
    depth = 0
    while True:
        # A position between tricks: settle it, or take up its first lead.
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
            # Whether more tricks are better; not so for "at most k".
            f.eager = want >> low & 1 == 0 or want & (want + (1 << low)) != 0
            if depth == 0 and only >= 0:
                f.leads = bit(only)
                f.leads_2 = U64(0)
                f.leads_3 = U64(0)
            else:
                order_leads(f, leads, h0 if leader == 0 else h1, h1 if leader == 0 else h0)
            depth += 1
            answer = 1 if leader == 1 else 0  # as if a lead had just been refuted
            fresh = True
        else:
            fresh = False

        # Carry the answer back to the trick before, until some trick has another card to try.
        while True:
            if depth == 0:
                return answer == 1
            f = t.frames[depth - 1]
            good = 1 if f.leader == 0 else 0  # the answer that the leader wants
            if answer != good:  # the lead is refuted: the next one
                if f.leads | f.leads_2 | f.leads_3 == U64(0):
                    settle(t, f, answer)
                    depth -= 1
                    continue
                if fresh and f.card >= 0:
                    drop_lead(f, f.card)  # the card that settled the last question here
                else:
                    f.card = next_lead(f)
                order_replies(f, f.card)
            elif f.replies | f.replies_2 == U64(0):  # the lead has met every reply
                settle(t, f, answer)
                depth -= 1
                continue
            break
        # The next reply makes the next position.
        card = f.card
        reply = next_reply(f)
        leader = 1 - f.leader if takes(reply, card) else f.leader
        broken = 1 if f.broken or card >= SPADE_LANE or reply >= SPADE_LANE else 0
        h0 = after_trick(f.h0, card, reply)
        h1 = after_trick(f.h1, card, reply)
        want = f.want >> 1 if leader == 0 else f.want
        h0, h1 = sorted_lanes(h0, h1)
