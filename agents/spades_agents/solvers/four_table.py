"""The transposition table of the search with three and four seats, by partition search (Ginsberg 1996).

An answer is stored for all positions that agree in the lengths of the suits in every hand and in the holders of the
highest cards, down to the lowest card that mattered to the answer.
"""

from typing import NamedTuple

import numpy as np

from spades_agents.compiler import jit
from spades_agents.solvers.four_bounds import lane
from spades_agents.solvers.lanes import PLAIN, SPADE_LANE, counts, filled_up
from spades_env.engine.bits import U64, bit, highest, lowest, mix, popcount

ENTRIES = 1 << 17
WAYS = 32
SHAPES = 1 << 16
UNKNOWN = -1
NO_CARD = -1


class Question(NamedTuple):
    """Can ``side`` force a number of tricks, from here on, for ``counted``?"""

    seats: int | np.int64  # number of seats, 3 or 4
    side: int | np.int64  # set of the seats that want the tricks; all others play against them
    counted: int | np.int64  # set of the seats whose tricks count
    most: int | np.int64  # tricks above this number make no difference; 1 asks only whether there is one


# A position between tricks on the current line.
TRICK = np.dtype(
    [
        ("h", "u8", 4),  # the hands in lanes
        ("all", "u8"),  # the cards in play
        ("plane_0", "u8"),  # who holds each card: low bit of the seat
        ("plane_1", "u8"),  # and high bit
        ("key", "u8"),
        ("left", "i8"),  # tricks left
        ("leader", "i8"),
        ("broken", "i8"),
        ("need", "i8"),
        ("best", "i8"),  # the card to try first
        ("lead", "i8"),  # the card led to it
        ("gone", "i8", 4),  # the cards played to it, in ascending order of their places
    ]
)
# A card of a trick on the current line.
TURN = np.dtype(
    [
        ("relevant", "u8"),  # cards that mattered to the answers so far, in the lanes before the trick
        ("same", "u8"),  # cards equivalent to one that has failed
        ("seat", "i8"),
        ("card", "i8"),  # the card played
        ("winner", "i8"),  # the seat that wins the trick after it
        ("top", "i8"),  # the card that it wins with
        ("next", "i8"),  # number of moves tried
        ("count", "i8"),  # number of moves
        ("moves", "i1", 16),
        ("scores", "i4", 16),
    ]
)
TABLE = np.dtype(
    [
        ("nodes", "i8"),  # positions between tricks visited; the clock of `age`
        ("tricks", TRICK, 19),
        ("turns", TURN, 56),
        ("shapes", "u8", SHAPES),  # keys of known suit lengths
        ("groups", "u8", SHAPES),  # the groups of answers stored for each
        ("keys", "u8", ENTRIES),
        ("planes_0", "u8", ENTRIES),
        ("planes_1", "u8", ENTRIES),
        ("masks", "u8", ENTRIES),  # the cards whose holders matter
        ("data", "u8", ENTRIES),  # from the lowest bits: at least (5), at most (5), card (6), tricks left (5), age (4)
    ],
    align=True,
)


def new_table() -> np.ndarray:
    """An empty transposition table, an array of one :data:`TABLE` (about 6 MB). It never needs to be cleared."""
    return np.zeros(1, TABLE)


@jit
def start_trick(p):
    """Fill the fields of a :data:`TRICK` that follow from its hands."""
    p.all = p.h[0] | p.h[1] | p.h[2] | p.h[3]
    p.plane_0 = p.h[1] | p.h[3]
    p.plane_1 = p.h[2] | p.h[3]
    p.left = popcount(p.h[0])


@jit
def shape_key(p, ask):
    """The lengths of the plain suits in all hands, tricks left (hence the spades), the leader, and the question."""
    key = U64(0)
    for seat in range(ask.seats):
        key |= counts(p.h[seat] & PLAIN) << U64(4 * seat)
    rest = p.left | p.leader << 5 | p.broken << 7 | ask.side << 8 | ask.counted << 12
    return key | U64(rest) << U64(SPADE_LANE)


