"""PettingZoo's usual wrappers, which here read the environment's attributes without detours.

PettingZoo's wrappers pass every look at ``agent_selection``, ``terminations`` and so on down from wrapper to wrapper,
some forty times in a decision, which takes far longer than the game itself.
"""

from __future__ import annotations

from typing import Any

from pettingzoo import AECEnv
from pettingzoo.utils import wrappers


def _forwarded(name: str) -> property:
    # Before the first reset the attribute is missing: then Python asks the wrapper's own __getattr__, which says so.
    return property(lambda wrapper: getattr(wrapper._innermost, name))


class _Direct:
    env: AECEnv[Any, Any, Any]

    def __init__(self, env: AECEnv[Any, Any, Any], *args: Any, **kwargs: Any) -> None:
        self._innermost = env.unwrapped
        super().__init__(env, *args, **kwargs)  # pyright: ignore[reportCallIssue] (the wrapper beside this class takes them)

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
    """Ends the match at an illegal action, which costs the offender ``illegal_reward``."""


class AssertOutOfBoundsWrapper(_Direct, wrappers.AssertOutOfBoundsWrapper[Any, Any, Any]):
    """Refuses what is not in the action space."""


class OrderEnforcingWrapper(_Direct, wrappers.OrderEnforcingWrapper[Any, Any, Any]):
    """Refuses calls before the first reset."""
