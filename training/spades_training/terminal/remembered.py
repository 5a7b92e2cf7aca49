"""The rules that a person chose last, in a small file of the user's configuration folder."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path

import typer

from spades_training.options import parse_rules

DEFAULT = "partnership"


def last_rules() -> str:
    """The rules that :func:`remember_rules` saved, or partnership if there are none or they cannot be read."""
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
        rules = json.loads(_file().read_text("utf-8"))["rules"]
        parse_rules(rules)
        return rules
    return DEFAULT


def remember_rules(rules: str) -> None:
    """Save the rules, as the person typed them; a folder that cannot be written is ignored."""
    with contextlib.suppress(OSError, RuntimeError):
        file = _file()
        # Without a home directory the path begins with "~" and would make a folder of this name here.
        if file.is_absolute():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps({"rules": rules}) + "\n", "utf-8")


def _file() -> Path:
    """``SPADES_CONFIG_DIR`` if it is set, else the platform's folder for configuration."""
    chosen = os.environ.get("SPADES_CONFIG_DIR")
    return (Path(chosen).absolute() if chosen else Path(typer.get_app_dir("spades-env"))) / "play.json"
