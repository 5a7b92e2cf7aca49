"""The shape of the project: who may import whom, what an import pulls in, what the wheel holds."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
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


def imported(source: str) -> Iterator[str]:
    """Top-level name of every import in ``source``, those inside functions too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield str(node.module).split(".")[0]
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in (
            "import_module",
            "__import__",
        ):
            yield from (str(arg.value).split(".")[0] for arg in node.args if isinstance(arg, ast.Constant))


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
"""
    assert set(imported(source)) == {"a", "c", "d", "h", "i", "k"}


@pytest.mark.parametrize(
    "package,forbidden",
    [
        ("spades_env", {"spades_agents", "spades_training", "agents", "training", *HEAVY}),
        ("spades_agents", {"spades_training", "agents", "training"}),
        ("spades_training", {"agents", "training"}),
    ],
)
def test_imports_run_one_way(package, forbidden):
    sources = list(PACKAGES[package].rglob("*.py"))
    assert sources
    found = {(path.relative_to(ROOT).as_posix(), name) for path in sources for name in imported(path.read_text("utf8"))}
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
