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
from spades_agents.search.lanes import (
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
from spades_env.engine.bits import U64, bit, highest, lowest, mix, popcount

ENTRIES = 1 << 16
WAYS = 4
CODES = 1 << 14
# One trick of the line under search: the position before it, what has been led to it, what is still to be tried.
FRAME = np.dtype(
    [
        ("h0", "u8"),
        ("h1", "u8"),
        ("key", "u8"),  # of the position in the table; 0 if the lead was given
        ("leads", "u8"),  # leads not yet tried
        ("leads_2", "u8"),  # leads to try after those
        ("leads_3", "u8"),
        ("replies", "u8"),  # replies to `card` not yet tried
        ("replies_2", "u8"),  # replies to try after those
        ("want", "i8"),
        ("low", "i8"),  # seat 0 takes at least so many tricks, whatever is played
        ("high", "i8"),  # and at most so many
        ("leader", "i8"),
        ("broken", "i8"),
        ("card", "i8"),  # the card led
        ("eager", "i8"),  # whether both sides had better look for tricks; else for ways to lose them
    ]
)
TABLE = np.dtype(
    [
        ("nodes", "i8"),  # positions between tricks looked at, for measurements
        ("frames", FRAME, 14),
        ("entries", "u8", 2 * ENTRIES),  # key, answers; WAYS entries side by side may hold the same position
        # By lane: spades that win whatever is played; low half the coded hand's, high half the other's.
        ("sure", "u1", CODES),
        # By lane: winners to cash; low half if the other may ruff, high half if not.
        ("cash", "u1", CODES),
        ("order", "i1", 16),  # scratch of one call: numbers of tricks still to take, least payoff first
    ],
    align=True,
)
UNKNOWN = -1
LEADER_BIT = 15
BROKEN_BIT = 31
NO_CARD = -1


def new_table() -> np.ndarray:
    """An empty table, an array of one :data:`TABLE` record (about 1 MB). It never needs to be cleared."""
    table = np.zeros(1, TABLE)
    fill_codes(table)
    return table


@jit
def fill_codes(tables):
    """Fill the two fields that are looked up by lane: the coded hand's bits under a bit that marks the lane's end."""
    t = tables[0]
    for code in range(1, CODES):
        length = 0
        while code >> (length + 1):
            length += 1
        mine = code ^ (1 << length)
        # A spade loses only to a higher one of the other's, and each of those can beat one.
        spare_mine = spare_theirs = beaten_mine = beaten_theirs = count = top = 0
        unbroken = True
        for place in range(length - 1, -1, -1):
            if mine >> place & 1:
                count += 1
                top += unbroken
                beaten_mine += spare_theirs > 0
                spare_theirs -= spare_theirs > 0
                spare_mine += 1
            else:
                unbroken = False
                beaten_theirs += spare_mine > 0
                spare_mine -= spare_mine > 0
                spare_theirs += 1
        theirs = length - count
        t.sure[code] = (count - beaten_mine) | (theirs - beaten_theirs) << 4
        t.cash[code] = min(top, theirs) | (count if top >= theirs else top) << 4


@jit
def number_range(low, high):
    """The set of the numbers from ``low`` to ``high``."""
    return (1 << (high + 1)) - (1 << low)


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
def find(t, key):
    """Index of the entry of ``key``, -1 if it is not in the table."""
    base = np.int64(mix(key) & U64(ENTRIES - WAYS))
    for way in range(base, base + WAYS):
        if t.entries[2 * way] == key:
            return way
    return -1


@jit
def room(t, key):
    """Index of an entry for ``key``: its own, or emptied, the one of the fewest cards, older ones counting as fewer."""
    base = np.int64(mix(key) & U64(ENTRIES - WAYS))
    now = age(t)
    worst = base
    least = 1 << 30
    for way in range(base, base + WAYS):
        if t.entries[2 * way] == key:
            return way
        stamp = np.int64(t.entries[2 * way + 1] >> U64(56))
        worth = (stamp & 15) - 4 * (now - (stamp >> 4) & 15)
        if worth < least:
            least = worth
            worst = way
    t.entries[2 * worst] = key
    t.entries[2 * worst + 1] = U64(0)
    return worst


@jit
def age(t):
    """A clock of 16 ticks that goes on while the table is filled."""
    return t.nodes // ENTRIES & 15


@jit
def recall(data, low, high, want):
    """What the answers in ``data`` say about ``want``: 1 yes, 0 no, -1 nothing."""
    at_least = np.int64(data) & 15
    not_above = np.int64(data >> U64(4)) & 15
    not_below = np.int64(data >> U64(8)) & 15
    at_most = np.int64(data >> U64(12)) & 15
    above = number_range(at_least, high)
    below = number_range(low, at_most)
    if want & above == above or want & below == below:
        return 1
    if want & number_range(low, not_above) == 0 or want & number_range(not_below, high) == 0:
        return 0
    for slot in (16, 32):
        known = np.int64(data >> U64(slot)) & 0xFFFF
        answer = known & 1
        # Yes for a set is yes for all that contain it, no is no for all within it.
        if known & 2 and (known >> 2 & ~want if answer else want & ~(known >> 2)) == 0:
            return answer
    return -1


@jit
def learn(data, low, high, want, answer):
    """``data`` with one more answer."""
    first = lowest(U64(want))
    count = popcount(U64(want))
    full = number_range(low, high)
    if want == full & ~((1 << first) - 1):  # at least `first`
        if answer:
            return data & ~U64(15) | U64(first)
        return data & ~U64(0xF0) | U64((first - 1) << 4)
    if first == low and want == (1 << (low + count)) - (1 << low):  # at most low + count - 1
        if answer:
            return data & ~U64(0xF000) | U64((low + count - 1) << 12)
        return data & ~U64(0xF00) | U64((low + count) << 8)
    older = data >> U64(16) & U64(0xFFFF)
    return data & ~U64(0xFFFF_FFFF_0000) | older << U64(32) | U64(want << 2 | 2 | answer) << U64(16)


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
