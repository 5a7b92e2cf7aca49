"""Own agents: the modules that they can import, and the files that they consist of."""

from __future__ import annotations

import hashlib
import importlib
import sys

import pytest
from spades_agents.registry import make_agent
from spades_agents.source import agent_files, package_files

AGENT = """from __future__ import annotations
from dataclasses import dataclass

from helper import NAME

@dataclass
class Mine:
    name: str = NAME

    def reset(self, seed=None): ...
    def act(self, view): return 0
"""


def write(folder, **files):
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        path = folder / f"{name.replace('__', '/', 1)}.py" if not name.startswith("__") else folder / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf8")


def test_a_file_imports_the_modules_next_to_it(tmp_path):
    """Two folders have a module of the same name: each agent gets its own, and neither is left behind."""
    for name in ("one", "two"):
        write(tmp_path / name, agent=AGENT, helper=f"NAME = '{name}'\n")
    path = list(sys.path)
    agents = [make_agent(f"{tmp_path / name / 'agent.py'}:Mine") for name in ("one", "two", "one")]
    assert [agent.name for agent in agents] == ["one", "two", "one"]
    assert "helper" not in sys.modules
    assert sys.path == path


def test_a_module_is_found_in_the_current_folder(tmp_path, monkeypatch):
    write(tmp_path, my_only_agent=AGENT.replace("helper", "my_only_helper"), my_only_helper="NAME = 'here'\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    importlib.invalidate_caches()
    assert make_agent("my_only_agent:Mine").name == "here"
    for name in ("my_only_agent", "my_only_helper"):
        del sys.modules[name]


def test_the_files_of_a_file(tmp_path):
    """Imports are followed through modules and packages, also inside functions; installed modules are left out."""
    write(
        tmp_path,
        agent="import numpy as np\nimport json\nfrom helper import NAME\nfrom spades_env import Game\n",
        helper="def later():\n    from parts.deep import x\n    import unknown\n",
        parts____init__="from . import other\n",
        parts__deep="from .other import y\nfrom spades_agents.heuristic import HeuristicAgent\n",
        parts__other="",
        unused="",
    )
    found = agent_files(f"{tmp_path / 'agent.py'}:Mine")
    assert list(found) == ["agent.py", "helper.py", "parts/__init__.py", "parts/deep.py", "parts/other.py"]
    assert found["helper.py"] == hashlib.sha256((tmp_path / "helper.py").read_bytes()).hexdigest()


def test_the_files_of_a_module(tmp_path, monkeypatch):
    write(tmp_path, pack____init__="", pack__agent="from pack import helper\nfrom . import more\n")
    write(tmp_path, pack__helper="import outside\n", pack__more="", outside="")
    monkeypatch.syspath_prepend(tmp_path)
    files = ["outside.py", "pack/__init__.py", "pack/agent.py", "pack/helper.py", "pack/more.py"]
    assert list(agent_files("pack.agent:Mine")) == files


@pytest.mark.parametrize("spec", ["{}", "ppo:{}", "ppo:{}/model.zip", "pimc:worlds=2,policy=ppo:{}/model.zip"])
def test_the_file_of_a_model(spec, tmp_path):
    (tmp_path / "model.zip").write_bytes(b"weights")
    found = agent_files(spec.format(tmp_path))
    assert found == {str(tmp_path / "model.zip"): hashlib.sha256(b"weights").hexdigest()}


def test_the_players_of_the_package_consist_of_its_files():
    assert agent_files("heuristic") == agent_files("pimc:worlds=2") == {}
    found = package_files()
    parts = {"spades_agents/heuristic/play.py", "spades_env/engine/play.py", "spades_agents/match_value.npz"}
    assert parts <= set(found)
    assert not any(name.startswith("spades_training") or "__pycache__" in name for name in found)
