"""The page Review: a record step by step, with the ratings of a player and what a seat could know."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable
from html import escape
from pathlib import Path

from gymnasium.error import DependencyNotInstalled
from nicegui import events, ui

from spades_env.picture import svg
from spades_env.picture.ansi import ansi
from spades_env.records.record import Record
from spades_training import movie
from spades_training.web.frame import frame, heading
from spades_training.web.mistakes import MistakesPanel
from spades_training.web.server import Server
from spades_training.web.study.belief import believe
from spades_training.web.study.charts import STYLE, belief_tables, rating_table
from spades_training.web.study.judging import JUDGES, PLAYERS
from spades_training.web.study.opened import MOST_BYTES, Opened, open_record, opened
from spades_training.web.study.threads import in_thread

_PAUSE = 0.15  # seconds without another step before a position is rated
_ON_TURN = -1  # "the seat on turn" among the seats to look from
_MOST_GAMES = 50
_INTRODUCTION = (
    "Step through a match with the arrow keys: what each action was worth, where the hidden cards could have been, and "
    "the costliest mistakes of every seat. Open a record that spades play, Save the record at a table, or "
    "Game.record().save(...) has written."
)
# Quasar's own header has a button without a name.
_HEADER = """
<q-btn
  flat no-caps class="full-width" icon="upload_file" label="Open a record, or drop it here" @click="props.pickFiles"
