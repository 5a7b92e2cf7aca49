"""What a picture shows of each seat, and where its cards and words are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from spades_env.cards import BID_0, BLIND_NIL, CLUBS, DIAMONDS, HEARTS, SPADES, cards_in
from spades_env.engine.state import Phase
from spades_env.game.position import Position
from spades_env.picture.card import fan, sorted_hand
from spades_env.picture.shapes import Box, Label, Shape, suit

_LOW, _HIGH = (40.0, 56.0), (48.0, 68.0)
_PLATE, _PLATE_EDGE, _ON_TURN = "#123f2e", "#2f7457", "#ffcf40"
_TEXT, _FAINT = "#ffffff", "#b9d6c8"
_GOOD, _OVER, _OPEN = "#7be08f", "#ff8f6b", "#3f7f66"


@dataclass(frozen=True)
class Seat:
    """What is shown of one seat.

    Attributes:
        name: the player's name.
        place: ``"bottom"``, ``"left"``, ``"top"`` or ``"right"``.
        cards: from left to right, None for a card back.
        bid: the bid, or None before it.
        line: the bid and tricks, or the progress of the draft, in words.
        tricks: tricks won in this hand.
        choices: in the draft, whether each drawn card was kept; None at other times.
        voids: suits in which it has shown a void, in order.
        notes: anything else, in a few words each.
        on_turn: whether it is the seat's turn.
        legal: the set of cards that it may play now; all bits are set unless it is about to play.
    """

    name: str
    place: str
    cards: list[int | None]
    bid: int | None
    line: str
    tricks: int
    choices: list[bool] | None
    voids: list[int]
    notes: list[str]
    on_turn: bool
    legal: int


def places(players: int) -> tuple[str, ...]:
    """The places of the seats, clockwise from the one at the bottom."""
    return {2: ("bottom", "top"), 3: ("bottom", "left", "right"), 4: ("bottom", "left", "top", "right")}[players]


def held(table: Position, seat: int) -> int:
    """The number of cards a seat holds, which everybody knows."""
    if table.is_over:
        return 0
    if table.rules.draft and table.phase in (Phase.BLIND, Phase.DRAFT):
        return sum(drawer == seat for drawer, _ in table.draft_choices)
    count = table.rules.hand_size - len(cards_in(table.plays[seat]))
    exchanging = table.phase == Phase.EXCHANGE and table.seat == seat
    return count - (table.exchanged[seat] if exchanging else 0)


def bid_text(bid: int | None, blind: bool | None) -> str:
    """A bid in words."""
    if bid is None:
        return "no bid yet"
    return f"bid {bid}" if bid else ("blind nil" if blind else "nil")


def seat_name(seat: int, names: Sequence[str] | None) -> str:
    """``seat 0``, or ``0:`` and the player's name, shortened to fit."""
    if names is None:
        return f"seat {seat}"
    return f"{seat}: {names[seat]}" if len(names[seat]) <= 11 else f"{seat}: {names[seat][:10]}.."


def read_seats(table: Position, names: Sequence[str] | None, action: int | None) -> list[Seat]:
    """All seats, clockwise from the one at the bottom: the observer of a View, or seat 0."""
    observer = table.observer
    bottom, players = observer or 0, table.rules.players
    seats = []
    for turn, place in enumerate(places(players)):
        seat = (bottom + turn) % players
        on_turn = seat == table.seat and not table.is_over
        acts = action if on_turn else None
        name = seat_name(seat, names) + (" (you)" if seat == observer else "")
        playing = table.phase == Phase.PLAY and on_turn and (observer is None or observer == seat)
        legal = sum(1 << card for card in table.legal_actions() if card < 52) if playing else -1
        drafting = table.rules.draft and table.phase in (Phase.BLIND, Phase.DRAFT)
        choices = [kept for drawer, kept in table.draft_choices if drawer == seat]
        bid, line = _bid(table, seat, acts)
        seats.append(
            Seat(
                name=name,
                place=place,
                cards=_cards(table, seat, acts),
                bid=bid,
                line=line,
                tricks=table.tricks[seat],
                choices=choices if drafting else None,
                voids=[which for which in (SPADES, HEARTS, CLUBS, DIAMONDS) if table.voids[seat] >> which & 1],
                notes=_notes(table, seat),
                on_turn=on_turn,
                legal=legal,
            )
        )
    return seats


def _cards(table: Position, seat: int, action: int | None) -> list[int | None]:
    count, known = held(table, seat), table.hands[seat]
    if action is not None and table.phase == Phase.PLAY:
        count, known = count - 1, known & ~(1 << action)
    return [*sorted_hand(known)] if known else [None] * count


