"""Keep the drawn card, or take the next one."""

from __future__ import annotations

from spades_agents.compiler import jit


@jit
def keeps(s, r):
    """Whether to keep the drawn card."""
    card = s.deck[2 * s.draws]
    rank = card % 13
    return rank >= (3 if card >= 39 else 9)
