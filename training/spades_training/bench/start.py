"""The time to the first step: import, first compilation on a machine, later starts."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from typing import Any

_IMPORT = "import spades_env, sys; print(*sys.modules)"
_TABLES = "from spades_env import Tables; Tables('partnership', 1024, 0).step_random()"
_DECISION = """
from spades_agents import make_agent
from spades_env import Game
make_agent('{agent}').act(Game('partnership', seed=0).view())
"""
DECIDERS = ("heuristic", "bidder", "learned", "pimc")
# Every interface with the scripted player as the opponent, which compiles all that the package needs for them.
_ALL = """
import numpy as np
from spades_env import SpadesEnv, SpadesVectorEnv, Tables
from spades_env import spades_v0
tables = Tables('partnership', 1024, 0)
tables.step_random()
tables.step(tables.random_actions())
env = spades_v0.env()
env.reset(seed=0)
env.step(int(env.last()[0]['action_mask'].argmax()))
for env in (SpadesEnv('two_player', 'heuristic'), SpadesVectorEnv(2, 'two_player', 'heuristic')):
    _, info = env.reset(seed=0)
    env.step(info['action_mask'].argmax(-1))
"""


@dataclass(frozen=True)
class Start:
    """Seconds from the start of a process to its end.

    Attributes:
        python: doing nothing.
        importing: importing ``spades_env``.
        torch: whether that import also imports torch.
        first_tables: the first step of ``Tables`` on a new machine, including compilation.
        said: what it printed on stderr meanwhile.
        later_tables: the same with the compiled code cached.
        first_all: the first step of every interface with the scripted player, on a new machine.
        later_all: the same with the compiled code cached.
        first_decision: the first decision in a partnership game on a new machine, for each player of DECIDERS.
        later_decision: the same with the compiled code cached.
    """

    python: float
    importing: float
    torch: bool
    first_tables: float
    said: str
    later_tables: float
    first_all: float
    later_all: float
    first_decision: dict[str, float]
    later_decision: dict[str, float]


def measure_start(repeats: int) -> Start:
    """Measure the start of processes; without compilation, the median of ``repeats``."""
    modules = _run(_IMPORT)[1].stdout.split()
    with tempfile.TemporaryDirectory() as tables, tempfile.TemporaryDirectory() as everything:
        first_tables, done = _run(_TABLES, tables)
        first_all, _ = _run(_ALL, everything)
        decisions = {agent: _decisions(agent, repeats) for agent in DECIDERS}
        return Start(
            python=_median("pass", repeats),
            importing=_median("import spades_env", repeats),
            torch="torch" in modules,
            first_tables=first_tables,
            said=done.stderr.strip(),
            later_tables=_median(_TABLES, repeats, tables),
            first_all=first_all,
            later_all=_median(_ALL, repeats, everything),
            first_decision={agent: first for agent, (first, _) in decisions.items()},
            later_decision={agent: later for agent, (_, later) in decisions.items()},
        )


def _decisions(agent: str, repeats: int) -> tuple[float, float]:
    """Seconds of a process that makes one decision, with an empty cache and later."""
    code = _DECISION.format(agent=agent)
    with tempfile.TemporaryDirectory() as folder:
        return _run(code, folder)[0], _median(code, repeats, folder)


def _median(code: str, repeats: int, cache: str | None = None) -> float:
    return statistics.median(_run(code, cache)[0] for _ in range(repeats))


def _run(code: str, cache: str | None = None) -> tuple[float, subprocess.CompletedProcess[str]]:
    env: dict[str, Any] = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    if cache:
        env["SPADES_CACHE_DIR"] = cache
    start = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    return time.perf_counter() - start, done
