"""The code of a run's players, which must be the same when the run is resumed."""

from __future__ import annotations

import json
from pathlib import Path

from spades_agents.registry import make_agent
from spades_agents.source import agent_files

from spades_env.files import write_whole
from spades_training.compare import changed_file
from spades_training.learning.config import Config
from spades_training.learning.fast.settings import Settings
from spades_training.learning.selfplay import SELF, SNAPSHOT

CODE = "code.json"


def write_code(config: Config | Settings, run: Path) -> None:
    """Write the digests of the files that the run's players consist of, besides this package, to its folder.

    Raises:
        ValueError: if a player is unknown.
        OSError: if the file cannot be written.
    """
    found = _code(config)
    if found or (run / CODE).exists():
        write_whole(run / CODE, json.dumps(found, indent=1) + "\n")


def check_code(config: Config | Settings, run: Path) -> None:
    """Check that the run's players still consist of the files of :func:`write_code`.

    Raises:
        ValueError: if a file has changed, or a player is unknown.
    """
    try:
        before = json.loads((run / CODE).read_text("utf8"))
    except FileNotFoundError:
        before = {}
    except (OSError, ValueError) as error:
        raise ValueError(f"cannot read {run / CODE}: {error}") from None
    changed = changed_file(before, _code(config))
    if changed:
        raise ValueError(f"{run} was trained with other code: {changed} has changed; restore it, or start a new run")


def player_names(config: Config | Settings) -> list[str]:
    """The names of all players of a run."""
    names = dict.fromkeys([config.teacher, *config.opponent_weights(), *config.frozen_opponents()])
    return [name for name in names if name not in (SELF, SNAPSHOT)]


def _code(config: Config | Settings) -> dict[str, dict[str, str]]:
    files = {}
    for name in player_names(config):
        make_agent(name)  # names a file that is missing
        files[f"agent {name!r}"] = agent_files(name)
    return {owner: found for owner, found in files.items() if found}
