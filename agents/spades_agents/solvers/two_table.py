"""The transposition table of the two-hand search, and its lookup tables by lane.

An entry holds the answers for a position about "at least k" and "at most k" tricks, for all k, and the last two answers
about other sets of numbers.
"""

import numpy as np

from spades_agents.compiler import jit
from spades_env.engine.bits import U64, lowest, mix, popcount

ENTRIES = 1 << 16
WAYS = 4
CODES = 1 << 14
# One trick of the current line: the position before it, the card led, and the cards to try.
FRAME = np.dtype(
    [
        ("h0", "u8"),
        ("h1", "u8"),
        ("key", "u8"),  # key of the position; 0 if the lead was given
        ("leads", "u8"),  # leads to try
        ("leads_2", "u8"),  # leads to try after those
        ("leads_3", "u8"),
        ("replies", "u8"),  # replies to `card` to try
        ("replies_2", "u8"),  # replies to try after those
        ("want", "i8"),
        ("low", "i8"),  # minimum tricks of seat 0 in any line of play
        ("high", "i8"),  # maximum tricks of seat 0
        ("leader", "i8"),
        ("broken", "i8"),
        ("card", "i8"),  # the card led
        ("eager", "i8"),  # whether both seats should try to win tricks first; else to lose them
    ]
)
TABLE = np.dtype(
    [
        ("nodes", "i8"),  # positions between tricks visited; the clock of `age`
        ("frames", FRAME, 14),
        ("entries", "u8", 2 * ENTRIES),  # key, answers; a position may be in any of WAYS adjacent entries
        # By lane: spades that win in any line of play; low half the coded hand's, high half the other's.
        ("sure", "u1", CODES),
        # By lane: winners to cash; low half if the other hand may ruff, high half if not.
        ("cash", "u1", CODES),
        ("order", "i1", 16),  # scratch of one call: numbers of tricks still to be won, by rising payoff
    ],
    align=True,
)
UNKNOWN = -1
NO_CARD = -1


def new_table() -> np.ndarray:
    """An empty transposition table, an array of one :data:`TABLE` (about 1 MB). It never needs to be cleared."""
    table = np.zeros(1, TABLE)
    fill_codes(table)
    return table


@jit
def fill_codes(tables):
    """Fill the two lookup tables. A code is a hand's lane with one more bit above it, which marks the lane's end."""
    t = tables[0]
    for code in range(1, CODES):
        length = 0
        while code >> (length + 1):
            length += 1
        mine = code ^ (1 << length)
        # A spade loses only to a higher spade of the other hand, and each of those can beat only one.
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
    """The set of the numbers ``low`` to ``high``."""
    return (1 << (high + 1)) - (1 << low)


@jit
def find(t, key):
    """The index of the entry for ``key``, -1 if there is none."""
    base = np.int64(mix(key) & U64(ENTRIES - WAYS))
    for way in range(base, base + WAYS):
        if t.entries[2 * way] == key:
            return way
    return -1


@jit
def room(t, key):
    """The index of an entry for ``key``: its own, or else the least valuable one, cleared.

    Entries with few cards and old entries are the least valuable.
    """
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
    """A clock of 16 ticks that advances as the table fills."""
    return t.nodes // ENTRIES & 15


@jit
def recall(data, low, high, want):
    """The answer about ``want`` that follows from those in ``data``: 1 yes, 0 no, UNKNOWN."""
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
        # Yes for a set is yes for its supersets, no for a set is no for its subsets.
        if known & 2 and (known >> 2 & ~want if answer else want & ~(known >> 2)) == 0:
            return answer
    return UNKNOWN


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
