"""Which card to play."""

from __future__ import annotations

import numpy as np

from spades_agents.compiler import jit
from spades_agents.heuristic.evaluate import nil_alive, value_tricks
from spades_agents.heuristic.hand import game_of
from spades_agents.heuristic.nil import rate_dangers
from spades_agents.heuristic.notes import chance_of_none, take_notes
from spades_agents.heuristic.worth import rate_cards
from spades_env.engine.bits import U64, lowest, popcount, suit_mask
from spades_env.engine.play import playable

# Tricks that a card costs: for each rank (among equals the lowest goes), for leading a spade, and (saved) for each
# card of the suit led. Found by matches between players that differ in one of them; the last two, at [game], help
# with two players alone.
RANK_COST = 0.001
LEAD_SPADE = np.array([0.1, 0.0, 0.0, 0.0])
LEAD_LENGTH = np.array([0.03, 0.0, 0.0, 0.0])


@jit
def beats(card, best):
    """Whether ``card`` takes the trick from ``best``, the best card so far."""
    if card // 13 == best // 13:
        return card > best
    return card // 13 == 3


@jit
def chance_to_beat(s, w, seat, led, best):
    """Chance that a seat yet to play takes the trick from ``best``; a nil bidder does so only when it must."""
    suit_out = w.out & suit_mask(led)
    spades_out = w.out & suit_mask(3)
    reluctant = nil_alive(s, seat)
    if best // 13 == led:
        higher = suit_out >> U64(best) << U64(best)
        clear = chance_of_none(w, seat, led, higher)
        if reluctant:
            return chance_of_none(w, seat, led, suit_out ^ higher) * (1.0 - clear)
        if led == 3:
            return 1.0 - clear
        ruffs = 1.0 - chance_of_none(w, seat, 3, spades_out)
    else:
        clear = 1.0
        if reluctant:
            return 0.0
        ruffs = 1.0 - chance_of_none(w, seat, 3, spades_out >> U64(best) << U64(best))
    return 1.0 - clear + chance_of_none(w, seat, led, suit_out) * ruffs


@jit
def foresee(s, r, w, card):
    """Fill ``wins``: who takes the trick if the seat on turn plays ``card``."""
    me = s.seat
    for seat in range(4):
        w.wins[seat] = 0.0
    if s.in_trick == 0:
        led = card // 13
        best = card
        w.wins[me] = 1.0
    else:
        led = s.order[s.played - s.in_trick] // 13
        if beats(card, s.best_card):
            best = card
            w.wins[me] = 1.0
        else:
            best = s.best_card
            w.wins[s.best_seat] = 1.0
    for k in range(1, r.players - s.in_trick):
        seat = (me + k) % r.players
        chance = chance_to_beat(s, w, seat, led, best)
        for other in range(r.players):
            w.wins[other] *= 1.0 - chance
        w.wins[seat] = chance


@jit
def choose_card(s, r, w):
    """The legal card that promises the most points."""
    cards = playable(s, r)
    if cards & (cards - U64(1)) == U64(0):
        return lowest(cards)
    take_notes(s, r, w)
    if nil_alive(s, s.seat):
        rate_dangers(s, r, w)
    else:
        rate_cards(s, r, w)
    value_tricks(s, r, w)
    me = s.seat
    game = game_of(r)
    others = 0.0
    for seat in range(r.players):
        if seat != me:
            others += w.value[seat] / (r.players - 1)
    price = w.value[me] - others
    best = -1
    best_score = 0.0
    while cards:
        card = lowest(cards)
        cards &= cards - U64(1)
        foresee(s, r, w, card)
        cost = w.worth[card] + RANK_COST * (card % 13)
        if s.in_trick == 0:
            length = popcount(s.hands[me] & suit_mask(card // 13))
            cost += LEAD_SPADE[game] if card >= 39 else -LEAD_LENGTH[game] * length
        score = -price * cost
        for seat in range(r.players):
            score += w.wins[seat] * w.value[seat]
        if best < 0 or score > best_score:
            best = card
            best_score = score
    return best
