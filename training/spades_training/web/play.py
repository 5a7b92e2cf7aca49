"""The first page: choose a game, and sit down."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from spades_env.rules import Rules
from spades_training.web.frame import frame
from spades_training.web.rules_form import RulesForm, parse_seed
from spades_training.web.server import NewGame, Server
from spades_training.web.tables.store import BYSTANDER, SavedGame

YOU, PERSON = "You", "Another person"
AGENTS = ["heuristic", "learned", "bidder", "rollout:worlds=20", "pimc:worlds=20", "random"]
_PACES = {0.0: "at once", 0.3: "fast", 0.6: "normal", 1.5: "slow"}


def register(server: Server) -> None:
    """Add the page ``/``."""

    @ui.page("/")
    def play() -> None:
        with frame("Play", "/"):
            StartPage(server)


class StartPage:
    """The form for a new game."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._seats: list[Any] = []
        self._names: list[Any] = []
        ui.label("New game").classes("page-title").props('role="heading" aria-level="1"')
        with ui.element("div").classes("panel start-panel"):
            self._form = RulesForm(self._new_seats)
            self._seat_box = ui.element("div").classes("seat-grid")
            self._new_seats()
            with ui.element("div").classes("options"):
                self._seed = ui.input("Seed", placeholder="random").props("dense outlined inputmode=numeric")
                self._pace = ui.select(_PACES, value=0.6, label="Pace of the bots").props("dense outlined")
                self._hints = ui.select(AGENTS, value="heuristic", label="Hints from", new_value_mode="add-unique")
                self._hints.props("dense outlined use-input")
                self._auto = ui.switch("Play forced cards for me", value=True)
            self._error = ui.label("").classes("refused").props('role="alert"')
            self._start = ui.button("Play", icon="play_arrow", on_click=self._play)
            self._start.props("unelevated no-caps size=lg data-start").classes("start")
        if server.local:
            self._earlier()

    def _new_seats(self) -> None:
        """A row for each seat; the first one is the person's own."""
        if not hasattr(self, "_seat_box"):
            return
        self._seat_box.clear()
        self._seats, self._names = [], []
        players = self._form.players
        with self._seat_box:
            for seat in range(players):
                with ui.element("div").classes("seat-choice"):
                    choice = ui.select(
                        [YOU, PERSON, *AGENTS],
                        value="heuristic" if seat else YOU,
                        label=f"Seat {seat}",
                        new_value_mode="add-unique",
                    )
                    choice.props(
                        'dense outlined use-input hint="or type an agent or a model file"'
                        if seat == 1
                        else "dense outlined use-input"
                    )
                    name = ui.input("Name").props("dense outlined maxlength=24")
                    name.bind_visibility_from(choice, "value", lambda value: value in (YOU, PERSON))
                    self._seats.append(choice)
                    self._names.append(name)

    async def _play(self) -> None:
        self._error.set_text("")
        self._start.props("loading")
        try:
            wanted = self._wanted(self._form.rules())
            saved = await self._server.create(wanted)
        except (ValueError, OSError) as error:
            self._error.set_text(str(error))
            return
        finally:
            self._start.props(remove="loading")
        own = next((seat for seat, choice in enumerate(self._seats) if choice.value == YOU), None)
        if len([player for player in saved.players if not player]) > (own is not None):
            self._invite(saved, own)
        else:
            ui.navigate.to(f"/seat/{saved.link(own if own is not None else BYSTANDER)}")

    def _wanted(self, rules: Rules) -> NewGame:
        chosen = [str(choice.value or "").strip() for choice in self._seats]
        if chosen.count(YOU) > 1:
            raise ValueError(f"you can sit at one seat only: choose {PERSON!r} for the others")
        if YOU not in chosen and PERSON not in chosen:
            raise ValueError("no person plays: take a seat, or choose Watch for a game of bots")
        players = ["" if choice in (YOU, PERSON) else choice for choice in chosen]
        names = [str(name.value or "") for name in self._names]
        seed = parse_seed(self._seed.value)
        return NewGame(
            rules, players, names, seed, float(self._pace.value), bool(self._auto.value), str(self._hints.value or "")
        )

    def _invite(self, saved: SavedGame, own: int | None) -> None:
        """The secret links of the other persons' seats, once."""
        base = str(ui.context.client.request.base_url).rstrip("/")
        with ui.dialog(value=True).props("persistent"), ui.card().classes("invite"):
            ui.label("Send each person the link of their seat").classes("text-h6")
            ui.label("Whoever has a link sees the cards of its seat.").classes("faint")
            for seat, player in enumerate(saved.players):
                if not player and seat != own:
                    ui.label(f"Seat {seat}: {saved.names[seat]}")
                    ui.input(value=f"{base}/seat/{saved.link(seat)}").props(
                        f'readonly dense outlined aria-label="Link of seat {seat}"'
                    ).classes("link-text")
            ui.label("Anyone who looks on, without seeing cards")
            ui.input(value=f"{base}/seat/{saved.link(BYSTANDER)}").props(
                'readonly dense outlined aria-label="Link for onlookers"'
            ).classes("link-text")
            target = saved.link(own if own is not None else BYSTANDER)
            ui.button("Go to the table", on_click=lambda: ui.navigate.to(f"/seat/{target}")).props("unelevated no-caps")

    def _earlier(self) -> None:
        """Games of this server; only shown while nobody else can reach it, as the links are secret."""
        games = self._server.store.newest(8)
        if not games:
            return
        with ui.element("div").classes("panel earlier"):
            ui.label("Earlier games").classes("text-h6").props('role="heading" aria-level="2"')
            for saved in games:
                persons = [seat for seat, player in enumerate(saved.players) if not player]
                if not persons:
                    continue
                state = "over" if saved.ended else "goes on"
                ui.link(
                    f"Game {saved.number}: {saved.rules.name}, {', '.join(saved.names)} ({state})",
                    f"/seat/{saved.link(persons[0])}",
                ).classes("earlier-link")
