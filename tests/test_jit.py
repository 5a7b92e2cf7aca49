"""Compiling kernels: the cache's key, parts and entries, one process at a time, the line that says how far it is."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from numba import njit

from spades_env.compiling import lock, progress
from spades_env.compiling.engine import prepare_engine
from spades_env.compiling.kernels import Kernel
from spades_env.engine import batch, jit, single, turns

# A module with kernels of its own. It says on stdout what each process compiles, and waits in the middle if asked to.
KERNELS = """
import os, pathlib, sys, time
from spades_env.compiling.kernels import Kernel, _EntryCompiler
from spades_env.compiling.progress import progress
from spades_env.engine.jit import Compiler

jit = Compiler(pathlib.Path(__file__))

@jit
def double(x):
    return 2 * x

@jit
def quadruple(x):
    return double(double(x))

compile_entry = _EntryCompiler.compile_extra

def compile_slowly(self, function):
    print("compiles", flush=True)
    time.sleep(float(sys.argv[1]))
    return compile_entry(self, function)

_EntryCompiler.compile_extra = compile_slowly
print(quadruple(5), flush=True)
"""


@pytest.fixture(autouse=True)
def fresh_machine(monkeypatch, tmp_path):
    monkeypatch.setenv("SPADES_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(progress, "PATIENCE", 1.0)
    return tmp_path / "cache"


@pytest.fixture
def kernels(tmp_path):
    """Starts a process that uses the kernels; ``seconds`` is how long it takes to compile them."""
    if not os.access(sys.executable, os.X_OK):
        pytest.skip("this user may not start the interpreter")
    path = tmp_path / "kernels.py"
    path.write_text(KERNELS)
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}

    def start(seconds: float = 0) -> subprocess.Popen[str]:
        pipe = subprocess.PIPE
        return subprocess.Popen([sys.executable, str(path), str(seconds)], env=env, stdout=pipe, stderr=pipe, text=True)

    return start


def double(x):
    return 2 * x


def test_an_edit_to_any_source_starts_a_fresh_cache(tmp_path):
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
    # Of rules only the class, for rules_array. How kernels are compiled matters, too.
    assert imported - {"rules"} | {"kernels"} == {path.stem for path in others}


def test_a_kernel_is_compiled_once_for_all_ints_and_constants():
    compiler = jit.Compiler(Path(__file__))
    inner = compiler(double)

    @compiler
    def outer(bytes_, words):
        return inner(bytes_[0]) + inner(words[0]) + inner(words[0] + 1) + inner(7)

    assert outer(np.array([1], np.int8), np.array([3], np.int32)) == 2 + 6 + 8 + 14
    assert [str(kinds) for kinds in inner.part.overloads] == ["(int64,)"]
    assert not inner.overloads  # Python has not called it
    assert inner(5) == 10


def test_functions_compiled_by_numba_itself_can_call_kernels():
    compiler = jit.Compiler(Path(__file__))
    inner = compiler.apart(double)

    @compiler
    def middle(x):
        return inner(x) + 1

    assert njit(lambda x: middle(x) + inner(x))(10) == 41


def test_a_kernel_may_call_itself():
    compiler = jit.Compiler(Path(__file__))

    @compiler.apart
    def factorial(n):
        if n < 2:
            return 1
        return n * factorial(n - 1)

    @compiler
    def call(n):
        return factorial(n)

    assert (factorial(5), call(6)) == (120, 720)


def test_one_process_compiles_and_the_others_load(kernels, fresh_machine):
    found = [process.communicate(timeout=60) for process in [kernels(1), kernels(1), kernels(1)]]
    assert sorted(out for out, _ in found) == ["20\n", "20\n", "compiles\n20\n"]
    assert "".join(err for _, err in found).count("\n") <= 1  # at most the line of the process that compiles
    assert [path.suffix for path in fresh_machine.glob("*/*")] == [".nbi"]


def test_a_process_goes_on_when_the_one_that_compiles_is_killed(kernels):
    first = kernels(600)
    assert first.stdout is not None
    assert first.stdout.readline() == "compiles\n"
    second = kernels()
    with pytest.raises(subprocess.TimeoutExpired):
        second.wait(timeout=3)  # it waits for the first
    first.send_signal(signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
    first.communicate()
    assert second.communicate(timeout=60)[0] == "compiles\n20\n"


def test_the_lock_is_given_up_in_the_end_and_never_needed(tmp_path, monkeypatch):
    monkeypatch.setattr(lock, "MOST_SECONDS", 0.2)
    path = tmp_path / "kernel.lock"
    start = time.monotonic()
    with lock.alone(path), lock.alone(path):
        assert time.monotonic() - start >= 0.2
    with lock.alone(tmp_path / "no such folder" / "kernel.lock"):
        pass
    assert list(tmp_path.iterdir()) == []

    def unsupported(file):
        raise OSError(lock.errno.ENOLCK, "No locks available")

    monkeypatch.setattr(lock, "MOST_SECONDS", 600)
    monkeypatch.setattr(lock, "_try", unsupported)
    with lock.alone(path):
        pass


@pytest.fixture
def clock(monkeypatch):
    """A clock that only the test moves."""
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def test_the_line_outside_a_terminal(clock, capsys):
    shown = progress.Progress()
    with shown.compiling("batch.step_all", 30):
        shown.advance()
        assert capsys.readouterr().err == ""  # a second of patience
        for _ in range(25):
            clock[0] += 1
            shown.advance()
        shown.optimizing()
    assert capsys.readouterr().err == (
        "spades_env: first use: compiling batch.step_all, 2 of 30 functions ...\n"
        "spades_env: first use: compiling batch.step_all, 12 of 30 functions ...\n"
        "spades_env: first use: compiling batch.step_all, 22 of 30 functions ...\n"
    )


def test_the_line_in_a_terminal(clock, capsys, monkeypatch):
    monkeypatch.setattr(sys, "__stderr__", sys.stderr)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    shown = progress.Progress()
    with shown.compiling("batch.step_all", 2):
        clock[0] += 1
        shown.advance()
        shown.optimizing()
    first = "spades_env: first use: compiling batch.step_all, 1 of 2 functions"
    second = "spades_env: first use: compiling batch.step_all, optimizing"
    width = len(second)
    assert capsys.readouterr().err == f"\r{first}\r{second:<{len(first)}}\r{'':<{width}}\r"


def test_preparing_the_engine_compiles_every_kernel_that_python_calls():
    used, compiled = set(), set()
    sources = [*(jit.PACKAGE / "game").glob("*.py"), *(jit.PACKAGE / "envs").glob("*.py"), jit.PACKAGE / "tables.py"]
    for source in sources:
        used.update(re.findall(r"\b(?:single|batch|turns)\.([a-z_]+)\(", source.read_text()))
    prepare_engine()
    for module in (single, batch, turns):
        kernels = {name: kernel for name, kernel in vars(module).items() if isinstance(kernel, Kernel)}
        compiled.update(name for name, kernel in kernels.items() if kernel.overloads)
    assert len(used) > 20
    assert used <= compiled
