"""The games of the server in an SQLite file: one row for each, written after every action."""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from spades_env.game import Game
from spades_env.rules import Rules

BYSTANDER = -1
ALL_HANDS = -2
_SCHEMA = """
CREATE TABLE IF NOT EXISTS games (
    id INTEGER PRIMARY KEY, created TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, rules TEXT NOT NULL, seed TEXT NOT NULL,
    players TEXT NOT NULL, names TEXT NOT NULL, options TEXT NOT NULL, actions BLOB NOT NULL, ended INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS links (token TEXT PRIMARY KEY, game INTEGER NOT NULL, role INTEGER NOT NULL);
"""


@dataclass
class SavedGame:
    """A game as the file keeps it.

    Attributes:
        rules: the rules.
        seed: seed of the game, from which all decks follow.
        players: by seat, the name of an agent, or ``""`` for a person.
        names: by seat, the name that is shown.
        options: how the table behaves: pace, forced cards, hints.
        actions: all actions so far.
        ended: whether the match is over, or was ended by its player.
        number: the number of the game in the file.
        links: the role of each secret link: a seat, BYSTANDER, or ALL_HANDS.
    """

    rules: Rules
    seed: tuple[int, int, int]
    players: tuple[str, ...]
    names: tuple[str, ...]
    options: dict[str, Any] = field(default_factory=dict)
    actions: bytes = b""
    ended: bool = False
    number: int = 0
    links: dict[str, int] = field(default_factory=dict)

    def game(self) -> Game:
        """The game after all its actions."""
        game = Game(self.rules, self.seed)
        for action in self.actions:
            game.apply(action)
        return game

    def link(self, role: int) -> str:
        """The secret link of a role.

        Raises:
            KeyError: if the game has none.
        """
        for token, other in self.links.items():
            if other == role:
                return token
        raise KeyError(role)


class GameStore:
    """The file of the games.

    Args:
        path: the file, which is created if it does not exist.

    Raises:
        ValueError: if it cannot be opened, is not such a file, or another server uses it.
    """

    def __init__(self, path: Path) -> None:
        try:
            if not path.exists():
                path.touch(mode=0o600)  # the file holds the secret links
            # A file belongs to one server: two would overwrite each other's games.
            self._db = sqlite3.connect(path, timeout=1, isolation_level=None)
        except (OSError, sqlite3.Error) as error:
            raise ValueError(f"cannot open the file of games {path}: {error}") from None
        try:
            self._db.execute("PRAGMA locking_mode=EXCLUSIVE")
            self._db.execute("PRAGMA journal_mode=WAL")
            # What is committed survives the end of the process, however it ends.
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.executescript(_SCHEMA)
        except sqlite3.Error as error:
            self._db.close()
            reason = "another server uses it" if "locked" in str(error) else str(error)
            raise ValueError(f"cannot open the file of games {path}: {reason}") from None

    def add(self, saved: SavedGame, roles: Sequence[int]) -> None:
        """Keep a new game; sets its number and a new secret link for each role."""
        saved.links = {secrets.token_urlsafe(24): role for role in roles}
        values = (
            json.dumps(saved.rules.to_dict()),
            json.dumps(saved.seed),
            json.dumps(saved.players),
            json.dumps(saved.names),
            json.dumps(saved.options),
            saved.actions,
            int(saved.ended),
        )
        self._db.execute("BEGIN")
        cursor = self._db.execute(
            "INSERT INTO games (rules, seed, players, names, options, actions, ended) VALUES (?, ?, ?, ?, ?, ?, ?)",
            values,
        )
        saved.number = int(cursor.lastrowid or 0)
        links = [(token, saved.number, role) for token, role in saved.links.items()]
        self._db.executemany("INSERT INTO links VALUES (?, ?, ?)", links)
        self._db.execute("COMMIT")

    def save(self, saved: SavedGame) -> None:
        """Write the actions of a game, and whether it has ended."""
        values = (saved.actions, int(saved.ended), saved.number)
        self._db.execute("UPDATE games SET actions = ?, ended = ? WHERE id = ?", values)

    def find(self, token: str) -> tuple[int, int] | None:
        """The number of the game and the role that a link stands for, or None if there is no such link."""
        return self._db.execute("SELECT game, role FROM links WHERE token = ?", (token,)).fetchone()

    def load(self, number: int) -> SavedGame:
        """The game with a number, which must exist."""
        columns = "rules, seed, players, names, options, actions, ended"
        row = self._db.execute(f"SELECT {columns} FROM games WHERE id = ?", (number,)).fetchone()
        rules, seed, players, names, options = map(json.loads, row[:5])
        links = dict(self._db.execute("SELECT token, role FROM links WHERE game = ?", (number,)).fetchall())
        return SavedGame(
            Rules.from_dict(rules),
            tuple(seed),
            tuple(players),
            tuple(names),
            options,
            row[5],
            bool(row[6]),
            number,
            links,
        )

    def newest(self, count: int) -> list[SavedGame]:
        """The newest games, the last one first."""
        rows = self._db.execute("SELECT id FROM games ORDER BY id DESC LIMIT ?", (count,)).fetchall()
        return [self.load(number) for (number,) in rows]

    def goes_on(self, rules: Rules, seed: tuple[int, int, int]) -> bool:
        """Whether persons are playing a game with these rules and this seed."""
        rows = self._db.execute("SELECT rules, players FROM games WHERE ended = 0 AND seed = ?", (json.dumps(seed),))
        return any(Rules.from_dict(json.loads(text)) == rules and "" in json.loads(players) for text, players in rows)

    def close(self) -> None:
        """Close the file; another server may then open it."""
        self._db.close()
