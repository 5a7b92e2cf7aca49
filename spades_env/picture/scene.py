"""The whole picture of a table, as a list of shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from spades_env.cards import KEEP, trick_winner
from spades_env.engine.state import Phase
from spades_env.game.position import Position
from spades_env.picture.card import back, face, suit_rows
from spades_env.picture.panel import LEFT, panel
from spades_env.picture.seats import places, read_seats, seat_shapes
from spades_env.picture.shapes import HEIGHT, Box, Label, Shape

Part = Literal["all", "table", "panel"]

_TABLE, _FELT, _TEXT, _FAINT = "#0d3325", "#1a5c43", "#ffffff", "#b9d6c8"
_MIDDLE = (286.0, 250.0)
_CARD = (64.0, 90.0)
_OFFSETS = {"bottom": (0, 58), "left": (-92, 0), "top": (0, -58), "right": (92, 0)}


def scene(
    table: Position, names: Sequence[str] | None = None, action: int | None = None, part: Part = "all"
) -> list[Shape]:
    """The shapes of the picture, from back to front.

    Args:
        table: a :class:`spades_env.Game`, shown with all hands, or a :class:`spades_env.View`, which shows only what
            its observer may know. The observer, or seat 0 of a Game, is at the bottom; the others follow clockwise.
        names: names of the players, by seat.
        action: what the seat on turn is about to do: a card is shown in the trick, other actions in words.
        part: ``"table"`` leaves out the score sheet to the right of the table, ``"panel"`` all but that.
    """
    if part == "panel":
        return panel(table, names, action)
    shapes: list[Shape] = [Box(0, 0, LEFT, HEIGHT, _FELT)]
    for seat in read_seats(table, names, action):
        shapes += seat_shapes(seat)
    if table.is_over:
        shapes += _winner(table)
    elif table.phase == Phase.PLAY:
        shapes += _trick(table, action)
    elif table.rules.draft and table.phase in (Phase.BLIND, Phase.DRAFT):
        shapes += _piles(table, action)
    if table.rules.players == 2:
        shapes += _known(table)
    return shapes if part == "table" else shapes + panel(table, names, action)


def _trick(table: Position, action: int | None) -> list[Shape]:
    """The cards of the current trick; between tricks those of the last one, greyed out."""
    trick = table.trick + ([] if action is None else [(table.seat, action)])
    over = not trick
    trick = trick or table.played[-table.rules.players :]
    if not trick:
        return [Label(_MIDDLE[0], _MIDDLE[1] + 5, f"seat {table.leader} leads", 14, _FAINT, "middle")]
    winner, around = trick_winner(trick), places(table.rules.players)
    bottom = table.observer or 0
    shapes: list[Shape] = []
    for seat, card in trick:
        x, y = (at + by for at, by in zip(_MIDDLE, _OFFSETS[around[(seat - bottom) % len(around)]], strict=True))
        shapes += face(card, x - _CARD[0] / 2, y - _CARD[1] / 2, *_CARD, dim=over, mark=seat == winner)
    return shapes


def _piles(table: Position, action: int | None) -> list[Shape]:
    """The stock, the drawn card and the discard pile."""
    draws = len(table.draft_choices)
    out = table.phase == Phase.DRAFT
    # Right of the middle, since the discards of a whole draft fill the left.
    left, y = _MIDDLE[0] + 64, _MIDDLE[1] - _CARD[1] / 2
    shapes = _pile(52 - 2 * draws - out, "stock", left - 104, y) + _pile(draws, "discards", left + 104, y)
    if out:
        drawn = table.drawn
        shapes += back(left, y, *_CARD) if drawn is None else face(drawn, left, y, *_CARD, mark=True)
        text = "drawn" if action is None else ("kept" if action == KEEP else "rejected")
        shapes.append(Label(left + _CARD[0] / 2, y + _CARD[1] + 20, text, 13, _TEXT, "middle"))
    return shapes


def _pile(count: int, name: str, x: float, y: float) -> list[Shape]:
    """A pile of card backs, higher the more cards there are."""
    shapes: list[Shape] = [] if count else [Box(x, y, *_CARD, _FELT, 5, _FAINT)]
    for k in range(min(count, 1 + count // 10)):
        shapes += back(x - 2 * k, y - 2 * k, *_CARD)
    return [*shapes, Label(x + _CARD[0] / 2, y + _CARD[1] + 20, f"{name} {count}", 13, _TEXT, "middle")]


def _known(table: Position) -> list[Shape]:
    """The cards known to be out of play, on the left of a two-player table."""
    if table.observer is not None:
        groups = {"discards you saw": table.discards_seen, "you gave up": table.given, "you received": table.received}
    else:
        groups = {"discard pile": 0 if table.is_over else table.discard_pile}
    shapes: list[Shape] = []
    for k, (title, cards) in enumerate((title, cards) for title, cards in groups.items() if cards):
        y = 116 + 112 * k
        shapes.append(Label(10, y, title, 12, _FAINT))
        shapes += suit_rows(cards, 10, y + 6)
    return shapes


def _winner(table: Position) -> list[Shape]:
    side = table.winner or 0
    who = f"{table.rules.side_name(side)} win{'' if table.rules.partners else 's'}"
    x, y = _MIDDLE
    scores = " : ".join(map(str, table.scores))
    return [
        Box(x - 130, y - 44, 260, 88, _TABLE, 10, "#ffcf40", 2),
        Label(x, y - 6, f"{who} the match", 18, _TEXT, "middle", bold=True),
        Label(x, y + 24, scores, 18, "#ffcf40", "middle", bold=True),
    ]
