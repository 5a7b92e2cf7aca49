"""The text of a record: JSON in which a line is one thing, so that an error can name the line that is wrong.

Top-level fields, the fields of a hand and the groups of its actions (draft, exchange, bids, a trick) each take
a line::

    format, format_version, spades_env (the version that wrote it)
    rules       every field of Rules
    seed        [seed, table, match]
    agents      names by seat, or null
    start       scores, bags, opener, hand_number; last: the result of the hand before, if known
    hands       deck        its cards in order
                given       whether the caller fixed the deck; otherwise it is the shuffle of the seed
                actions     names of actions in order; whose they are follows from the rules
                received    by seat, the cards that came back in an exchange, if there was one
                result      bids, blind, tricks (by seat), points, scores, bags (by side), once it is over
                checks
    decks       decks fixed for hands that were not reached yet
    winner      the side that won, or null
    checks, digest

Every part carries a check for each of its lines, and the whole a digest over all of them: the
digest says whether anything was changed, the checks say where.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from typing import Any, NoReturn

from spades_env.cards import BLIND_NIL, DONE, NUM_CARDS
from spades_env.rules import Rules

Path = tuple["str | int", ...]


class RecordError(ValueError):
    """A record that is damaged, was changed, or tells of a match that cannot have been played.

    Attributes:
        path: keys and indices of the value that is wrong, as in ``("hands", 2, "deck")``, where that is known.
    """

    def __init__(self, message: str, path: Path = ()) -> None:
        super().__init__(message)
        self.path = path


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
    return path in ((), ("hands",), ("decks",)) or (
        path[:1] == ("hands",) and (len(path) == 2 or path[2:] == ("actions",))
    )


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


def _part(path: Path) -> Path:
    """The part whose checks cover the line at ``path``: a hand, or ``()`` for what is outside the hands."""
    return path[:2] if path[:1] == ("hands",) and len(path) > 2 else ()


def _checks(raw: dict[str, Any]) -> dict[Path, list[tuple[Path, str, str]]]:
    """For each part its lines, as (path, text, check)."""
    found: dict[Path, list[tuple[Path, str, str]]] = {}
    for path, text in lay_out(raw):
        if path != ("digest",) and path[len(_part(path)) :] != ("checks",) and path[-1:] != ("",):
            text = text.strip(" ,")
            check = hashlib.sha256(text.encode()).hexdigest()[:4]
            found.setdefault(_part(path), []).append((path, text, check))
    return found


def _field_of(raw: dict[str, Any], part: Path) -> dict[str, Any]:
    return raw["hands"][part[1]] if part else raw


def _digest(raw: dict[str, Any]) -> str:
    lines = (text.strip(" ,") for path, text in lay_out(raw) if path != ("digest",))
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def seal(raw: dict[str, Any]) -> dict[str, Any]:
    """``raw`` with the checks of its parts and its digest filled in."""
    for part, lines in _checks(raw).items():
        _field_of(raw, part)["checks"] = " ".join(check for _, _, check in lines)
    raw["digest"] = _digest(raw)
    return raw


def is_sealed(raw: dict[str, Any]) -> bool:
    """Whether the digest of a parsed record is right."""
    return raw["digest"] == _digest(raw)


def find_changes(raw: dict[str, Any]) -> dict[Path, str]:
    """Which lines of a parsed record whose digest is wrong are not what was saved, and how that shows."""
    sealed = seal(json.loads(json.dumps(raw)))
    if sealed["digest"] == raw["digest"]:  # all but the checks is as it was
        parts = {part: (_field_of(raw, part)["checks"], _field_of(sealed, part)["checks"]) for part in _checks(raw)}
        return {
            (*part, "checks"): f"found {found!r:.80}, expected {expected!r:.80}"
            for part, (found, expected) in parts.items()
            if found != expected
        }
    changes: dict[Path, str] = {}
    for part, lines in _checks(raw).items():
        expected = _field_of(raw, part)["checks"].split()
        for (path, text, check), other in zip(lines, expected, strict=False):
            if check != other:
                changes[path] = f"found {text:.80}, not what was saved: its check is {check}, expected {other}"
        if len(lines) != len(expected):
            changes[(*part, "checks")] = f"found checks of {len(expected)} lines, expected {len(lines)}"
    return changes or {("digest",): f"found {raw['digest']!r:.80}, expected {_digest(raw)!r}"}


def to_text(raw: dict[str, Any]) -> str:
    """A sealed record as text, one thing a line."""
    return "".join(f"{text}\n" for _, text in lay_out(raw))


_AGAIN = " (again)"


def _all_fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object with every field that its text has: one that stands twice gets a name that no record knows."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        while key in found:
            key += _AGAIN
        found[key] = value
    return found


def parse_json(text: str) -> Any:
    """The value of a JSON text.

    Raises:
        RecordError: naming the line where the text stops making sense.
    """
    try:
        return json.loads(text, object_pairs_hook=_all_fields)
    except json.JSONDecodeError as error:
        raise RecordError(f"line {error.lineno}: the record is damaged or cut short: {error.msg}") from None
    except ValueError as error:  # an int too long to convert
        raise RecordError(f"the record is damaged: {error}") from None


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},]|[^\s\[\]{},:"]+|\n')


def find_lines(text: str) -> dict[Path, int]:
    """The line on which each value of a JSON text begins; the text must be one that :func:`parse_json` takes."""
    lines: dict[Path, int] = {}
    line = 1
    path: list[str | int] = []  # of the value that comes next or is being read
    awaits_key = False

    def note() -> None:
        lines[tuple(path)] = line

    containers: list[str] = []
    for token in _TOKEN.findall(text):
        if token == "\n":
            line += 1
        elif token in "{[":
            note()
            containers.append(token)
            path.append(0)
            awaits_key = token == "{"
        elif token in "}]":
            containers.pop()
            path.pop()
        elif token == ",":
            awaits_key = containers[-1] == "{"
            if not awaits_key:
                path[-1] = int(path[-1]) + 1
        elif awaits_key:
            key = json.loads(token)
            while (*path[:-1], key) in lines:
                key += _AGAIN
            path[-1] = key
            awaits_key = False
        else:
            note()
    return lines


class Places:
    """Where the values of a record stand in the text it was read from, to say so in errors.

    Args:
        text: the text; None if there is none to point into.
    """

    def __init__(self, text: str | None = None) -> None:
        self._text = text
        self.actions: dict[int, list[Path]] = {}  # by hand, the place of each action

    def fail(self, path: Path, message: str, what: str | None = None, line_of: Path | None = None) -> NoReturn:
        """Refuse the value at ``path``.

        Args:
            path: keys and indices of the value.
            message: what is wrong with it.
            what: its name, if its keys do not say it.
            line_of: the value whose line to name, if it is another.

        Raises:
            RecordError: always.
        """
        line = None
        if self._text is not None:
            lines = find_lines(self._text)
            at = path if line_of is None else line_of
            line = next(lines[at[:n]] for n in range(len(at), -1, -1) if at[:n] in lines)
        raise RecordError(f"{f'line {line}: ' if line else ''}{what or self._name(path)}: {message}", path)

    @staticmethod
    def _name(path: Path) -> str:
        if path[:1] == ("hands",) and len(path) > 1:
            return ", ".join([f"hand {int(path[1]) + 1}", *map(str, path[2:3])])
        return str(path[0]) if path else "record"
