"""Packages that only pictures need, imported when the first picture is drawn."""

from __future__ import annotations

import importlib
from typing import Any

from gymnasium.error import DependencyNotInstalled

_INSTALLED_AS = {"PIL": "Pillow", "pygame": "pygame-ce", "imageio_ffmpeg": "imageio-ffmpeg"}


def package(module: str, what_for: str) -> Any:
    """Import ``module``.

    Raises:
        DependencyNotInstalled: if it is missing; the message names the command that installs it.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError:
        missing = _INSTALLED_AS[module.split(".")[0]]
        raise DependencyNotInstalled(f"{what_for} needs {missing}: pip install 'spades-env[render]'") from None
