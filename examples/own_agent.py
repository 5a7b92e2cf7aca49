"""Write an agent and measure it against the scripted players.

Run ``python examples/own_agent.py``, or pass the class to any command:
``spades evaluate examples/own_agent.py:HighCards heuristic``.
"""

from __future__ import annotations

import sys

from spades_agents import make_agent
from spades_training.evaluate import evaluate

from spades_env import Phase, View
from spades_env.cards import BID_0, SPADES, cards_in, rank_of, suit_of

TEN, KING = 8, 11


class HighCards:
    """Bids its high cards; wins a trick as cheaply as it can, or else plays its lowest card."""

    name = "high cards"

    def reset(self, seed: int | None = None) -> None:
        """Start a match. This agent has nothing to forget and uses no random numbers."""

    def act(self, view: View) -> int:
        """Return a legal action of the seat on turn."""
        legal = view.legal_actions()
        if view.phase == Phase.BID:
            tricks = sum(rank_of(card) >= (TEN if suit_of(card) == SPADES else KING) for card in cards_in(view.hand))
            return BID_0 + max(tricks, 1)
        if view.phase == Phase.PLAY:
            winning = [card for card in legal if self.takes_trick(view, card)]
            needs_tricks = view.tricks[view.seat] < (view.bids[view.seat] or 0)
            return min(winning if winning and needs_tricks else legal, key=rank_of)
        return make_agent("heuristic").act(view)  # blind nil, draft and exchange

    @staticmethod
    def takes_trick(view: View, card: int) -> bool:
        """Whether ``card`` beats every card of the current trick."""

        def strength(other: int) -> tuple[bool, bool, int]:
            led = view.trick[0][1] if view.trick else card
            return suit_of(other) == SPADES, suit_of(other) == suit_of(led), rank_of(other)

        return all(strength(card) > strength(other) for _, other in view.trick)


if __name__ == "__main__":
    matches = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    for opponent in ("random", "heuristic"):
        result = evaluate(HighCards(), opponent, rules="partnership", matches=matches)
        wins, points = result.win_rate, result.points_per_hand
        print(
            f"against {opponent}: wins {wins.value:.1%} [{wins.low:.1%}, {wins.high:.1%}], {points.value:+.1f} a hand"
        )
