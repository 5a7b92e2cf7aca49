"""Compiling ahead of time what the commands need."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from spades_agents.base import check_plays, plays, prepare
from spades_agents.registry import AGENTS, make_agent

from spades_env.compiling.engine import prepare_engine
from spades_env.rules import PRESETS, Rules


def warm(agents: Sequence[str] = (), rules: Sequence[Rules] = ()) -> Iterator[tuple[str, float]]:
    """Compile, or load, the engine and players.

    Args:
        agents: names as :func:`spades_agents.make_agent` takes them; by default all that the package ships.
        rules: the rules to prepare for; by default every preset that the player plays.

    Yields:
        What is ready, and how many seconds it took.

    Raises:
        ValueError: if there is no such player, or it cannot play rules that were asked for.
    """
    players = {name: make_agent(name) for name in agents or [name for name in AGENTS if name != "ppo"]}
    for agent in players.values():
        for one in rules if agents else ():
            check_plays(agent, one)
    yield "engine", _seconds(prepare_engine)
    for name, agent in players.items():
        chosen = [one for one in rules or PRESETS.values() if plays(agent, one)]
        yield name, sum(_seconds(partial(prepare, agent, one)) for one in chosen)


def _seconds(work: Callable[[], None]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
