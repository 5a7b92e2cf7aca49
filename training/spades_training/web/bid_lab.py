"""The page Bid lab: what each bid with a hand is worth, and how that changes with score and bags."""

from __future__ import annotations

import asyncio
from typing import Any

from nicegui import events, ui

from spades_env.cards import RANKS, SUIT_SYMBOLS, hand_text
from spades_training.bidding.shown import NOTE, bid_name, blind_verdict, verdict
from spades_training.terminal.board import capital
from spades_training.web.frame import frame, heading
from spades_training.web.server import Server
from spades_training.web.study.bidding import GAMES, Asked, Question, answer, chart, example_hand, read_hand
from spades_training.web.study.charts import STYLE, bids_table, situations_table
from spades_training.web.study.threads import in_thread

_PAUSE = 0.2  # seconds without another change before the bids are rated
_SUITS = (3, 2, 0, 1)
_SUIT_NAMES = ("clubs", "diamonds", "hearts", "spades")
_PLACES = ("first", "second", "third", "last")


def register(server: Server) -> None:
    """Add the page ``/bid-lab``."""

    @ui.page("/bid-lab")
    def bid_lab() -> None:
        ui.add_head_html(STYLE)
        with frame("Bid lab", "/bid-lab"):
            BidLabPage()


class BidLabPage:
    """The page of one browser tab."""

    def __init__(self) -> None:
        self.cards = 0
        self.chosen: int | None = None  # the bid whose tricks to show; None follows the best
        self.bid = 0  # the bid whose tricks are shown now
        self.latest = 0
        self.done = 0.0
        self.answer: Asked | None = None
        with ui.element("div").classes("study-columns"):
            with ui.element("div").classes("study-narrow"):
                self._build_question()
            with ui.element("div").classes("study-wide"):
                self._build_answer()
        self._changed()

    # The question

    def _build_question(self) -> None:
        with ui.element("section").classes("panel study-panel"):
            self.text = ui.input("Hand, such as AS KS 2C or ♠AK4 ♥Q7", on_change=self._typed, validation=_fault)
            self.text.classes("study-full").props("clearable hide-bottom-space autocomplete=off spellcheck=false")
            self.buttons: dict[int, Any] = {}
            with ui.element("div").classes("card-grid").props('role=group aria-label="The 52 cards"'):
                for suit in _SUITS:
                    for rank in range(12, -1, -1):
                        self._card_button(13 * suit + rank)
            with ui.element("div").classes("study-line"):
                ui.button("Random hand", on_click=lambda: self._set_hand(example_hand())).props("outline dense no-caps")
                ui.button("Clear", on_click=lambda: self._set_hand(0)).props("outline dense no-caps")
                self.count = ui.label().props("aria-live=polite")
        with ui.element("section").classes("panel study-panel"):
            self.rules = ui.select(list(GAMES), label="Rules", value=next(iter(GAMES)), on_change=self._rules_chosen)
            self.rules.classes("study-full")
            self.changes = ui.input("Changes, such as target=300, bag_limit=5", on_change=self._changed)
            self.changes.classes("study-full").props("autocomplete=off spellcheck=false")
            with ui.element("div").classes("study-pair"):
                self.scores = [self._number(f"{whose} points", 0) for whose in ("Your", "Their")]
                self.bags = [self._number(f"{whose} bags", 0) for whose in ("Your", "Their")]
            self.place = ui.select({0: "first"}, label="You bid", value=0, on_change=self._place_chosen)
            self.place.classes("study-full")
            self.heard_row = ui.element("div").classes("study-pair")
            self.heard: list[Any] = []
        self._rules_chosen()

    def _card_button(self, card: int) -> None:
        rank, suit = RANKS[card % 13].replace("T", "10"), card // 13
        name = f"{rank} of {_SUIT_NAMES[suit]}"
        button = ui.element("button").classes(f"card-key s{suit}").props(f'type=button aria-label="{name}"')
        with button:
            ui.html(f"{rank}<br>{SUIT_SYMBOLS[suit]}", sanitize=False, tag="span").props("aria-hidden=true")
        button.on("click", lambda: self._set_hand(self.cards ^ 1 << card))
        self.buttons[card] = button

    def _number(self, label: str, value: int) -> Any:
        return ui.number(label, value=value, step=1, precision=0, on_change=self._changed).props("dense")

    def _rules_chosen(self, _: events.ValueChangeEventArguments | None = None) -> None:
        players = GAMES[self.rules.value].players
        places = {k: _PLACES[k] if k < players - 1 else "last" for k in range(players)}
        self.place.set_options(places, value=min(self.place.value or 0, players - 1))
        self._place_chosen()

    def _place_chosen(self, _: events.ValueChangeEventArguments | None = None) -> None:
        count = self.place.value or 0
        before = [select.value for select in self.heard]
        bids = {k: bid_name(k) for k in range(14)}
        players = GAMES[self.rules.value].players
        self.heard_row.clear()
        self.heard = []
        with self.heard_row:
            for k in range(count):
                partner = players == 4 and k == count - 2
                label = "Partner's bid" if partner else f"{_PLACES[k].capitalize()} bid"
                value = before[k] if k < len(before) else 4
                self.heard.append(ui.select(bids, label=label, value=value, on_change=self._changed).props("dense"))
        self._changed()

    def _typed(self, event: events.ValueChangeEventArguments) -> None:
        text = event.value or ""
        if _fault(text) is None:
            self.cards = read_hand(text)
            self._changed()

    def _set_hand(self, cards: int) -> None:
        self.cards = cards
        self.text.set_value(hand_text(cards))
        self._changed()

    # The answer

    def _build_answer(self) -> None:
        self.message = ui.label().props("role=status")
        self.results = ui.column().classes("study-full")
        with self.results:
            with ui.element("section").classes("panel study-panel"):
                heading("What each bid is worth")
                self.verdict = ui.label().props("aria-live=polite").classes("study-title")
                self.table = ui.html(sanitize=False).classes("study-scroll")
                self.blind = ui.label()
                ui.label(NOTE).classes("study-small")
            with ui.element("section").classes("panel study-panel"):
                heading("How many tricks")
                self.choice = ui.toggle({}, on_change=self._bid_chosen)
                self.choice.props('no-caps unelevated padding="4px 14px" aria-label="Bid"')
                self.chart = ui.html(sanitize=False).classes("study-scroll")
            with ui.element("section").classes("panel study-panel"):
                heading("How the best bid changes")
                self.progress = ui.linear_progress(0, show_value=False).props('aria-label="Situations rated"')
                self.changes_table = ui.html(sanitize=False).classes("study-scroll")
        self.results.visible = False

    def _changed(self, _: events.ValueChangeEventArguments | None = None) -> None:
        if not hasattr(self, "results"):
            return  # the page is still being built
        for card, button in self.buttons.items():
            held = bool(self.cards >> card & 1)
            button.props(f"aria-pressed={'true' if held else 'false'}")
        count = self.cards.bit_count()
        self.count.text = f"{count} of 13 cards"
        self.latest += 1
        ui.timer(0, self._rate, once=True)

    def question(self) -> Question:
        """The question as it is now.

        Raises:
            ValueError: if something is missing or invalid.
        """
        changes = f",{self.changes.value}" if self.changes.value else ""
        return Question.of(
            self.cards,
            f"{self.rules.value}{changes}",
            [field.value for field in self.scores],
            [field.value for field in self.bags],
            [select.value for select in self.heard],
        )

    async def _rate(self) -> None:
        """Answer the question, unless it changes at once."""
        turn = self.latest
        await asyncio.sleep(_PAUSE)
        if turn != self.latest or self.results.is_deleted:
            return
        try:
            question = self.question()
            found = await in_thread(answer, question)
        except ValueError as error:
            self.message.text, self.message.visible, self.results.visible = str(error), True, False
            return
        if turn != self.latest or self.results.is_deleted:
            return
        self.message.visible, self.results.visible = False, True
        self.answer = found
        self._show(found)
        self.done = 0.0

        def note(done: int, total: int) -> bool:
            self.done = done / total
            return turn == self.latest

        self.progress.visible = True
        timer = ui.timer(0.2, lambda: self.progress.set_value(round(self.done, 2)))
        best = await in_thread(question.situations, note)
        timer.cancel()
        if turn == self.latest and not self.results.is_deleted:
            self.progress.visible = False
            self.changes_table.set_content(situations_table(question.rules, question.scores, question.bags, best))

    def _show(self, found: Asked) -> None:
        self.verdict.text = capital(verdict(found.advice))
        self.blind.text = blind_verdict(found.advice) or ""
        self.table.set_content(bids_table(found.advice))
        names = {bid: bid_name(bid) for bid in found.advice.tried}
        self.bid = self.chosen if self.chosen in names else found.advice.best
        self.choice.set_options(names, value=self.bid)
        self._show_chart()

    def _bid_chosen(self, event: events.ValueChangeEventArguments) -> None:
        if event.value is not None and event.value != self.bid:
            self.chosen = self.bid = event.value
            self._show_chart()

    def _show_chart(self) -> None:
        if self.answer is not None and self.bid in self.answer.tricks:
            self.chart.set_content(chart(self.answer, self.bid))


def _fault(text: str | None) -> str | None:
    """What is wrong with the text of a hand."""
    try:
        read_hand(text or "")
    except ValueError as error:
        return str(error)
    return None