@jit
def top_owners(p):
    """The holder of the highest card of each suit, two bits a suit."""
    owners = 0
    for suit in range(4):
        play = lane(p.all, suit)
        if play:
            top = U64(highest(play) + 16 * suit)
            owners |= (np.int64(p.plane_0 >> top) & 1 | (np.int64(p.plane_1 >> top) & 1) << 1) << 2 * suit
    return owners


@jit
def bucket(key, group, owners):
    """The index of the answers that depend on high cards of the suits in ``group`` only.

    Answers for one shape are spread by the holders of the highest cards of those suits.
    """
    known = 0
    for suit in range(4):
        if group >> suit & 1:
            known |= owners & 3 << 2 * suit
    return np.int64(mix(key + U64(group | known << 4) * U64(0x9E3779B97F4A7C15)) & U64(ENTRIES - WAYS))


@jit
def look_up(t, p):
    """The stored answer for a position, 1, 0 or UNKNOWN, and the cards that it depends on. Sets ``p.best``."""
    p.best = NO_CARD
    shape = np.int64(mix(p.key) & U64(SHAPES - 1))
    if t.shapes[shape] != p.key:
        return UNKNOWN, U64(0)
    groups = t.groups[shape]
    owners = top_owners(p)
    while groups:
        group = lowest(groups)
        groups &= groups - U64(1)
        base = bucket(p.key, group, owners)
        for way in range(base, base + WAYS):
            if t.keys[way] == p.key:
                mask = t.masks[way]
                if (t.planes_0[way] ^ p.plane_0 | t.planes_1[way] ^ p.plane_1) & mask == U64(0):
                    data = np.int64(t.data[way])
                    if data & 31 >= p.need:
                        return 1, mask
                    if data >> 5 & 31 < p.need:
                        return 0, mask
                    p.best = data >> 10 & 63  # NO_CARD becomes 63, which no card has
    return UNKNOWN, U64(0)


@jit
def age(t):
    """A clock of 16 ticks that advances as the table fills."""
    return t.nodes // ENTRIES & 15


@jit
def enter(t, p, answer, relevant, card):
    """Store an answer."""
    mask = filled_up(relevant) & p.all
    group = 0
    for suit in range(4):
        if lane(mask, suit):
            group |= 1 << suit
    base = bucket(p.key, group, top_owners(p))
    shape = np.int64(mix(p.key) & U64(SHAPES - 1))
    if t.shapes[shape] != p.key:
        t.shapes[shape] = p.key
        t.groups[shape] = U64(0)
    t.groups[shape] |= bit(group)
    now = age(t)
    worst = base
    least = 1 << 30
    low = p.need if answer == 1 else 0
    high = p.left if answer == 1 else p.need - 1
    for way in range(base, base + WAYS):
        data = np.int64(t.data[way])
        if t.keys[way] == p.key:
            differ = t.planes_0[way] ^ p.plane_0 | t.planes_1[way] ^ p.plane_1
            if t.masks[way] == mask and differ & mask == U64(0):
                low = max(low, data & 31)
                high = min(high, data >> 5 & 31)
                worst = way
                break
            # An entry for this position that says no more than the new one is replaced.
            if differ & mask == U64(0) and t.masks[way] & mask == mask and low >= data & 31 and high <= data >> 5 & 31:
                worst = way
                break
        worth = (data >> 16 & 31) - 4 * (now - (data >> 21) & 15)
        if worth < least:
            least = worth
            worst = way
    t.keys[worst] = p.key
    t.planes_0[worst] = p.plane_0
    t.planes_1[worst] = p.plane_1
    t.masks[worst] = mask
    t.data[worst] = U64(low | high << 5 | (card & 63) << 10 | p.left << 16 | now << 21)
