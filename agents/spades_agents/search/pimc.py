"""Determinized search with exact solutions: every sampled world is solved with open cards, and the answers averaged.

Known as perfect information Monte Carlo (Levy 1989; Ginsberg, "GIB: Imperfect Information in a Computationally
Challenging Game", 2001). Its known weakness is that it supposes to know in each world what it cannot know (strategy
fusion, Frank and Basin 1998); in Spades, where most of the cards are soon seen, that costs little.
"""

from __future__ import annotations

import numpy as np

from spades_agents.compiler import jit
from spades_agents.search.payoffs import solve_state
from spades_agents.search.player import RolloutAgent
from spades_agents.search.rollout import trick_payoffs
from spades_agents.search.two_hand import new_table
from spades_env.game import Phase, View

__all__ = ["PIMCAgent"]


@jit.apart
def fill_payoffs(values, states, rules, scratch, by_match, payoffs):
    """:func:`trick_payoffs` of ``states[0]``."""
    trick_payoffs(values, states[0], rules[0], scratch, by_match, payoffs)


@jit.apart
def rate_by_solving(solver, worlds, row, rules, payoffs, found, actions, scores):
    """Set ``scores[row, k]`` to what the hand at ``worlds[row]`` brings the seat on turn, of two, after ``actions[k]``.

    Both play on with open cards.
    """
    s = worlds[row]
    solve_state(solver[0], s, rules[0], payoffs, found)
    for k in range(len(actions)):
        value = found[actions[k]]
        scores[row, k] = value if s.seat == 0 else -value


class PIMCAgent(RolloutAgent):
    """Solves the play of two-player games exactly in every world; decides the rest as :class:`RolloutAgent` does.

    The same view and seed give the same action, unless ``seconds`` cuts the search short. See
    :class:`RolloutAgent` for the arguments.
    """

    name = "pimc"
    rollouts_each = 4  # they are cheaper than solutions

    def __init__(
        self,
        worlds: int | None = None,
        seconds: float | None = None,
        beliefs: bool = True,
        match_value: bool = True,
        seed: int = 0,
    ) -> None:
        super().__init__(worlds, seconds, beliefs, match_value, seed)
        self._solver = new_table()
        self._payoffs = np.zeros(14)
        self._found = np.zeros(52)

    def _search(self, view: View, actions: np.ndarray, start: float) -> np.ndarray:
        if self._solves(view):
            fill_payoffs(self._values, view._state, view._rules, self._tables, self.match_value, self._payoffs)
        return super()._search(view, actions, start)

    def _rate(self, view: View, row: int, actions: np.ndarray, scores: np.ndarray) -> None:
        if self._solves(view):
            rate_by_solving(self._solver, self._drawn, row, view._rules, self._payoffs, self._found, actions, scores)
        else:
            super()._rate(view, row, actions, scores)

    def _count(self, view: View) -> int:
        return self.worlds if self._solves(view) else super()._count(view)

    def _doubt(self, view: View) -> float:
        return 0.0 if self._solves(view) else super()._doubt(view)

    @staticmethod
    def _solves(view: View) -> bool:
        return view.rules.players == 2 and view.phase == Phase.PLAY
