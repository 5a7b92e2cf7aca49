"""What the search players share: worlds, the clock, candidates, and the choice."""

from __future__ import annotations

import hashlib
import math
import time

import numpy as np

from spades_agents.base import check_on_turn
from spades_agents.compiler import jit
from spades_agents.heuristic.bidding import expected_tricks
from spades_agents.heuristic.notes import NOTES
from spades_agents.search.beliefs import OVERSAMPLE, draft_tells, draw_worlds
from spades_agents.search.draft_belief import DRAFT, prepare
from spades_agents.search.match_value import match_table
from spades_agents.search.rollout import draw_world, rate_by_rollout, scripted_action
from spades_env.cards import BID_0
from spades_env.checks import check_int
from spades_env.engine.state import STATE
from spades_env.game import Game, Phase, View
from spades_env.rules import Rules

__all__ = ["RolloutAgent"]

NO_CARDS = np.uint64(0)
MOST_WORLDS = 4096
CHUNK = 64  # worlds drawn at a time
BID_REACH = 3  # bids tried on either side of the expected tricks
# The scripted player's own action is left only for one that did better by so many standard errors: with few worlds the
# best of many actions is best by luck.
DOUBT = 1.0


@jit
def fair_bid(states, rules):
    """The tricks that the scripted player expects for the seat on turn."""
    return expected_tricks(states[0], rules[0])


_warm: set[type] = set()


def warm_up(kind: type[RolloutAgent]) -> None:
    """Compile or load all kernels at the first decision of a process, so that no later one has to wait for any."""
    if kind in _warm:
        return
    _warm.add(kind)
    game = Game("two_player", seed=0)
    agent = kind(worlds=1)
    while game.hand_number == 0:
        game.apply(agent.act(game.view()))


