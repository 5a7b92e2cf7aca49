"""What the pages share while the server runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Server:
    """What the pages share.

    Attributes:
        games: the SQLite file of the games.
    """

    games: Path
