"""The cache of compiled kernels: where it is, whom it trusts, and its files.

Cached machine code is run as it is found, so a folder that another user can write to would let that user run code as
this one. The cache is never needed: whatever is wrong with it, kernels are compiled in memory.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import re
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

_warned: set[Path | None] = set()


def warn(folder: Path | None, reason: object) -> None:
    """Print to stderr, once per process and folder, why compiled code is not kept."""
    if folder not in _warned:
        where = f"the cache folder {folder} cannot be used" if folder else "there is no cache folder"
        advice = "compiled code is not kept for the next start; SPADES_CACHE_DIR can name a folder of your own"
        print(f"spades_env: {where} ({reason}): {advice}", file=sys.stderr, flush=True)
    _warned.add(folder)


def distrust(folder: Path, owners: set[int], forbidden: int) -> str | None:
    """Why code from ``folder`` must not be run, or None if it may.

    Args:
        folder: the folder; a symbolic link is not followed.
        owners: ids of the users who may own it.
        forbidden: permission bits that it must not have.

    Raises:
        OSError: if there is no such folder.
    """
    found = os.lstat(folder)
    if not stat.S_ISDIR(found.st_mode):
        return "not a folder"
    if not hasattr(os, "geteuid"):  # Windows, where temp and cache folders are the user's own
        return None
    if found.st_uid not in owners:
        return "it belongs to another user"
    if found.st_mode & forbidden:
        return f"other users may write to it, mode {stat.S_IMODE(found.st_mode):o}; delete it, or `chmod go-w` it"
    return None


def _user() -> int:
    return os.geteuid() if hasattr(os, "geteuid") else 0


def _candidates() -> Iterator[tuple[Path, set[int], int]]:
    """Possible folders, with the users who may own them and the permissions that they must not have."""
    # Root can change any program on the machine, so its folders are as safe as the programs.
    usual = {_user(), 0}, 0o022
    chosen = os.environ.get("SPADES_CACHE_DIR")
    if chosen:
        yield Path(os.path.realpath(chosen)), *usual
        return
    with contextlib.suppress(RuntimeError):  # no home directory
        home = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or Path.home() / ".cache"
        if os.path.isabs(home):
            yield Path(os.path.realpath(home)) / "spades-env", *usual
    with contextlib.suppress(OSError):  # no temp folder
        # Anybody can create folders here, so it must be this user's and closed to all others.
        yield Path(tempfile.gettempdir()) / f"spades-env-{_user()}", {_user()}, 0o077


def cache_folder(name: str) -> Path | None:
    """A trusted folder ``name`` for compiled code, or None with a warning that names the folder tried last."""
    tried: Path | None = None
    reason: object = "no home directory and no temp folder"
    for root, owners, forbidden in _candidates():
        tried = root
        try:
            # Folders in between get the usual permissions, those of the cache are private.
            root.parent.mkdir(parents=True, exist_ok=True)
            for folder in (root, root / name):
                with contextlib.suppress(FileExistsError):
                    folder.mkdir(mode=0o700)
                reason = distrust(folder, owners, forbidden)
                if reason:
                    break
            else:
                if os.access(root / name, os.W_OK) or any((root / name).iterdir()):
                    return root / name
                reason = "it is empty and cannot be written to"
        except OSError as error:
            reason = error.strerror or error
    warn(tried, reason)
    return None


class KernelCache(FunctionCache):
    """Numba's cache of one function, with a file for each signature, in a folder that holds code of the same sources.

    A file starts with a checksum of the rest. A damaged file counts as missing and is replaced. If the folder cannot
    be written, the process continues without saving.

    Args:
        function: the Python function.
        folder: where the files are.
    """

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        # Numba's constructor would look for a folder itself, also next to the sources.
        self._name, self._py_func, self._cache_path = repr(function), function, str(folder)
        self._folder = folder
        self.enable()

    def flush(self) -> None:
        """Do nothing: other sources have another folder."""

    def load_overload(self, sig: Any, target_context: Any) -> CompileResult | None:
        """The compiled code for a signature, or None."""
        target_context.refresh()
        if not self._enabled:
            return None
        key = self._index_key(sig, target_context.codegen())
        try:
            data = self._path(key).read_bytes()
            if hashlib.sha256(data[32:]).digest() != data[:32]:
                return None
            saved, compiled = pickle.loads(data[32:])
            return CompileResult._rebuild(target_context, *compiled) if saved == key else None  # noqa: SLF001
        except Exception:  # as numba's files are pickles, a damaged one can raise anything
            return None

    def save_overload(self, sig: Any, data: CompileResult) -> None:
        """Save the compiled code for a signature."""
        if not self._enabled or data.lifted or data.library.has_dynamic_globals:
            return
        key = self._index_key(sig, data.codegen)
        dumped = dumps((key, data._reduce()))  # noqa: SLF001
        temporary = None
        try:
            handle, temporary = tempfile.mkstemp(dir=self._folder)
            with open(handle, "wb") as file:
                file.write(hashlib.sha256(dumped).digest() + dumped)
            os.replace(temporary, self._path(key))
        except OSError as error:
            self.disable()
            warn(self._folder.parent, error.strerror or error)
        finally:
            if temporary is not None:
                with contextlib.suppress(OSError):
                    os.unlink(temporary)

    def file(self, sig: Any, target_context: Any) -> Path:
        """Where the compiled code for a signature is, or will be."""
        return self._path(self._index_key(sig, target_context.codegen()))

    def _path(self, key: tuple[Any, ...]) -> Path:
        function = self._py_func
        code = function.__code__
        module = Path(code.co_filename).stem
        place = f"{code.co_filename} {code.co_firstlineno} {function.__qualname__}"
        text = re.sub(r" at 0x[0-9a-f]+", "", f"{place} {key}")
        name = function.__qualname__.replace("<", "").replace(">", "")
        return self._folder / f"{module}.{name}-{hashlib.sha256(text.encode()).hexdigest()[:16]}.nbi"
