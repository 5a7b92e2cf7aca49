"""The layout of observations, and their description in words; ``engine.encode`` writes them.

An observation is a vector of :data:`SIZE` zeros and ones (int8) with the same layout for every variant. Seats
are relative: 0 is the observer, 1 the next seat clockwise. So are sides: 0 is the observer's own. Parts
that a game does not have (seat 3 of two players, the draft of a dealt game) are 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from spades_env.cards import NUM_CARDS, SUITS, cards_in, hand_text
from spades_env.engine.state import Phase
from spades_env.rules import Rules


@dataclass(frozen=True)
class Field:
    """A named part of the observation.

    Attributes:
        name: its key in the result of :func:`decode`.
        rows: number of slices, one for each relative seat or side, or each place in the trick.
        width: number of bits in a slice.
        code: encoding of a slice: ``"set"`` has one bit per member, ``"one-hot"`` at most one bit set,
            ``"count"`` as many leading ones as the number, ``"flag"`` one bit, ``"int"`` binary digits, lowest first,
            ``"signed"`` the same in two's complement.
        meaning: a one-line description.
        start: index of its first bit.
        stride: distance between the starts of consecutive slices.
    """

    name: str
    rows: int
    width: int
    code: str
    meaning: str
    start: int = 0
    stride: int = 0

    @property
    def slices(self) -> list[slice]:
        """The slices of the observation that it occupies, in order."""
        starts = range(self.start, self.start + self.rows * self.stride, self.stride)
        return [slice(start, start + self.width) for start in starts]


TARGET_STEP = 25  # points per bit of "to_target"


AnyField = TypeVar("AnyField", bound=Field)


def laid_out(*blocks: tuple[AnyField, ...]) -> Iterator[AnyField]:
    """The fields with their starts and strides, one after another; those of a block are interleaved row by row."""
    start = 0
    for block in blocks:
        stride = sum(field.width for field in block)
        offset = start
        for field in block:
            yield replace(field, start=offset, stride=stride)
            offset += field.width
        start += block[0].rows * stride


LAYOUT: tuple[Field, ...] = tuple(
    laid_out(
        (Field("hand", 1, 52, "set", "own cards; none before the blind question is answered"),),
        (Field("drawn", 1, 52, "set", "the card just drawn in the draft, if the observer is to decide on it"),),
        (Field("gone", 1, 52, "set", "cards seen to leave play: discards seen in the draft, cards given up"),),
        (  # a block for each seat
            Field("plays", 4, 52, "set", "cards played in this hand, by seat"),
            Field("bids", 4, 18, "one-hot", "bid 0 to 17, by seat; none before the bid"),
            Field("answer", 4, 2, "one-hot", "blind question: looked (or was never asked), bid blind nil, by seat"),
            Field("tricks", 4, 17, "count", "tricks won in this hand, by seat"),
            Field("voids", 4, 4, "set", "suits (C, D, H, S) in which the seat has shown a void, by seat"),
        ),
        (Field("trick", 3, 52, "set", "first, second and third card of the current trick"),),
        (Field("broken", 1, 1, "flag", "spades are broken"),),
        (Field("lead", 1, 1, "flag", "the current trick is empty: the next card played leads"),),
        (Field("phase", 1, 6, "one-hot", "blind, draft, exchange, bid, play, over"),),
        (Field("leader", 1, 4, "one-hot", "seat that leads or led the current trick (before the play: the first)"),),
        (Field("opener", 1, 4, "one-hot", "seat that opened the hand"),),
        (Field("turn", 1, 4, "one-hot", "seat on turn"),),
        (  # a block for each seat of the two-player game
            Field("draws", 2, 13, "count", "draws decided in the draft, by seat"),
            Field("kept", 2, 13, "set", "which of its draws the seat kept, by seat"),
            Field("exchanged", 2, 4, "int", "cards given up in the exchange, by seat"),
        ),
        (  # a block for each side
            Field("score", 4, 16, "signed", "points, cut off at -32,768 and 32,767, by side"),
            Field("to_target", 4, 16, "count", f"points to the target in {TARGET_STEP}s, cut off at 16, by side"),
            Field("bags", 4, 7, "int", "bag counter, cut off at 127, by side"),
            Field("bag_room", 4, 10, "count", "bags until the penalty, cut off at 10; 0 if there is none, by side"),
        ),
    )
)
FIELDS: dict[str, Field] = {field.name: field for field in LAYOUT}
SIZE = max(part.stop for field in LAYOUT for part in field.slices)
STATE_SIZE = SIZE + 6 * NUM_CARDS  # of Game.full_observation
WORDS, _rest = divmod(SIZE, 64)
assert _rest == 0, "the encoder writes whole words, and rows that start at a cache line are written fastest"


def observation_rows(count: int) -> np.ndarray:
    """An uninitialized array for ``count`` observations: int8 of shape (count, SIZE), aligned to 64 bytes."""
    room = np.empty(count * SIZE + 64, np.int8)
    start = -room.ctypes.data % 64
    return room[start : start + count * SIZE].reshape(count, SIZE)


def used_bits(rules: Rules) -> np.ndarray:
    """The bits that can be 1 under ``rules``, as a bool array of shape (SIZE,).

    The others are always 0, so a network may drop them.
    """
    used = np.zeros(SIZE, bool)
    exchange = rules.exchange if rules.blind_nil else 0
    rows = {"trick": rules.players - 1, "draws": 2, "kept": 2, "exchanged": 2}
    rows |= dict.fromkeys(("score", "to_target", "bags", "bag_room"), rules.sides)
    widths = {"bids": rules.hand_size + 1, "tricks": rules.hand_size, "answer": 2 if rules.blind_nil else 1}
    widths |= dict.fromkeys(("leader", "opener", "turn"), rules.players)
    widths |= {"exchanged": exchange.bit_length(), "bag_room": min(rules.bag_limit, 10)}
    if rules.bag_limit:
        widths["bags"] = (rules.bag_limit - 1).bit_length()
    if not rules.draft:
        widths |= dict.fromkeys(("drawn", "draws", "kept"), 0) | ({} if exchange else {"gone": 0})
    for field in LAYOUT:
        width = widths.get(field.name, field.width)
        for part in field.slices[: rows.get(field.name, rules.players)]:
            used[part.start : part.start + width] = True
            if field.width == NUM_CARDS:
                used[[part.start + card for card in range(NUM_CARDS) if card not in rules.deck]] = False
    phases = {Phase.BLIND: rules.blind_nil > 0, Phase.DRAFT: rules.draft, Phase.EXCHANGE: exchange > 0}
    for phase, occurs in phases.items():
        used[FIELDS["phase"].start + phase] = occurs
    return used


def decode(observation: np.ndarray) -> dict[str, Any]:
    """The observation as a dict from field names to values, or to lists of values by seat, side or place.

    Sets of cards become ints with bit ``card`` set, other sets lists of members; ``"one-hot"`` fields become
    the index or None.

    Raises:
        ValueError: if the shape is wrong, or there is a value other than 0 and 1.
    """
    bits = np.asarray(observation)
    if bits.shape != (SIZE,) or not np.isin(bits, (0, 1)).all():
        raise ValueError(f"an observation must be a vector of {SIZE} zeros and ones, got shape {bits.shape}")
    found: dict[str, Any] = {}
    for field in LAYOUT:
        parts = [_decode_part(field, bits[part]) for part in field.slices]
        found[field.name] = parts if field.rows > 1 else parts[0]
    return found


def _decode_part(field: Field, bits: np.ndarray) -> Any:
    number = sum(1 << int(k) for k in np.flatnonzero(bits))
    if field.code == "set":
        return number if field.width == 52 else cards_in(number)
    if field.code == "one-hot":
        return number.bit_length() - 1 if number else None
    if field.code == "count":
        return int(bits.sum())
    if field.code == "flag":
        return bool(number)
    return number - (1 << field.width) if field.code == "signed" and bits[-1] else number


def describe(observation: np.ndarray) -> str:
    """The observation in words, one line per field that is not empty.

    Raises:
        ValueError: as :func:`decode` does.
    """
    found = decode(observation)
    lines = []
    for field in LAYOUT:
        parts = found[field.name] if field.rows > 1 else [found[field.name]]
        texts = [_in_words(field, part) for part in parts]
        if any(text not in ("-", "no") for text in texts):
            lines.append(f"{field.name}: {', '.join(texts)}")
    return "\n".join(lines)


def _in_words(field: Field, part: Any) -> str:
    if field.name == "phase":
        return Phase(part).name.lower()
    if field.name == "voids":
        return "".join(SUITS[suit] for suit in part) or "-"
    if field.width == 52:
        return hand_text(part) or "-"
    if isinstance(part, bool):
        return "yes" if part else "no"
    return "-" if part is None else str(part)


def layout_table() -> str:
    """The layout as a Markdown table, as in the docs."""
    rows = ["| name | first bits | width | code | meaning |", "|---|---|---|---|---|"]
    for field in LAYOUT:
        starts = ", ".join(str(part.start) for part in field.slices)
        rows.append(f"| `{field.name}` | {starts} | {field.width} | {field.code} | {field.meaning} |")
    return "\n".join(rows)
