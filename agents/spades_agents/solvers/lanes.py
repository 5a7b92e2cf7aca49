"""Cards by relative rank: each suit is a lane of 16 bits, without the cards that have left play.

A position between tricks is one word for each hand. Lane s, bits 16 s to 16 s + 15, holds the suit's cards that are
still in play, lowest at the bottom, without gaps. So positions with the same relative ranks are equal words, and cards
of a hand that touch, because those between them were played, are neighbouring bits.
"""

from spades_agents.compiler import jit
from spades_env.engine.bits import U64, bit, lowest, popcount, suit_mask

LANE = U64(0xFFFF)
LANE_ONES = U64(0x0001_0001_0001_0001)
SPADE_LANE = 48
PLAIN = U64((1 << SPADE_LANE) - 1)  # the lanes of the suits other than spades


@jit
def packed(cards, play):
    """The set ``cards`` as lanes; ``play`` is the set of all cards in play."""
    word = U64(0)
    rest = cards
    while rest:
        card = lowest(rest)
        rest &= rest - U64(1)
        word |= bit(place(card, play))
    return word


@jit
def place(card, play):
    """The place (index of the bit) of a card in the lanes; ``play`` is the set of all cards in play."""
    suit = card // 13
    return 16 * suit + popcount(play & suit_mask(suit) & (bit(card) - U64(1)))


@jit
def lane_of(place):
    """All bits of the lane of ``place``."""
    return LANE << U64(place & 48)


@jit
def without(word, place):
    """``word`` after the card at ``place`` has left play: higher cards of the lane move down by one."""
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
    """Whether the card at place ``card`` takes the trick from the one at ``best``, which is winning it."""
    if card >> 4 == best >> 4:
        return card > best
    return card >= SPADE_LANE


@jit
def filled_down(word):
    """``word`` with every bit set that is below a set bit of the same lane."""
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
    """Two hands with the plain suits in a canonical order, the longest first: plain suits are interchangeable."""
    for low in (0, 1, 0):
        code = h0 | ((h0 | h1) + LANE_ONES)
        if code >> U64(16 * low) & LANE < code >> U64(16 * low + 16) & LANE:
            h0 = swapped(h0, low, low + 1)
            h1 = swapped(h1, low, low + 1)
    return h0, h1


@jit
def filled_up(word):
    """``word`` with every bit set that is above a set bit of the same lane."""
    word |= (word & U64(0x7FFF_7FFF_7FFF_7FFF)) << U64(1)
    word |= (word & U64(0x3FFF_3FFF_3FFF_3FFF)) << U64(2)
    word |= (word & U64(0x0FFF_0FFF_0FFF_0FFF)) << U64(4)
    return word | (word & U64(0x00FF_00FF_00FF_00FF)) << U64(8)


@jit
def with_gap(word, place):
    """The inverse of :func:`without`: ``word`` with an empty place inserted in a lane."""
    above = lane_of(place) & (~U64(0) << U64(place))
    return (word & ~above) | ((word & above) << U64(1) & above)


@jit
def counts(word):
    """The number of cards in each lane."""
    word -= word >> U64(1) & U64(0x5555_5555_5555_5555)
    word = (word & U64(0x3333_3333_3333_3333)) + (word >> U64(2) & U64(0x3333_3333_3333_3333))
    word = word + (word >> U64(4)) & U64(0x0F0F_0F0F_0F0F_0F0F)
    return word + (word >> U64(8)) & U64(0x001F_001F_001F_001F)
