"""The text of a record: JSON in which a line is one thing, so that an error can name the line that is wrong.

Top-level fields, the fields of a hand and the groups of its actions (draft, exchange, bids, a trick) each take
a line. Every part carries a check for each of its lines, and the whole a digest over all of them: the
digest says whether anything was changed, the checks say where.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any, NoReturn

from spades_env.cards import BLIND_NIL, DONE, NUM_CARDS
from spades_env.rules import Rules

Path = tuple["str | int", ...]


class RecordError(ValueError):
    """A record that is damaged, was changed, or tells of a match that cannot have been played."""


def group_actions(actions: list[int], rules: Rules) -> list[list[int]]:
    """The actions of a hand in the groups that a line shows: draft, each exchange, bids, each trick."""
    groups: list[list[int]] = []
    open_group = None
    exchanges_due = 0
    for action in actions:
        if action < NUM_CARDS or action == DONE:
            kind = "exchange" if exchanges_due else "trick"
        else:
            kind = "draft" if rules.draft and action >= BLIND_NIL else "bids"
        if kind != open_group:
            groups.append([])
        group = groups[-1]
        group.append(action)
        open_group = kind
        if action == BLIND_NIL and rules.exchange:
            exchanges_due += 1
        if kind == "exchange" and (action == DONE or len(group) == rules.exchange):
            exchanges_due -= 1
            open_group = None
        if kind == "trick" and len(group) == rules.players:
            open_group = None
    return groups


def _spread(path: Path) -> bool:
    """Whether the items of the value at ``path`` stand on lines of their own."""
    return path in ((), ("hands",)) or (path[:1] == ("hands",) and (len(path) == 2 or path[2:] == ("actions",)))


def lay_out(value: Any, path: Path = (), head: str = "", tail: str = "") -> Iterator[tuple[Path, str]]:
    """(path, text) of every line of a record."""
    indent = " " * len(path)
    if not (_spread(path) and value and isinstance(value, (dict, list))):
        yield path, f"{indent}{head}{json.dumps(value)}{tail}"
        return
    keyed = isinstance(value, dict)
    items = list(value.items() if keyed else enumerate(value))
    yield path, indent + head + ("{" if keyed else "[")
    for key, item in items:
        comma = "," if key != items[-1][0] else ""
        yield from lay_out(item, (*path, key), f"{json.dumps(key)}: " if keyed else "", comma)
    yield (*path, ""), indent + ("}" if keyed else "]") + tail


def _is_seal(path: Path) -> bool:
    return path in (("checks",), ("digest",)) or (path[:1] == ("hands",) and path[2:] == ("checks",))


def _check(text: str) -> str:
    return hashlib.sha256(text.strip(" ,").encode()).hexdigest()[:4]


def _checks_of(lines: list[tuple[Path, str]], part: Path) -> str:
    """The checks of the lines of one part: a hand, or for ``()`` what is outside the hands."""
    own = (text for path, text in lines if (path[:2] if path[:1] == ("hands",) and len(path) > 2 else ()) == part)
    return " ".join(map(_check, own))


def _parts(raw: dict[str, Any]) -> Iterator[tuple[Path, dict[str, Any]]]:
    yield (), raw
    hands = raw.get("hands")
    for k, hand in enumerate(hands if isinstance(hands, list) else []):
        if isinstance(hand, dict):
            yield ("hands", k), hand


def _content(raw: dict[str, Any]) -> list[tuple[Path, str]]:
    return [(path, text) for path, text in lay_out(raw) if not _is_seal(path)]


def _digest(raw: dict[str, Any]) -> str:
    lines = (text.strip(" ,") for path, text in lay_out(raw) if path != ("digest",))
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def seal(raw: dict[str, Any]) -> dict[str, Any]:
    """``raw`` with the checks of its parts and its digest filled in."""
    lines = _content(raw)
    for part, fields in _parts(raw):
        fields["checks"] = _checks_of(lines, part)
    raw["digest"] = _digest(raw)
    return raw


def to_text(raw: dict[str, Any]) -> str:
    """A sealed record as text, one thing a line."""
    return "".join(f"{text}\n" for _, text in lay_out(raw))


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise RecordError(f"a field stands twice: {next(key for key in keys if keys.count(key) > 1)!r:.80}")
    return found


def _no_number(text: str) -> NoReturn:
    raise RecordError(f"not a number that a record may hold: {text}")


def parse_json(text: str) -> Any:
    """The value of a JSON text, strictly: no field twice, no NaN.

    Raises:
        RecordError: naming the line where the text stops making sense.
    """
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_no_number, parse_float=_no_number)
    except json.JSONDecodeError as error:
        raise RecordError(f"line {error.lineno}: the record is damaged or cut short: {error.msg}") from None
    except RecursionError:
        raise RecordError("line 1: the record is damaged: nested too deep") from None
    except RecordError:
        raise
    except ValueError as error:  # an int too long to convert
        raise RecordError(f"the record is damaged: {error}") from None


class Places:
    """Where the values of a parsed record stand in its text, to say so in errors.

    Args:
        raw: the parsed record; None if there is no text to point into.
        text: what it was parsed from. If its lines are not laid out as :func:`lay_out` does, no line is named.
    """

    def __init__(self, raw: Any = None, text: str = "") -> None:
        self.lines: dict[Path, int] = {}
        self.actions: dict[int, list[Path]] = {}  # by hand, the line of each action
        if raw is not None:
            lines = list(lay_out(raw))
            if len(lines) == len(text.splitlines()):
                self.lines = {path: number for number, (path, _) in enumerate(lines, start=1)}

    def fail(self, path: Path, message: str, what: str | None = None) -> NoReturn:
        """Raise a RecordError about the value at ``path``; ``what`` names it, if its key does not."""
        line = next((self.lines[path[:n]] for n in range(len(path), 0, -1) if path[:n] in self.lines), None)
        if what is None:
            what = self._name(path)
        raise RecordError(f"{f'line {line}: ' if line else ''}{f'{what}: ' if what else ''}{message}")

    @staticmethod
    def _name(path: Path) -> str:
        if path[:1] == ("hands",) and len(path) > 1:
            return ", ".join([f"hand {int(path[1]) + 1}", *map(str, path[2:3])])
        return ".".join(map(str, path[:2]))

    def find_change(self, raw: dict[str, Any]) -> NoReturn:
        """Raise a RecordError that names the line of ``raw`` whose check or digest is wrong."""
        lines = _content(raw)
        for part, fields in _parts(raw):
            found = _checks_of(lines, part).split()
            noted = fields["checks"].split()
            own = [path for path, _ in lines if (path[:2] if path[:1] == ("hands",) and len(path) > 2 else ()) == part]
            for path, check, expected in zip(own, found, noted, strict=False):
                if check != expected:
                    self.fail(path, f"changed after it was saved: its check is {check}, expected {expected}")
            if len(found) != len(noted):
                self.fail((*part, "checks"), f"found checks of {len(noted)} lines, expected {len(found)}")
        self.fail(("digest",), f"found {raw['digest']}, expected {_digest(raw)}")


def is_sealed(raw: dict[str, Any]) -> bool:
    """Whether the digest of a parsed record is right."""
    return raw["digest"] == _digest(raw)
