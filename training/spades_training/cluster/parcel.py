"""The files of players, which travel to the nodes.

No disk is shared. The files travel with the calls and are unpacked below a folder that takes the place of the root:
``/home/me/bots/clever.py`` becomes ``FOLDER/home/me/bots/clever.py``, and the current folder changes accordingly. So
relative paths mean the same on all machines, and nothing is written to a place that the user of a node knows.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from spades_agents.source import PACKAGES, agent_files, agent_paths, is_own_file, package_files


@dataclass(frozen=True)
class Parcel:
    """What is sent to every node.

    Attributes:
        origin: :func:`origin` of the process that packed it.
        folder: the current folder.
        search: further folders in which modules are looked up.
        files: contents by absolute path.
        agents: digests of the files of each player, from :func:`spades_agents.source.agent_files`.
    """

    origin: tuple[str, int]
    folder: str
    search: tuple[str, ...]
    files: dict[str, bytes]
    agents: dict[str, dict[str, str]]


def origin() -> tuple[str, int]:
    """This machine and this process."""
    return platform.node(), os.getpid()


@lru_cache(maxsize=1)
def package_digest() -> str:
    """A digest of all files of this project that a result may depend on."""
    return hashlib.sha256(json.dumps(package_files(PACKAGES)).encode()).hexdigest()


def pack(agents: Iterable[str]) -> Parcel:
    """The parcel for calls that create the players ``agents``, whose names :func:`portable` has returned."""
    digests = {name: found for name in agents if (found := agent_files(name))}
    paths = {path.absolute() for name in digests for path in agent_paths(name).values()}
    own = sorted(path for path in paths if is_own_file(path, installed=True))
    search = [Path(entry).absolute() for entry in sys.path if entry]
    return Parcel(
        origin(),
        os.getcwd(),
        tuple(str(entry) for entry in search if any(entry in path.parents for path in own)),
        {os.path.normpath(path): path.read_bytes() for path in own},
        digests,
    )


def portable(name: str) -> str:
    """The name of a player with absolute paths replaced by relative ones, which are valid on every node."""
    for path in agent_paths(name).values() if isinstance(name, str) else ():
        for part in (path, path.parent):  # a run is named by its folder
            if part.is_absolute() and str(part) in name:
                return name.replace(str(part), os.path.relpath(part))
    return name
