"""Which card to play."""

import numpy as np

from spades_agents.compiler import jit
from spades_agents.heuristic.evaluate import nil_alive, value_tricks
from spades_agents.heuristic.hand import game_of
from spades_agents.heuristic.notes import above, chance_of_none, take_notes
from spades_agents.heuristic.worth import rate_cards, rate_dangers
from spades_env.engine.bits import U64, lowest, popcount, suit_mask
from spades_env.engine.play import led_suit, playable

# The cost of a card, in tricks: for each rank (of equal cards the lowest is played); by game, for leading a spade; and
# by game, the saving for each own card of the suit led. Tuned by matches between players that differ in one of them;
# the last two help only with two players.
RANK_COST = 0.001
LEAD_SPADE = np.array([0.1, 0.0, 0.0, 0.0])
LEAD_LENGTH = np.array([0.03, 0.0, 0.0, 0.0])


@jit
def beats(card, best):
    """Whether ``card`` takes the trick from ``best``, the best card of the trick so far."""
    if card // 13 == best // 13:
        return card > best
    return card // 13 == 3


@jit
def chance_to_beat(s, w, seat, led, best, clear):
    """The chance that a seat yet to play takes the trick from ``best``; a nil bidder does so only when forced.

    ``clear`` is the chance that the seat holds no higher card of the suit of ``best``.
    """
    reluctant = nil_alive(s, seat)
    if best // 13 == led:
        if reluctant:
            suit_out = w.out & suit_mask(led)
            return chance_of_none(w, seat, led, suit_out ^ above(suit_out, best)) * (1.0 - clear)
        if led == 3:
            return 1.0 - clear
        return 1.0 - clear + w.void[4 * seat + led] * (1.0 - w.void[4 * seat + 3])
    if reluctant:
        return 0.0
    return w.void[4 * seat + led] * (1.0 - clear)


@jit
def trick_value(s, r, w, card):
    """Expected points from this trick if the seat on turn plays ``card``, over the seats that may take it."""
    me = s.seat
    led = card // 13 if s.in_trick == 0 else led_suit(s)
    wins = s.in_trick == 0 or beats(card, s.best_card)
    best = card if wins else s.best_card
    value = w.value[me] if wins else w.value[s.best_seat]
    seat = me
    for _ in range(r.players - 1 - s.in_trick):
        seat = seat + 1 if seat + 1 < r.players else 0
        if wins:
            clear = w.clear[4 * card + seat]
        else:
            clear = chance_of_none(w, seat, best // 13, above(w.out & suit_mask(best // 13), best))
        chance = chance_to_beat(s, w, seat, led, best, clear)
        value += chance * (w.value[seat] - value)
    return value


@jit
def card_price(s, r, w):
    """Points by which a later trick is worth more to the seat on turn than to the other seats on average.

    Seats whose nil is alive are left out: they take later tricks only if forced to.
    """
    others = 0.0
    count = 0
    for seat in range(r.players):
        if seat != s.seat and not nil_alive(s, seat):
            others += w.value[seat]
            count += 1
    return w.value[s.seat] - others / max(count, 1)


@jit
def choose_card(s, r, w):
    """The legal card with the most expected points."""
    take_notes(s, r, w)
    if nil_alive(s, s.seat):
        rate_dangers(s, r, w)
    else:
        rate_cards(s, r, w)
    value_tricks(s, r, w)
    price = card_price(s, r, w)
    game = game_of(r)
    leads = s.in_trick == 0
    lost = 0.0  # value of the trick for all cards that lose
    known = False
    best = -1
    best_score = 0.0
    cards = playable(s, r)
    while cards:
        card = lowest(cards)
        cards &= cards - U64(1)
        cost = w.worth[card] + RANK_COST * (card % 13)
        if leads:
            length = popcount(s.hands[s.seat] & suit_mask(card // 13))
            cost += LEAD_SPADE[game] if card >= 39 else -LEAD_LENGTH[game] * length
        if leads or beats(card, s.best_card):
            value = trick_value(s, r, w, card)
        else:
            if not known:
                lost = trick_value(s, r, w, card)
                known = True
            value = lost
        score = value - price * cost
        if best < 0 or score > best_score:
            best = card
            best_score = score
    return best
