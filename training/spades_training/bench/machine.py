"""The machine and the package versions of a measurement."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from pathlib import Path
from typing import Any

import spades_env

_PACKAGES = ("numpy", "numba", "gymnasium", "pettingzoo", "stable-baselines3", "torch", "open-spiel", "rlcard")


def describe(core: int | None) -> dict[str, Any]:
    """The machine and the versions.

    Args:
        core: the core that everything runs on; None if the system decides.
    """
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "core": core,
        "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "versions": {"spades-env": spades_env.__version__, **_versions()},
    }


def one_line(machine: dict[str, Any]) -> str:
    """The machine and the versions in one line."""
    pinned = "not pinned" if machine["core"] is None else "pinned to one"
    load = "" if machine["load"] is None else f", load {machine['load']}"
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    return (
        f"{machine['cpu']}, {machine['cores']} cores ({pinned}){load}; {machine['system']}, "
        f"Python {machine['python']}; {versions}"
    )


def _cpu() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text("utf8").splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "model name":
                return " ".join(value.split())
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _versions() -> dict[str, str]:
    found = {}
    for name in _PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found
