"""How many tricks to bid."""

from __future__ import annotations

from spades_agents.compiler import jit
from spades_env.engine.bits import bit, popcount, suit_mask


@jit
def choose_bid(s, r):
    """A bid of 1 or more."""
    hand = s.hands[s.seat]
    tricks = 0.0
    for suit in range(3):
        if hand & bit(13 * suit + 12):
            tricks += 0.9
        if hand & bit(13 * suit + 11):
            tricks += 0.6
    spades = hand & suit_mask(3)
    tricks += 0.6 * popcount(spades) * r.players / 4 + 0.3 * popcount(spades & ~bit(39))
    share = r.hand_size / r.players
    bid = int(0.7 * tricks + 0.3 * share)
    return max(1, min(bid, r.hand_size))
