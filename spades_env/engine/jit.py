"""The decorator of kernels: numba, cached on disk under a digest of the sources.

Numba's own cache only checks the file of the cached function: after an edit to a kernel, a cached caller in another
file keeps the old machine code. Here the folder is named by a digest of all sources, so any edit starts a new cache.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba.core import config

from spades_env.compiling.cache import cache_folder
from spades_env.compiling.kernels import Kernel


class Compiler:
    """A ``jit`` decorator whose cache is keyed on ``sources`` and the versions of numba and Python.

    Attributes:
        folder: the folder of the cache; None if there is none that can be used.

    Args:
        sources: the files that kernels take code or constants from; a folder stands for its ``.py`` files.
    """

    def __init__(self, *sources: Path) -> None:
        digest = hashlib.sha256(f"{numba.__version__} {sys.version_info[:2]}".encode())
        for source in sources:
            for file in sorted(source.glob("**/*.py")) if source.is_dir() else [source]:
                digest.update(file.read_bytes())
        self.folder = cache_folder(digest.hexdigest()[:16])

    def __call__(self, function: Callable[..., Any]) -> Any:
        """Compile ``function`` and inline it into its callers: no Python objects, GIL released, cached on disk."""
        return self._compile(function, forceinline=True)

    def apart(self, function: Callable[..., Any]) -> Any:
        """Compile ``function`` without inlining it, for large functions that are called from several places."""
        return self._compile(function, forceinline=False)

    def _compile(self, function: Callable[..., Any], forceinline: bool) -> Any:
        if config.DISABLE_JIT:
            return function
        kernel = Kernel(function, targetoptions={"forceinline": forceinline})
        if self.folder is not None:
            kernel.keep_in(self.folder)
        return kernel


PACKAGE = Path(__file__).parents[1]
_MODULES = "cards", "episodes", "observation", "compiling/kernels"
ENGINE_SOURCES = (PACKAGE / "engine", *(PACKAGE / f"{name}.py" for name in _MODULES))
jit = Compiler(*ENGINE_SOURCES)
