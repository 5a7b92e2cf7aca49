"""Whether to keep the drawn card or to take the next one, and which cards a blind nil bidder exchanges."""

import numpy as np

from spades_agents.compiler import jit
from spades_agents.heuristic.hand import game_of, nil_gain
from spades_agents.heuristic.notes import known_cards
from spades_env.cards import ALL_CARDS, DONE
from spades_env.engine.bits import U64, bit, lowest, popcount
from spades_env.engine.state import BLIND_BID

# Tricks that a card adds to a hand, by spade and rank: the fit of strength.py without its finer distinctions.
CARD_GAIN = np.array([
    [-0.70, -0.69, -0.68, -0.67, -0.65, -0.64, -0.61, -0.58, -0.53, -0.39, -0.16, 0.03, 0.16],
    [0.10, 0.13, 0.16, 0.36, 0.40, 0.44, 0.48, 0.52, 0.56, 0.66, 0.81, 1.13, 1.48],
])  # fmt: skip
_COLUMN = U64(1 | 1 << 13 | 1 << 26)


@jit
def mean_gain(out):
    """Average of CARD_GAIN over the unknown cards ``out``."""
    total = 0.0
    for rank in range(13):
        total += CARD_GAIN[0, rank] * popcount(out & (_COLUMN << U64(rank)))
        if out & bit(39 + rank):
            total += CARD_GAIN[1, rank]
    return total / popcount(out)


@jit
def keeps(s, r):
    """Whether to keep the drawn card."""
    card = int(s.deck[2 * s.draws])
    out = U64(ALL_CARDS) & ~known_cards(s, r, s.seat) & ~bit(card)
    if s.blind[s.seat] == BLIND_BID:
        hand = s.hands[s.seat]
        return nil_gain(hand, card, 0) > mean_nil_gain(hand, out, 0)
    gain = CARD_GAIN[1, card - 39] if card >= 39 else CARD_GAIN[0, card % 13]
    return gain > mean_gain(out)


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
