"""Stable-Baselines3: the vectorized environment with one trajectory for each learner's seat, and model files."""

from __future__ import annotations

import io
import os
import time
from itertools import pairwise
from typing import Any

import gymnasium
import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from spades_agents.policy.model_file import add_player
from spades_agents.policy.network import PolicyNetwork
from spades_agents.policy.policy_input import used_columns
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import VecEnv
from torch import nn

from spades_env.envs.vector import SpadesVectorEnv
from spades_env.files import write_whole
from spades_env.observation import SIZE
from spades_env.rules import Rules, as_rules


class SpadesVecEnv(VecEnv):
    """Many tables as a Stable-Baselines3 ``VecEnv``; each learner's seat has one trajectory.

    A step leads from one decision of the learner to its next one, after the opponents have moved. Its reward is
    everything that the learner earned in between, including the result of a last trick that another seat finished.
    Observations are always those of the learner's seat. ``MaskablePPO`` finds the action masks automatically.

    When an episode ends, the next one starts in the same step: the observation is its first one, and ``infos[i]`` holds
    ``"terminal_observation"``, ``"TimeLimit.truncated"``, ``"episode"`` (sum of rewards r, decisions l, seconds t),
    ``"scores"`` (by side, the learner's first) and ``"hands"``.

    Args:
        num_envs: number of tables, or a :class:`SpadesVectorEnv` in autoreset mode ``SAME_STEP``.
        seed: table ``i`` plays what ``SpadesEnv`` plays after ``reset(seed=seed + i)``; None: a random seed.
        **options: ``rules``, ``opponents``, ``episode`` and the other options of :class:`SpadesVectorEnv`.

    Raises:
        ValueError: if an argument is invalid.
    """

    def __init__(self, num_envs: int | SpadesVectorEnv, seed: int | None = None, **options: Any) -> None:
        if isinstance(num_envs, SpadesVectorEnv):
            if options:
                raise ValueError(f"{', '.join(options)}: the options of an existing environment cannot be changed")
            self.env = num_envs
        else:
            self.env = SpadesVectorEnv(num_envs, autoreset_mode="SameStep", **options)
        if self.env.metadata["autoreset_mode"] != gymnasium.vector.AutoresetMode.SAME_STEP:
            raise ValueError("autoreset_mode must be 'SameStep': a VecEnv has no step between two episodes")
        super().__init__(self.env.num_envs, self.env.single_observation_space, self.env.single_action_space)
        self.metadata = self.env.metadata
        if seed is not None:
            self.seed(seed)
        self._nothing: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]  # once: a dict costs 45 ns
        self._actions = np.zeros(self.num_envs, np.int64)
        self._returns = np.zeros(self.num_envs)
        self._lengths = np.zeros(self.num_envs, np.int64)
        self._start = time.perf_counter()

    def reset(self) -> np.ndarray:
        """Start a match at every table, with the last ``seed`` and ``set_options``.

        Raises:
            ValueError: if the options are invalid, or not the same for all tables.
        """
        if any(options != self._options[0] for options in self._options):
            raise ValueError("set_options: all tables must have the same options")
        seeds = None if self._seeds[0] is None else list(self._seeds)
        observations, infos = self.env.reset(seed=seeds, options=self._options[0])
        self._reset_seeds()
        self._reset_options()
        self._returns[:] = 0
        self._lengths[:] = 0
        self._start = time.perf_counter()
        self.reset_infos = [{"seat": int(seat)} for seat in infos["seat"]]
        return observations

    def step_async(self, actions: np.ndarray) -> None:
        """Store the actions for ``step_wait``."""
        self._actions = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Carry out the actions; returns observations, rewards (float32), ends of episodes and infos."""
        observations, rewards, terminated, truncated, found = self.env.step(self._actions)
        dones = terminated | truncated
        self._returns += rewards
        self._lengths += 1
        infos = self._nothing.copy()
        if dones.any():
            elapsed = round(time.perf_counter() - self._start, 6)
            final = found["final_info"]
            for i in np.flatnonzero(dones):
                infos[i] = {
                    "terminal_observation": found["final_obs"][i],
                    "TimeLimit.truncated": bool(truncated[i] and not terminated[i]),
                    "episode": {"r": float(self._returns[i]), "l": int(self._lengths[i]), "t": elapsed},
                    "scores": final["scores"][i].tolist(),
                    "hands": int(final["hands"][i]),
                }
            self._returns[dones] = 0
            self._lengths[dones] = 0
        return observations, rewards.astype(np.float32), dones, infos

    def arrays(self) -> dict[str, np.ndarray]:
        """Like :meth:`SpadesVectorEnv.arrays`, with the statistics of the episodes in progress."""
        return self.env.arrays() | {"returns": self._returns, "lengths": self._lengths}

    def resume(self) -> None:
        """Continue from the arrays as they are now, and drop the seeds that a loaded model set for the next reset."""
        self.env.observe()
        self._reset_seeds()

    def action_masks(self) -> np.ndarray:
        """The legal actions of every learner, bool of shape (num_envs, 75)."""
        return self.env.action_masks()

    def close(self) -> None:
        """Close the environment."""
        self.env.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """The attribute of the environment, which all tables share, once for each of ``indices``."""
        value = self.action_masks if attr_name == "action_masks" else getattr(self.env, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute of the environment, which all tables share.

        Raises:
            ValueError: if ``indices`` is not None.
        """
        if indices is not None:
            raise ValueError(f"indices must be None, because all tables share their attributes, got {indices!r}")
        setattr(self.env, attr_name, value)

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> Any:
        """Call a method of the environment that returns one value for each table.

        ``env_method("action_masks")`` returns one bool array of shape (num_envs, 75), without a loop in Python.
        """
        result = getattr(self.env, method_name)(*args, **kwargs)
        if indices is None:
            return result
        chosen = list(self._get_indices(indices))
        return result[chosen] if isinstance(result, np.ndarray) else [result[i] for i in chosen]

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """True for ``Monitor``, whose statistics are in the infos, otherwise False: no table has a wrapper."""
        return [wrapper_class is Monitor for _ in self._get_indices(indices)]

    def get_images(self) -> list[np.ndarray]:
        """What every learner sees of its table, as uint8 of shape (512, 768, 3); ``render`` puts them into one picture.

        Raises:
            ValueError: unless ``render_mode`` is ``"rgb_array"``.
        """
        if self.env.render_mode != "rgb_array":
            raise ValueError(f"pictures need render_mode='rgb_array', it is {self.env.render_mode!r}")
        return list(self.env.render() or ())

    def render(self, mode: str | None = None) -> Any:
        """All tables in one picture, uint8 of shape (rows x 512, columns x 768, 3); with ``"ansi"`` as one string.

        ``VecVideoRecorder`` films a training run with it.

        Raises:
            ResetNeeded: before the first reset.
        """
        if (mode or self.render_mode) == self.env.render_mode == "ansi":
            return "\n\n".join(self.env.render() or ())
        return super().render(mode)


