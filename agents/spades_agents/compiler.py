"""The ``jit`` decorator of the agents' kernels, with its own compilation cache.

The cache is keyed on the sources that hold kernels and their constants, the engine's included: a change to the registry
or to the puzzles recompiles nothing.
"""

from __future__ import annotations

from pathlib import Path

from spades_env.engine.jit import ENGINE_SOURCES, Compiler

FOLDERS = ("bidder", "heuristic", "policy", "search", "solvers")
FILES = ("contract.py", "match_table.py", "match_value.py", "random_agent.py")

jit = Compiler(*(Path(__file__).with_name(name) for name in (*FOLDERS, *FILES)), *ENGINE_SOURCES)
