"""Self-play: the seats beside the learner's are played by the policy itself, its past and scripted agents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from spades_agents.base import BatchAgent
from spades_agents.policy.learned import PolicyAgent
from spades_agents.policy.network import PolicyNetwork
from spades_agents.registry import make_agent

from spades_env.envs.vector import SpadesVectorEnv
from spades_env.rules import Rules
from spades_env.tables import Tables

__all__ = ["SELF", "SNAPSHOT", "OpponentMix", "SelfPlayEnv"]

SELF, SNAPSHOT = "self", "snapshot"
HALF_LIFE = 500  # hands against a snapshot after which older ones count half
ACTIVE = 2  # snapshots that play at a time: a call for a few tables costs nearly as much as one for many


class OpponentMix:
    """The players that a learner meets, and how often.

    With ``sampling="strength"`` the snapshots that do well against the learner play more often. This is prioritized
    fictitious self-play (Vinyals et al., Grandmaster level in StarCraft II using multi-agent reinforcement learning,
    Nature 575, 2019), by margins instead of chances to win: snapshot k is drawn in proportion to exp(-m_k / s), where
    m_k is what the learner gains on it in a hand, as a running mean, and s the standard deviation of these margins
    over the snapshots. One that has not played yet counts as even.

    Args:
        weights: share of each, by name: ``"self"`` is the current policy, ``"snapshot"`` an earlier one, anything
            else a name for ``make_agent``.
        rules: the rules of the tables.
        snapshots: how many snapshots to keep.
        rng: chooses who plays, and rolls the dice of the policies.
        sampling: how to draw among the snapshots, ``"uniform"`` or by ``"strength"``.

    Attributes:
        snapshots: the earlier policies.
        margins: the learner's mean reward from a hand against each.

    Raises:
        ValueError: if a name is unknown or a model's file is missing.
    """

    def __init__(
        self,
        weights: Mapping[str, float],
        rules: Rules,
        snapshots: int,
        rng: np.random.Generator,
        sampling: str = "uniform",
    ) -> None:
        self.names = list(weights)
        self.shares = np.array([weights[name] for name in self.names])
        self.rules, self.keep, self.rng = rules, snapshots, rng
        self.by_strength = sampling == "strength"
        self.snapshots: list[PolicyNetwork] = []
        self.margins: list[float] = []
        self._agents: dict[str, BatchAgent] = {}
        for name in self.names:
            if name not in (SELF, SNAPSHOT):
                agent = make_agent(name)
                if not isinstance(agent, BatchAgent):
                    raise ValueError(f"opponent {name!r} cannot play many tables at once: it has no act_batch")
                agent.reset(int(rng.integers(2**48)))
                self._agents[name] = agent
        self._current: PolicyAgent | None = None
        self._active: dict[int, PolicyAgent] = {}  # by index of the snapshot

    def update(self, network: PolicyNetwork) -> None:
        """Make ``network`` the current policy, and draw the snapshots that play until the next update."""
        self._current = self._player(network)
        count = min(ACTIVE, len(self.snapshots))
        weights = self.weights() if self.by_strength and count else None
        chosen = self.rng.choice(len(self.snapshots), count, replace=False, p=weights) if count else ()
        self._active = {int(k): self._player(self.snapshots[k]) for k in chosen}

    def weights(self) -> np.ndarray:
        """The shares of the snapshots by their strength, summing to 1."""
        margins = np.array(self.margins)
        spread = margins.std() or 1.0
        weights = np.exp(-(margins - margins.mean()) / spread)
        return weights / weights.sum()

    def add_snapshot(self, network: PolicyNetwork) -> None:
        """Keep ``network`` as an opponent; if there are too many, another makes room, but never the first.

        By strength that is the weakest, otherwise a random one.
        """
        if len(self.snapshots) >= self.keep:
            second = min(1, self.keep - 1)
            leaves = (
                second + int(np.argmax(self.margins[second:]))
                if self.by_strength
                else int(self.rng.integers(second, self.keep))
            )
            del self.snapshots[leaves], self.margins[leaves]
        self.snapshots.append(network)
        self.margins.append(0.0)

    def restore(self, snapshots: list[PolicyNetwork], margins: list[float]) -> None:
        """Take over the snapshots of a checkpoint and how the learner did against them."""
        self.snapshots, self.margins = list(snapshots), list(margins)

    def count_hands(self, kinds: np.ndarray, rows: np.ndarray, rewards: np.ndarray) -> None:
        """Count hands that have ended at the tables ``rows``.

        A hand in which the policies changed counts for the snapshot that finished it.

        Args:
            kinds: who sat there, indices of ``names``.
            rows: the tables.
            rewards: what the learner got for each hand.
        """
        against = np.array([name == SNAPSHOT for name in self.names])[kinds]
        for k, here in zip(self._active, self._shared_out(rows), strict=True):
            found = rewards[here & against]
            if found.size:
                new = 1 - 0.5 ** (found.size / HALF_LIFE)
                self.margins[k] += new * (float(found.mean()) - self.margins[k])

    def _player(self, network: PolicyNetwork) -> PolicyAgent:
        return PolicyAgent(network, self.rules, deterministic=False, seed=int(self.rng.integers(2**48)))

    def draw(self, count: int) -> np.ndarray:
        """Who plays at each of ``count`` tables: indices of ``names``."""
        return self.rng.choice(len(self.names), count, p=self.shares)

    def act(self, kind: int, tables: Tables, rows: np.ndarray) -> np.ndarray:
        """The actions of player ``names[kind]`` for the seats on turn at ``rows``."""
        name = self.names[kind]
        if name == SNAPSHOT and self._active:
            actions = np.empty(len(rows), np.int64)
            for agent, here in zip(self._active.values(), self._shared_out(rows), strict=True):
                if here.any():
                    actions[here] = agent.act_batch(tables, rows[here])
            return actions
        if name in (SELF, SNAPSHOT):
            return self.act_self(tables, rows)
        return self._agents[name].act_batch(tables, rows)

    def _shared_out(self, rows: np.ndarray) -> list[np.ndarray]:
        """For each snapshot that plays now: at which of the tables ``rows`` it does, bool."""
        return [rows % len(self._active) == k for k in range(len(self._active))]

    def act_self(self, tables: Tables, rows: np.ndarray) -> np.ndarray:
        """The same for the current policy."""
        if self._current is None:
            raise RuntimeError("update() must name the current policy first")
        return self._current.act_batch(tables, rows)


class SelfPlayEnv(SpadesVectorEnv):
    """Tables where an :class:`OpponentMix` plays: one of its players for all opponents, drawn for every hand.

    Drawn for a hand, not for a match, so that long matches do not give their opponents a larger share. A partner
    is always the current policy.

    Args:
        num_envs: how many tables.
        rules: the rules.
        mix: the opponents.
        **options: as :class:`SpadesVectorEnv`.
    """

    def __init__(self, num_envs: int, rules: Rules, mix: OpponentMix, **options: Any) -> None:
        super().__init__(num_envs, rules, opponents="random", autoreset_mode="SameStep", **options)
        self.mix = mix
        self.kinds = np.zeros(num_envs, np.int64)
        self._hands_seen = np.full(num_envs, -1, np.int64)

    def arrays(self) -> dict[str, np.ndarray]:
        """As :class:`SpadesVectorEnv`, and who plays at each table."""
        return super().arrays() | {"kinds": self.kinds, "hands_seen": self._hands_seen}

    def _hands(self) -> np.ndarray:
        """A number for the hand at each table."""
        states = self.tables.states
        return (states["match"].astype(np.int64) << 32) + states["hand_number"]

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """As :class:`SpadesVectorEnv`, and tells the mix what came of the hands that have ended."""
        hands, kinds = self._hands(), self.kinds.copy()
        result = super().step(actions)
        ended = np.flatnonzero(self._hands() != hands)
        self.mix.count_hands(kinds[ended], ended, result[1][ended])
        return result

    def _opponent_actions(self, rows: np.ndarray) -> np.ndarray:
        states = self.tables.states
        hands = self._hands()
        fresh = np.flatnonzero(hands != self._hands_seen)
        if fresh.size:
            self.kinds[fresh] = self.mix.draw(len(fresh))
            self._hands_seen[fresh] = hands[fresh]
        partner = (states["seat"][rows] - self._turns["learner"][rows]) % self.rules.sides == 0
        kinds = np.where(partner, -1, self.kinds[rows])
        actions = np.empty(len(rows), np.int64)
        for kind in range(-1, len(self.mix.names)):
            here = np.flatnonzero(kinds == kind)
            if here.size:
                chosen = rows[here]
                own = kind < 0
                actions[here] = (
                    self.mix.act_self(self.tables, chosen) if own else self.mix.act(kind, self.tables, chosen)
                )
        return actions
