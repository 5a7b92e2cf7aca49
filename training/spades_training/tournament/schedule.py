"""The schedule of a tournament; it depends on the settings and the results so far, but not on the workers."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from spades_agents.base import Agent, BatchAgent, check_plays
from spades_agents.registry import make_agent
from spades_agents.search import RolloutAgent
from spades_agents.source import agent_files

from spades_env.checks import check_int
from spades_env.rules import Rules, as_rules

# Pairs of each pairing in a round. Fast agents play more pairs, because larger batches make them faster.
ROUND, FAST_ROUND = 20, 100

Pairing = tuple[int, int]


@dataclass(frozen=True)
class Settings:
    """Everything that determines the results.

    Attributes:
        rules: every field of the rules.
        agents: names as :func:`make_agent` takes them.
        files: SHA-256 of the files that each agent consists of (:func:`spades_agents.source.agent_files`).
        fast: whether each agent is fast (:func:`is_fast`).
        seed: pair p of every pairing has the decks of ``Game(rules, seed=(seed, p))``.
        matches: maximum matches of a pairing, whole pairs.
        max_hands: a match without a winner after this many hands is truncated and not counted.
        confidence: confidence in the order at which the tournament ends early; None plays all matches.
        time_limit: maximum seconds of wall time for a decision; None for no limit.
    """

    rules: dict[str, Any]
    agents: tuple[str, ...]
    files: tuple[dict[str, str], ...]
    fast: tuple[bool, ...]
    seed: int
    matches: int
    max_hands: int
    confidence: float | None
    time_limit: float | None

    def to_dict(self) -> dict[str, Any]:
        """The settings as values that JSON can hold."""
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
    """Check the settings of a tournament, and create every agent once.

    Raises:
        ValueError: if an argument is invalid, or there is no such agent.
    """
    rules = as_rules(rules)
    names = list(agents)
    if len(names) < 2:
        raise ValueError(f"a tournament needs at least two agents, got {len(names)}")
    for name in names:
        if not isinstance(name, str):
            raise ValueError(f"agents of a tournament must be given as names, got {name!r}")
        if names.count(name) > 1:
            raise ValueError(f"agent {name!r} appears twice: list each agent once")
    if confidence is not None and not 0.5 <= confidence < 1:
        raise ValueError(f"confidence must be at least 0.5 and below 1, got {confidence}")
    if time_limit is not None and not 0 < time_limit <= 86_400:
        raise ValueError(f"time_limit must be above 0 and at most 86400 seconds, got {time_limit}")
    made = [make_agent(name) for name in names]
    for agent in made:
        check_plays(agent, rules)
    per_pair = _matches_of_a_pair(rules)
    return Settings(
        rules=rules.to_dict(),
        agents=tuple(names),
        files=tuple(map(agent_files, names)),
        fast=tuple(is_fast(agent) for agent in made),
        seed=check_int("seed", seed, 0, 2**64 - 1),
        matches=-(-check_int("matches", matches, 1, 10_000_000) // per_pair) * per_pair,
        max_hands=check_int("max_hands", max_hands, 1, 1_000_000),
        confidence=confidence,
        time_limit=time_limit,
    )


def is_fast(player: str | Agent) -> bool:
    """Whether a player acts in batches and without a search."""
    agent = make_agent(player)
    return isinstance(agent, BatchAgent) and not isinstance(agent, RolloutAgent)


def _matches_of_a_pair(rules: Rules) -> int:
    """Two with two sides. With more sides, each player plays alone in every seat once."""
    return rules.sides if rules.sides == 2 else 2 * rules.sides


@dataclass(frozen=True)
class Unit:
    """What a worker plays at a time: ``count`` pairs starting at ``first``, ``a`` against ``b`` on all other sides."""

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
        """Who plays whom: with more than two sides, one A against Bs differs from one B against As."""
        return (pairing,) if self.rules.sides == 2 else (pairing, (pairing[1], pairing[0]))

    def units(self, number: int, pairings: Iterable[Pairing]) -> list[Unit]:
        """The units of round ``number`` (from 0) for the pairings that are still open."""
        start, stop = number * self.round, min((number + 1) * self.round, self.pairs)
        found = []
        for pairing in pairings:
            size = self.round // 2 if all(self.settings.fast[k] for k in pairing) else 1
            for first in range(start, stop, size):
                count = min(size, stop - first)
                found += [Unit(a, b, first, count) for a, b in self.directions(pairing)]
        return found

    def matches(self, units: Iterable[Unit]) -> int:
        """The number of matches in some units."""
        return sum(unit.count * self.rules.sides for unit in units)
