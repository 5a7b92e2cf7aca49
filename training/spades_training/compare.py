"""How settings and code differ from those of what a folder already holds."""

from __future__ import annotations

import json
from typing import Any


def first_difference(before: Any, now: Any, name: str = "") -> str:
    """The first value of ``now`` that differs from ``before``, as in ``rules.nil 100, now 50``; "" if none does.

    Args:
        before: the settings found, as values that JSON can hold.
        now: the settings wanted.
        name: of the settings; "" for none.
    """
    if isinstance(before, dict) and isinstance(now, dict):
        parts = [(f"{name}.{key}".lstrip("."), before.get(key), value) for key, value in now.items()]
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        parts = [(f"{name}[{k}]", *pair) for k, pair in enumerate(zip(before, now, strict=True))]
    else:
        return "" if before == now else f"{name} {json.dumps(before)}, now {json.dumps(now)}"
    return next(filter(None, (first_difference(old, new, part) for part, old, new in parts)), "")


def changed_file(before: dict[str, dict[str, str]], now: dict[str, dict[str, str]]) -> str:
    """The first file that differs, as in ``helper.py of agent 'mine.py:Mine'``; "" if none does.

    Args:
        before: the digests of files found, by file, for each owner.
        now: the digests wanted.
    """
    for owner, wanted in now.items():
        found = before.get(owner, {})
        for name in sorted({**found, **wanted}):
            if found.get(name) != wanted.get(name):
                return f"{name} of {owner}"
    return ""
