"""The ``jit`` decorator of the agents, whose cache is keyed on the sources of kernels, the engine's included."""

from pathlib import Path

from spades_env.engine.jit import ENGINE_SOURCES, Compiler

# base.py, puzzles.py and registry.py hold no kernels.
SOURCES = ("bidder", "heuristic", "policy", "search", "solvers")
SOURCES += ("certain.py", "contract.py", "match_table.py", "match_value.py", "random_agent.py")

jit = Compiler(*(Path(__file__).with_name(name) for name in SOURCES), *ENGINE_SOURCES)
