"""Games of bots: ``/watch`` makes one, ``/watch/TOKEN`` shows it."""

from __future__ import annotations

from html import escape
from typing import Any

from fastapi import HTTPException
from nicegui import ui

from spades_training.web.frame import frame
from spades_training.web.play import AGENTS
from spades_training.web.rules_form import RulesForm, parse_seed
from spades_training.web.server import NewGame, Server
from spades_training.web.tables.faces import sheet
from spades_training.web.tables.felt import Shown, felt_html, score_html
from spades_training.web.tables.sheet import sheet_html, tricks_items
from spades_training.web.tables.store import ALL_HANDS
from spades_training.web.tables.table import Table

_SPEEDS = (4.0, 2.0, 1.0, 0.5, 0.2, 0.05)


def register(server: Server) -> None:
    """Add the pages ``/watch`` and ``/watch/TOKEN``."""

    @ui.page("/watch")
    def start() -> None:
        with frame("Watch", "/watch"):
            WatchForm(server)

    @ui.page("/watch/{token}")
    def watch(token: str) -> None:
        found = server.open(token)
        if found is None or found[1] != ALL_HANDS:
            raise HTTPException(404, "There is no such game. Ask for the whole link.")
        with frame("Watch", "/watch"):
            WatchPage(found[0])


class WatchForm:
    """The form for a game of bots."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._choices: list[Any] = []
        ui.label("Watch bots").classes("page-title").props('role="heading" aria-level="1"')
        with ui.element("div").classes("panel start-panel"):
            self._form = RulesForm(self._new_seats)
            self._seats = ui.element("div").classes("seat-grid")
            self._new_seats()
            ui.label(
                "Type run:FOLDER for the newest policy of a run in training, or the path of a model file."
            ).classes("faint")
            self._seed = ui.input("Seed", placeholder="random").props("dense outlined inputmode=numeric")
            self._error = ui.label("").classes("refused").props('role="alert"')
            self._start = ui.button("Watch", icon="visibility", on_click=self._watch)
            self._start.props("unelevated no-caps size=lg data-start").classes("start")

    def _new_seats(self) -> None:
        if not hasattr(self, "_seats"):
            return
        self._seats.clear()
        with self._seats:
            self._choices = [
                ui.select(AGENTS, value="heuristic", label=f"Seat {seat}", new_value_mode="add-unique").props(
                    "dense outlined use-input"
                )
                for seat in range(self._form.players)
            ]

    async def _watch(self) -> None:
        self._error.set_text("")
        self._start.props("loading")
        try:
            seed = parse_seed(self._seed.value)
            players = [str(choice.value or "").strip() for choice in self._choices]
            if "" in players:
                raise ValueError("choose a player for every seat")
            wanted = NewGame(self._form.rules(), players, seed=seed)
            saved = await self._server.create(wanted)
        except (ValueError, OSError) as error:
            self._error.set_text(str(error))
            return
        finally:
            self._start.props(remove="loading")
        ui.navigate.to(f"/watch/{saved.link(ALL_HANDS)}")


class WatchPage:
    """A game of bots with all hands open, or as one seat sees it."""

    def __init__(self, table: Table) -> None:
        self._table = table
        client = ui.context.client
        views = {-1: "All hands open"} | {seat: f"View of seat {seat}" for seat in range(table.game.rules.players)}
        ui.html(sheet(), sanitize=False)
        with ui.element("div").classes("table-page"):
            with ui.element("div").classes("table-left"):
                self._score = ui.html("", sanitize=False)
                self._felt = ui.html("", sanitize=False)
                self._said = ui.html("", sanitize=False).classes("said").props('role="status" aria-live="polite"')
                with ui.element("div").classes("commands").props('role="group" aria-label="Commands"'):
                    self._pause = ui.button("Pause", icon="pause", on_click=self._toggle).props("unelevated no-caps")
                    ui.button("Step", icon="skip_next", on_click=self._step).props("outline no-caps")
                    ui.button("Slower", on_click=lambda: self._speed(-1)).props("flat no-caps")
                    ui.button("Faster", on_click=lambda: self._speed(1)).props("flat no-caps")
                    self._view = ui.select(views, value=-1, label="Show", on_change=lambda: self._draw([]))
                    self._view.props("dense outlined").classes("view-choice")
            with ui.element("div").classes("table-right"):
                with ui.expansion("Score sheet", value=True).classes("panel side-panel"):
                    self._sheet = ui.html("", sanitize=False)
                with ui.expansion("Tricks of this hand", value=True).classes("panel side-panel"):
                    self._tricks = ui.html("", sanitize=False)
        table.listen(self._draw, ALL_HANDS)
        client.on_delete(lambda: table.leave(self._draw))
        self._draw([])

    def _draw(self, lines: list[str]) -> None:
        table, game = self._table, self._table.game
        seat = int(self._view.value)
        position = game if seat < 0 else game.view(seat)
        shown = Shown(position, table.seats(ALL_HANDS), table.saved.names, own=True, fans=True)
        self._score.set_content(score_html(shown))
        self._felt.set_content(felt_html(shown))
        if lines:
            self._said.set_content(escape(" ".join(lines)))
        self._sheet.set_content(sheet_html(game, shown))
        self._tricks.set_content(f"<ol>{tricks_items(shown)}</ol>")

    def _toggle(self) -> None:
        pace = self._table.pace
        pace.paused = not pace.paused
        self._pause.set_text("Go on" if pace.paused else "Pause")
        self._pause.props(f"icon={'play_arrow' if pace.paused else 'pause'}")
        self._table.wake()

    def _step(self) -> None:
        if not self._table.pace.paused:
            self._toggle()
        self._table.pace.steps += 1
        self._table.wake()

    def _speed(self, change: int) -> None:
        pace = self._table.pace
        nearest = min(range(len(_SPEEDS)), key=lambda k: abs(_SPEEDS[k] - pace.seconds))
        pace.seconds = _SPEEDS[min(max(nearest + change, 0), len(_SPEEDS) - 1)]
        self._said.set_content(f"{1 / pace.seconds:g} moves a second.")
