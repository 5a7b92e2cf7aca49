"""Card play: the legal cards and the winner of a trick."""

from __future__ import annotations

from spades_env.cards import SPADES, SPADES_MASK
from spades_env.engine.bits import U64, bit, suit_mask
from spades_env.engine.jit import jit
from spades_env.engine.state import BROKEN, BROKEN_UNSEEN

_SPADES = U64(SPADES_MASK)


@jit
def led_suit(s):
    """The suit led to the current trick, which must not be empty."""
    return s.order[s.played - s.in_trick] // 13


@jit
def playable(s, r):
    """The set of cards that the seat on turn may play."""
    hand = s.hands[s.seat]
    if s.in_trick > 0:
        preferred = hand & suit_mask(led_suit(s))
    elif r.spades_must_break and not s.broken:
        preferred = hand & ~_SPADES
    else:
        preferred = hand
    return preferred if preferred else hand


@jit
def play(s, r, card):
    """Play a card. Returns True if it was the last card of the hand."""
    seat = s.seat
    suit = card // 13
    if s.in_trick == 0:
        s.best_seat = seat
        s.best_card = card
        if suit == SPADES and not s.broken and s.hands[seat] & ~_SPADES == 0:
            if r.spades_must_break:
                s.broken = BROKEN
                s.voids[seat] |= 0b0111  # only a hand of nothing but spades may lead one now
            else:
                s.broken = BROKEN_UNSEEN  # the others cannot know: the seat might have led another suit
    else:
        led = led_suit(s)
        best = s.best_card
        if suit != led:
            s.voids[seat] |= 1 << led
            if suit == SPADES:
                s.broken = BROKEN
        if card > best if suit == best // 13 else suit == SPADES:
            s.best_seat = seat
            s.best_card = card
    mask = bit(card)
    s.hands[seat] ^= mask
    s.plays[seat] |= mask
    s.order[s.played] = card
    s.played += 1
    s.in_trick += 1
    if s.in_trick < r.players:
        s.seat = seat + 1 if seat + 1 < r.players else 0
        return False
    winner = s.best_seat
    s.tricks[winner] += 1
    s.leader = winner
    s.seat = winner
    s.in_trick = 0
    return s.played == r.players * r.hand_size