def _bid(table: Position, seat: int, action: int | None) -> tuple[int | None, str]:
    """The bid, including one that is being made, and the line about it."""
    bid, blind = table.bids[seat], table.blind[seat]
    if action is not None and (table.phase == Phase.BID or action == BLIND_NIL):
        bid, blind = (0, True) if action == BLIND_NIL else (action - BID_0, False)
    if table.phase == Phase.PLAY or table.is_over:
        return bid, f"{bid_text(bid, blind)}, won {table.tricks[seat]}"
    if bid is None and table.rules.draft and table.phase in (Phase.BLIND, Phase.DRAFT):
        choices = [kept for drawer, kept in table.draft_choices if drawer == seat]
        return None, f"kept {sum(choices)} of {len(choices)} drawn" if choices else "no card yet"
    return bid, bid_text(bid, blind)


def _notes(table: Position, seat: int) -> list[str]:
    notes = ["opens"] if seat == table.opener and table.phase != Phase.PLAY else []
    notes += ["leads"] if seat == table.leader and table.phase == Phase.PLAY else []
    notes += [f"gave {table.exchanged[seat]}"] if table.exchanged[seat] else []
    unseen = table.rules.blind_nil and table.blind[seat] is None and not table.is_over
    return notes + (["not looked"] if unseen and not table.rules.draft else [])


def seat_shapes(seat: Seat) -> list[Shape]:
    """The seat's cards, and the plate with its name next to them."""
    count = len(seat.cards)
    if seat.place == "bottom":
        step = min(30.0, (548 - _HIGH[0]) / max(count - 1, 1))
        x = 286 - (step * (count - 1) + _HIGH[0]) / 2
        return [*fan(seat.cards, x, 436, _HIGH, (step, 0), seat.legal), *_wide_plate(seat, 396)]
    if seat.place == "top":
        step = 21.5
        x = 286 - (step * (count - 1) + _LOW[0]) / 2
        return [*fan(seat.cards, x, 8, _LOW, (step, 0), seat.legal), *_wide_plate(seat, 70)]
    x, edge = (8, 8) if seat.place == "left" else (524, 438)
    return [*fan(seat.cards, x, 84, _LOW, (0, 17), seat.legal), *_tall_plate(seat, edge, 8)]


def _wide_plate(seat: Seat, y: float) -> list[Shape]:
    """The plate with name, bid and tricks in a row: 290 by 34."""
    x = 286 - 145
    shapes = _plate(seat, x, y, 290, 34)
    shapes.append(Label(x + 10, y + 15, seat.name, 13, _TEXT, bold=True))
    shapes += _notes_label(seat, x + 10, y + 29)
    shapes.append(Label(x + 280, y + 15, seat.line, 13, _TEXT, "end"))
    count = len(seat.choices) if seat.choices is not None else max(seat.bid or 0, seat.tricks)
    shapes += _pips(seat, x + 282 - min(10 * count, 140), y + 20, 140)
    return shapes + _voids(seat, x + 86, y + 29)


def _tall_plate(seat: Seat, x: float, y: float) -> list[Shape]:
    """The same plate as a column: 126 by 68."""
    shapes = _plate(seat, x, y, 126, 68)
    shapes.append(Label(x + 8, y + 16, seat.name, 13, _TEXT, bold=True))
    shapes.append(Label(x + 8, y + 32, seat.line, 13, _TEXT))
    shapes += _pips(seat, x + 8, y + 38, 110)
    shapes += _notes_label(seat, x + 8, y + 61)
    return shapes + _voids(seat, x + 44, y + 61)


def _notes_label(seat: Seat, x: float, y: float) -> list[Shape]:
    return [Label(x, y, ", ".join(seat.notes), 11, _FAINT)] if seat.notes else []


def _plate(seat: Seat, x: float, y: float, width: float, height: float) -> list[Shape]:
    edge, thick = (_ON_TURN, 2.5) if seat.on_turn else (_PLATE_EDGE, 1)
    return [Box(x, y, width, height, _PLATE, 6, edge, thick)]


def _pips(seat: Seat, x: float, y: float, width: float) -> list[Shape]:
    """In the draft a mark for each draw, filled if it was kept; later a mark for each trick bid or won."""
    if seat.choices is not None:
        return [
            Box(x + 10 * k, y, 8, 8, _GOOD if kept else _PLATE, 2, _GOOD if kept else _OVER)
            for k, kept in enumerate(seat.choices)
        ]
    bid = seat.bid or 0
    count = max(bid, seat.tricks)
    step = min(10.0, width / max(count, 1))
    shapes: list[Shape] = []
    for k in range(count):
        fill = (_GOOD if k < bid else _OVER) if k < seat.tricks else _PLATE
        shapes.append(Box(x + step * k, y, step - 2, 8, fill, 2, _OPEN if k >= seat.tricks else None))
    return shapes


def _voids(seat: Seat, x: float, y: float) -> list[Shape]:
    """The suits in which the seat has shown a void."""
    shapes: list[Shape] = [Label(x, y, "no", 11, _FAINT)] if seat.voids else []
    for k, which in enumerate(seat.voids):
        left = x + 17 + 15 * k
        shapes += [Box(left, y - 11, 13, 13, "#ffffff", 3), *suit(which, left + 6.5, y - 4.5, 10)]
    return shapes
