"""Reads the parsed JSON of a record, and checks that it has exactly the expected fields, with valid values."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from spades_env.cards import cards_in, mask_of, parse_action, parse_card, parse_cards
from spades_env.checks import MOST_POINTS, check_deck, check_int, check_ints, check_list, check_seed
from spades_env.game.log import HandLog, HandResult, Start
from spades_env.records.format import Path, Places, RecordError
from spades_env.rules import Rules

FORMAT = "spades-env match"
FORMAT_VERSION = 1

_FIELDS = ("format", "format_version", "spades_env", "rules", "seed", "agents", "start", "hands", "decks", "winner")
_SEAL = ("checks", "digest")
# During a match scores and bags may exceed the limits for a caller's start values.
_MOST = 100 * MOST_POINTS


def check_agents(agents: Any, rules: Rules) -> tuple[str, ...] | None:
    """The names of the players, one for each seat, or None."""
    if agents is None:
        return None
    names = check_list("agents", agents)
    if len(names) != rules.players or not all(isinstance(name, str) for name in names):
        raise ValueError(f"agents must hold {rules.players} names, one for each seat, got {names!r:.80}")
    return tuple(names)


class Reader:
    """Reads a parsed record; every error is a RecordError that names the place.

    Args:
        places: the lines of the values in the text.
        sealed: whether the record must have checksums and a digest.
    """

    def __init__(self, places: Places, sealed: bool) -> None:
        self.places = places
        self.sealed = sealed
        self.rules = Rules()

    def read(self, raw: Any) -> dict[str, Any]:
        """The arguments of :class:`spades_env.records.record.Record`."""
        places = self.places
        if not isinstance(raw, dict):
            places.fail((), f"found {raw!r:.80}, expected an object")
        self._name_and_version(raw)
        self._fields((), raw, (*_FIELDS, *(_SEAL if self.sealed else ())))
        self.rules = self._rules(raw["rules"])
        hands = self._list(("hands",), raw["hands"])
        if not hands:
            places.fail(("hands",), "found none, expected at least one")
        logs = [self._hand(k, hand) for k, hand in enumerate(hands)]
        for k in range(1, len(logs)):
            if logs[k].given and not logs[k - 1].given:
                places.fail(("hands", k, "given"), "found true, expected false as in the hand before")
        decks = [self._deck(("decks",), deck) for deck in self._list(("decks",), raw["decks"])]
        if decks and not logs[-1].given:
            places.fail(("decks",), "found decks for later hands, expected none after a shuffled hand")
        if len(self._list(("seed",), raw["seed"])) != 3:
            places.fail(("seed",), f"found {raw['seed']!r:.80}, expected [seed, table, match]")
        with self._at(("seed",)):
            seed = check_seed(raw["seed"])
        with self._at(("agents",)):
            agents = check_agents(raw["agents"], self.rules)
        with self._at(("winner",)):
            winner = raw["winner"]
            winner = None if winner is None else check_int("winner", winner, 0, self.rules.sides - 1)
        if self.sealed:
            for path in ("checks",), ("digest",):
                self._text(path, raw[path[0]])
        return {
            "rules": self.rules,
            "seed": seed,
            "start": self._start(raw["start"]),
            "hands": tuple(logs),
            "decks": tuple(decks),
            "winner": winner,
            "agents": agents,
            "version": self._text(("spades_env",), raw["spades_env"]),
        }

    def _name_and_version(self, raw: dict[str, Any]) -> None:
        """Reject another format or version before anything else is read."""
        found = raw.get("format", FORMAT)
        if found != FORMAT:
            self.places.fail(("format",), f"found {found!r:.80}, expected {FORMAT!r}")
        found = raw.get("format_version", FORMAT_VERSION)
        if type(found) is not int or found != FORMAT_VERSION:
            message = f"found {found!r:.80}, this version of spades_env reads {FORMAT_VERSION}"
            self.places.fail(("format_version",), message)

    @contextmanager
    def _at(self, path: Path) -> Iterator[None]:
        """Convert the ValueError of a check into a RecordError about ``path``."""
        try:
            yield
        except RecordError:
            raise
        except ValueError as error:
            self.places.fail(path, str(error))

    def _fields(self, path: Path, value: Any, names: tuple[str, ...], optional: tuple[str, ...] = ()) -> None:
        if not isinstance(value, dict):
            self.places.fail(path, f"found {value!r:.80}, expected fields {', '.join(names)}")
        for name in value:
            if name not in names + optional:
                self.places.fail((*path, name), "there is no such field", f"field {name!r:.80}")
        for n, name in enumerate(names):
            if name not in value:
                following = [(*path, other) for other in names[n:] if other in value]
                self.places.fail(path, f"field {name!r} is missing", line_of=following[0] if following else path)

    def _text(self, path: Path, value: Any) -> str:
        if not isinstance(value, str):
            self.places.fail(path, f"found {value!r:.80}, expected a string")
        return value

    def _list(self, path: Path, value: Any) -> list[Any]:
        if not isinstance(value, list):
            self.places.fail(path, f"found {value!r:.80}, expected a list")
        return value

    def _rules(self, value: Any) -> Rules:
        path = ("rules",)
        self._fields(path, value, tuple(Rules().to_dict()), ("removed",))
        with self._at(path):
            return Rules.from_dict(value)

    def _deck(self, path: Path, value: Any) -> list[int]:
        with self._at(path):
            cards = list(map(parse_card, self._text(path, value).split()))
            # check_deck reports what is wrong with a deck, but is slow.
            return cards if tuple(sorted(cards)) == self.rules.deck else check_deck(cards, self.rules)

    def _start(self, value: Any) -> Start:
        path = ("start",)
        self._fields(path, value, ("scores", "bags", "opener", "hand_number"), ("last",))
        sides = self.rules.sides
        most_bags = self.rules.bag_limit - 1 if self.rules.bag_limit else _MOST
        if "last" in value and value["hand_number"] == 0:
            self.places.fail(path, "found a hand before the first one")
        with self._at(path):
            return Start(
                scores=check_ints("scores", self._list(path, value["scores"]), sides, -_MOST, _MOST),
                bags=check_ints("bags", self._list(path, value["bags"]), sides, 0, most_bags),
                opener=check_int("opener", value["opener"], 0, self.rules.players - 1),
                hand_number=check_int("hand_number", value["hand_number"], 0, _MOST),
                last=self._result(path, value["last"]) if "last" in value else None,
            )

    def _result(self, path: Path, value: Any) -> HandResult:
        names = tuple(field.name for field in dataclasses.fields(HandResult))
        self._fields(path, value, names)
        rules = self.rules

        def ints(name: str, count: int, low: int, high: int) -> list[int]:
            return check_ints(name, self._list(path, value[name]), count, low, high)

        blind = self._list(path, value["blind"])
        if len(blind) != rules.players or not all(isinstance(flag, bool) for flag in blind):
            self.places.fail(path, f"blind must hold true or false for each of {rules.players} seats")
        with self._at(path):
            return HandResult(
                bids=ints("bids", rules.players, 0, rules.hand_size),
                blind=blind,
                tricks=ints("tricks", rules.players, 0, rules.hand_size),
                points=ints("points", rules.sides, -_MOST, _MOST),
                scores=ints("scores", rules.sides, -_MOST, _MOST),
                bags=ints("bags", rules.sides, 0, _MOST),
            )

    def _hand(self, k: int, value: Any) -> HandLog:
        path = ("hands", k)
        seal = ("checks",) if self.sealed else ()
        self._fields(path, value, ("deck", "given", "actions", *seal), ("received", "result"))
        if self.sealed:
            self._text((*path, "checks"), value["checks"])
        if not isinstance(value["given"], bool):
            self.places.fail((*path, "given"), f"found {value['given']!r:.80}, expected true or false")
        log = HandLog(self._deck((*path, "deck"), value["deck"]), value["given"])
        for n, words in enumerate(self._list((*path, "actions"), value["actions"])):
            line = (*path, "actions", n)
            with self._at(line):
                actions = list(map(parse_action, self._text(line, words).split()))
            log.actions += actions
            self.places.actions.setdefault(k, []).extend([line] * len(actions))
        if "received" in value:
            log.received = self._received((*path, "received"), value["received"])
        if "result" in value:
            log.result = self._result((*path, "result"), value["result"])
        return log

    def _received(self, path: Path, value: Any) -> list[list[int]]:
        texts = self._list(path, value)
        if len(texts) != 2:
            self.places.fail(path, f"found {len(texts)} hands, expected 2")
        with self._at(path):
            cards = [parse_cards(self._text(path, text)) for text in texts]
        # Ascending, as in a game's log: the order in which they were received is not part of the match.
        return [cards_in(mask_of(each)) for each in cards]
