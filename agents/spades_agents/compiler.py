"""The compiler's decorator for the agents: a cache of its own, keyed on the agents' and the engine's sources."""

from __future__ import annotations

from pathlib import Path

from spades_env.engine.jit import ENGINE_SOURCES, Compiler

jit = Compiler(Path(__file__).parent, *ENGINE_SOURCES)
