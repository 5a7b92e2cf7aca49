"""What is played, and in which order: it follows from the settings and the results so far, never from the workers."""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spades_agents.registry import make_agent

from spades_env.checks import check_int
from spades_env.rules import Rules, as_rules
from spades_training.maintenance.strength import is_fast

__all__ = ["Pairing", "Schedule", "Settings", "Unit", "make_settings"]

# Pairs of every pairing in a round: agents that are all fast are the faster, the more matches they play at a time.
ROUND, FAST_ROUND = 20, 100

Pairing = tuple[int, int]


@dataclass(frozen=True)
class Settings:
    """All that the results depend on.

    Attributes:
        rules: the rules, every field.
        agents: as :func:`make_agent` takes them.
        files: SHA-256 of the file behind each agent, None where its name is no file.
        fast: which agents act for many tables at once, and without a search.
        seed: pair p of every pairing has the decks of ``Game(rules, seed=(seed, p))``.
        matches: most matches of a pairing, whole pairs.
        max_hands: a match of so many hands without a winner counts for nobody.
        confidence: the order must be certain to this degree for an early end; None plays all matches.
        time_limit: most seconds of wall time for a decision; None for no limit.
    """

    rules: dict[str, Any]
    agents: tuple[str, ...]
    files: tuple[str | None, ...]
    fast: tuple[bool, ...]
    seed: int
    matches: int
    max_hands: int
    confidence: float | None
    time_limit: float | None

    def to_dict(self) -> dict[str, Any]:
        """All of it as values that JSON can hold."""
        fields = dataclasses.asdict(self)
        return {name: list(value) if isinstance(value, tuple) else value for name, value in fields.items()}


def make_settings(
    agents: Sequence[str],
    rules: str | Rules = "two_player",
    *,
    matches: int = 400,
    seed: int = 0,
    max_hands: int = 100,
    confidence: float | None = 0.95,
    time_limit: float | None = None,
) -> Settings:
    """The settings of a tournament, checked; every agent is made once.

    Raises:
        ValueError: if an argument makes no sense, or there is no such agent.
    """
    rules = as_rules(rules)
    names = list(agents)
    if len(names) < 2:
        raise ValueError(f"a tournament needs at least two agents, got {len(names)}")
    for name in names:
        if not isinstance(name, str):
            raise ValueError(f"an agent of a tournament must be given by its name, got {name!r}")
        if names.count(name) > 1:
            raise ValueError(f"agent {name!r} is there twice: give each agent once")
    if confidence is not None and not 0.5 <= confidence < 1:
        raise ValueError(f"confidence must be in 0.5 .. 1 (1 excluded), got {confidence}")
    if time_limit is not None and not 0 < time_limit <= 86_400:
        raise ValueError(f"time_limit must be above 0 and at most 86400 seconds, got {time_limit}")
    made = [make_agent(name) for name in names]
    for agent in made:
        _check_trained_for(agent, rules)
    per_pair = _matches_of_a_pair(rules)
    return Settings(
        rules=rules.to_dict(),
        agents=tuple(names),
        files=tuple(_file_digest(name) for name in names),
        fast=tuple(is_fast(agent) for agent in made),
        seed=check_int("seed", seed, 0, 2**64 - 1),
        matches=-(-check_int("matches", matches, 1, 10_000_000) // per_pair) * per_pair,
        max_hands=check_int("max_hands", max_hands, 1, 1_000_000),
        confidence=confidence,
        time_limit=time_limit,
    )


def _check_trained_for(agent: Any, rules: Rules) -> None:
    """A trained player whose game is another one would forfeit all its matches: that is wrong input."""
    own = getattr(agent, "rules", None)
    for field in ("players", "partners", "draft") if isinstance(own, Rules) else ():
        if getattr(own, field) != getattr(rules, field):
            raise ValueError(
                f"agent {agent.name!r} was trained for {field}={getattr(own, field)}, these rules have "
                f"{field}={getattr(rules, field)}"
            )


def _file_digest(spec: str) -> str | None:
    """SHA-256 of the file that an agent's name ends with, if there is one (a folder stands for its model.zip)."""
    for text in (spec, spec.partition(":")[2], spec.rpartition(":")[0]):
        for path in (Path(text), Path(text) / "model.zip"):
            if text and path.is_file():
                return hashlib.sha256(path.read_bytes()).hexdigest()
    return None


def _matches_of_a_pair(rules: Rules) -> int:
    """Two with two sides; with more, one for every seat of the lone player, twice: each of the two is alone once."""
    return rules.sides if rules.sides == 2 else 2 * rules.sides


@dataclass(frozen=True)
class Unit:
    """What a worker plays at a time: ``count`` pairs from ``first`` on, agent ``a`` against ``b`` at all others."""

    a: int
    b: int
    first: int
    count: int


class Schedule:
    """The units of each round."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.rules = Rules.from_dict(settings.rules)
        self.pairings: list[Pairing] = list(itertools.combinations(range(len(settings.agents)), 2))
        self.pairs = settings.matches // _matches_of_a_pair(self.rules)
        self.round = FAST_ROUND if all(settings.fast) else ROUND
        self.rounds = -(-self.pairs // self.round)

    def directions(self, pairing: Pairing) -> tuple[Pairing, ...]:
        """Who plays whom: with more than two sides A alone against Bs is another game than B alone against As."""
        return (pairing,) if self.rules.sides == 2 else (pairing, (pairing[1], pairing[0]))

    def units(self, number: int, pairings: Iterable[Pairing]) -> list[Unit]:
        """The units of round ``number`` (from 0) if these pairings play on."""
        start, stop = number * self.round, min((number + 1) * self.round, self.pairs)
        found = []
        for pairing in pairings:
            size = self.round // 2 if all(self.settings.fast[k] for k in pairing) else 1
            for first in range(start, stop, size):
                count = min(size, stop - first)
                found += [Unit(a, b, first, count) for a, b in self.directions(pairing)]
        return found

    def matches(self, units: Iterable[Unit]) -> int:
        """How many matches some units hold."""
        return sum(unit.count * self.rules.sides for unit in units)
