"""The observation: a table of named slices, the encoder that fills them, and the way back to words.

An observation is a vector of :data:`SIZE` zeros and ones (int8), the same layout for every variant. Seats
are relative: 0 is the observer, 1 the next seat clockwise; so are sides: 0 is the observer's own. What a
game does not have (seat 3 of two players, the draft of a dealt game) stays 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from spades_env.cards import NUM_ACTIONS, cards_in, hand_text
from spades_env.engine.bits import U64, bit, spread
from spades_env.engine.conceal import sees_drawn, sees_hand
from spades_env.engine.jit import jit
from spades_env.engine.state import BLIND_BID, LOOKED, Phase
from spades_env.engine.step import legal
from spades_env.rules import Rules


@dataclass(frozen=True)
class Field:
    """A named slice of the observation.

    Attributes:
        name: how :func:`decode` calls it.
        rows: how many equal parts it has, one for each relative seat or side, or place in the trick.
        width: bits of one part.
        code: how a part is written: ``"set"`` one bit a member, ``"one-hot"`` at most one bit,
            ``"count"`` that many ones from the left, ``"flag"`` one bit, ``"int"`` binary, low bit first,
            ``"signed"`` the same in two's complement.
        meaning: one line for people.
        start: index of its first bit.
    """

    name: str
    rows: int
    width: int
    code: str
    meaning: str
    start: int = 0

    @property
    def size(self) -> int:
        """Bits of the whole field."""
        return self.rows * self.width

    @property
    def slice(self) -> slice:
        """Where the field lies in the observation."""
        return slice(self.start, self.start + self.size)


TARGET_STEP = 25  # points for one bit of "to_target"


def _laid_out(*fields: Field) -> Iterator[Field]:
    start = 0
    for field in fields:
        yield Field(field.name, field.rows, field.width, field.code, field.meaning, start)
        start += field.size


LAYOUT: tuple[Field, ...] = tuple(
    _laid_out(
        Field("hand", 1, 52, "set", "own cards; none before the blind question is answered"),
        Field("drawn", 1, 52, "set", "the card just drawn in the draft, if the observer is to decide on it"),
        Field("gone", 1, 52, "set", "cards seen to leave play: discards seen in the draft, cards given up"),
        Field("plays", 4, 52, "set", "cards played in this hand, by seat"),
        Field("trick", 3, 52, "set", "first, second and third card of the current trick"),
        Field("bids", 4, 18, "one-hot", "bid 0 to 17, by seat; none before the bid"),
        Field("blind", 4, 1, "flag", "has bid blind nil, by seat"),
        Field("looked", 4, 1, "flag", "has declined blind nil, or was not offered it, by seat"),
        Field("tricks", 4, 17, "count", "tricks won in this hand, by seat"),
        Field("voids", 4, 4, "set", "suits (C, D, H, S) of which the seat has shown to hold none, by seat"),
        Field("broken", 1, 1, "flag", "spades are broken"),
        Field("leader", 4, 1, "flag", "leads or led the current trick (before the play: will lead the first), by seat"),
        Field("opener", 4, 1, "flag", "opened the hand, by seat"),
        Field("turn", 4, 1, "flag", "is on turn, by seat"),
        Field("phase", 1, 6, "one-hot", "blind, draft, exchange, bid, play, over"),
        Field("draws", 2, 13, "count", "draws decided in the draft, by seat"),
        Field("kept", 2, 13, "set", "which of its draws the seat kept, by seat"),
        Field("exchanged", 2, 13, "count", "cards given up in the exchange, by seat"),
        Field("score", 4, 16, "signed", "points, cut off at -32,768 and 32,767, by side"),
        Field("to_target", 4, 20, "count", f"points to the target in steps of {TARGET_STEP}, cut off at 20 steps, by side"),
        Field("bags", 4, 8, "int", "bag counter, cut off at 255, by side"),
        Field("bag_room", 4, 10, "count", "bags until the penalty, cut off at 10; 0 if there is none, by side"),
    )
)
FIELDS: dict[str, Field] = {field.name: field for field in LAYOUT}
SIZE = LAYOUT[-1].slice.stop
WORDS = -(-SIZE // 64)

# Starts as plain ints: numba compiles them to constants.
_DRAWN, _GONE, _PLAYS, _TRICK, _BIDS, _BLIND, _LOOKED, _TRICKS, _VOIDS, _BROKEN = (
    FIELDS[name].start
    for name in ("drawn", "gone", "plays", "trick", "bids", "blind", "looked", "tricks", "voids", "broken")
)
_LEADER, _OPENER, _TURN, _PHASE, _DRAWS, _KEPT, _EXCHANGED, _SCORE, _TO_TARGET, _BAGS, _BAG_ROOM = (
    FIELDS[name].start
    for name in (
        *("leader", "opener", "turn", "phase", "draws", "kept", "exchanged"),
        *("score", "to_target", "bags", "bag_room"),
    )
)
_EVEN_BITS = U64(0x5555555555555555)


@jit
def put(words, start, width, value):
    """Write the low ``width`` bits of ``value`` (no others set) at bit ``start`` of the cleared ``words``."""
    word = start >> 6
    shift = start & 63
    words[word] |= value << U64(shift)
    if shift + width > 64:
        words[word + 1] |= value >> U64(64 - shift)


@jit
def ones(count, most):
    """``count`` ones from bit 0 up, cut off at 0 and ``most``."""
    return bit(min(max(count, 0), most)) - U64(1)


@jit
def every_second(word):
    """Bits 0, 2, 4, ... of a word of 26 bits, moved together to bits 0 to 12 (Warren, Hacker's Delight, 7-4)."""
    word &= _EVEN_BITS
    word = (word | word >> U64(1)) & U64(0x3333333333333333)
    word = (word | word >> U64(2)) & U64(0x0F0F0F0F0F0F0F0F)
    word = (word | word >> U64(4)) & U64(0x00FF00FF00FF00FF)
    return (word | word >> U64(8)) & U64(0xFFFF)


@jit
def pack(s, r, seat, words):
    """The observation of ``seat`` as bits in ``words`` (uint64 of shape (WORDS,)): what conceal shows, no more."""
    for k in range(WORDS):
        words[k] = 0
    players = r.players
    if sees_hand(s, seat):
        words[0] = s.hands[seat]
    if r.draft:
        put_draft(s, r, seat, words)
    for relative in range(players):
        other = seat + relative
        if other >= players:
            other -= players
        put(words, _PLAYS + 52 * relative, 52, s.plays[other])
        if s.bids[other] >= 0:
            put(words, _BIDS + 18 * relative + s.bids[other], 1, U64(1))
        put(words, _BLIND + relative, 1, U64(s.blind[other] == BLIND_BID))
        put(words, _LOOKED + relative, 1, U64(s.blind[other] == LOOKED))
        put(words, _TRICKS + 17 * relative, 17, ones(s.tricks[other], 17))
        put(words, _VOIDS + 4 * relative, 4, U64(s.voids[other]))
        put(words, _LEADER + relative, 1, U64(other == s.leader))
        put(words, _OPENER + relative, 1, U64(other == s.opener))
        put(words, _TURN + relative, 1, U64(other == s.seat))
        if players == 2:
            put(words, _EXCHANGED + 13 * relative, 13, ones(s.exchanged[other], 13))
    for place in range(s.in_trick):
        put(words, _TRICK + 52 * place + s.order[s.played - s.in_trick + place], 1, U64(1))
    put(words, _BROKEN, 1, U64(s.broken))
    put(words, _PHASE + s.phase, 1, U64(1))
    own_side = seat % r.sides
    for relative in range(r.sides):
        side = own_side + relative
        if side >= r.sides:
            side -= r.sides
        score = s.scores[side]
        bags = s.bags[side]
        put(words, _SCORE + 16 * relative, 16, U64(min(max(score, -32768), 32767) & 0xFFFF))
        put(words, _TO_TARGET + 20 * relative, 20, ones((r.target - score + TARGET_STEP - 1) // TARGET_STEP, 20))
        put(words, _BAGS + 8 * relative, 8, U64(min(bags, 255)))
        if r.bag_limit > 0:
            put(words, _BAG_ROOM + 10 * relative, 10, ones(r.bag_limit - bags, 10))


@jit
def put_draft(s, r, seat, words):
    """The slices that only a draft or an exchange fills."""
    if sees_drawn(s, seat):
        put(words, _DRAWN + s.deck[2 * s.draws], 1, U64(1))
    put(words, _GONE, 52, s.seen[seat] | s.given[seat])
    # the opener decides draws 0, 2, 4, ... and the other seat the rest
    opens = seat != s.opener
    for relative in range(2):
        parity = opens ^ relative
        put(words, _DRAWS + 13 * relative, 13, ones((s.draws + 1 - parity) >> 1, 13))
        put(words, _KEPT + 13 * relative, 13, every_second(U64(s.kept) >> U64(parity)))


@jit
def encode(s, r, seat, words, observation):
    """Write the observation of ``seat`` to a row of int8; ``words`` is scratch of shape (WORDS,), uint64."""
    pack(s, r, seat, words)
    for k in range(WORDS - 1):
        spread(observation, 64 * k, words[k])
    # the last 64 bytes overlap the ones before, so that nothing is written past the row
    rest = SIZE - 64 * (WORDS - 1)
    last = (words[WORDS - 2] >> U64(rest)) | (words[WORDS - 1] << U64(64 - rest))
    spread(observation, SIZE - 64, last)


@jit
def encode_mask(low, high, mask):
    """Write the two words of :func:`spades_env.engine.step.legal` to a row of 75 int8."""
    spread(mask, 0, low)
    spread(mask, NUM_ACTIONS - 64, (low >> U64(NUM_ACTIONS - 64)) | (high << U64(128 - NUM_ACTIONS)))


@jit
def encode_for(s, r, seat, words, observation, mask):
    """Write observation and action mask of ``seat``; the mask is all 0 unless it is on turn."""
    encode(s, r, seat, words, observation)
    if seat == s.seat:
        low, high = legal(s, r)
        encode_mask(low, high, mask)
    else:
        encode_mask(U64(0), U64(0), mask)


def used_bits(rules: Rules) -> np.ndarray:
    """Which bits can ever be 1 under ``rules``: a bool array of shape (SIZE,).

    A network may drop the others: they are constant.
    """
    used = np.zeros(SIZE, bool)
    parts = {"score": rules.sides, "to_target": rules.sides, "bags": rules.sides, "bag_room": rules.sides}
    parts |= {"trick": rules.players - 1, "draws": 2, "kept": 2, "exchanged": 2}
    absent = set() if rules.draft else {"drawn", "draws", "kept"}
    if not rules.exchange or not rules.blind_nil:
        absent |= {"exchanged"} if rules.draft else {"exchanged", "gone"}
    if not rules.blind_nil:
        absent |= {"blind"}
    if not rules.bag_limit:
        absent |= {"bag_room"}
    for field in LAYOUT:
        if field.name in absent:
            continue
        rows = min(field.rows, parts.get(field.name, rules.players))
        width = {"bids": rules.hand_size + 1, "tricks": rules.hand_size}.get(field.name, field.width)
        for row in range(rows):
            start = field.start + row * field.width
            used[start : start + width] = True
    return used


def decode(observation: np.ndarray) -> dict[str, Any]:
    """The observation as a dict from field name to value: a list by seat, side or place for fields with parts.

    ``"set"`` fields of cards become ints with bit ``card`` set, other sets lists of members; ``"one-hot"``
    fields the index or None.

    Raises:
        ValueError: if it is not an observation: wrong shape, or a value other than 0 and 1.
    """
    bits = np.asarray(observation)
    if bits.shape != (SIZE,) or not np.isin(bits, (0, 1)).all():
        raise ValueError(f"an observation is a vector of {SIZE} zeros and ones, got shape {bits.shape}")
    found: dict[str, Any] = {}
    for field in LAYOUT:
        parts = [_decode_part(field, part) for part in bits[field.slice].reshape(field.rows, field.width)]
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
    """The observation in words, a line for each field that says something.

    Raises:
        ValueError: as :func:`decode`.
    """
    lines = []
    for field in LAYOUT:
        value = decode(observation)[field.name]
        if field.name == "phase" and value is not None:
            value = Phase(value).name.lower()
        if field.width == 52:
            value = [hand_text(v) or "-" for v in value] if field.rows > 1 else hand_text(value)
        elif field.name == "voids":
            value = ["".join("CDHS"[suit] for suit in suits) or "-" for suits in value]
        elif field.code == "flag" and field.rows > 1:
            value = [seat for seat, flag in enumerate(value) if flag]
        if value not in ("", [], None) and value != ["-"] * field.rows:
            lines.append(f"{field.name}: {', '.join(map(str, value)) if isinstance(value, list) else value}")
    return "\n".join(lines)


def layout_table() -> str:
    """The layout as a Markdown table, as the docs print it."""
    rows = ["| bits | name | parts x width | code | meaning |", "|---|---|---|---|---|"]
    for field in LAYOUT:
        end = field.slice.stop - 1
        rows.append(f"| {field.start}-{end} | `{field.name}` | {field.rows} x {field.width} | {field.code} | {field.meaning} |")
    return "\n".join(rows)


