"""The shape of the project: who may import whom, what an import pulls in, what the wheel holds."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import zipfile
from collections import Counter
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import spades_env

ROOT = Path(__file__).parent.parent
PACKAGES = {
    "spades_env": ROOT / "spades_env",
    "spades_agents": ROOT / "agents" / "spades_agents",
    "spades_training": ROOT / "training" / "spades_training",
}
# What is imported when it is needed, and may be missing.
LAZY = {"PIL", "pygame", "imageio_ffmpeg"}
HEAVY = {"torch", "stable_baselines3", "sb3_contrib", "matplotlib", "tensorboard", "ray", "polars", "sklearn"}
HEAVY |= {"nicegui"}


def imported(source: str) -> Iterator[str]:
    """Full name of every import in ``source``, those inside functions included, but not those for type checkers only.

    ``from a import b`` yields ``a.b``, which is a module or a name in one.
    """
    waiting: list[ast.AST] = [ast.parse(source)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            waiting += node.orelse
            continue
        waiting += ast.iter_child_nodes(node)
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in (
            "import_module",
            "__import__",
        ):
            yield from (str(arg.value) for arg in node.args if isinstance(arg, ast.Constant))


def import_graph(sources: dict[str, str]) -> dict[str, set[str]]:
    """For every module in ``sources`` (source by full name) the modules among them that it imports."""

    def module_of(name: str) -> str:
        return name if name in sources else name.rpartition(".")[0]

    return {
        module: {module_of(name) for name in imported(source)} & sources.keys() - {module}
        for module, source in sources.items()
    }


def our_sources() -> dict[str, str]:
    """The source of every module of the three packages, by its full name."""
    found = {}
    for folder in PACKAGES.values():
        for path in folder.rglob("*.py"):
            parts = path.relative_to(folder.parent).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path.read_text("utf8")
    return found


def run_python(code: str) -> str:
    """What ``code`` prints in a fresh interpreter that finds the same packages as this one."""
    path = {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], env=os.environ | path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_imported_sees_every_form_of_import():
    source = """
import a.b as x, c
from d.e import f
from . import g
def later():
    import h
    importlib.import_module("i.j")
    __import__("k")
if TYPE_CHECKING:
    import l
else:
    import m
"""
    assert set(imported(source)) == {"a.b", "c", "d.e.f", "h", "i.j", "k", "m"}


def test_an_import_circle_is_found():
    sources = {"a": "from b import c", "b.c": "def late():\n    import d", "d": "from a import name", "e": "import d"}
    graph = import_graph(sources)
    assert graph == {"a": {"b.c"}, "b.c": {"d"}, "d": {"a"}, "e": {"d"}}
    with pytest.raises(CycleError) as error:
        TopologicalSorter(graph).prepare()
    assert set(error.value.args[1]) == {"a", "b.c", "d"}


def test_no_module_imports_itself_by_a_detour():
    graph = import_graph(our_sources())
    assert len(graph) > 100
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


@pytest.mark.parametrize(
    "package,forbidden",
    [
        ("spades_env", {"spades_agents", "spades_training", "agents", "training", *HEAVY}),
        ("spades_agents", {"spades_training", "agents", "training"}),
        ("spades_training", {"agents", "training"}),
    ],
)
def test_imports_run_one_way(package, forbidden):
    def top_level(path: Path) -> set[str]:
        return {name.split(".")[0] for name in imported(path.read_text("utf8"))}

    sources = list(PACKAGES[package].rglob("*.py"))
    assert sources
    found = {(path.relative_to(ROOT).as_posix(), name) for path in sources for name in top_level(path)}
    assert {entry for entry in found if entry[1] in forbidden} == set()


@pytest.mark.parametrize("module", [*PACKAGES, "spades_training.cli"])
def test_importing_pulls_in_nothing_heavy(module):
    modules = set(run_python(f"import {module}, sys; print(*sys.modules)").split())
    assert module in modules
    assert (HEAVY | LAZY) & modules == set()


def test_the_environment_works_without_agents_and_training():
    every_module = """
import importlib, pkgutil, sys, spades_env
for module in pkgutil.walk_packages(spades_env.__path__, "spades_env."):
    importlib.import_module(module.name)
print(*sys.modules)
"""
    modules = set(run_python(every_module).split())
    assert "spades_env.rules" in modules
    assert (HEAVY | LAZY | {"spades_agents", "spades_training"}) & modules == set()


def test_every_folder_can_be_taken_in_at_a_glance():
    limits = {PACKAGES["spades_env"] / "engine": 20}  # a file for each phase of the game
    sizes = Counter(path.parent for folder in PACKAGES.values() for path in folder.rglob("*.py"))
    assert {folder: size for folder, size in sizes.items() if size - 1 > limits.get(folder, 14)} == {}


def test_no_source_file_is_longer_than_400_lines():
    lengths = {name: source.count("\n") for name, source in our_sources().items()}
    assert {name: length for name, length in lengths.items() if length > 400} == {}


@pytest.mark.parametrize("folder", ["agents", "training"])
def test_plain_folders_hold_no_module(folder):
    assert list((ROOT / folder).glob("*.py")) == []


def test_every_package_is_typed():
    assert [name for name, folder in PACKAGES.items() if not (folder / "py.typed").is_file()] == []


def test_version_is_in_one_place():
    version = run_python("from spades_training.cli import app; app(['--version'])")
    assert version.split() == ["spades-env", spades_env.__version__]


def test_wheel_holds_the_three_packages_and_nothing_else(tmp_path):
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    files = zipfile.ZipFile(wheel).namelist()
    packaged = {name for name in files if ".dist-info/" not in name}
    assert {name.split("/")[0] for name in packaged} == set(PACKAGES)
    source = {
        f"{name}/{path.relative_to(folder).as_posix()}"
        for name, folder in PACKAGES.items()
        for path in folder.rglob("*.py")
    }
    assert {name for name in packaged if name.endswith(".py")} == source
    assert {f"{name}/py.typed" for name in PACKAGES} <= packaged
