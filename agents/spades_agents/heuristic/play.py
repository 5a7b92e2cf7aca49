"""Which card to play."""

import numpy as np

from spades_agents.compiler import jit
from spades_agents.heuristic.evaluate import nil_alive, value_tricks
from spades_agents.heuristic.hand import game_of
from spades_agents.heuristic.nil import living_nils, nil_in_mind, survival, trick_beside_nils, with_later_tricks
from spades_agents.heuristic.notes import take_notes
from spades_agents.heuristic.trick import takes_trick, trick_value
from spades_agents.heuristic.worth import rate_cards
from spades_env.engine.bits import U64, bit, lowest, popcount, suit_mask
from spades_env.engine.play import playable

# The cost of a card, in tricks: for each rank (of equal cards the lowest is played); by game, for leading a spade; and
# by game, the saving for each own card of the suit led. Tuned by matches between players that differ in one of them;
# the last two help only with two players.
RANK_COST = 0.001
LEAD_SPADE = np.array([0.1, 0.0, 0.0, 0.0])
LEAD_LENGTH = np.array([0.03, 0.0, 0.0, 0.0])


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
def card_cost(s, w, game, card):
    """The cost of playing ``card`` now, in tricks."""
    cost = w.worth[card] + RANK_COST * (card % 13)
    if s.in_trick == 0:
        length = popcount(s.hands[s.seat] & suit_mask(card // 13))
        cost += LEAD_SPADE[game] if card >= 39 else -LEAD_LENGTH[game] * length
    return cost


@jit
def choose_card(s, r, w):
    """The legal card with the most expected points."""
    take_notes(s, r, w)
    nils = living_nils(s, r)
    if nils >> s.seat & 1:
        value_tricks(s, r, w)
        return choose_for_nil(s, r, w, nils)
    rate_cards(s, r, w)
    value_tricks(s, r, w)
    price = card_price(s, r, w)
    game = game_of(r)
    target = nil_in_mind(s, r, nils) if nils else 0
    lost = 0.0  # value of the trick for all cards that lose, if no nil is alive
    known = False
    best = -1
    best_score = 0.0
    cards = playable(s, r)
    while cards:
        card = lowest(cards)
        cards &= cards - U64(1)
        cost = price * card_cost(s, w, game, card)
        if nils:
            score = trick_beside_nils(s, r, w, nils, card) - cost
            if r.sides < r.players:
                score = with_later_tricks(s, w, target, card, score)
        elif takes_trick(s, card):
            score = trick_value(s, r, w, card) - cost
        else:
            if not known:
                lost = trick_value(s, r, w, card)
                known = True
            score = lost - cost
        if best < 0 or score > best_score:
            best = card
            best_score = score
    return best


@jit
def choose_for_nil(s, r, w, nils):
    """The legal card with which the own nil is most likely to survive; the highest of equally good cards."""
    me = s.seat
    best = -1
    best_score = 0.0
    cards = playable(s, r)
    while cards:
        card = lowest(cards)
        cards &= cards - U64(1)
        score = trick_beside_nils(s, r, w, nils, card)
        later = survival(s, r, w, s.hands[me] & ~bit(card)) + RANK_COST * (card % 13)
        score -= (1.0 - w.risk[me]) * later * w.value[me]  # the value is negative
        if best < 0 or score > best_score:
            best = card
            best_score = score
    return best
