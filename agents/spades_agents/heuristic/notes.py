"""Card counting before a play: the cards that are still out, and who may hold them."""

import numpy as np

from spades_agents.compiler import jit
from spades_env.engine.bits import U64, lowest, popcount, suit_mask

# Notes of one decision; nothing in them outlives it.
NOTES = np.dtype(
    [
        ("out", "u8"),  # cards that others may still hold
        ("courts", "u8"),  # the cards to which court_chance applies
        ("chance", "f8", 16),  # at [4 * seat + suit]: chance that the seat holds a given card of the suit that is out
        ("court_chance", "f8", 16),  # the same for queen, king and ace of a side suit
        ("quarters", "i8", 16),  # at [4 * seat + suit]: cards of the suit expected there, in quarters of a card
        ("void", "f8", 16),  # at [4 * seat + suit]: chance that the seat is void in the suit
        ("clear", "f8", 4 * 52),  # at [4 * card + seat]: chance that the seat holds no higher card than this own one
        ("worth", "f8", 52),  # for each own card: chance that it wins a trick later
        ("claim", "f8", 4),  # by side: tricks that it still expects to take toward its contract
        ("value", "f8", 4),  # by seat: points that the own side gains on the others if the seat takes this trick
        ("left", "i8", 4),  # by seat: cards held
        ("risk", "f8", 4),  # by seat: chance that its nil fails in this trick, see nil.py
    ],
    align=True,
)

COURTS = U64(0b111 << 10 | 0b111 << 23 | 0b111 << 36)
# In a draft players keep spades and high cards. The odds that such a card is in the hand, relative to another card: at
# the start of the play, and the increase for each trick played (low side cards go first). Counted in 20,000 drafts of
# scripted players.
SPADE_WEIGHT = 2.9
SPADE_GROWTH = 0.7
COURT_WEIGHT = 2.9
COURT_GROWTH = 0.15


@jit
def power(base, n):
    """``base ** n`` for an int ``n`` in 0..15."""
    result = base if n & 1 else 1.0
    base *= base
    if n & 2:
        result *= base
    base *= base
    if n & 4:
        result *= base
    if n & 8:
        result *= base * base
    return result


@jit
def known_cards(s, r, seat):
    """The cards that ``seat`` knows to be in no other hand."""
    known = s.hands[seat]
    exchanged = False
    for other in range(r.players):
        known |= s.plays[other]
        if other < 2 and other != seat and s.exchanged[other] > 0:
            exchanged = True
    if r.players == 2:
        known |= s.given[seat]
        # cards received in an exchange come from the discard pile
        known |= s.seen[seat] if not exchanged else U64(0)
    return known


@jit
def take_notes(s, r, w):
    """Fill the fields that do not depend on the value of tricks: ``out`` to ``clear``, and ``left``."""
    me = s.seat
    w.out = r.deck & ~known_cards(s, r, me)
    w.courts = COURTS if r.draft else U64(0)
    for seat in range(r.players):
        w.left[seat] = r.hand_size - popcount(s.plays[seat])
    if r.players == 2:
        note_one_opponent(s, r, w)
    else:
        note_opponents(s, r, w)
    for suit in range(4):
        out = w.out & suit_mask(suit)
        for seat in range(r.players):
            if seat != me:
                w.void[4 * seat + suit] = chance_of_none(w, seat, suit, out)
                w.quarters[4 * seat + suit] = int(4.0 * expected_count(w, seat, suit, out))
        mine = s.hands[me] & suit_mask(suit)
        while mine:
            card = lowest(mine)
            mine &= mine - U64(1)
            higher = above(out, card)
            clear = 1.0
            same_as = -1.0  # most seats have the same chances
            for seat in range(r.players):
                if seat != me:
                    if w.chance[4 * seat + suit] != same_as:
                        same_as = w.chance[4 * seat + suit]
                        clear = chance_of_none(w, seat, suit, higher)
                    w.clear[4 * card + seat] = clear


@jit
def above(cards, card):
    """The cards in ``cards`` that are higher than ``card``, which is not in it; all are of one suit."""
    return cards >> U64(card) << U64(card)


@jit
def note_one_opponent(s, r, w):
    """Chances with two players: a card that is out lies in the other hand or was never dealt."""
    other = 1 - s.seat
    possible = w.out
    for suit in range(4):
        if (s.voids[other] >> suit) & 1:
            possible &= ~suit_mask(suit)
    spade_weight = 1.0
    court_weight = 1.0
    if r.draft:
        spade_weight = SPADE_WEIGHT + SPADE_GROWTH * (r.hand_size - w.left[other])
        court_weight = COURT_WEIGHT + COURT_GROWTH * (r.hand_size - w.left[other])
    spades = popcount(possible & suit_mask(3))
    courts = popcount(possible & w.courts)
    total = popcount(possible) + (spade_weight - 1.0) * spades + (court_weight - 1.0) * courts
    density = w.left[other] / max(total, 1.0)
    for suit in range(4):
        able = 0.0 if (s.voids[other] >> suit) & 1 else density
        w.chance[4 * other + suit] = min(able * (spade_weight if suit == 3 else 1.0), 1.0)
        w.court_chance[4 * other + suit] = min(able * court_weight, 1.0)


@jit
def note_opponents(s, r, w):
    """Chances with three or four players, who hold every card that is out but those not dealt."""
    me = s.seat
    for suit in range(4):
        total = 1.0 * (r.deck_size - r.players * r.hand_size)
        for seat in range(r.players):
            if seat != me and not (s.voids[seat] >> suit) & 1:
                total += w.left[seat]
        for seat in range(r.players):
            able = seat != me and not (s.voids[seat] >> suit) & 1
            w.chance[4 * seat + suit] = w.left[seat] / max(total, 1.0) if able else 0.0


@jit
def chance_of_none(w, seat, suit, cards):
    """The chance that ``seat`` holds none of ``cards``, which are out and of one suit."""
    count = popcount(cards)
    courts = popcount(cards & w.courts)
    chance = power(1.0 - w.chance[4 * seat + suit], count - courts)
    if courts > 0:
        chance *= power(1.0 - w.court_chance[4 * seat + suit], courts)
    return chance


@jit
def expected_count(w, seat, suit, cards):
    """The expected number of ``cards``, which are out and of one suit, in the hand of ``seat``."""
    count = popcount(cards)
    courts = popcount(cards & w.courts)
    return w.chance[4 * seat + suit] * (count - courts) + w.court_chance[4 * seat + suit] * courts
