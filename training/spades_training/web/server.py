"""What the pages share while the server runs: the file of games, the agents, and the tables in use."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from spades_agents.base import check_plays

from spades_env.checks import check_seed
from spades_env.rules import Rules
from spades_training.web.tables.agents import Thinkers, check_allowed
from spades_training.web.tables.store import ALL_HANDS, BYSTANDER, GameStore, SavedGame
from spades_training.web.tables.table import Table

log = logging.getLogger("spades.web")
MOST_TABLES = 500
MOST_NAME = 24


@dataclass
class NewGame:
    """What somebody chose for a new game.

    Attributes:
        rules: the rules.
        players: by seat, the name of an agent, or ``""`` for a person.
        names: by seat, the name of a person; empty for one that was not named.
        seed: seed of the decks; None for a random one.
        pace: seconds between two moves of agents.
        auto: whether a move without a choice is made for a person.
        hints: the player that gives hints.
    """

    rules: Rules
    players: Sequence[str]
    names: Sequence[str] = ()
    seed: int | None = None
    pace: float = 0.6
    auto: bool = True
    hints: str = "heuristic"


@dataclass
class Server:
    """What the pages share.

    Args:
        games: the SQLite file of the games.
        local: whether only this machine can reach the server.

    Raises:
        ValueError: if the file cannot be opened.
    """

    games: Path
    local: bool = True
    thinkers: Thinkers = field(default_factory=Thinkers)

    def __post_init__(self) -> None:
        self.store = GameStore(self.games)
        self._tables: dict[int, Table] = {}

    async def create(self, wanted: NewGame) -> SavedGame:
        """Keep a new game.

        Raises:
            ValueError: if a player is unknown, not allowed, or cannot play the rules, or an option is invalid.
        """
        rules = wanted.rules
        if len(wanted.players) != rules.players:
            raise ValueError(f"these rules need {rules.players} players, got {len(wanted.players)}")
        if not 0 <= wanted.pace <= 10:
            raise ValueError(f"the pace must be 0 to 10 seconds, got {wanted.pace}")
        for spec in {*filter(None, wanted.players), wanted.hints}:
            check_allowed(spec, self.local)
            check_plays(await self.thinkers.seat(spec, rules), rules)
        persons = [seat for seat, spec in enumerate(wanted.players) if not spec]
        given = [" ".join(name.split())[:MOST_NAME] for name in [*wanted.names, *[""] * rules.players]]
        names = [
            spec or given[seat] or ("You" if len(persons) == 1 else f"Person {seat}")
            for seat, spec in enumerate(wanted.players)
        ]
        options = {"pace": wanted.pace, "auto": wanted.auto, "hints": wanted.hints}
        saved = SavedGame(rules, check_seed(wanted.seed), tuple(wanted.players), tuple(names), options)
        self.store.add(saved, [*persons, BYSTANDER] if persons else [ALL_HANDS])
        return saved

    def open(self, token: str) -> tuple[Table, int] | None:
        """The table that a secret link belongs to and the role that it gives, or None.

        Raises:
            ValueError: if too many tables are in use.
        """
        found = self.store.find(token)
        if found is None:
            log.warning("refused: no such link")
            return None
        number, role = found
        if number not in self._tables:
            for idle in [other for other, table in self._tables.items() if not table.watched]:
                del self._tables[idle]  # its state is in the file
            if len(self._tables) >= MOST_TABLES:
                raise ValueError(f"{MOST_TABLES} tables are in use: close one first")
            self._tables[number] = Table(self.store.load(number), self.store, self.thinkers)
        return self._tables[number], role

    async def warm(self) -> None:
        """Load the compiled code of the first game before somebody waits for it."""
        await self.thinkers.seat("heuristic", Rules.preset("partnership"))

    def close(self) -> None:
        """Stop all tables, end the threads and close the file."""
        for table in self._tables.values():
            table.close()
        self.thinkers.close()
        self.store.close()
