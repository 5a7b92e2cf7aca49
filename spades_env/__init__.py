"""Spades for reinforcement learning: a compiled, batched engine under the standard interfaces."""

import importlib
from typing import TYPE_CHECKING, Any

import gymnasium

from spades_env._version import __version__
from spades_env.action_space import IllegalAction
from spades_env.game import Game, Phase, View
from spades_env.records.record import Record, RecordError, replay
from spades_env.rules import PRESETS, Rules
from spades_env.tables import Tables

if TYPE_CHECKING:
    from spades_env import observation, spades_v0
    from spades_env.envs.masked import MaskInObservation, VectorMaskInObservation
    from spades_env.envs.single_agent import SpadesEnv
    from spades_env.envs.vector import SpadesVectorEnv
    from spades_env.reference import Reference

__all__ = [
    "PRESETS",
    "Game",
    "IllegalAction",
    "MaskInObservation",
    "Phase",
    "Record",
    "RecordError",
    "Reference",
    "Rules",
    "SpadesEnv",
    "SpadesVectorEnv",
    "Tables",
    "VectorMaskInObservation",
    "View",
    "__version__",
    "observation",
    "replay",
    "spades_v0",
]

# Slow to import, so imported on first use.
_LAZY = {
    "MaskInObservation": "spades_env.envs.masked",
    "Reference": "spades_env.reference",
    "SpadesEnv": "spades_env.envs.single_agent",
    "SpadesVectorEnv": "spades_env.envs.vector",
    "VectorMaskInObservation": "spades_env.envs.masked",
}
_MODULES = ("observation", "spades_v0")


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"spades_env.{name}")
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'spades_env' has no attribute {name!r}")


def _register() -> None:
    gymnasium.register(
        id="spades_env/Spades-v0",
        entry_point="spades_env.envs.single_agent:SpadesEnv",
        vector_entry_point="spades_env.envs.vector:SpadesVectorEnv",
    )
    try:
        from pettingzoo import register
    except ImportError:  # PettingZoo before 1.27 has no registry
        return
    register("aec", "spades_env/spades-v0", "spades_env.envs.aec:env")
    register("parallel", "spades_env/spades-v0", "spades_env.envs.aec:parallel_env")


_register()
