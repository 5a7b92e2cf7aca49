"""Which card to play."""

from __future__ import annotations

from spades_agents.compiler import jit
from spades_env.engine.bits import popcount, select
from spades_env.engine.play import playable


@jit
def choose_card(s, r):
    """A legal card: the highest while tricks are needed, else the lowest."""
    cards = playable(s, r)
    need = s.bids[s.seat] > s.tricks[s.seat]
    best = -1
    for k in range(popcount(cards)):
        card = select(cards, k)
        if best < 0 or (card % 13 > best % 13) == need:
            best = card
    return best
