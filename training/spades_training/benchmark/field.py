"""The field: the players that every agent of the benchmark meets, their decks, and how they do against one of them.

A field is one JSON file, and never changes once published. A player is identified by its behavior: the digest of all
actions of a few matches that it plays against itself on fixed decks. An edit that leaves its decisions as they were
leaves the digest as it was, and one that changes a decision in these matches changes it.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from spades_agents.registry import make_agent

from spades_env.rules import Rules
from spades_training.evaluation.evaluate import BATCH
from spades_training.evaluation.series import Series

FIELD = Path(__file__).with_name("field_1.json")
FORMAT = "spades-benchmark field"


class BenchmarkError(Exception):
    """A benchmark that cannot be completed, or a card that is not what it claims to be."""


@dataclass(frozen=True)
class Opponent:
    """A player of the field.

    Attributes:
        name: as :func:`spades_agents.make_agent` takes it.
        pairs: number of duplicate pairs that an agent plays against it; pair p has the decks of
            ``Game(rules, seed=(seed, p))``.
        probe: number of pairs that it plays against itself for its digest.
        probe_hands: these matches end after this many hands.
        reference_pairs: number of pairs that it played against the field's reference.
        behavior: the digest, see :func:`behavior`.
        wins: matches that it won in each of these pairs, a digit for each pair.
        losses: matches that it lost. Both are empty for the reference itself.
    """

    name: str
    pairs: int
    probe: int
    probe_hands: int
    reference_pairs: int
    behavior: str
    wins: str
    losses: str


@dataclass(frozen=True)
class Part:
    """The field under one set of rules."""

    rules: Rules
    opponents: tuple[Opponent, ...]

    def against(self, agent: str) -> tuple[Opponent, ...]:
        """The opponents of ``agent``: all of them, but not itself."""
        return tuple(opponent for opponent in self.opponents if opponent.name != agent)


@dataclass(frozen=True)
class Field:
    """A field of players, from its file.

    Args:
        raw: the values of the file.

    Raises:
        ValueError: if they are not those of a field.

    Example:
        >>> field = Field.load()
        >>> field.name, field.part("solo").rules.players
        ('spades-benchmark 1', 4)
    """

    raw: dict[str, Any]

    def __post_init__(self) -> None:
        if not isinstance(self.raw, dict) or self.raw.get("format") != FORMAT:
            raise ValueError(f"not the file of a field: its format must be {FORMAT!r}")

    @classmethod
    def load(cls, path: Path = FIELD) -> Field:
        """The field in a file; by default the one that this version of the package ships.

        Raises:
            ValueError: if the file does not hold a field.
            OSError: if it cannot be read.
        """
        return cls(read_json(path))

    @property
    def name(self) -> str:
        """The name and version, as in ``spades-benchmark 1``."""
        return self.raw["name"]

    @property
    def seed(self) -> int:
        """The seed of the decks and of the players' random numbers."""
        return self.raw["seed"]

    @property
    def max_hands(self) -> int:
        """A match without a winner after this many hands is not counted."""
        return self.raw["max_hands"]

    @property
    def time_limit(self) -> float:
        """Seconds for a decision; an agent that takes longer forfeits the match."""
        return self.raw["time_limit"]

    @property
    def reference(self) -> str:
        """The player whose rating is 0."""
        return self.raw["reference"]

    @property
    def games(self) -> list[str]:
        """The names of the games."""
        return list(self.raw["games"])

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the file's values."""
        return digest_of(self.raw)

    def part(self, game: str) -> Part:
        """The field of one game.

        Raises:
            ValueError: if the field does not have the game.
        """
        if game not in self.raw["games"]:
            raise ValueError(f"{self.name} has no game {game!r}: use one of {', '.join(self.games)}")
        raw = self.raw["games"][game]
        opponents = tuple(Opponent(name, **fields) for name, fields in raw["players"].items())
        return Part(Rules.from_dict(raw["rules"]), opponents)


def behavior(name: str, rules: Rules, seed: int, pairs: int, max_hands: int) -> str:
    """SHA-256 of all actions of some matches in which the player ``name`` has every seat.

    The actions are the same on every machine: the shipped players draw their random numbers from the seed.
    """
    agent = make_agent(name)
    series = Series((agent, agent), rules, seed, range(pairs), max_hands)
    moves = series.record()
    series.play(BATCH)
    return hashlib.sha256(json.dumps(moves).encode()).hexdigest()


def digest_of(value: Any) -> str:
    """SHA-256 of a value that JSON can hold."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def read_json(path: Path) -> Any:
    """The value of a JSON file.

    Raises:
        ValueError: if it is not JSON.
        OSError: if it cannot be read.
    """
    try:
        return json.loads(path.read_text("utf8"))
    except OSError as error:
        raise OSError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise ValueError(f"{path} is not a JSON file") from None


def counts(digits: str) -> np.ndarray:
    """The numbers of a string of digits, int64 of shape (len(digits),)."""
    return np.frombuffer(digits.encode(), np.uint8).astype(np.int64) - ord("0")
