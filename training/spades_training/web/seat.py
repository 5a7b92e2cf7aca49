"""The page of a seat, or of a bystander: ``/seat/TOKEN``."""

from __future__ import annotations

from functools import partial
from html import escape

from fastapi import HTTPException
from fastapi.responses import Response
from nicegui import app, events, ui

from spades_env.game import View
from spades_training.terminal.board import capital
from spades_training.terminal.moves import parse_move
from spades_training.web.frame import frame
from spades_training.web.server import Server
from spades_training.web.tables.faces import sheet
from spades_training.web.tables.felt import Shown, felt_html, score_html
from spades_training.web.tables.hand import hand_html
from spades_training.web.tables.sheet import sheet_html, tricks_items
from spades_training.web.tables.store import BYSTANDER
from spades_training.web.tables.table import Refused, Table

# A click or a key on anything with data-do sends what it stands for, and the move for which it was drawn.
_CLICK = '(e) => { const b = e.target.closest("[data-do]"); if (b) emit(b.dataset.do, b.dataset.move); }'
EXAMPLES = "Type a move: AS, 4, hint"
HELP = (
    "Type a card as 5H, H5 or 5 of hearts, a bid as a number, or hint, undo, claim. "
    "Tab and the arrow keys move between cards, Enter plays one."
)


def register(server: Server) -> None:
    """Add the pages ``/seat/TOKEN`` and ``/seat/TOKEN/record``."""

    @ui.page("/seat/{token}")
    def seat(token: str) -> None:
        found = server.open(token)
        if found is None or found[1] < BYSTANDER:
            raise HTTPException(404, "There is no such table. Ask for the whole link.")
        table, role = found
        with frame("Table"):
            SeatPage(table, role, f"/seat/{token}")

    @app.get("/seat/{token}/record")
    async def record(token: str) -> Response:  # in the event loop, as everything that touches a table
        found = server.open(token)
        if found is None:
            raise HTTPException(404, "There is no such table.")
        try:
            text = found[0].record(found[1]).to_json()
        except Refused as error:
            raise HTTPException(403, str(error)) from None
        name = f'attachment; filename="spades-{found[0].saved.number}.json"'
        return Response(text, media_type="application/json", headers={"Content-Disposition": name})


