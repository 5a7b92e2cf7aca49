"""What runs on a node around every call."""

from __future__ import annotations

import atexit
import hashlib
import os
import pickle
import platform
import sys
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spades_agents.source import agent_files

import spades_env
from spades_training.agent_errors import keep_trace
from spades_training.cluster.folders import temporary_folder
from spades_training.cluster.parcel import Parcel, origin, package_digest

_lock = threading.Lock()
_unpacked = ""  # digest of the parcel that this process has unpacked last
_folder: tempfile.TemporaryDirectory[str] | None = None


@dataclass(frozen=True)
class Outcome:
    """What became of a call.

    Attributes:
        node: :func:`own_id` of the node.
        value: the return value.
        error: the exception that was raised, if any.
        refused: why the node did not run the call.
    """

    node: str
    value: Any = None
    error: Exception | None = None
    refused: str = ""


def run(version: str, package: str, parcel: bytes, call: bytes) -> Outcome:
    """Run a call on this node.

    Args:
        version: the version of this project that the node must have.
        package: the digest of this project's files, from :func:`package_digest`.
        parcel: a pickled :class:`Parcel`.
        call: a pickled pair, a function and its arguments.
    """
    node = own_id()
    try:
        refused = _wrong_package(version, package) or _prepare(parcel)
        if refused:
            return Outcome(node, refused=refused)
        work, arguments = pickle.loads(call)
        return Outcome(node, _without_folder(work(*arguments)))
    except Exception as error:
        keep_trace(error)
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:
            return Outcome(node, error=RuntimeError(f"{type(error).__name__}: {error}"))
        error.args = tuple(map(_without_folder, error.args))
        return Outcome(node, error=error)


def _wrong_package(version: str, package: str) -> str:
    """Why this node has not the same sources of this project, or ""."""
    if spades_env.__version__ != version:
        return f"it has spades-env {spades_env.__version__} instead of {version}: install the same version there"
    if package_digest() != package:
        return f"its spades-env {version} has other files than this machine's: install the same sources there"
    return ""


def own_id() -> str:
    """The name of this node in :meth:`spades_training.cluster.executor.ClusterExecutor.nodes`."""
    ray, distributed = sys.modules.get("ray"), sys.modules.get("distributed")
    if ray is not None and ray.is_initialized():
        return ray.get_runtime_context().get_node_id()
    if distributed is not None:
        try:
            return distributed.get_worker().address
        except ValueError:
            pass  # not in a worker
    return platform.node()


def _prepare(parcel: bytes) -> str:
    """Unpack a parcel if it is not the last one; returns why this node cannot run its calls, or ""."""
    global _unpacked, _folder
    digest = hashlib.sha256(parcel).hexdigest()
    with _lock:
        if digest == _unpacked:
            return ""
        content: Parcel = pickle.loads(parcel)
        if content.origin == origin():
            return ""  # a thread of the process that packed it
        _unpack(content)
        for name, wanted in content.agents.items():
            found = {_without_folder(file): sha for file, sha in agent_files(name).items()}
            for file in wanted.keys() | found.keys():
                if wanted.get(file) != found.get(file):
                    have = "another" if file in found else "no"
                    return f"it has {have} file {file} of agent {name!r}: install the same one there"
        _unpacked = digest
        return ""


def _unpack(parcel: Parcel) -> None:
    """Write the files of a parcel, and make their folder the current one."""
    global _folder, _unpacked
    before = _folder
    if before is not None:
        sys.path[:] = [entry for entry in sys.path if not entry.startswith(before.name)]
        for name, module in list(sys.modules.items()):
            if str(getattr(module, "__file__", None)).startswith(before.name):
                del sys.modules[name]
        _folder, _unpacked = None, ""
    if not parcel.files:
        return
    _folder = temporary_folder("spades-node")
    atexit.register(_folder.cleanup)
    for name, content in parcel.files.items():
        path = _place(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    here = _place(parcel.folder)
    here.mkdir(parents=True, exist_ok=True)
    os.chdir(here)
    if before is not None:
        before.cleanup()
    sys.path[:0] = [str(here), *(str(_place(entry)) for entry in parcel.search)]


def _place(path: str) -> Path:
    """Where a path of the driver is on this node."""
    assert _folder is not None
    return Path(_folder.name) / Path(path).relative_to(Path(path).anchor)


def _without_folder(value: Any) -> Any:
    """``value`` with the driver's paths in all strings of lists and dicts instead of this node's."""
    if _folder is None:
        return value
    if isinstance(value, str):
        return value.replace(_folder.name, "")
    if isinstance(value, list):
        return [_without_folder(part) for part in value]
    if isinstance(value, dict):
        return {_without_folder(key): _without_folder(part) for key, part in value.items()}
    return value