class RolloutAgent:
    """Tries every action in worlds that agree with what it has seen, the scripted player finishing the hand.

    The same view and seed give the same action, unless ``seconds`` cuts the search short.

    Args:
        worlds: how many worlds it looks at for a decision; by default 60, or as many as fit in ``seconds``.
        seconds: most wall time for a decision. The first decision also compiles or loads the kernels.
        beliefs: weigh worlds by what the others' draft, bids and plays suggest; else all that agree are alike.
        match_value: maximise the chance to win the match; else points, a bag at its share of the penalty.
        seed: of the worlds.
    """

    name = "rollout"
    rollouts_each = 1  # worlds of a decision by rollouts for each of `worlds`

    def __init__(
        self,
        worlds: int | None = None,
        seconds: float | None = None,
        beliefs: bool = True,
        match_value: bool = True,
        seed: int = 0,
    ) -> None:
        if worlds is None:
            worlds = 60 if seconds is None else MOST_WORLDS
        self.worlds = check_int("worlds", worlds, 1, MOST_WORLDS)
        if seconds is not None and not (isinstance(seconds, (int, float)) and 0 < seconds < 86_400):
            raise ValueError(f"seconds must be a number above 0, got {seconds!r}")
        for name, value in (("beliefs", beliefs), ("match_value", match_value)):
            if not isinstance(value, bool):
                raise ValueError(f"{name} must be true or false, got {value!r}")
        self.seconds, self.beliefs, self.match_value = seconds, beliefs, match_value
        self._own_seed = check_int("seed", seed, 0, 2**64 - 1)
        jit.announce("the agents")
        self._views, self._tables, self._notes = np.zeros(1, STATE), np.zeros(1, STATE), np.zeros(1, NOTES)
        self._drawn = np.zeros(self.worlds * self.rollouts_each, STATE)
        most = min(CHUNK, len(self._drawn)) * OVERSAMPLE
        self._pool, self._weights, self._drafts = np.zeros(most, STATE), np.zeros(most), np.zeros(1, DRAFT)
        self._spare = np.zeros(1, STATE)
        self._rules: Rules | None = None
        self._values = np.zeros((0, 0, 0, 0), np.float32)
        self._seed = self._own_seed

    def reset(self, seed: int | None = None) -> None:
        """Draw worlds by ``seed`` from now on; by that of the constructor if it is None."""
        self._seed = self._own_seed if seed is None else check_int("seed", seed, 0, 2**64 - 1)

    def act(self, view: View) -> int:
        """The action for ``view.observer``, who must be on turn."""
        start = time.perf_counter()
        check_on_turn(view)
        warm_up(type(self))
        legal = view.legal_actions()
        if len(legal) == 1:
            return legal[0]
        scripted = int(scripted_action(view._state, 0, view._rules, self._views, self._notes))
        actions = self._candidates(view, legal, scripted)
        if len(actions) == 1:
            return actions[0]
        if view.rules != self._rules:
            self._rules, self._values = view.rules, match_table(view.rules)
        scores = self._search(view, np.array(actions), start)
        return self._choice(actions, scores, scripted, self._doubt(view))

    def _candidates(self, view: View, legal: list[int], scripted: int) -> list[int]:
        """The actions worth a try, ascending."""
        if view.phase != Phase.BID:
            return legal
        tricks = int(fair_bid(view._state, view._rules))
        near = range(max(tricks - BID_REACH, 0), tricks + BID_REACH + 1)
        return sorted({scripted, BID_0, *(BID_0 + bid for bid in near if bid <= view.rules.hand_size)})

    def _search(self, view: View, actions: np.ndarray, start: float) -> np.ndarray:
        """What each action brings in each world looked at, a float64 of shape (worlds, actions)."""
        worlds = self._count(view)
        scores = np.zeros((worlds, len(actions)))
        rng = self._stream(view)
        longest = 0.0
        last = start
        for row in range(worlds):
            if row % CHUNK == 0:
                self._draw(view, rng, row, min(row + CHUNK, worlds))
            self._rate(view, row, actions, scores)
            if self.seconds is not None:
                now = time.perf_counter()
                longest = max(longest, now - last)
                last = now
                if now - start + longest > self.seconds:
                    return scores[: row + 1]
        return scores

    def _count(self, view: View) -> int:
        """How many worlds to look at."""
        return self.worlds * self.rollouts_each

    def _doubt(self, view: View) -> float:
        """By how many standard errors an action must do better than the scripted player's."""
        return DOUBT

    def _stream(self, view: View) -> np.ndarray:
        """The random stream of this decision."""
        digest = hashlib.blake2b(view.to_bytes(), digest_size=8, key=self._seed.to_bytes(8, "little")).digest()
        return np.frombuffer(digest, np.uint64).copy()

    def _draw(self, view: View, rng: np.ndarray, start: int, stop: int) -> None:
        """Put worlds into rows ``start`` to ``stop`` of ``_drawn``."""
        state, rules, observer = view._state, view._rules, view.observer
        if not self.beliefs:
            for row in range(start, stop):
                draw_world(state, rules, observer, rng, self._drawn, row)
            return
        drafted = draft_tells(state, rules, observer)
        if drafted and start == 0:
            prepare(self._drafts, state, rules, observer, NO_CARDS, NO_CARDS, False)
        scratch = self._pool, self._weights, self._tables, self._spare, self._notes
        draw_worlds(state, rules, observer, rng, self._drafts, drafted, *scratch, self._drawn, start, stop)

    def _rate(self, view: View, row: int, actions: np.ndarray, scores: np.ndarray) -> None:
        """Set row ``row`` of ``scores``."""
        scratch = self._tables, self._views, self._notes
        rate_by_rollout(self._drawn, row, view._rules, *scratch, self._values, self.match_value, actions, scores)

    def _choice(self, actions: list[int], scores: np.ndarray, scripted: int, doubt: float) -> int:
        """The action that brings most on average, or the scripted player's if that is as good or nearly so."""
        gains = scores - scores[:, [actions.index(scripted)]]
        means = gains.mean(0)
        best = int(means.argmax())
        error = gains[:, best].std() / math.sqrt(len(gains))
        return actions[best] if means[best] > max(doubt * error, 1e-9) else scripted
