"""The compiler's decorator: numba, cached on disk under a digest of the sources.

Numba's own cache looks at the file of the cached function alone, so that after an edit to a kernel a
cached caller in another file keeps the old machine code. Here the folder's name holds a digest of
every source that takes part, so any edit starts a fresh cache.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numba.core.config

_announced: set[tuple[Path, str]] = set()


def _cache_root() -> Path:
    """The first folder of the usual ones that can be written to; ``SPADES_CACHE_DIR`` comes before all."""
    chosen = os.environ.get("SPADES_CACHE_DIR")
    if chosen:
        return Path(chosen)
    home = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or Path.home() / ".cache"
    root = Path(home) / "spades-env"
    with contextlib.suppress(OSError):
        root.mkdir(parents=True, exist_ok=True)
    return root if os.access(root, os.W_OK) else Path(tempfile.gettempdir()) / "spades-env"


class Compiler:
    """Makes a ``jit`` decorator whose cache is keyed on ``sources`` and on numba's version.

    Args:
        sources: the files whose code the kernels may reach; a folder stands for its ``.py`` files.
    """

    def __init__(self, *sources: Path) -> None:
        digest = hashlib.sha256(f"{numba.__version__} {sys.version_info[:2]}".encode())
        for source in sources:
            for file in sorted(source.glob("**/*.py")) if source.is_dir() else [source]:
                digest.update(file.read_bytes())
        self.folder = _cache_root() / digest.hexdigest()[:16]

    def __call__(self, function: Callable[..., Any]) -> Any:
        """``function`` compiled by numba and inlined where called: no Python objects, no lock held, cached on disk."""
        return self._compile(function, forceinline=True)

    def apart(self, function: Callable[..., Any]) -> Any:
        """The same for a large function: compiled once, and called."""
        return self._compile(function, forceinline=False)

    def _compile(self, function: Callable[..., Any], forceinline: bool) -> Any:
        before = numba.core.config.CACHE_DIR
        numba.core.config.CACHE_DIR = str(self.folder)
        try:
            return numba.njit(cache=True, nogil=True, error_model="numpy", _nrt=False, forceinline=forceinline)(
                function
            )
        finally:
            numba.core.config.CACHE_DIR = before

    def announce(self, what: str, kernel: str = "", seconds: int = 20) -> None:
        """Say on stderr, once, that ``what`` is about to be compiled, if nothing of it is cached yet.

        Args:
            what: in words.
            kernel: ``"file.function"`` of a kernel that takes long by itself; by default any tells that all are there.
            seconds: about how long it takes.
        """
        # The folder alone means nothing: numba makes it as soon as a function is decorated.
        if (self.folder, kernel) not in _announced and not any(self.folder.rglob(f"{kernel}*.nbi")):
            text = f"compiling {what}, once on this machine (about {seconds} s) ..."
            print(f"spades_env: {text}", file=sys.stderr, flush=True)
        _announced.add((self.folder, kernel))


PACKAGE = Path(__file__).parents[1]
ENGINE_SOURCES = (PACKAGE / "engine", PACKAGE / "cards.py", PACKAGE / "observation.py", PACKAGE / "tables.py")
jit = Compiler(*ENGINE_SOURCES)
