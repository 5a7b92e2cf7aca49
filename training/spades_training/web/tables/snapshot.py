"""The newest policy of a run in training, as a player."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path

from spades_agents.policy.learned import PolicyAgent, PPOAgent
from spades_agents.policy.network import PolicyNetwork

from spades_env.game import View
from spades_env.rules import Rules
from spades_training.options import parse_rules

PREFIX = "run:"


class SnapshotAgent:
    """Plays with the newest policy that a run has saved, and looks for a newer one before each hand.

    Args:
        folder: the folder of the run, as ``spades train`` writes it.

    Raises:
        ValueError: if the run has not saved a policy yet.
    """

    def __init__(self, folder: str) -> None:
        self.name = f"{PREFIX}{folder}"
        self._folder = Path(folder)
        self._hand = -1
        self._file, self._changed = newest_file(self._folder)
        self._agent = _player(self._file)

    def reset(self, seed: int | None = None) -> None:
        """See :class:`spades_agents.base.Agent`."""
        self._agent.reset(seed)

    def check_rules(self, rules: Rules) -> None:
        """Raise ``ValueError`` if the run is not one for these rules."""
        self._agent.check_rules(rules)

    def act(self, view: View) -> int:
        """See :class:`spades_agents.base.Agent`."""
        if view.hand_number != self._hand:
            self._hand = view.hand_number
            found = newest_file(self._folder)
            if found != (self._file, self._changed):
                self._file, self._changed = found
                self._agent = _player(self._file)
        return self._agent.act(view)


def newest_file(folder: Path) -> tuple[Path, int]:
    """The file with the newest policy of a run, and when it was written, in nanoseconds.

    Raises:
        ValueError: if there is none.
    """
    files = [folder / "model.zip", *folder.glob("league/*.zip"), folder / "checkpoint.zip"]
    found = [(file.stat().st_mtime_ns, file.name != "checkpoint.zip", file) for file in files if file.exists()]
    for changed, _, file in sorted(found, reverse=True):
        if file.name != "checkpoint.zip" or _snapshots(file):
            return file, changed
    raise ValueError(f"{folder} holds no policy yet: it must be the folder of a run of spades train")


def _player(file: Path) -> PolicyAgent:
    if file.name != "checkpoint.zip":
        return PPOAgent(os.fspath(file))
    name = _snapshots(file)[-1]
    with zipfile.ZipFile(file) as members:
        network = PolicyNetwork.from_bytes(members.read(name), name.removesuffix(".npz").split("_")[2])
    config = json.loads((file.parent / "config.json").read_text("utf-8"))
    return PolicyAgent(network, parse_rules(config["rules"]), f"ppo:{file}")


def _snapshots(file: Path) -> list[str]:
    """The names of the policies in a checkpoint, the oldest first; not every kind of run has some."""
    if not zipfile.is_zipfile(file):
        return []
    with zipfile.ZipFile(file) as members:
        names = [name for name in members.namelist() if name.startswith("snapshot_")]
    return sorted(names, key=lambda name: int(name.split("_")[1]))
