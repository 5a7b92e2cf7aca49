"""Agents at the tables of the server: which names are allowed, and how they decide without holding up the pages."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from spades_agents.base import Agent, legal_move, prepare
from spades_agents.registry import AGENTS, make_agent

from spades_env.game import View
from spades_env.rules import Rules
from spades_training.web.tables.snapshot import PREFIX, SnapshotAgent

Result = TypeVar("Result")
# They decide in well under a millisecond, less than a change of threads takes.
_QUICK = ("heuristic", "random", "uniform")
# Options that name files or further players.
_LOCAL_OPTIONS = ("policy", "/", "\\")


class Thinkers:
    """The threads in which agents decide. Compiled players run without Python's lock, so the pages stay responsive.

    Args:
        workers: number of threads; by default one for each CPU core but one.
    """

    def __init__(self, workers: int | None = None) -> None:
        self._pool = ThreadPoolExecutor(workers or max((os.cpu_count() or 2) - 1, 1), "thinker")

    async def call(self, work: Callable[..., Result], *args: object) -> Result:
        """``work(*args)``, in one of the threads."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, work, *args)

    async def decide(self, spec: str, agent: Agent, view: View) -> int:
        """The action of an agent for the seat on turn.

        Raises:
            IllegalAction: if it is not legal.
        """
        if spec in _QUICK:
            return legal_move(agent, view)
        return await self.call(legal_move, agent, view)

    async def seat(self, spec: str, rules: Rules) -> Agent:
        """A new agent, ready to decide under these rules.

        Raises:
            ValueError: if there is no such agent, or it cannot play the rules.
        """

        def made() -> Agent:
            agent = SnapshotAgent(spec.removeprefix(PREFIX)) if spec.startswith(PREFIX) else make_agent(spec)
            prepare(agent, rules)
            return agent

        return await self.call(made)

    def close(self) -> None:
        """End the threads once their work is done."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def check_allowed(spec: str, local: bool) -> None:
    """Raise ``ValueError`` for agents that may not be chosen in the browser.

    On this machine every agent is allowed. Once others can reach the server, an agent that runs a program, a Python
    file or a model file would let them run code here: only the players of the package are allowed then.
    """
    name, _, options = spec.partition(":")
    if local:
        return
    if name not in AGENTS or name == "ppo" or any(word in options for word in _LOCAL_OPTIONS):
        names = ", ".join(known for known in AGENTS if known != "ppo")
        raise ValueError(f"agent {spec!r} is not allowed while others can reach this server: use one of {names}")
