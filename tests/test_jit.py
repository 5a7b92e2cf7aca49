"""The compiler's cache, and the line that says why the first run on a machine takes so long."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from spades_env.engine import jit


@pytest.fixture
def fresh_machine(monkeypatch, tmp_path):
    monkeypatch.setenv("SPADES_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(jit, "_announced", set())


def double(x):
    return 2 * x


def test_says_once_that_it_compiles_and_nothing_when_all_is_cached(fresh_machine, capsys, monkeypatch):
    compiler = jit.Compiler(Path(__file__))
    compiled = compiler(double)
    for _ in range(2):
        compiler.announce("the engine")
    assert capsys.readouterr().err.startswith("spades_env: compiling the engine, once on this machine")
    assert compiled(3) == 6
    monkeypatch.setattr(jit, "_announced", set())  # as in the next process
    again = jit.Compiler(Path(__file__))
    assert again.folder == compiler.folder
    again.announce("the engine")
    assert capsys.readouterr() == ("", "")


def test_an_edit_to_any_source_starts_a_fresh_cache(fresh_machine, tmp_path):
    sources = tmp_path / "sources"
    sources.mkdir()
    kernel, other = sources / "kernel.py", tmp_path / "other.py"
    kernel.write_text("a = 1\n")
    other.write_text("b = 1\n")
    folders = {jit.Compiler(sources, other).folder}
    assert jit.Compiler(sources, other).folder in folders
    for file in (kernel, other):
        file.write_text(file.read_text() + "c = 2\n")
        folders.add(jit.Compiler(sources, other).folder)
    assert len(folders) == 3


def test_the_key_of_the_cache_covers_what_kernels_import():
    engine, *others = jit.ENGINE_SOURCES
    text = "".join(path.read_text() for path in engine.glob("*.py"))
    imported = set(re.findall(r"^from spades_env\.(\w+) import", text, re.M))
    assert imported - {"rules"} == {path.stem for path in others}  # of rules only the class, for rules_array
