"""The record of a match: everything needed to show it and to replay it, as JSON, bytes or readable text.

A record holds the rules, the seed, every deck and every action. :meth:`Record.replay` plays the match again and checks
all of them; the error for a record that was changed or cut short names the place.
"""

from __future__ import annotations

import codecs
import hashlib
import json
import os
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from spades_env._version import __version__
from spades_env.action_space import IllegalAction
from spades_env.cards import DONE, action_name, card_name, cards_in, mask_of
from spades_env.engine.state import Phase
from spades_env.files import write_whole
from spades_env.game.log import HandLog, Start
from spades_env.records import format as record_format
from spades_env.records.format import Path, Places, RecordError
from spades_env.records.reader import FORMAT, FORMAT_VERSION, Reader, check_agents
from spades_env.records.transcript import transcript
from spades_env.rules import Rules

if TYPE_CHECKING:
    from spades_env.game.game import Game

_MAGIC = b"spades1\n"
_LONGEST = 1 << 26  # bytes of JSON, some 50,000 hands; anything longer is not unpacked


@dataclass(frozen=True)
class Record:
    """A match, finished or not.

    Attributes:
        rules: the rules of the match.
        seed: (seed, table, match), from which decks were shuffled unless the caller fixed them.
        start: the start of the match.
        hands: the hands in order; the last one may be unfinished.
        decks: decks that the caller fixed for later hands.
        winner: the side that won, or None.
        agents: names of the players, by seat, or None.
        version: the version of spades_env that wrote the record.

    Example:
        >>> from spades_env import Game, replay
        >>> game = Game("solo", seed=1)
        >>> game.apply(game.legal_actions()[1])
        >>> record = Record.from_json(game.record().to_json())
        >>> replay(record).to_bytes() == game.to_bytes()
        True
    """

    game_type: ClassVar[type[Game]]
    """The class with which :meth:`replay` plays the match; ``spades_env.game`` sets it, since Game imports Record."""

    rules: Rules
    seed: tuple[int, int, int]
    start: Start
    hands: tuple[HandLog, ...]
    decks: tuple[list[int], ...] = ()
    winner: int | None = None
    agents: tuple[str, ...] | None = None
    version: str = __version__
    _places: Places = field(default_factory=Places, repr=False, compare=False)

    @classmethod
    def of(cls, game: Game, agents: Sequence[str] | None = None) -> Record:
        """The record of ``game`` so far.

        Args:
            game: the game; the record does not change when it continues.
            agents: names of the players, by seat.

        Raises:
            ValueError: if ``agents`` does not hold one string for each seat.
        """
        names = check_agents(agents, game.rules)
        log = game.log.copy()
        hands = log.hands
        return cls(game.rules, game.seed, log.start, hands, tuple(log.decks[len(hands) :]), game.winner, names)

    def replay(self) -> Game:
        """Play the match again and check all decks, actions, exchanged cards and results.

        Returns:
            The game as it was when it was recorded; it continues identically.

        Raises:
            RecordError: for the first value that is wrong; the message says what was found and what was expected.
        """
        *_, (game, _) = self.positions()
        return game

    def positions(self) -> Iterator[tuple[Game, int | None]]:
        """Yield (game, action) before every action of the match, and (game, None) at the end.

        All yield the same game: clone it to keep a position, and do not change it. Everything is checked as in
        :meth:`replay`.
        """
        given = [log.deck for log in self.hands if log.given]
        game = self.game_type.from_start(self.rules, self.seed, self.start, [*given, *self.decks])
        for k, log in enumerate(self.hands):
            dealt = game.log.current.deck
            if dealt != log.deck:
                places = [n for n, pair in enumerate(zip(log.deck, dealt, strict=True)) if pair[0] != pair[1]]
                found, expected = (card_name(deck[places[0]]) for deck in (log.deck, dealt))
                self._fail(k, "deck", f"found {found} in place {places[0] + 1}, the shuffle of the seed has {expected}")
            for n, action in enumerate(log.actions):
                if len(game.log.finished) > k or game.is_over:
                    self._fail_action(k, n, "the end of the hand")
                yield game, action
                self._apply(game, k, n, action)
            self._check_hand(game, k)
            if game.is_over or len(game.log.finished) <= k:
                break
        if len(self.hands) != len(game.log.finished) + 1:
            self._places.fail(("hands",), f"found {len(self.hands)}, expected {len(game.log.finished) + 1}")
        if self.winner != game.winner:
            self._places.fail(("winner",), f"found {self.winner}, expected {game.winner}")
        yield game, None

    def _fail(self, hand: int, key: str, message: str) -> NoReturn:
        self._places.fail(("hands", hand, key), message)

    def _fail_action(self, hand: int, n: int, expected: str) -> NoReturn:
        paths = self._places.actions.get(hand)
        path = paths[n] if paths else ("hands", hand, "actions")
        found = action_name(self.hands[hand].actions[n])
        self._places.fail(path, f"found {found}, expected {expected}", f"hand {hand + 1}, action {n + 1}")

    def _apply(self, game: Game, hand: int, n: int, action: int) -> None:
        """Play one action; in an exchange, the cards received are those in the record."""
        seat = game.seat
        exchanging = game.phase == Phase.EXCHANGE
        if exchanging and action in game.legal_actions():
            count = game.exchanged[seat] + (action != DONE)
            if action == DONE or count == self.rules.exchange:
                self._replacements(game, hand, seat, count)
        try:
            game.apply(action)
        except IllegalAction:
            allowed = " ".join(map(action_name, game.legal_actions()))
            self._fail_action(hand, n, f"one of {allowed} (seat {seat}, {game.phase.name})")
        if exchanging and (game.phase, game.seat) != (Phase.EXCHANGE, seat):
            drawn, noted = (played or [[], []] for played in (game.log.current.received, self.hands[hand].received))
            if drawn[seat] != noted[seat]:
                self._fail_cards(hand, seat, noted[seat], _names(drawn[seat]))

    def _replacements(self, game: Game, hand: int, seat: int, count: int) -> None:
        """In a hand with a fixed deck, set the cards received to those in the record."""
        if not self.hands[hand].given:
            return
        noted = (self.hands[hand].received or [[], []])[seat]
        pile = game.discard_pile
        if len(noted) != count or mask_of(noted) & ~pile:
            self._fail_cards(hand, seat, noted, f"{count} of the pile {_names(cards_in(pile))}")
        game.replace_given(noted)

    def _fail_cards(self, hand: int, seat: int, found: list[int], expected: str) -> NoReturn:
        self._fail(hand, "received", f"seat {seat}: found {_names(found)}, expected {expected}")

    def _check_hand(self, game: Game, hand: int) -> None:
        """Compare what the record holds of a hand, besides its actions, with the replayed hand."""
        log = self.hands[hand]
        played = game.log.hands[hand]
        if log.received != played.received:
            found, expected = (None if r is None else list(map(_names, r)) for r in (log.received, played.received))
            self._fail(hand, "received", f"found {found}, expected {expected}")
        if played.result is None and (log.result is not None or hand + 1 < len(self.hands)):
            self._fail(hand, "actions", f"end before the hand is over, expected an action of seat {game.seat}")
        if played.result is not None and log.result is None:
            self._fail(hand, "actions", "found the last trick of the hand, but no result")
        if log.result is not None and played.result is not None:
            for name, expected in asdict(played.result).items():
                found = getattr(log.result, name)
                if found != expected:
                    self._fail(hand, "result", f"{name} found {found}, expected {expected}")

    def to_dict(self) -> dict[str, Any]:
        """The record as values that JSON can represent."""
        start: dict[str, Any] = {key: value for key, value in asdict(self.start).items() if value is not None}
        return {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "spades_env": self.version,
            "rules": self.rules.to_dict(),
            "seed": list(self.seed),
            "agents": None if self.agents is None else list(self.agents),
            "start": start,
            "hands": [self._hand_dict(log) for log in self.hands],
            "decks": [_names(deck) for deck in self.decks],
            "winner": self.winner,
        }

    def _hand_dict(self, log: HandLog) -> dict[str, Any]:
        groups = record_format.group_actions(log.actions, self.rules)
        found: dict[str, Any] = {
            "deck": _names(log.deck),
            "given": log.given,
            "actions": [" ".join(map(action_name, group)) for group in groups],
        }
        if log.received is not None:
            found["received"] = [_names(cards) for cards in log.received]
        if log.result is not None:
            found["result"] = asdict(log.result)
        return found

    def to_text(self) -> str:
        """The match as readable text: hands, draft, bids, tricks with their winners, results.

        Raises:
            RecordError: if :meth:`replay` raises one.
        """
        return transcript(self)

    def to_json(self) -> str:
        """The record as JSON text, with one value per line, checksums and a digest."""
        return record_format.to_text(record_format.seal(self.to_dict()))

    @classmethod
    def from_json(cls, text: str) -> Record:
        """The record whose JSON text :meth:`to_json` returned.

        Raises:
            RecordError: if it is not a record, or was changed; the message names the line.
        """
        if not isinstance(text, str):
            raise RecordError(f"a record must be a string, got {type(text).__name__}")
        try:
            text = text.removeprefix("\ufeff")  # a byte-order mark
            raw = record_format.parse_json(text)
            places = Places(text)
            record = cls(**Reader(places, sealed=True).read(raw), _places=places)
            raw = record_format.in_order(raw, record.to_dict())
            if not record_format.is_sealed(raw):
                record._fail_changed(record_format.find_changes(raw))
        except RecursionError:
            raise RecordError("the record is damaged: nested too deeply") from None
        return record

    def _fail_changed(self, changes: dict[Path, str]) -> NoReturn:
        """Reject a text that was changed, with the error of :meth:`replay` if that concerns the first changed line."""
        try:
            self.replay()
        except RecordError as error:
            if error.path == next(iter(changes)):
                raise
        path, message = next(iter(changes.items()))
        self._places.fail(path, message)

    def to_bytes(self) -> bytes:
        """The record as compact bytes."""
        packed = zlib.compress(json.dumps(self.to_dict(), separators=(",", ":")).encode(), 1)
        return _MAGIC + hashlib.sha256(packed).digest() + packed

    @classmethod
    def from_bytes(cls, data: bytes) -> Record:
        """The record whose bytes :meth:`to_bytes` returned.

        Raises:
            RecordError: if the bytes are damaged or are not a record.
        """
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise RecordError(f"a record must be bytes, got {type(data).__name__}")
        data = bytes(data)
        start = len(_MAGIC) + 32
        if data[: len(_MAGIC)] != _MAGIC:
            raise RecordError("the bytes are not a record of a match")
        if hashlib.sha256(data[start:]).digest() != data[len(_MAGIC) : start]:
            raise RecordError("the bytes of the record are damaged or cut short")
        try:
            text = zlib.decompressobj().decompress(data[start:], _LONGEST).decode()
        except (zlib.error, UnicodeDecodeError) as error:
            raise RecordError(f"the bytes of the record are damaged: {error}") from None
        try:
            places = Places()
            return cls(**Reader(places, sealed=False).read(record_format.parse_json(text)), _places=places)
        except RecursionError:
            raise RecordError("the bytes of the record are damaged: nested too deeply") from None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the JSON text to a file, atomically.

        Raises:
            OSError: if it cannot be written.
        """
        write_whole(path, self.to_json())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Record:
        """Read a file that :meth:`save` wrote, also after another program has sorted or indented it.

        Raises:
            RecordError: if it is not a record, or was changed.
            OSError: if it cannot be read.
        """
        with open(path, "rb") as file:
            return cls.decode(file.read())

    @classmethod
    def decode(cls, data: bytes) -> Record:
        """The record in the bytes of a file that :meth:`save` wrote, see :meth:`load`.

        Raises:
            RecordError: if it is not a record, or was changed.
        """
        try:
            wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
            return cls.from_json(data.decode("utf-16" if wide else "utf-8"))
        except UnicodeDecodeError as error:
            line = data[: error.start].count(b"\n") + 1
            raise RecordError(f"line {line}: the record is damaged: not UTF-8 text") from None


def replay(record: Record) -> Game:
    """Replay the match of ``record`` and check it, see :meth:`Record.replay`."""
    return record.replay()


def _names(cards: Sequence[int]) -> str:
    return " ".join(map(action_name, cards))
