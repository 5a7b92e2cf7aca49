"""Cards by relative rank: each suit a lane of 16 bits, without the cards that have left play.

A position between tricks is two or more words, one for each hand: lane s (bits 16 s to 16 s + 15)
holds the suit's cards still in play, lowest at the bottom, without gaps. Positions whose cards stand in the same
relative order are then equal words, and the cards of one hand that have become neighbours since those between
them were played are neighbouring bits.
"""

from __future__ import annotations

from spades_agents.compiler import jit
from spades_env.engine.bits import U64, bit, lowest, popcount, suit_mask

LANE = U64(0xFFFF)
LANE_ONES = U64(0x0001_0001_0001_0001)
SPADE_LANE = 48
PLAIN = U64((1 << SPADE_LANE) - 1)  # the lanes that are not trump


@jit
def packed(cards, play):
    """The set ``cards`` as lanes, when ``play`` is the set of all cards in play."""
    word = U64(0)
    rest = cards
    while rest:
        card = lowest(rest)
        rest &= rest - U64(1)
        word |= bit(place(card, play))
    return word


@jit
def place(card, play):
    """The bit of a card in the lanes, when ``play`` is the set of all cards in play."""
    suit = card // 13
    return 16 * suit + popcount(play & suit_mask(suit) & (bit(card) - U64(1)))


@jit
def lane_of(place):
    """All bits of the lane that holds bit ``place``."""
    return LANE << U64(place & 48)


@jit
def without(word, place):
    """``word`` after the card at ``place`` has left play: what stood above it in the lane moves down by one."""
    above = lane_of(place) & (~U64(0) << U64(place))
    return (word & ~above) | ((word & above & (above << U64(1))) >> U64(1))


@jit
def after_trick(word, first, second):
    """``word`` after the cards at two places have left play."""
    high = max(first, second)
    low = min(first, second)
    return without(without(word, high), low)


@jit
def runs(word):
    """The lowest card of each run of touching cards."""
    return word & ~(word << U64(1))


@jit
def takes(card, best):
    """Whether the card at place ``card`` takes the trick from the one at ``best``, which holds it so far."""
    if card >> 4 == best >> 4:
        return card > best
    return card >= SPADE_LANE


@jit
def filled_down(word):
    """``word`` with every bit set that stands below a set bit in the same lane."""
    word |= word >> U64(1) & U64(0x7FFF_7FFF_7FFF_7FFF)
    word |= word >> U64(2) & U64(0x3FFF_3FFF_3FFF_3FFF)
    word |= word >> U64(4) & U64(0x0FFF_0FFF_0FFF_0FFF)
    return word | word >> U64(8) & U64(0x00FF_00FF_00FF_00FF)


@jit
def swapped(word, low, high):
    """``word`` with two lanes exchanged."""
    change = (word >> U64(16 * low) ^ word >> U64(16 * high)) & LANE
    return word ^ (change << U64(16 * low)) ^ (change << U64(16 * high))


@jit
def sorted_lanes(h0, h1):
    """Two hands with the plain suits in a fixed order, the longest first: which suit is which does not matter."""
    for low in (0, 1, 0):
        code = h0 | ((h0 | h1) + LANE_ONES)
        if code >> U64(16 * low) & LANE < code >> U64(16 * low + 16) & LANE:
            h0 = swapped(h0, low, low + 1)
            h1 = swapped(h1, low, low + 1)
    return h0, h1


@jit
def filled_up(word):
    """``word`` with every bit set that stands above a set bit in the same lane."""
    word |= (word & U64(0x7FFF_7FFF_7FFF_7FFF)) << U64(1)
    word |= (word & U64(0x3FFF_3FFF_3FFF_3FFF)) << U64(2)
    word |= (word & U64(0x0FFF_0FFF_0FFF_0FFF)) << U64(4)
    return word | (word & U64(0x00FF_00FF_00FF_00FF)) << U64(8)


@jit
def with_gap(word, place):
    """``word`` with a place opened in a lane: the inverse of :func:`without`, the new place empty."""
    above = lane_of(place) & (~U64(0) << U64(place))
    return (word & ~above) | ((word & above) << U64(1) & above)


@jit
def counts(word):
    """The number of cards in each lane."""
    word -= word >> U64(1) & U64(0x5555_5555_5555_5555)
    word = (word & U64(0x3333_3333_3333_3333)) + (word >> U64(2) & U64(0x3333_3333_3333_3333))
    word = word + (word >> U64(4)) & U64(0x0F0F_0F0F_0F0F_0F0F)
    return word + (word >> U64(8)) & U64(0x001F_001F_001F_001F)
