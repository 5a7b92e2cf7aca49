"""What people type on the command line, turned into values; a ValueError of one line where it makes no sense."""

from __future__ import annotations

import dataclasses
from typing import Any

from spades_env.rules import Rules

__all__ = ["parse_rules"]

_WORDS: dict[str, Any] = {"true": True, "yes": True, "false": False, "no": False, "none": None}


def parse_rules(text: str) -> Rules:
    """The rules of ``preset`` or ``preset,field=value,...``: ``two_player,target=300,blind_nil=0``.

    Raises:
        ValueError: if there is no such preset or field, or the mix makes no sense.
    """
    name, *changes = text.split(",")
    preset = Rules.preset(name.strip())
    known = [field.name for field in dataclasses.fields(Rules)]
    fields: dict[str, Any] = {}
    for change in changes:
        key, equals, value = (part.strip() for part in change.partition("="))
        if not equals or key not in known:
            raise ValueError(
                f"rules {text!r}: {change.strip()!r} is not field=value with a field of {', '.join(known)}"
            )
        fields[key] = _value(value)
    return dataclasses.replace(preset, **fields)


def _value(text: str) -> Any:
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    try:
        return int(text)
    except ValueError:
        return text