class UsedBits(BaseFeaturesExtractor):
    """Selects the bits of the observation that can be set under the rules, and everything after them, as floats.

    Args:
        observation_space: the observation space of the environment.
        rules: the rules.
        features: number of columns after the observation that the actor sees; later columns are for the critic only.
        hint: the player whose actions are the last of these columns; empty if there is none.
    """

    inputs: torch.Tensor

    def __init__(self, observation_space: spaces.Box, rules: Rules, features: int = 0, hint: str = "") -> None:
        inputs = used_columns(rules, observation_space.shape[0])
        super().__init__(observation_space, len(inputs))
        self.seen, self.hint = len(used_columns(rules, SIZE + features)), hint
        self.register_buffer("inputs", torch.as_tensor(inputs), persistent=False)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """The used columns."""
        return observations.index_select(1, self.inputs)


class _ActorAndCritic(nn.Module):
    """Two fully connected networks; the actor's network sees only the first ``seen`` features."""

    def __init__(self, seen: int, features: int, layers: dict[str, list[int]], activation: type[nn.Module]) -> None:
        super().__init__()
        self.seen = seen
        self.policy_net = _layers(seen, layers["pi"], activation)
        self.value_net = _layers(features, layers["vf"], activation)
        self.latent_dim_pi, self.latent_dim_vf = layers["pi"][-1], layers["vf"][-1]

    def forward(self, features: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return self.forward_actor(features), self.forward_critic(features)

    def forward_actor(self, features: torch.Tensor) -> torch.Tensor:
        return self.policy_net(features[:, : self.seen])

    def forward_critic(self, features: torch.Tensor) -> torch.Tensor:
        return self.value_net(features)


def _layers(inputs: int, sizes: list[int], activation: type[nn.Module]) -> nn.Sequential:
    modules: list[nn.Module] = []
    for before, after in pairwise([inputs, *sizes]):
        modules += [nn.Linear(before, after), activation()]
    return nn.Sequential(*modules)


class OraclePolicy(MaskableActorCriticPolicy):
    """A policy on :class:`UsedBits` whose critic may see more than its actor."""

    def _build_mlp_extractor(self) -> None:
        extractor: Any = self.features_extractor
        layers: Any = self.net_arch
        # Duck-typed: _ActorAndCritic has everything that SB3 uses.
        self.mlp_extractor: Any = _ActorAndCritic(extractor.seen, self.features_dim, layers, self.activation_fn)


def policy_network(model: MaskablePPO) -> PolicyNetwork:
    """A NumPy copy of the policy of a MaskablePPO model.

    Raises:
        ValueError: if it is not a fully connected network on the observation.
    """
    policy = model.policy
    modules = [policy.mlp_extractor.policy_net, policy.action_net]
    extractor = policy.pi_features_extractor
    if not isinstance(extractor, UsedBits):
        return PolicyNetwork.from_torch(modules)
    return PolicyNetwork.from_torch(modules, extractor.inputs.cpu().numpy()[: extractor.seen], extractor.hint)


def set_policy(model: MaskablePPO, network: PolicyNetwork) -> None:
    """Copy ``network`` to the policy of a model; the value network does not change.

    Raises:
        ValueError: if the model's policy has another size or other inputs.
    """
    own = policy_network(model)
    shapes = [[weights.shape for weights, _ in one.layers()] for one in (own, network)]
    same = own.activation == network.activation and own.hint == network.hint
    if not same or shapes[0] != shapes[1] or (own.inputs != network.inputs).any():
        raise ValueError("its networks have another size or other inputs")
    linear = [m for m in [*model.policy.mlp_extractor.policy_net, model.policy.action_net] if isinstance(m, nn.Linear)]
    with torch.no_grad():
        for module, (weights, biases) in zip(linear, network.layers(), strict=True):
            module.weight.copy_(torch.as_tensor(weights.T))
            module.bias.copy_(torch.as_tensor(biases))


def save_model(model: MaskablePPO, path: str | os.PathLike[str], rules: str | Rules) -> None:
    """Write a model file for ``make_agent("ppo:PATH")`` and ``MaskablePPO.load``, atomically.

    Args:
        model: the model; its policy must be a fully connected network on the observation.
        path: the file.
        rules: the rules that it was trained for.

    Raises:
        ValueError: if the policy is of another kind.
        OSError: if the file cannot be written.
    """
    network = policy_network(model)
    file = io.BytesIO()
    model.save(file)
    add_player(file, network, as_rules(rules))
    write_whole(path, file.getvalue())
