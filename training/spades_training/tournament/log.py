"""The log that a tournament continues from: its settings, then one line of JSON for each unit played, in order."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from spades_agents.source import package_files

from spades_env.files import write_whole
from spades_training.compare import changed_file, first_difference
from spades_training.tournament.schedule import Settings, Unit

FORMAT = "spades-tournament-2"


class Log:
    """An open log; a context manager that closes it.

    It starts with the settings and with the code that plays: it cannot be continued with another.

    A kill may leave half a line at the end. That line is dropped, and its unit is played again.

    Args:
        path: the file; created if it does not exist.
        settings: the settings of the tournament.

    Raises:
        ValueError: if the file has other settings, other code, or is not the log of a tournament.
    """

    def __init__(self, path: Path, settings: Settings) -> None:
        self.path = path
        head = {"format": FORMAT, **settings.to_dict(), "package": package_files()}
        if not path.exists():
            write_whole(path, json.dumps(head) + "\n")
        data = path.read_bytes()
        lines = data.split(b"\n")
        _check_settings(path, lines[0], head)
        whole = data.rfind(b"\n") + 1
        if whole < len(data):
            os.truncate(path, whole)
        self._entries = iter(lines[1:-1])
        self._line = 1
        self._file = open(path, "a", encoding="utf-8")  # noqa: SIM115 (closed by __exit__)

    def __enter__(self) -> Log:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def known(self, units: list[Unit]) -> Iterator[dict[str, Any]]:
        """The entries that the file already holds for the next ``units``.

        Raises:
            ValueError: if an entry belongs to another unit.
        """
        for unit, line in zip(units, self._entries, strict=False):
            self._line += 1
            try:
                entry = json.loads(line)
                right = entry["unit"] == [unit.a, unit.b, unit.first, unit.count]
            except (ValueError, KeyError, TypeError):
                right, entry = False, {}
            if not right:
                raise ValueError(f"{self.path}: line {self._line} is damaged: choose another folder")
            yield entry

    def append(self, entry: dict[str, Any]) -> None:
        """Add an entry, which survives a kill after this call."""
        self._file.write(json.dumps(entry, separators=(",", ":")) + "\n")
        self._file.flush()


def _check_settings(path: Path, line: bytes, wanted: dict[str, Any]) -> None:
    try:
        found = json.loads(line)
    except ValueError:
        found = None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise ValueError(f"{path} is not the log of a tournament of this version: choose another folder")
    difference = first_difference({**found, "files": 0, "package": 0}, {**wanted, "files": 0, "package": 0})
    if difference:
        raise ValueError(
            f"{path.parent} holds a tournament with other settings ({difference}): choose another folder with --out"
        )
    changed = changed_file(_code(found), _code(wanted))
    if changed:
        raise ValueError(
            f"{path.parent} holds matches of other code: {changed} has changed; choose another folder with --out"
        )


def _code(head: dict[str, Any]) -> dict[str, dict[str, str]]:
    """The digests of the files of each agent and of this package."""
    owners = [f"agent {name!r}" for name in head["agents"]]
    return {**dict(zip(owners, head["files"], strict=True)), "this package": head["package"]}
