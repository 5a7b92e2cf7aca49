"""The search players as agents."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from spades_agents.base import Agent, BatchAgent, TableArrays, check_on_turn
from spades_agents.compiler import jit
from spades_agents.match_value import match_table
from spades_agents.registry import make_agent
from spades_agents.search.decision import SCRIPTED, decide_rows, new_workspace
from spades_env.cards import NUM_ACTIONS
from spades_env.checks import check_int
from spades_env.game import View
from spades_env.rules import Rules

__all__ = ["PIMCAgent", "RolloutAgent"]

MOST_WORLDS = 4096
ROWS = 64  # decisions in one call of a kernel: between two calls Python can be interrupted


class RolloutAgent:
    """Tries every action in worlds that agree with what it has seen, the scripted player finishing the hand.

    The same view and seed give the same action, unless ``seconds`` cuts the search short.

    Args:
        worlds: how many worlds it looks at for a decision; by default 60, or as many as fit in ``seconds``.
        seconds: most wall time for a decision. The first decision also compiles or loads the kernels.
        beliefs: weigh worlds by what the others' draft, bids and plays suggest; else all that agree are alike.
        match_value: maximise the chance to win the match; else points, a bag at its share of the penalty.
        policy: a learned player or its name (``"learned"``, ``"ppo:runs/x/model.zip"``) that bids and drafts in place
            of the search, and whose card, in place of the scripted player's, is played if no other is clearly better.
        seed: of the worlds. In a batch each seat of a table has its own, of ``agent_rng``.

    Raises:
        ValueError: if an argument makes no sense; when it is to act, if the policy does not play the table's rules.
    """

    name = "rollout"
    solves = False  # whether play is solved exactly where that can be done
    rollouts_each = 1  # worlds of a decision by rollouts for each of `worlds`

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
        self.worlds = check_int("worlds", worlds, 1, MOST_WORLDS)
        if seconds is not None and not (isinstance(seconds, (int, float)) and 0 < seconds < 86_400):
            raise ValueError(f"seconds must be a number above 0, got {seconds!r}")
        for name, value in (("beliefs", beliefs), ("match_value", match_value)):
            if not isinstance(value, bool):
                raise ValueError(f"{name} must be true or false, got {value!r}")
        self.seconds, self.beliefs, self.match_value = seconds, beliefs, match_value
        self._policy = None if policy is None else _check_policy(policy)
        self._own_seed = check_int("seed", seed, 0, 2**64 - 1)
        jit.announce("the search players", "decision.decide_rows", 60)
        rollouts = self.worlds * self.rollouts_each
        self._work = new_workspace(self.worlds, rollouts, self.solves, beliefs, match_value)
        self._rules: Rules | None = None
        self._values = np.zeros((0, 0, 0, 0), np.float32)
        self._seeds = np.full((1, 4), self._own_seed, np.uint64)
        self._row, self._default, self._action = np.zeros((3, 1), np.int64)
        self._no_means = np.zeros((0, NUM_ACTIONS))

    def reset(self, seed: int | None = None) -> None:
        """Draw worlds by ``seed`` from now on; by that of the constructor if it is None."""
        self._seeds[:] = self._own_seed if seed is None else check_int("seed", seed, 0, 2**64 - 1)

    def act(self, view: View) -> int:
        """The action for ``view.observer``, who must be on turn."""
        start = time.perf_counter()
        check_on_turn(view)
        self._prepare(view.rules)
        self._default[0] = SCRIPTED if self._policy is None else self._policy.act(view)
        arrays = self._row, self._default, self._seeds, self._action, self._no_means
        self._decide(view.rules_array, view.state, *arrays, start)
        return int(self._action[0])

    def act_batch(self, tables: TableArrays, rows: Any) -> np.ndarray:
        """The actions of the seats on turn at the tables ``rows``, an int64 array."""
        return self._batch(tables, rows, self._no_means)

    def rate_batch(self, tables: TableArrays, rows: Any) -> tuple[np.ndarray, np.ndarray]:
        """What :meth:`act_batch` returns, and how good the search found every action: soft targets for learning.

        Returns:
            int64[n], the actions; and float64[n, 75], the mean over the worlds of what each action brings the seat on
            turn: the chance to win the match, or with ``match_value=False`` hundreds of points above the mean of
            the others. NaN for what was not tried: illegal actions, far-off bids, and all if only one action
            was left to take or the policy took it.
        """
        means = np.empty((len(rows), NUM_ACTIONS))
        return self._batch(tables, rows, means), means

    def _batch(self, tables: TableArrays, rows: Any, means: np.ndarray) -> np.ndarray:
        rows = np.asarray(rows, np.int64)
        actions = np.empty(len(rows), np.int64)
        self._prepare(tables.rules)
        if self._policy is None:
            defaults = np.full(len(rows), SCRIPTED)
        else:
            defaults = self._policy.act_batch(tables, rows)
        step = ROWS if self.seconds is None else 1
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            arrays = rows[part], defaults[part], tables.agent_rng, actions[part], means[part]
            self._decide(tables.rules_array, tables.states, *arrays, time.perf_counter())
        return actions

    def _prepare(self, rules: Rules) -> None:
        if rules != self._rules:
            self._rules, self._values = rules, match_table(rules)

    def _decide(
        self,
        rules: np.ndarray,
        states: np.ndarray,
        rows: np.ndarray,
        defaults: np.ndarray,
        seeds: np.ndarray,
        actions: np.ndarray,
        means: np.ndarray,
        start: float,
    ) -> None:
        """Decide at ``rows``; at one alone if there is a clock to watch, which began at ``start``."""
        fixed = self._work, rules, self._values, states, rows, defaults, seeds, actions, means
        if self.seconds is None:
            decide_rows(*fixed, MOST_WORLDS * self.rollouts_each, False)
            return
        plan = self._work.plan[0]
        longest, last = 0.0, start
        goes_on = False
        while not goes_on or plan["looked"] < plan["worlds"]:
            decide_rows(*fixed, 1, goes_on)
            goes_on = True
            now = time.perf_counter()
            longest, last = max(longest, now - last), now
            if now - start + longest > self.seconds:
                break


def _check_policy(policy: str | Agent) -> BatchAgent:
    from spades_agents.policy.learned import PolicyAgent  # here, since it imports from this package
    from spades_agents.policy.shipped import LearnedAgent

    agent = make_agent(policy)
    if not isinstance(agent, (PolicyAgent, LearnedAgent)):
        raise ValueError(
            f"policy must be a player with a network ('learned', 'ppo:runs/x/model.zip'), got {agent.name!r}"
        )
    if not agent.deterministic:
        raise ValueError(f"policy must be a player without dice, got {agent.name!r} with deterministic=False")
    return agent


class PIMCAgent(RolloutAgent):
    """Solves the play of two-player games in every world, and that of partners near the end of a hand without nils.

    The rest it decides as :class:`RolloutAgent` does: the solver of four hands knows tricks alone, not what nils bring,
    and where everyone plays for itself "one side against all others" is not the game.

    Known as perfect information Monte Carlo (Levy 1989; Ginsberg, "GIB: Imperfect Information in a Computationally
    Challenging Game", 2001). Its known weakness is that it supposes to know in each world what it cannot know (strategy
    fusion, Frank and Basin 1998); in Spades, where most of the cards are soon seen, that costs little.

    The same view and seed give the same action, unless ``seconds`` cuts the search short. See
    :class:`RolloutAgent` for the arguments.
    """

    name = "pimc"
    solves = True
    rollouts_each = 4  # they are cheaper than solutions
