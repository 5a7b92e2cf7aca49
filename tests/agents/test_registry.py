"""make_agent: names, options, own classes, and what it says when it cannot help."""

from __future__ import annotations

import re
import sys

import pytest
from spades_agents.base import Agent, BatchAgent, check_plays, plays
from spades_agents.registry import AGENTS, make_agent

from spades_env.game import Game
from spades_env.rules import PRESETS, Rules

KNOWN = (
    ", ".join(AGENTS).replace("ppo", "ppo:FILE")
    + ", FILE.zip, engine:COMMAND, 'package.module:Class' or 'file.py:Class'"
)


@pytest.fixture
def own_module(tmp_path, monkeypatch):
    """Puts a module ``own_players`` with the given text on the path."""

    def write(text: str) -> None:
        (tmp_path / "own_players.py").write_text(text, "utf8")
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.delitem(sys.modules, "own_players", raising=False)

    yield write
    sys.modules.pop("own_players", None)


@pytest.mark.parametrize("name", ["random", "uniform", "heuristic"])
def test_names(name):
    agent = make_agent(name)
    assert agent.name == name
    assert isinstance(agent, Agent)
    assert isinstance(agent, BatchAgent)


def test_an_agent_passes_through():
    agent = make_agent("random")
    assert make_agent(agent) is agent


def test_options_reach_the_agent():
    view = Game("partnership", seed=1).view()
    one, same, other = (make_agent(f"uniform:seed={seed}") for seed in (3, 3, 4))
    assert [one.act(view) for _ in range(20)] == [same.act(view) for _ in range(20)]
    assert [one.act(view) for _ in range(20)] != [other.act(view) for _ in range(20)]


def test_own_class(own_module):
    own_module(
        "class Mine:\n    name = 'mine'\n    def reset(self, seed=None): ...\n    def act(self, view): return 0\n"
    )
    assert make_agent("own_players:Mine").name == "mine"


def test_own_file(tmp_path):
    file = tmp_path / "random.py"  # a name that a module has already
    file.write_text("class Mine:\n    name = 'mine'\n    reset = act = lambda *_: None\n")
    assert make_agent(f"{file}:Mine").name == "mine"
    assert not hasattr(sys.modules.get("random"), "Mine")
    with pytest.raises(ValueError, match=r"cannot load agent '.*none.py:Mine': FileNotFoundError"):
        make_agent(f"{tmp_path / 'none.py'}:Mine")


def test_a_model_by_its_file():
    with pytest.raises(ValueError, match=r"no_such/model.zip"):
        make_agent("no_such/model.zip")


@pytest.mark.parametrize(
    "spec,message",
    [
        (
            "best",
            f"unknown agent 'best': use one of {KNOWN}",
        ),
        (
            "",
            f"unknown agent '': use one of {KNOWN}",
        ),
        ("random:speed=3", "agent 'random' has no option 'speed': its options are seed"),
        ("heuristic:seed=3", "agent 'heuristic' has no option 'seed': it has none"),
        ("random:seed", "option 'seed' of agent 'random' needs a value: seed=..."),
        ("random:seed=x", "seed must be an int in 0..18446744073709551615, got 'x'"),
        ("ppo", "agent 'ppo' needs the path of its model: 'ppo:runs/x/model.zip'"),
        (
            "no_such_module:X",
            "cannot load agent 'no_such_module:X': ModuleNotFoundError: No module named 'no_such_module'",
        ),
        ("math:pi", "cannot load agent 'math:pi': pi is not a class or function"),
    ],
)
def test_messages(spec, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        make_agent(spec)


def test_an_object_that_is_no_agent():
    with pytest.raises(ValueError, match="3 is not an agent: it has no name and no reset and no act"):
        make_agent(3)


def test_the_cause_of_a_failed_import_is_kept(own_module):
    own_module("raise RuntimeError('half done')\n")
    with pytest.raises(ValueError, match="cannot load agent 'own_players:Mine': RuntimeError: half done") as caught:
        make_agent("own_players:Mine")
    assert isinstance(caught.value.__cause__, RuntimeError)


@pytest.mark.parametrize(
    "spec,games",
    [
        ("random", set(PRESETS)),
        ("heuristic", set(PRESETS)),
        ("pimc:worlds=1", set(PRESETS)),
        ("bidder", {"two_player", "two_player_dealt", "partnership"}),
        ("learned", {"two_player", "partnership", "cutthroat"}),
        ("rollout:policy=learned", {"two_player", "partnership", "cutthroat"}),
    ],
)
def test_which_rules_a_player_can_play(spec, games):
    agent = make_agent(spec)
    assert {name for name, rules in PRESETS.items() if plays(agent, rules)} == games


def test_an_own_agent_can_refuse_rules(own_module):
    own_module(
        "class Mine:\n    name = 'mine'\n    reset = act = lambda *_: None\n"
        "    def check_rules(self, rules):\n        if rules.players != 3:\n"
        "            raise ValueError('three players only')\n"
    )
    agent = make_agent("own_players:Mine")
    assert plays(agent, Rules.preset("cutthroat"))
    with pytest.raises(ValueError, match="three players only"):
        check_plays(agent, Rules.preset("solo"))
