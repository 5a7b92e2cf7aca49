"""PettingZoo's usual wrappers with direct access to the environment's attributes.

PettingZoo's wrappers forward every access to ``agent_selection``, ``terminations`` and so on from wrapper to wrapper,
about forty times per decision, which takes far longer than the game itself.
"""

from __future__ import annotations

from typing import Any

from pettingzoo import AECEnv
from pettingzoo.utils import wrappers
from pettingzoo.utils.conversions import turn_based_aec_to_parallel_wrapper

from spades_env.envs.options import NotReset, mask_ignored


def _forwarded(name: str) -> property:
    # Before the first reset the attribute is missing; Python then calls the wrapper's __getattr__, which reports it.
    return property(lambda self: getattr(self._innermost, name))


class _Direct:
    env: AECEnv[Any, Any, Any]

    def __init__(self, env: AECEnv[Any, Any, Any], *args: Any, **kwargs: Any) -> None:
        self._innermost = env.unwrapped
        super().__init__(env, *args, **kwargs)  # pyright: ignore[reportCallIssue] (the other base class takes them)

    agents = _forwarded("agents")
    agent_selection = _forwarded("agent_selection")
    rewards = _forwarded("rewards")
    terminations = _forwarded("terminations")
    truncations = _forwarded("truncations")
    infos = _forwarded("infos")
    _cumulative_rewards = _forwarded("_cumulative_rewards")
    unwrapped = property(lambda self: self._innermost)

    def action_space(self, agent: Any) -> Any:
        return self._innermost.action_space(agent)

    def __str__(self) -> str:
        return str(self.env)


class TerminateIllegalWrapper(_Direct, wrappers.TerminateIllegalWrapper[Any, Any, Any]):
    """Ends the match at an illegal action, for which the offender gets ``illegal_reward``."""


class AssertOutOfBoundsWrapper(_Direct, wrappers.AssertOutOfBoundsWrapper[Any, Any, Any]):
    """Rejects actions outside the action space."""


class OrderEnforcingWrapper(_Direct, wrappers.OrderEnforcingWrapper[Any, Any, Any]):
    """Rejects calls before the first reset."""


class Parallel(turn_based_aec_to_parallel_wrapper[Any, Any, Any]):
    """PettingZoo's conversion, where ``reset`` names the active agent and the others have masks to sample from."""

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, Any]:
        """As PettingZoo's, with ``active_agent`` in the infos."""
        observations, infos = super().reset(seed, options)
        for info in infos.values():
            info["active_agent"] = self.aec_env.agent_selection
        return self._with_masks(observations), infos

    def step(self, actions: dict[Any, Any]) -> tuple[Any, Any, Any, Any, Any]:
        """As PettingZoo's, with masks to sample from."""
        if not self.agents:  # PettingZoo returns four values
            return {}, {}, {}, {}, {}
        result: Any = super().step(actions)
        observations, rewards, terminations, truncations, infos = result
        return self._with_masks(observations), rewards, terminations, truncations, infos

    @staticmethod
    def _with_masks(observations: dict[Any, Any]) -> dict[Any, Any]:
        for observation in observations.values():
            if not observation["action_mask"].any():
                mask_ignored(observation["action_mask"])
        return observations

    def __getattr__(self, name: str) -> Any:
        if name == "agents":
            raise NotReset(name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
