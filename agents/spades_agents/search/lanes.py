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
