"""Which cards a blind nil bidder exchanges."""

from __future__ import annotations

from spades_agents.compiler import jit
from spades_agents.heuristic.hand import game_of, nil_gain
from spades_agents.heuristic.notes import known_cards
from spades_env.cards import ALL_CARDS, DONE
from spades_env.engine.bits import U64, bit, lowest, popcount


@jit
def mean_nil_gain(hand, cards, game):
    """Average of :func:`nil_gain` over ``cards``."""
    total = 0.0
    rest = cards
    while rest:
        total += nil_gain(hand, lowest(rest), game)
        rest &= rest - U64(1)
    return total / max(popcount(cards), 1)


@jit
def choose_exchange(s, r):
    """The most dangerous card for the nil, if an average unknown card is less dangerous; else DONE."""
    hand = s.hands[s.seat]
    game = game_of(r)
    worst = DONE
    least = 0.0
    cards = hand
    while cards:
        card = lowest(cards)
        cards &= cards - U64(1)
        gain = nil_gain(hand, card, game)
        if worst == DONE or gain < least:
            worst = card
            least = gain
    out = U64(ALL_CARDS) & ~known_cards(s, r, s.seat)
    return worst if least < mean_nil_gain(hand & ~bit(worst), out, game) else DONE
