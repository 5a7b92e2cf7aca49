"""``spades warm`` and ``prepare``: afterwards nothing is left to compile or load."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from spades_agents.base import RowsAgent, prepare
from spades_agents.registry import AGENTS, make_agent
from spades_command import fails, spades

from spades_env.game import Game
from spades_env.rules import Rules
from spades_env.tables import Tables

# Prints the kernels that players load or compile in their decisions, after `prepare`.
DECIDE = """
import gc, sys
import numpy as np
from spades_agents import make_agent
from spades_agents.base import prepare
from spades_env import Game, Rules, Tables
from spades_env.compiling.engine import prepare_engine
from spades_env.compiling.kernels import Kernel

def loaded():
    kernels = [thing for thing in gc.get_objects() if isinstance(thing, Kernel)]
    return {(kernel.__qualname__, kinds) for kernel in kernels for kinds in kernel.overloads}

prepare_engine()
for name in sys.argv[1:]:
    for rules in map(Rules.preset, ("two_player", "partnership")):
        agent = make_agent(name)
        prepare(agent, rules)
        before = loaded()
        agent.act(Game(rules, seed=0).view())
        tables = Tables(rules, 4, seed=0)
        tables.advance(agent.act_batch(tables, np.arange(4)))
        print(name, len(before), sorted(name for name, kinds in loaded() - before))
"""


def test_the_decisions_after_prepare_load_and_compile_nothing():
    names = [name for name in AGENTS if name != "ppo"] + ["pimc:worlds=2,policy=learned", "rollout:seconds=0.01"]
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", DECIDE, *names], env=env, capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines] == [name for name in names for _ in range(2)]
    assert all(int(line.split()[1]) > 20 and line.endswith(" []") for line in lines), done.stdout


@pytest.mark.parametrize("name", ["random:seed=1", "learned:deterministic=false,seed=1", "pimc:worlds=2,seed=1"])
def test_prepare_changes_no_decision(name):
    rules = Rules.preset("partnership")
    actions = []
    for prepares in (False, True):
        agent = make_agent(name)
        assert isinstance(agent, RowsAgent)
        if prepares:
            prepare(agent, rules)
        tables = Tables(rules, 8, seed=3)
        actions.append(agent.act_batch(tables, np.arange(8)).tolist())
        actions[-1].append(agent.act(Game(rules, seed=3).view()))
    assert actions[0] == actions[1]


def test_prepare_is_optional_and_refuses_what_the_player_cannot_play():
    class Plain:
        name = "plain"

        def reset(self, seed=None):
            pass

        def act(self, view):
            return view.legal_actions()[0]

    class InRows(RowsAgent):
        name = "in rows"

        def act_batch(self, tables, rows):
            raise AssertionError

    for agent in (Plain(), InRows()):
        prepare(agent, Rules.preset("solo"))
    with pytest.raises(ValueError, match="agent 'learned' plays only"):
        prepare(make_agent("learned"), Rules.preset("solo"))


def test_warm_names_what_is_ready():
    result = spades("warm", "random", "heuristic", "--rules", "two_player")
    assert result.exit_code == 0
    names = [line.partition(":")[0] for line in result.stdout.splitlines()]
    assert names == ["engine", "random", "heuristic"]
    assert all(line.endswith(" s") for line in result.stdout.splitlines())


@pytest.mark.parametrize(
    "args,message",
    [
        (["nobody"], "error: unknown agent 'nobody'"),
        (["learned", "--rules", "solo"], "error: agent 'learned' plays only"),
        (["--rules", "bridge"], "error: unknown rules 'bridge'"),
    ],
)
def test_warm_refuses_bad_input(args, message):
    fails(message, "warm", *args)
