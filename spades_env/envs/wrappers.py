"""PettingZoo's usual wrappers with direct access to the environment's attributes.

PettingZoo's wrappers forward every access to ``agent_selection``, ``terminations`` and so on from wrapper to wrapper,
about forty times per decision, which takes far longer than the game itself.
"""

from __future__ import annotations

from typing import Any

from pettingzoo import AECEnv
from pettingzoo.utils import wrappers


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
