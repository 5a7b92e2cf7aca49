"""The search players as agents."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from spades_agents.base import (
    Agent,
    BatchAgent,
    OneTable,
    Rating,
    RowsAgent,
    TableArrays,
    check_on_turn,
    check_plays,
    prepare,
)
from spades_agents.match_value import match_table
from spades_agents.policy.learned import PolicyAgent
from spades_agents.policy.shipped import LearnedAgent
from spades_agents.registry import make_agent
from spades_agents.search.decision import EVERY, SCRIPTED, Decisions, decide_rows
from spades_agents.search.workspace import new_workspace
from spades_env.cards import NUM_ACTIONS
from spades_env.checks import check_int
from spades_env.engine.state import STATE, rules_array
from spades_env.game import View
from spades_env.rules import Rules

MOST_WORLDS = 4096
_NO_RATINGS = np.zeros((0, NUM_ACTIONS))
ROWS = 64  # decisions in one call of a kernel; between two calls Python can be interrupted


class RolloutAgent(RowsAgent):
    """Rates every action in worlds that agree with what it has seen; the scripted player finishes the hand in each.

    The same view and seed give the same action, unless ``seconds`` cuts the search short.

    Args:
        worlds: number of worlds for a decision; by default 60, or as many as fit into ``seconds``.
        seconds: maximum wall time for a decision. The first decision also compiles or loads the kernels.
        beliefs: weight the worlds by the others' draft, bids and plays; otherwise all worlds that agree with what was
            seen are equally likely.
        match_value: maximise the chance of winning the match; otherwise points, minus each bag's share of the penalty.
        policy: a learned player or its name (``"learned"``, ``"ppo:runs/x/model.zip"``). It bids and drafts in place of
            the search. Its card, in place of the scripted player's, is played unless another is clearly better.
        seed: seed of the worlds. In a batch the seeds are those in ``agent_rng``, one for each table and seat.

    Raises:
        ValueError: if an argument is invalid; at the first decision, if the policy does not play the table's rules.
    """

    name = "rollout"
    solves = False  # whether play is solved exactly where possible
    rollouts_each = 1  # worlds of a decision by rollouts, relative to `worlds`

    def __init__(
        self,
        worlds: int | None = None,
        seconds: float | None = None,
        beliefs: bool = True,
        match_value: bool = True,
        policy: str | Agent | None = None,
        seed: int = 0,
    ) -> None:
        if worlds is None:
            worlds = 60 if seconds is None else MOST_WORLDS
        worlds = check_int("worlds", worlds, 1, MOST_WORLDS)
        if seconds is not None and not (isinstance(seconds, (int, float)) and 0 < seconds < 86_400):
            raise ValueError(f"seconds must be a number above 0, got {seconds!r}")
        for name, value in (("beliefs", beliefs), ("match_value", match_value)):
            if not isinstance(value, bool):
                raise ValueError(f"{name} must be true or false, got {value!r}")
        self.seconds = seconds
        self._policy = None if policy is None else _check_policy(policy)
        self._own_seed = check_int("seed", seed, 0, 2**64 - 1)
        self._work = new_workspace(worlds, worlds * self.rollouts_each, self.solves, beliefs, match_value)
        self._rules: Rules | None = None
        self.reset()

    def reset(self, seed: int | None = None) -> None:
        """Use ``seed`` for the worlds from now on; None restores the seed of the constructor."""
        seed = self._own_seed if seed is None else check_int("seed", seed, 0, 2**64 - 1)
        self.agent_rng = np.full((1, 4), seed, np.uint64)

    def check_rules(self, rules: Rules) -> None:
        """Raise ``ValueError`` if the policy cannot play these rules."""
        if self._policy is not None:
            check_plays(self._policy, rules)

    def prepare(self, rules: Rules) -> None:
        """See :meth:`RowsAgent.prepare <spades_agents.base.RowsAgent.prepare>`."""
        self.check_rules(rules)
        if self._policy is not None:
            prepare(self._policy, rules)
        self._aim_at(rules)
        nothing = np.zeros(0, np.int64)
        decisions = Decisions(nothing, nothing, self.agent_rng, nothing, _NO_RATINGS, _NO_RATINGS)
        decide_rows(self._work, rules_array(rules), np.zeros(1, STATE), decisions, np.iinfo(np.int64).max, False)

    def act_batch(self, tables: TableArrays, rows: Any) -> np.ndarray:
        """See :class:`~spades_agents.base.BatchAgent`."""
        return self._decide(tables, rows, _NO_RATINGS, _NO_RATINGS)

    def rate_batch(self, tables: TableArrays, rows: Any) -> tuple[np.ndarray, np.ndarray]:
        """The actions, and how good the search found each alternative: soft targets for learning.

        Returns:
            The actions, int64[n], as :meth:`act_batch` returns them; and the scores, float64 of shape (n, 75): the mean
            over the worlds of what the search maximises after each action: the chance of winning, plus 0.1 for every
            100 points, or with ``match_value=False`` the hundreds of points; points are relative to the mean of the
            other sides. NaN for actions that were not rated: illegal ones,
            bids far from the expected tricks, and all actions if there was only one or the policy decided.
        """
        means = np.empty((len(rows), NUM_ACTIONS))
        return self._decide(tables, rows, means, np.empty_like(means)), means

    def rate(self, view: View) -> dict[int, Rating]:
        """How good the search finds every legal action, bids far from the expected tricks included.

        The worlds are those that :meth:`act` looks at, which are the fewer independent the more the evidence prefers
        some of them: then the standard errors are too small. A policy is not asked.

        Args:
            view: what the seat on turn knows.

        Returns:
            A rating for each legal action, ascending by action: in ``"win"``, without the points that :meth:`act` adds,
            or in ``"points"`` with ``match_value=False``.

        Raises:
            ValueError: if the observer is not on turn.
        """
        check_on_turn(view)
        table: Any = OneTable(view.state, view.rules, view.rules_array, self.agent_rng)
        means, errors = np.empty((2, 1, NUM_ACTIONS))
        self._aim_at(view.rules)
        work = self._work
        if work.aim.match:
            self._work = work._replace(aim=work.aim._replace(points=0.0))
        try:
            self._decide(table, self._row, means, errors, every=True)
        finally:
            self._work = work
        unit, scale = ("win", 1.0) if work.aim.match else ("points", 100.0)
        return {
            action: Rating(scale * float(means[0, action]), scale * float(errors[0, action]), unit)
            for action in view.legal_actions()
        }

    def _decide(
        self, tables: TableArrays, rows: Any, means: np.ndarray, errors: np.ndarray, every: bool = False
    ) -> np.ndarray:
        start = time.perf_counter()
        self._aim_at(tables.rules)
        rows = np.asarray(rows, np.int64)
        actions = np.empty(len(rows), np.int64)
        if every or self._policy is None:
            defaults = np.full(len(rows), EVERY if every else SCRIPTED)
        else:
            defaults = self._policy.act_batch(tables, rows)
        step = ROWS if self.seconds is None else 1
        for first in range(0, len(rows), step):
            part = slice(first, first + step)
            decisions = Decisions(
                rows[part], defaults[part], tables.agent_rng, actions[part], means[part], errors[part]
            )
            if self.seconds is None:
                decide_rows(self._work, tables.rules_array, tables.states, decisions, np.iinfo(np.int64).max, False)
            else:
                self._decide_by_clock(tables, decisions, self.seconds, start)
                start = time.perf_counter()
        return actions

    def _aim_at(self, rules: Rules) -> None:
        if rules != self._rules:
            self._rules = rules
            aim = self._work.aim._replace(values=match_table(rules))
            self._work = self._work._replace(aim=aim)

    def _decide_by_clock(self, tables: TableArrays, decisions: Decisions, seconds: float, start: float) -> None:
        """Make one decision within ``seconds`` of ``start``, world by world."""
        plan = self._work.plan[0]
        longest, last = 0.0, start
        resume = False
        while not resume or plan["looked"] < plan["worlds"]:
            decide_rows(self._work, tables.rules_array, tables.states, decisions, 1, resume)
            resume = True
            now = time.perf_counter()
            longest, last = max(longest, now - last), now
            if now - start + longest > seconds:
                break


def _check_policy(policy: str | Agent) -> BatchAgent:
    agent = make_agent(policy)
    if not isinstance(agent, (PolicyAgent, LearnedAgent)):
        raise ValueError(f"policy must be a player with a network ('learned', 'ppo:...'), got {agent.name!r}")
    if not agent.deterministic:
        raise ValueError(f"policy must be a deterministic player, got {agent.name!r} with deterministic=False")
    return agent


class PIMCAgent(RolloutAgent):
    """Solves the play of two-player games in every world, and that of partnerships near the end of a hand without nils.

    All other decisions are made as by :class:`RolloutAgent`: the solver of four hands counts tricks and not the points
    of nils, and in games without partners "one side against all others" is not the game.

    This is perfect information Monte Carlo (Levy 1989; Ginsberg, "GIB: Imperfect Information in a Computationally
    Challenging Game", 2001). Its known weakness is strategy fusion (Frank and Basin 1998): it plays in
    each world as if the hidden cards were known. In Spades, where most cards are soon seen, that costs little.

    The same view and seed give the same action, unless ``seconds`` cuts the search short. See :class:`RolloutAgent` for
    the arguments.
    """

    name = "pimc"
    solves = True
    rollouts_each = 4  # a rollout is cheaper than a solution