class SeatPage:
    """What one browser shows of a table, and what it may ask for.

    Args:
        table: the table.
        role: the seat, or BYSTANDER.
        path: the path of the page.
    """

    def __init__(self, table: Table, role: int, path: str) -> None:
        self._table, self._role, self._path = table, role, path
        self._client = ui.context.client
        self._sits = role >= 0
        ui.html(sheet(), sanitize=False)
        with ui.element("div").classes("table-page"):
            with ui.element("div").classes("table-left"):
                self._score = ui.html("", sanitize=False)
                self._felt = ui.html("", sanitize=False)
                self._said = ui.html("", sanitize=False).classes("said").props('role="status" aria-live="polite"')
                self._hand = ui.html("", sanitize=False).classes("own").props("data-keys")
                self._hand.on("click", self._clicked, js_handler=_CLICK)
                if self._sits:
                    self._commands()
            with ui.element("div").classes("table-right"):
                self._panels()
        self._log: list[str] = []
        self._shown: dict[ui.html, str] = {}
        table.listen(self._draw, role)
        self._client.on_delete(lambda: table.leave(self._draw))
        self._draw([])

    def _commands(self) -> None:
        with ui.element("div").classes("commands").props('role="group" aria-label="Commands"'):
            self._typed = (
                ui.input(placeholder=EXAMPLES)
                .classes("typed")
                .props('dense outlined aria-label="Type a move" autocomplete=off data-typed')
            )
            self._typed.on("keydown.enter", self._enter)
            for text, command in (("Hint", "hint"), ("Undo", "undo"), ("Claim", "claim")):
                button = ui.button(text, on_click=partial(self._command, command))
                button.props(f'flat no-caps dense data-command="{command}"').classes("command")

    def _panels(self) -> None:
        with ui.expansion("Score sheet", value=True).classes("panel side-panel"):
            self._sheet = ui.html("", sanitize=False)
        with ui.expansion("Tricks of this hand").classes("panel side-panel"):
            self._tricks = ui.html("", sanitize=False)
        with ui.expansion("What happened", value=False).classes("panel side-panel"):
            self._history = ui.html("", sanitize=False)
        with ui.element("div").classes("panel side-panel side-buttons"):
            if self._sits and len(self._table.persons) > 1:
                ui.button("Links", icon="link", on_click=self._links).props("flat no-caps")
            if self._sits:
                ui.label(HELP).classes("faint help")
                self._end = ui.button("End the game", on_click=lambda: self._command("end")).props("flat no-caps dense")
            self._record = ui.link("Save the record", f"{self._path}/record").classes("record-link")
            token = self._path.rpartition("/")[2]
            self._review = ui.link("Review the match", f"/review?game={token}").classes("record-link")
            ui.link("New game", "/").classes("record-link")

    def _links(self) -> None:
        """The link for onlookers; those of other seats are given out when the game is made."""
        saved = self._table.saved
        with ui.dialog(value=True), ui.card():
            ui.label("Anyone with this link can look on, without seeing cards:")
            ui.label(f"/seat/{saved.link(BYSTANDER)}").classes("link-text")

    def _view(self) -> View:
        return self._table.game.view(max(self._role, 0))

    def _draw(self, lines: list[str]) -> None:
        table, view = self._table, self._view()
        shown = Shown(view, table.seats(self._role), table.saved.names, own=self._sits)
        over = table.game.is_over or table.saved.ended
        self._show(self._score, score_html(shown))
        self._show(self._felt, felt_html(shown))
        if self._sits:
            self._show(self._hand, _ENDED if table.saved.ended and not view.is_over else hand_html(view, table.moves))
        if lines:
            self._log = [*self._log, *lines][-200:]
            self._show(self._said, escape(" ".join(lines)))
            self._show(self._history, "".join(f"<p>{escape(line)}</p>" for line in reversed(self._log)))
        self._show(self._sheet, sheet_html(table.game, shown))
        tricks = tricks_items(shown)
        self._show(self._tricks, f"<ol>{tricks}</ol>" if tricks else '<p class="faint">None yet.</p>')
        self._record.set_visibility(over)
        self._review.set_visibility(over)
        if self._sits:
            self._end.set_visibility(not over and len(table.persons) == 1)

    def _show(self, element: ui.html, content: str) -> None:
        """Send the content of an element if it has changed."""
        if self._shown.get(element) != content:
            self._shown[element] = content
            element.set_content(content)

    def _clicked(self, event: events.GenericEventArguments) -> None:
        match event.args:
            case [str(action), str(moves)] if f"{action}{moves}".isascii() and action.isdigit() and moves.isdigit():
                self._act(int(action[:4]), int(moves[:9]))
            case _:
                self._refuse("This click means nothing.")

    def _act(self, action: int, moves: int) -> None:
        try:
            self._table.act(self._role, action, moves)
        except Refused as error:
            self._refuse(str(error))

    async def _enter(self) -> None:
        text = str(self._typed.value or "")[:80]
        self._typed.set_value("")
        word = " ".join(text.lower().split())
        command = {"?": "hint", "h": "hint", "u": "undo"}.get(word, word)
        if command in ("hint", "undo", "claim"):
            await self._command(command)
            return
        view = self._view()
        try:
            if not word:
                return
            if not view.legal_actions():
                raise Refused("It is not your turn.")
            self._act(parse_move(text, view), self._table.moves)
        except ValueError as error:
            self._refuse(capital(str(error)))

    async def _command(self, command: str) -> None:
        try:
            if command == "hint":
                lines = await self._table.hint(self._role)
                self._say(" ".join(lines))
            elif command == "undo":
                self._table.undo(self._role)
            elif command == "claim":
                self._say(self._table.claim(self._role))
            elif command == "end":
                self._table.end(self._role)
        except (Refused, ValueError) as error:
            self._refuse(str(error))

    def _say(self, text: str) -> None:
        self._show(self._said, escape(text))

    def _refuse(self, text: str) -> None:
        self._show(self._said, f'<span class="refused">{escape(text)}</span>')


_ENDED = '<div class="question">The game is ended. You can save its record and review it.</div>'
