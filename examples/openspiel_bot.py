"""Let players sit at a table of another program: OpenSpiel's ``spades``, hand by hand.

Run ``python examples/openspiel_bot.py`` (``pip install open-spiel``, Python 3.11 or later). ``SpadesBot`` is all the
code that it takes: what a seat knows of the other program's state, as arguments of ``View.of``.
"""

from __future__ import annotations

import sys

import pyspiel
from spades_agents import make_agent

from spades_env import Rules, View
from spades_env.cards import BID_0, rank_of

# OpenSpiel's spades as far as our rules can say it. It differs in this:
# - Spades cannot be led, even once they are broken, by a seat that holds another suit.
# - Partners bid at most 13 together.
# - The bag counter of a side is the last digit of its score.
RULES = Rules(partners=True, blind_nil=0, failed_nil="contract", loss=-350)
PLAYERS = ("pimc:worlds=8", "heuristic", "pimc:worlds=8", "heuristic")


class SpadesBot(pyspiel.Bot):
    """A player of ours at a seat of OpenSpiel's table."""

    def __init__(self, seat: int, agent: str) -> None:
        super().__init__()
        self.seat = seat
        self.agent = make_agent(agent)

    def view(self, state: pyspiel.State) -> View:
        """What the seat knows. OpenSpiel deals card k to seat k mod 4, and its ids of cards and bids are ours."""
        history = state.history()
        bids, plays = history[52:56], history[56:]
        return View.of(
            RULES,
            self.seat,
            hand=set(history[self.seat : 52 : 4]).difference(plays),
            bids=[bid - BID_0 for bid in bids] + [None] * (4 - len(bids)),
            plays=plays,
            scores=state.get_current_scores(),
            bags=[score % 10 for score in state.get_current_scores()],
        )

    def step(self, state: pyspiel.State) -> int:
        """The player's action, or one that is legal there: a lower bid, or the lowest card that may be led."""
        action, legal = self.agent.act(self.view(state)), state.legal_actions()
        if action in legal:
            return action
        return max(legal) if action >= BID_0 else min(legal, key=rank_of)


def play(hands: int, seed: int = 0) -> list[int]:
    """The score of each side after ``hands`` hands between ``PLAYERS``."""
    bots = [SpadesBot(seat, name) for seat, name in enumerate(PLAYERS)]
    scores = [0, 0]
    for hand in range(hands):
        state = pyspiel.load_game("spades").new_initial_state()
        state.set_current_scores(scores)
        points = pyspiel.evaluate_bots(state, bots, seed + hand)
        scores = [score + int(change) for score, change in zip(scores, points[:2], strict=True)]
    return scores


if __name__ == "__main__":
    hands = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    print(f"{PLAYERS[0]} and {PLAYERS[1]} after {hands} hands: {play(hands)}")
