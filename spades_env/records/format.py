"""The JSON text of a record, with one value per line, so that errors can name the line that is wrong.

Top-level fields, the fields of a hand and the groups of its actions (draft, exchange, bids, a trick) take a line
each::

    format, format_version, spades_env (the version that wrote it)
    rules       every field of Rules; "removed" only if cards are removed
    seed        [seed, table, match]
    agents      names, by seat, or null
    start       scores, bags, opener, hand_number; last: the result of the hand before, if known
    hands       deck        its cards in order
                given       whether the caller fixed the deck; otherwise it was shuffled from the seed
                actions     names of actions in order; the rules determine whose they are
                received    by seat, the cards received in an exchange, if there was one
                result      bids, blind, tricks (by seat), points, scores, bags (by side), once it is over
                checks
    decks       decks that the caller fixed for later hands
    winner      the side that won, or null
    checks, digest

Every line has a checksum: those of a hand are in the hand, the others at the top level. The digest covers the whole
record. It shows whether anything was changed; the checksums show where. Both are computed from the values in this
layout: another program may indent the text differently, sort keys, or use other line ends.
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
    """A record that is damaged, was changed, or describes a match that cannot have been played.

    Attributes:
        path: keys and indices of the wrong value, as in ``("hands", 2, "deck")``; empty if unknown.
    """

    def __init__(self, message: str, path: Path = ()) -> None:
        super().__init__(message)
        self.path = path


def group_actions(actions: list[int], rules: Rules) -> list[list[int]]:
    """The actions of a hand in groups, one per line: draft, each exchange, bids, each trick."""
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
    """Whether the items of the value at ``path`` have lines of their own."""
    return path in ((), ("hands",), ("decks",)) or (
        path[:1] == ("hands",) and (len(path) == 2 or path[2:] == ("actions",))
    )


def lay_out(value: Any, path: Path = (), head: str = "", tail: str = "") -> Iterator[tuple[Path, str]]:
    """(path, text) for every line of a record."""
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
    """The part whose checksums cover the line at ``path``: a hand, or ``()`` outside the hands."""
    return path[:2] if path[:1] == ("hands",) and len(path) > 2 else ()


def _checks(raw: dict[str, Any]) -> dict[Path, list[tuple[Path, str, str]]]:
    """For each part its lines, as (path, text, checksum)."""
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
    """``raw`` with its checksums and its digest filled in."""
    for part, lines in _checks(raw).items():
        _field_of(raw, part)["checks"] = " ".join(check for _, _, check in lines)
    raw["digest"] = _digest(raw)
    return raw


def is_sealed(raw: dict[str, Any]) -> bool:
    """Whether the digest of a parsed record is correct."""
    return raw["digest"] == _digest(raw)


def in_order(raw: Any, like: Any) -> Any:
    """``raw`` with the keys of its objects in the order of ``like``: other programs may sort them."""
    if isinstance(raw, dict) and isinstance(like, dict):
        keys = [key for key in (*like, "checks", "digest") if key in raw]
        return {key: in_order(raw[key], like.get(key)) for key in keys}
    if isinstance(raw, list) and isinstance(like, list) and len(raw) == len(like):
        return [in_order(*pair) for pair in zip(raw, like, strict=True)]
    return raw


def find_changes(raw: dict[str, Any]) -> dict[Path, str]:
    """The lines that differ from what was saved, each with a message, if the digest of a record is wrong."""
    sealed = seal(json.loads(json.dumps(raw)))
    if sealed["digest"] == raw["digest"]:  # only checksums were changed
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
                changes[path] = f"found {text:.80}, not what was saved: its checksum is {check}, expected {other}"
        if len(lines) != len(expected):
            changes[(*part, "checks")] = f"found {len(expected)} checksums, expected {len(lines)}"
    return changes or {("digest",): f"found {raw['digest']!r:.80}, expected {_digest(raw)!r}"}


def to_text(raw: dict[str, Any]) -> str:
    """The text of a sealed record."""
    return "".join(f"{text}\n" for _, text in lay_out(raw))


_AGAIN = " (again)"


def _all_fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """All fields of a JSON object; a duplicate gets another name, which is then rejected as unknown."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        while key in found:
            key += _AGAIN
        found[key] = value
    return found


def parse_json(text: str) -> Any:
    """The value of a JSON text.

    Raises:
        RecordError: if the text is not JSON; the message names the line.
    """
    try:
        return json.loads(text, object_pairs_hook=_all_fields)
    except json.JSONDecodeError as error:
        raise RecordError(f"line {error.lineno}: the record is damaged or cut short: {error.msg}") from None
    except ValueError as error:  # an int too long to convert
        raise RecordError(f"the record is damaged: {error}") from None


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},]|[^\s\[\]{},:"]+|\n')


def find_lines(text: str) -> dict[Path, int]:
    """The line on which each value of a JSON text starts; the text must be one that :func:`parse_json` accepts."""
    lines: dict[Path, int] = {}
    line = 1
    path: list[str | int] = []  # of the next value or the one being read
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
    """The lines of a record's values in its text, for error messages.

    Args:
        text: the text; None if the record was not read from text.
    """

    def __init__(self, text: str | None = None) -> None:
        self._text = text
        self.actions: dict[int, list[Path]] = {}  # for each hand, the path of each action

    def fail(self, path: Path, message: str, what: str | None = None, line_of: Path | None = None) -> NoReturn:
        """Reject the value at ``path``.

        Args:
            path: keys and indices of the value.
            message: what is wrong with it.
            what: its name, if not given by its keys.
            line_of: path of another value, whose line is named instead.

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
