"""The first page: the games that can be played."""

from __future__ import annotations

from nicegui import ui

from spades_env.rules import PRESETS
from spades_training.web.frame import frame
from spades_training.web.server import Server


def register(server: Server) -> None:
    """Add the page ``/``."""

    @ui.page("/")
    def home() -> None:
        with frame("Play", "/"):
            ui.label("Games").classes("page-title")
            for name, rules in PRESETS.items():
                ui.label(f"{name}: {rules.players} players, {rules.hand_size} cards each, to {rules.target} points")
