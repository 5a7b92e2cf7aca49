"""Observation and mask in one dict, with the key names of RLlib's action-masking modules."""

from __future__ import annotations

from typing import Any, SupportsFloat

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import VectorEnv, VectorWrapper
from gymnasium.vector.utils import batch_space

from spades_env.cards import NUM_ACTIONS
from spades_env.observation import SIZE

Masked = dict[str, np.ndarray]


def masked_space() -> spaces.Dict:
    """The space of what :func:`masked` returns for one seat."""
    return spaces.Dict(
        observations=spaces.Box(0, 1, (SIZE,), np.float32), action_mask=spaces.Box(0, 1, (NUM_ACTIONS,), np.float32)
    )


def masked(observation: np.ndarray, mask: np.ndarray) -> Masked:
    """Both as float32, under the keys ``"observations"`` and ``"action_mask"``."""
    return {"observations": observation.astype(np.float32), "action_mask": mask.astype(np.float32)}


class MaskInObservation(gymnasium.Wrapper[Any, np.int64, Any, np.int64]):
    """The observations of :class:`spades_env.SpadesEnv` as dicts that hold the mask, too.

    The keys are ``"observations"``, float32 of shape (960,), and ``"action_mask"``, float32 of shape (75,), as RLlib's
    action-masking modules expect them. The mask always allows an action. ``info`` no longer holds it.

    Args:
        env: a :class:`spades_env.SpadesEnv`, possibly wrapped.
    """

    def __init__(self, env: gymnasium.Env[Any, np.int64]) -> None:
        super().__init__(env)
        self.observation_space = masked_space()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Masked, dict[str, Any]]:
        """As :meth:`spades_env.SpadesEnv.reset`."""
        observation, info = self.env.reset(seed=seed, options=options)
        return masked(observation, info.pop("action_mask")), info

    def step(self, action: np.int64) -> tuple[Masked, SupportsFloat, bool, bool, dict[str, Any]]:
        """As :meth:`spades_env.SpadesEnv.step`."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return masked(observation, info.pop("action_mask")), reward, terminated, truncated, info


class VectorMaskInObservation(VectorWrapper):
    """:class:`MaskInObservation` for many tables: arrays of shape (num_envs, 960) and (num_envs, 75).

    Args:
        env: a :class:`spades_env.SpadesVectorEnv`, possibly wrapped.
    """

    def __init__(self, env: VectorEnv) -> None:
        super().__init__(env)
        self.single_observation_space = masked_space()
        self.observation_space = batch_space(self.single_observation_space, env.num_envs)

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Masked, dict[str, Any]]:
        """As :meth:`spades_env.SpadesVectorEnv.reset`."""
        observations, infos = self.env.reset(seed=seed, options=options)
        return masked(observations, _pop_masks(infos)), infos

    def step(self, actions: Any) -> tuple[Masked, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """As :meth:`spades_env.SpadesVectorEnv.step`; with ``SAME_STEP``, ``infos["final_obs"]`` holds dicts, too."""
        observations, rewards, terminated, truncated, infos = self.env.step(np.asarray(actions))
        if "final_obs" in infos:
            finals, masks = infos["final_obs"], _pop_masks(infos["final_info"])
            for row in np.flatnonzero(infos["_final_obs"]):
                finals[row] = masked(finals[row], masks[row])
        return masked(observations, _pop_masks(infos)), rewards, terminated, truncated, infos


def _pop_masks(infos: dict[str, Any]) -> np.ndarray:
    del infos["_action_mask"]
    return infos.pop("action_mask")
