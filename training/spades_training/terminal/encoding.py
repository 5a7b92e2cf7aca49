"""Output for terminals that cannot show every character: what they lack is written in ASCII."""

from __future__ import annotations

import codecs
import contextlib
import io
import sys
import unicodedata

_ERRORS = "spades_plain"
_PLAIN = {"♠": "S", "♥": "H", "♦": "D", "♣": "C", "…": ".", "–": "-", "—": "-", "×": "x", "±": "+/-", "µ": "u"}
_PLAIN |= {"→": "->", "←": "<-", "≥": ">=", "≤": "<=", "·": ".", "•": "*", "’": "'", "‘": "'", "“": '"', "”": '"'}


def plain(text: str) -> str:
    """The text in ASCII: suits as letters, lines as ``-``, ``|`` and ``+``, letters without their accents."""
    return "".join(char if char.isascii() else _plain_char(char) for char in text)


def write_plain(ascii_only: bool = False) -> None:
    """Make stdout and stderr write in ASCII what their encoding lacks; stdin replaces what it cannot decode.

    Args:
        ascii_only: whether to write only ASCII, whatever the encoding.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            with contextlib.suppress(io.UnsupportedOperation):
                stream.reconfigure(encoding="ascii" if ascii_only else None, errors=_ERRORS)
    if isinstance(sys.stdin, io.TextIOWrapper):
        with contextlib.suppress(io.UnsupportedOperation):
            sys.stdin.reconfigure(errors="replace")


def _plain_char(char: str) -> str:
    if char in _PLAIN:
        return _PLAIN[char]
    name = unicodedata.name(char, "")
    if name.startswith("BOX DRAWINGS"):
        return {"HORIZONTAL": "-", "VERTICAL": "|"}.get(name.split()[-1] if " AND " not in name else "", "+")
    if name.endswith("BLOCK"):
        return "#"
    return unicodedata.normalize("NFKD", char).encode("ascii", "ignore").decode() or "?"


def _replace(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return plain(error.object[error.start : error.end]), error.end


codecs.register_error(_ERRORS, _replace)
