"""Self-play: the current policy, its snapshots and other agents play the seats of the opponents and partners."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from spades_agents.base import BatchAgent, check_plays
from spades_agents.policy.learned import PolicyAgent
from spades_agents.policy.network import PolicyNetwork
from spades_agents.registry import make_agent

from spades_env.envs.vector import SpadesVectorEnv
from spades_env.rules import Rules
from spades_env.tables import Tables

SELF, SNAPSHOT = "self", "snapshot"
HALF_LIFE = 500  # hands against a snapshot after which the weight of older hands has halved
ACTIVE = 2  # snapshots that play at a time; a call for few tables costs nearly as much as one for many


class OpponentMix:
    """The opponents of a learner, and how often each plays.

    With ``sampling="strength"`` the snapshots that do well against the learner play more often. This is prioritized
    fictitious self-play (Vinyals et al., Grandmaster level in StarCraft II using multi-agent reinforcement learning,
    Nature 575, 2019), with margins in place of win probabilities: snapshot k is drawn in proportion to exp(-m_k / s),
    where m_k is the running mean of the learner's reward in a hand against it, and s is the standard deviation of these
    margins over the snapshots. The margin of a snapshot that has not played yet is 0.

    Args:
        weights: share of each by name: ``"self"`` is the current policy, ``"snapshot"`` an earlier one, anything else a
            name for ``make_agent``.
        rules: the rules of the tables.
        snapshots: maximum number of snapshots.
        rng: draws the players, and the seeds of the policies.
        sampling: how to draw snapshots, ``"uniform"`` or by ``"strength"``.

    Attributes:
        snapshots: the earlier policies.
        margins: the learner's mean reward in a hand against each.

    Raises:
        ValueError: if a name is unknown, the file of a model is missing, or a player cannot play the rules.
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
                    raise ValueError(f"opponent {name!r} cannot play batches of tables: it has no act_batch")
                check_plays(agent, rules)
                agent.reset(int(rng.integers(2**48)))
                self._agents[name] = agent
        self._current: PolicyAgent | None = None
        self._active: dict[int, PolicyAgent] = {}  # by index in snapshots

    def update(self, network: PolicyNetwork) -> None:
        """Make ``network`` the current policy and draw the snapshots that play until the next update."""
        self._current = self._player(network)
        count = min(ACTIVE, len(self.snapshots))
        weights = self.weights() if self.by_strength and count else None
        chosen = self.rng.choice(len(self.snapshots), count, replace=False, p=weights) if count else ()
        self._active = {int(k): self._player(self.snapshots[k]) for k in chosen}

    def weights(self) -> np.ndarray:
        """The shares of the snapshots by strength, which sum to 1."""
        margins = np.array(self.margins)
        spread = margins.std() or 1.0
        weights = np.exp(-(margins - margins.mean()) / spread)
        return weights / weights.sum()

    def add_snapshot(self, network: PolicyNetwork) -> None:
        """Add ``network`` to the snapshots; at the maximum number it replaces another one, but never the first.

        That is the weakest one if sampling is by strength, otherwise a random one.
        """
        if len(self.snapshots) >= self.keep:
            second = min(1, self.keep - 1)
            replaced = (
                second + int(np.argmax(self.margins[second:]))
                if self.by_strength
                else int(self.rng.integers(second, self.keep))
            )
            del self.snapshots[replaced], self.margins[replaced]
        self.snapshots.append(network)
        self.margins.append(0.0)

    def restore(self, snapshots: list[PolicyNetwork], margins: list[float]) -> None:
        """Restore the snapshots and margins of a checkpoint."""
        self.snapshots, self.margins = list(snapshots), list(margins)

    def count_hands(self, kinds: np.ndarray, rows: np.ndarray, rewards: np.ndarray) -> None:
        """Update the margins with hands that have ended.

        If the snapshots change during a hand, it is counted for the snapshot that finished it.

        Args:
            kinds: who played at each table, as indices of ``names``.
            rows: the tables.
            rewards: the learner's reward for each hand.
        """
        against = np.array([name == SNAPSHOT for name in self.names])[kinds]
        for k, here in zip(self._active, self._tables_of_snapshots(rows), strict=True):
            found = rewards[here & against]
            if found.size:
                new = 1 - 0.5 ** (found.size / HALF_LIFE)
                self.margins[k] += new * (float(found.mean()) - self.margins[k])

    def _player(self, network: PolicyNetwork) -> PolicyAgent:
        return PolicyAgent(network, self.rules, deterministic=False, seed=int(self.rng.integers(2**48)))

    def draw(self, count: int) -> np.ndarray:
        """Draw who plays at each of ``count`` tables, as indices of ``names``."""
        return self.rng.choice(len(self.names), count, p=self.shares)

    def act(self, kind: int, tables: Tables, rows: np.ndarray) -> np.ndarray:
        """The actions of player ``names[kind]``, or of the current policy if ``kind`` is -1, at the tables ``rows``."""
        name = SELF if kind < 0 else self.names[kind]
        if name == SNAPSHOT and self._active:
            actions = np.empty(len(rows), np.int64)
            for agent, here in zip(self._active.values(), self._tables_of_snapshots(rows), strict=True):
                if here.any():
                    actions[here] = agent.act_batch(tables, rows[here])
            return actions
        if name in (SELF, SNAPSHOT):
            if self._current is None:
                raise RuntimeError("update() must set the current policy first")
            return self._current.act_batch(tables, rows)
        return self._agents[name].act_batch(tables, rows)

    def _tables_of_snapshots(self, rows: np.ndarray) -> list[np.ndarray]:
        """For each active snapshot, a bool mask of the tables ``rows`` at which it plays."""
        return [rows % len(self._active) == k for k in range(len(self._active))]


class SelfPlayEnv(SpadesVectorEnv):
    """Tables at which an :class:`OpponentMix` plays; one of its players takes all opponents' seats for a hand.

    The player is drawn for a hand, not for a match, so that opponents with long matches do not get a larger share. A
    partner is always the current policy.

    Args:
        num_envs: number of tables.
        rules: the rules.
        mix: the opponents.
        autoreset_mode: as in :class:`SpadesVectorEnv`.
        **options: other options of :class:`SpadesVectorEnv`.
    """

    def __init__(
        self,
        num_envs: int,
        rules: Rules,
        mix: OpponentMix,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        **options: Any,
    ) -> None:
        super().__init__(num_envs, rules, opponents="random", autoreset_mode=autoreset_mode, **options)
        self.mix = mix
        self.kinds = np.zeros(num_envs, np.int64)
        self._hands_seen = np.full(num_envs, -1, np.int64)

    def arrays(self) -> dict[str, np.ndarray]:
        """Like :meth:`SpadesVectorEnv.arrays`, with the player at each table."""
        return super().arrays() | {"kinds": self.kinds, "hands_seen": self._hands_seen}

    def _hands(self) -> np.ndarray:
        """A number that identifies the hand at each table."""
        states = self.tables.states
        return (states["match"].astype(np.int64) << 32) + states["hand_number"]

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Like :meth:`SpadesVectorEnv.step`; also reports the rewards of completed hands to the mix."""
        hands, kinds, playing = self._hands(), self.kinds.copy(), ~self._turns["ended"]
        result = super().step(actions)
        ended = np.flatnonzero(playing & (self._hands() != hands))
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
                actions[here] = self.mix.act(kind, self.tables, rows[here])
        return actions
