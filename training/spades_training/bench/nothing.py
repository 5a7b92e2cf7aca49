"""An empty environment, to measure only the cost of PettingZoo's interface."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

OBSERVATION, ACTIONS, LENGTH = 100, 10, 100


class NothingAEC(AECEnv[str, dict[str, np.ndarray], int | None]):
    """Two agents alternate for 100 decisions with 10 legal actions each, and nothing happens."""

    metadata: dict[str, Any] = {"name": "nothing_v0", "render_modes": [], "is_parallelizable": False}

    def __init__(self) -> None:
        super().__init__()
        self.render_mode = None
        self.possible_agents = ["player_0", "player_1"]
        box, mask = spaces.Box(0, 1, (OBSERVATION,), np.int8), spaces.Box(0, 1, (ACTIONS,), np.int8)
        self._space = spaces.Dict(observation=box, action_mask=mask)
        self._actions = spaces.Discrete(ACTIONS)

    def observation_space(self, agent: str) -> Any:
        """The observation space, the same for both agents."""
        return self._space

    def action_space(self, agent: str) -> Any:
        """The action space, the same for both agents."""
        return self._actions

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start an episode."""
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self._turn = 0
        self.agent_selection = self.agents[0]

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """New arrays of zeros and ones."""
        return {"observation": np.zeros(OBSERVATION, np.int8), "action_mask": np.ones(ACTIONS, np.int8)}

    def step(self, action: int | None) -> None:
        """Pass the turn to the other agent."""
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self._turn += 1
        self.agent_selection = self.possible_agents[self._turn % 2]
        if self._turn == LENGTH:
            self.terminations = dict.fromkeys(self.agents, True)

    def close(self) -> None:
        """There is nothing to close."""


def wrapped_nothing() -> AECEnv[str, dict[str, np.ndarray], int | None]:
    """The empty environment in the wrappers that PettingZoo uses for its classic games."""
    env: Any = wrappers.TerminateIllegalWrapper(NothingAEC(), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(env))
