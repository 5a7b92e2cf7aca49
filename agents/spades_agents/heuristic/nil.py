"""Nil: how likely each card is to be forced to win a trick."""

from __future__ import annotations

from spades_agents.compiler import jit
from spades_agents.heuristic.notes import expected_count
from spades_agents.heuristic.worth import AT_MOST
from spades_env.engine.bits import U64, bit, lowest, suit_mask


@jit
def rate_dangers(s, r, w):
    """Fill ``w.worth`` for a seat whose nil is alive: the chance that the others can force the card to win.

    The card with i own lower cards of its suit must win if every other seat can stay below it, that is, holds more than
    i lower cards.
    """
    me = s.seat
    for suit in range(4):
        mine = s.hands[me] & suit_mask(suit)
        out = w.out & suit_mask(suit)
        i = 0
        while mine:
            card = lowest(mine)
            mine &= mine - U64(1)
            lower = out & (bit(card) - U64(1))
            danger = 1.0
            for seat in range(r.players):
                if seat != me:
                    danger *= 1.0 - AT_MOST[i, int(4.0 * expected_count(w, seat, suit, lower))]
            w.worth[card] = danger
            i += 1