><q-uploader-add-trigger /></q-btn>
"""


def register(server: Server) -> None:
    """Add the page ``/review``, which opens a finished game of the server with ``/review?game=TOKEN``."""

    @ui.page("/review")
    def review(game: str = "") -> None:
        ui.add_head_html(STYLE)
        with frame("Review", "/review"):
            page = ReviewPage(server)
            if game:
                ui.timer(0, lambda: page.open_game(game), once=True)


def finished(server: Server, token: str) -> Record:
    """The record of the game that a secret link belongs to.

    Raises:
        ValueError: if there is no such game, or it goes on.
    """
    found = server.open(token)
    if found is None:
        raise ValueError("there is no such game; ask for the whole link")
    table, role = found
    return table.record(role)


class ReviewPage:
    """The page of one browser tab.

    Args:
        server: what the pages share.
    """

    def __init__(self, server: Server) -> None:
        self.server = server
        self.record: Opened | None = None
        self.at = 0
        self.player = next(iter(PLAYERS))
        self.seen_by = _ON_TURN
        self.open_hands = False
        with ui.element("div").classes("study-line"):
            self.upload = ui.upload(
                on_upload=self._uploaded,
                auto_upload=True,
                max_file_size=MOST_BYTES,
                on_rejected=self._too_large,
            )
            self.upload.props('accept=".json,application/json" flat bordered')
            self.upload.add_slot("header", _HEADER)
            self.upload.classes("study-upload").on("failed", self._too_large)
            games = self._games()
            if games:
                chosen = ui.select(games, label="Games of this server", on_change=self._game_chosen)
                chosen.classes("study-upload").props("dense")
        self.message = ui.label().props("role=alert").classes("study-error")
        self.message.visible = False
        self.body = ui.column().classes("study-full")
        with self.body:
            ui.label(_INTRODUCTION).classes("study-introduction")
        ui.keyboard(self._key, ignore=["input", "select", "textarea"])

    # Opening

    async def _uploaded(self, event: events.UploadEventArguments) -> None:
        self.upload.reset()
        if event.file.size() > MOST_BYTES:
            self._too_large()
            return
        data = await event.file.read()
        await self.open(lambda: open_record(data))

    def _games(self) -> dict[str, str]:
        """The finished games, by link; only where nobody else can reach the server, as the links are secret."""
        if not self.server.local:
            return {}
        games = [saved for saved in self.server.store.newest(_MOST_GAMES) if saved.ended]
        return {
            next(iter(saved.links)): f"Game {saved.number}: {saved.rules.name}, {', '.join(saved.names)}"
            for saved in games
        }

    async def _game_chosen(self, event: events.ValueChangeEventArguments) -> None:
        if event.value:
            await self.open_game(event.value)

    def _too_large(self) -> None:
        self._fail(f"Not opened: the file is not a .json file of at most {MOST_BYTES:,} bytes.")

    async def open_game(self, token: str) -> None:
        """Show a finished game of the server."""
        try:
            record = finished(self.server, token)
        except ValueError as error:
            self._fail(f"Not opened: {error}")
        else:
            await self.open(lambda: opened(record))

    async def open(self, load: Callable[[], Opened]) -> None:
        """Show the record that ``load`` returns, or the message of its ValueError."""
        try:
            record = await in_thread(load)
            if self.server.store.goes_on(record.record.rules, record.record.seed):
                raise ValueError("this game goes on at this server; it can be reviewed once it is over")
        except ValueError as error:
            self._fail(f"Not opened: {error}")
            return
        self.message.visible = False
        self.record, self.at, self.seen_by = record, 0, _ON_TURN
        self.body.clear()
        with self.body:
            self._build(record)
        self.go(0)

    def _fail(self, text: str) -> None:
        self.message.text = text
        self.message.visible = True

    # The parts of the page

    def _build(self, record: Opened) -> None:
        rules = record.record.rules
        end = record.steps[-1].table
        result = f"won by {rules.side_name(end.winner or 0)}" if end.is_over else "not finished"
        players = ", ".join(record.name(seat) for seat in range(rules.players))
        ui.label(f"{rules.name}: {players}; {len(record.hands())} hands, {result}").classes("study-title")
        with ui.element("div").classes("study-review"):
            with ui.element("div").classes("study-table"):
                self.picture = ui.html(sanitize=False).classes("study-picture")
                self.score = ui.html(sanitize=False).classes("study-score")
                self.scores = ui.label().classes("study-scores")
                self.caption = ui.label().props("aria-live=polite role=status").classes("study-told")
                with ui.element("div").classes("study-controls"):
                    self._build_controls(record)
            with ui.element("div").classes("study-side"):
                self._build_study()
            with ui.element("section").classes("panel study-panel study-belief"):
                heading("Where the hidden cards may be")
                self.belief = ui.html(sanitize=False).classes("study-full")

    def _build_controls(self, record: Opened) -> None:
        with ui.element("div").classes("study-line"):
            for icon, name, move in (
                ("first_page", "Start of the match", lambda: self.go(0)),
                ("keyboard_double_arrow_left", "Trick back (Shift and left arrow)", lambda: self._part(-1)),
                ("chevron_left", "Step back (left arrow)", lambda: self.go(self.at - 1)),
                ("chevron_right", "Step forward (right arrow)", lambda: self.go(self.at + 1)),
                ("keyboard_double_arrow_right", "Trick forward (Shift and right arrow)", lambda: self._part(1)),
                ("last_page", "End of the match", lambda: self.go(len(record.steps) - 1)),
            ):
                ui.button(icon=icon, on_click=move).props(f'aria-label="{name}" dense unelevated').tooltip(name)
            self.place = ui.label().classes("study-small")
        with ui.element("div").classes("study-line"):
            hands = {k: f"hand {hand}" for hand, k in record.hands().items()}
            self.hand = ui.select(hands, label="Go to", value=0, on_change=self._hand_chosen)
            seats = {_ON_TURN: "the seat on turn"} | {k: record.name(k) for k in range(record.record.rules.players)}
            seen_by = ui.select(seats, label="Seen by", value=_ON_TURN)
            seen_by.on_value_change(lambda event: self._look(seen_by=event.value))
            ui.switch("Show all hands", value=self.open_hands).on_value_change(
                lambda event: self._look(open_hands=event.value)
            )
        with ui.element("div").classes("study-line"):
            ui.button("Record", icon="download", on_click=self._save_record).props("outline dense no-caps")
            ui.button("GIF of this hand", icon="download", on_click=self._save_gif).props("outline dense no-caps")
            ui.button("SVG", icon="download", on_click=self._save_svg).props("outline dense no-caps")
            self.saving = ui.spinner(size="sm")
            self.saving.visible = False
        with ui.expansion("The table in words").classes("study-full"):
            self.words = ui.label().classes("study-words")

    def _build_study(self) -> None:
        with ui.element("section").classes("panel study-panel"):
            heading("What each action is worth")
            ui.select(PLAYERS, label="Rated by", value=self.player, on_change=self._player_chosen).classes("study-full")
            self.ratings = ui.html(sanitize=False).classes("study-scroll").props("aria-live=polite")
        self.mistakes = MistakesPanel(self.go)

    # Moving

    def go(self, step: int) -> None:
        """Show a step; numbers out of range are moved to the ends."""
        if self.record is None:
            return
        self.at = min(max(step, 0), len(self.record.steps) - 1)
        self._show()

    def _part(self, by: int) -> None:
        if self.record is not None:
            self.go(self.record.next_part(self.at, by))

    def _key(self, event: events.KeyEventArguments) -> None:
        if not event.action.keydown or self.record is None or event.modifiers.ctrl or event.modifiers.alt:
            return
        by = {"ArrowLeft": -1, "ArrowRight": 1}.get(str(event.key.name), 0)
        if by and event.modifiers.shift:
            self._part(by)
        elif by:
            self.go(self.at + by)

    def _hand_chosen(self, event: events.ValueChangeEventArguments) -> None:
        assert self.record is not None
        if event.value is not None and event.value != self._hand_start():
            self.go(event.value)

    def _hand_start(self) -> int:
        assert self.record is not None
        return max(k for k in self.record.hands().values() if k <= self.at)

    def _look(self, seen_by: int | None = None, open_hands: bool | None = None) -> None:
        self.seen_by = self.seen_by if seen_by is None else seen_by
        self.open_hands = self.open_hands if open_hands is None else open_hands
        self._show()

    def _player_chosen(self, event: events.ValueChangeEventArguments) -> None:
        self.player = event.value
        self.mistakes.clear()
        self._show()

    # Showing

    @property
    def observer(self) -> int:
        """The seat whose knowledge is shown."""
        assert self.record is not None
        return self.record.steps[self.at].table.seat if self.seen_by == _ON_TURN else self.seen_by

    def _show(self) -> None:
        assert self.record is not None
        step = self.record.steps[self.at]
        table = step.table if self.open_hands else step.view(self.observer)
        self.picture.set_content(svg(table, self.record.names, step.action, "table"))
        self.score.set_content(svg(table, self.record.names, step.action, "panel"))
        self.scores.text = step.scores
        self.caption.text = self.record.told(self.at)
        self.place.text = f"step {self.at + 1} of {len(self.record.steps)}"
        self.words.text = ansi(table)
        self.hand.set_value(self._hand_start())
        ui.timer(0, self._study, once=True)

    async def _study(self) -> None:
        """Rate the position and sample the hidden cards, unless another step follows at once."""
        record, at, player, observer = self.record, self.at, self.player, self.observer
        assert record is not None

        def gone() -> bool:
            now = self.record, self.at, self.player, self.observer
            return now != (record, at, player, observer) or self.ratings.is_deleted

        await asyncio.sleep(_PAUSE)
        if gone():
            return
        step = record.steps[at]
        belief = await in_thread(believe, step.view(observer))
        if gone():
            return
        players = record.record.rules.players
        names = {k: record.name(k) for k in range(players)} | {-1: "in nobody's hand"}
        names[observer] += ", whose cards these are"
        truth = record.holders(at) if self.open_hands else None
        note = "" if belief.cards else "<p>Nothing is hidden.</p>"
        self.belief.set_content(note or belief_tables(belief, names, truth))
        self.ratings.set_content("<p>rating ...</p>")
        text = "The match is not over." if step.action is None else "There is no choice."
        text = "The match is over." if step.table.is_over else text
        judged = judge = None
        try:
            judge = await in_thread(JUDGES.get, record, player)
            judged = await in_thread(judge.judge, at)
        except ValueError as error:
            text = str(error)
        if gone():
            return
        if judged is None:
            self.ratings.set_content(f"<p>{escape(text)}</p>")
        else:
            self.ratings.set_content(rating_table(judged.ratings, judged.action))
        if judge is not None:
            self.mistakes.show(judge)

    # Export

    def _save_record(self) -> None:
        assert self.record is not None
        ui.download.content(self.record.record.to_json(), "spades.json", "application/json")

    def _save_svg(self) -> None:
        assert self.record is not None
        step = self.record.steps[self.at]
        table = step.table if self.open_hands else step.view(self.observer)
        ui.download.content(svg(table, self.record.names, step.action), "spades.svg", "image/svg+xml")

    async def _save_gif(self) -> None:
        record = self.record
        assert record is not None
        hand = record.hand_of(self.at)
        seat = None if self.open_hands else self.observer
        self.saving.visible = True
        try:
            data = await in_thread(_gif, record, seat, hand)
        except DependencyNotInstalled as error:
            ui.notify(str(error), type="negative")
        else:
            ui.download.content(data, f"spades-hand-{hand}.gif", "image/gif")
        finally:
            self.saving.visible = False


def _gif(record: Opened, seat: int | None, hand: int) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hand.gif"
        movie.save_gif(path, movie.moments(record.record, seat, hand), record.names, fps=1.5)
        return path.read_bytes()
