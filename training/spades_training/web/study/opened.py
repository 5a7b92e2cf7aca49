"""A record opened for review: every position of it, and how to move between them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from spades_env.cards import BLIND_NIL, NUM_CARDS
from spades_env.engine.state import copy_state
from spades_env.game import Phase, View
from spades_env.game.position import Position
from spades_env.records.record import Record
from spades_training.terminal.hints import action_words
from spades_training.web.study.belief import holdings

MOST_BYTES = 1_000_000
"""Largest file that is opened, in bytes: a record of some 700 hands."""


class Step(NamedTuple):
    """The table before an action, or at the end.

    Attributes:
        table: the table with all its cards.
        action: what the seat on turn does; None at the end.
    """

    table: Position
    action: int | None

    def view(self, seat: int | None = None) -> View:
        """What a seat, by default that on turn, knows."""
        table = self.table
        return View(table.rules, table.rules_array, table.state, table.seat if seat is None else seat)

    @property
    def scores(self) -> str:
        """The points and bags of every side, in words."""
        rules = self.table.rules
        sides = zip(self.table.scores, self.table.bags, strict=True)
        return "; ".join(f"{rules.side_name(k)}: {score} points, {bags} bags" for k, (score, bags) in enumerate(sides))

    @property
    def moment(self) -> str:
        """When this is, in words: ``hand 2, trick 3``."""
        table = self.table
        if table.is_over:
            return "the end of the match"
        phase = table.phase
        what = f"trick {sum(table.tricks) + 1}" if phase == Phase.PLAY else _PHASES[phase]
        return f"hand {table.hand_number + 1}, {what}"


_PHASES = {Phase.BLIND: "blind nil or look", Phase.DRAFT: "draft", Phase.EXCHANGE: "exchange", Phase.BID: "bids"}


def _verb(action: int) -> str:
    """The verb before :func:`action_words`, which already holds that of other actions."""
    return "plays" if action < NUM_CARDS else "bids" if action <= BLIND_NIL else "chooses"


@dataclass(frozen=True)
class Opened:
    """A record that was replayed and checked.

    Attributes:
        record: the record.
        steps: the table before each action, and at the end.
        digest: identifies the match, whatever the record's format.
    """

    record: Record
    steps: tuple[Step, ...]
    digest: str
    _parts: tuple[tuple[int, int], ...] = field(repr=False)

    @property
    def names(self) -> tuple[str, ...] | None:
        """The names of the players by seat, or None."""
        return self.record.agents

    def name(self, seat: int) -> str:
        """A seat with the name of its player."""
        return f"seat {seat}" if self.names is None else f"seat {seat} ({self.names[seat]})"

    def hands(self) -> dict[int, int]:
        """The number of each hand, counted from 1, with its first step."""
        found: dict[int, int] = {}
        for k, (hand, _) in enumerate(self._parts):
            found.setdefault(hand + 1, k)
        return found

    def hand_of(self, at: int) -> int:
        """The number of the hand of a step, counted from 1."""
        return self._parts[at][0] + 1

    def told(self, at: int) -> str:
        """What happens at a step, in words: ``hand 2, trick 3: seat 1 plays Q♠``."""
        table, action = self.steps[at]
        if action is None:
            return self._end(table)
        return f"{self.steps[at].moment}: {self.name(table.seat)} {_verb(action)} {action_words(action)}".rstrip()

    def compared(self, at: int, best: int) -> str:
        """What was done at a step, and what would have been better."""
        return f"{self.told(at)}; better {action_words(best)}"

    def holders(self, at: int) -> dict[int, int]:
        """The seat that holds each card that was not played, -1 for nobody."""
        held = holdings(self.steps[at].table)
        last = len(held) - 1
        return {int(card): -1 if seat == last else int(seat) for seat, card in zip(*np.nonzero(held), strict=True)}

    def _end(self, table: Position) -> str:
        if not table.is_over:
            return "the record ends here"
        return f"the match is won by {table.rules.side_name(table.winner or 0)}"

    def next_part(self, at: int, by: int) -> int:
        """The first step of the next trick or phase (``by`` = 1), or of this one or the one before (-1)."""
        starts = [k for k, part in enumerate(self._parts) if k == 0 or part != self._parts[k - 1]]
        if by > 0:
            return next((k for k in starts if k > at), len(self.steps) - 1)
        return next((k for k in reversed(starts) if k < at), 0)


def open_record(data: bytes) -> Opened:
    """Read and replay a record.

    Args:
        data: the contents of a file as :meth:`Record.save <spades_env.records.record.Record.save>` writes it.

    Raises:
        ValueError: if it is too large, or (as RecordError) not a record, changed or cut short; the message is one line.
    """
    if len(data) > MOST_BYTES:
        raise ValueError(f"the file is {len(data):,} bytes long; records of up to {MOST_BYTES:,} bytes are opened")
    return opened(Record.decode(data))


def opened(record: Record) -> Opened:
    """Replay a record.

    Raises:
        RecordError: if it is inconsistent.
    """
    steps, parts = [], []
    for game, action in record.positions():
        steps.append(Step(Position(game.rules, game.rules_array, copy_state(game.state)), action))
        part = sum(game.tricks) + 1 if game.phase == Phase.PLAY else -int(game.phase)
        parts.append((parts[-1][0] if action is None and parts else game.hand_number, part))
    return Opened(record, tuple(steps), hashlib.sha256(record.to_bytes()).hexdigest(), tuple(parts))


def same_match(one: Record, other: Record) -> bool:
    """Whether two records are of the same match, perhaps at different times."""
    return (one.rules, one.seed, one.start, one.hands[0].deck) == (
        other.rules,
        other.seed,
        other.start,
        other.hands[0].deck,
    )
