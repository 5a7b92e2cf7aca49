"""The score sheet next to the table: sides, bags, the last hand, the last trick, and whose turn it is."""

from __future__ import annotations

from collections.abc import Sequence

from spades_env.cards import BID_0, BLIND_NIL, DONE, KEEP, LOOK, trick_winner
from spades_env.engine.state import Phase
from spades_env.game.position import Position
from spades_env.picture.card import face, rank_text
from spades_env.picture.seats import bid_text, seat_name
from spades_env.picture.shapes import HEIGHT, WIDTH, Box, Label, Shape

LEFT = 572
_PAPER, _RULE, _TEXT, _FAINT = "#1b232d", "#3a4654", "#ffffff", "#a9b6c4"
_BAG, _NO_BAG, _LEADER, _BOX = "#ff8f6b", "#2b3642", "#ffcf40", "#0f1419"
_X, _RIGHT = LEFT + 14, WIDTH - 14

_TO_DO = {Phase.BLIND: "blind nil, or look?", Phase.DRAFT: "keep the drawn card?", Phase.BID: "to bid"}
_TO_DO |= {Phase.EXCHANGE: "to give up cards", Phase.PLAY: "to play"}


def panel(table: Position, names: Sequence[str] | None, action: int | None) -> list[Shape]:
    """Everything to the right of the table."""
    shapes: list[Shape] = [Box(LEFT, 0, WIDTH - LEFT, HEIGHT, _PAPER)]
    shapes.append(Label(_X, 26, f"Spades, {table.rules.name.partition(',')[0]}", 14.5, _TEXT, bold=True))
    hand = table.hand_number if table.is_over else table.hand_number + 1
    shapes.append(Label(_X, 45, f"hand {hand}, {_stage(table)}", 13, _FAINT))
    step = 74 if table.rules.sides == 2 else 63
    for side in range(table.rules.sides):
        shapes += _side(table, names, side, 56 + step * side)
    y = 62 + step * table.rules.sides
    loss = "" if table.rules.loss is None else f", out at {table.rules.loss}"
    shapes.append(Label(_X, y + 12, f"first to {table.rules.target}{loss}", 12, _FAINT))
    if table.phase == Phase.PLAY:
        shapes.append(Label(_X, y + 30, f"spades {'' if table.spades_broken else 'not '}broken", 12, _FAINT))
    return shapes + _last_trick(table) + _turn(table, names, action)


def _stage(table: Position) -> str:
    if table.phase == Phase.PLAY:
        return f"trick {sum(table.tricks) + 1} of {table.rules.hand_size}"
    words = {Phase.BLIND: "blind bids", Phase.DRAFT: "draft", Phase.EXCHANGE: "exchange", Phase.BID: "bids"}
    return words.get(table.phase, "the match is over")


def _side(table: Position, names: Sequence[str] | None, side: int, y: float) -> list[Shape]:
    """The score, bags and last hand of a side."""
    rules = table.rules
    name = rules.side_name(side) if rules.partners else seat_name(side, names)
    best = table.scores[side] == max(table.scores)
    shapes: list[Shape] = [Box(_X, y, _RIGHT - _X, 1, _RULE)]
    shapes.append(Label(_X, y + 22, name, 13, _TEXT, bold=True))
    shapes.append(Label(_RIGHT, y + 25, str(table.scores[side]), 21, _LEADER if best else _TEXT, "end", bold=True))
    limit, bags = rules.bag_limit, table.bags[side]
    shapes.append(Label(_X, y + 42, f"bags {bags}/{limit}" if limit else f"bags {bags}", 12, _FAINT))
    if 0 < limit <= 12:
        for k in range(limit):
            shapes.append(Box(_X + 74 + 9 * k, y + 33, 7, 9, _BAG if k < bags else _NO_BAG, 1.5))
    if table.hand_number:
        last = table.last_hand
        seats = range(side, rules.players, rules.sides)
        made = ", ".join(f"{bid_text(last['bids'][k], last['blind'][k])} won {last['tricks'][k]}" for k in seats)
        text = f"{last['points'][side]:+}: {made}"
        shapes.append(Label(_X, y + 57, text, 11 if len(text) < 28 else 10, _FAINT))
    return shapes


def _last_trick(table: Position) -> list[Shape]:
    played, now = table.played, len(table.trick)
    trick = played[: len(played) - now][-table.rules.players :]
    if not trick:
        return []
    winner = trick_winner(trick)
    shapes: list[Shape] = [Label(_X, 372, f"last trick, won by seat {winner}", 12, _FAINT)]
    for k, (seat, card) in enumerate(trick):
        x = _X + 43 * k
        shapes += face(card, x, 380, 34, 48, mark=seat == winner)
        shapes.append(Label(x + 17, 442, str(seat), 11, _FAINT, "middle"))
    return shapes


def _turn(table: Position, names: Sequence[str] | None, action: int | None) -> list[Shape]:
    """Whose turn it is, and what the seat has to do or is doing."""
    if table.is_over:
        return []
    who = seat_name(table.seat, names)
    what = _TO_DO[table.phase] if action is None else _doing(table, action)
    shapes: list[Shape] = [Box(_X - 4, 454, _RIGHT - _X + 8, 46, _BOX, 6, _LEADER, 1.5)]
    shapes.append(Label(_X + 6, 473, who, 13, _LEADER, bold=True))
    return [*shapes, Label(_X + 6, 491, what, 13, _TEXT)]


def _doing(table: Position, action: int) -> str:
    if table.phase == Phase.PLAY:
        return f"plays {card_words(action)}"
    if table.phase == Phase.BID:
        return f"bids {action - BID_0 or 'nil'}"
    if table.phase == Phase.EXCHANGE:
        # Everybody sees that a card is given up, but not which one.
        return "ends the exchange" if action == DONE else "gives up a card"
    return {BLIND_NIL: "bids blind nil", LOOK: "looks", KEEP: "keeps the card"}.get(action, "rejects the card")


def card_words(card: int) -> str:
    """A card in words: ``ace of spades``."""
    rank = {"J": "jack", "Q": "queen", "K": "king", "A": "ace"}.get(rank_text(card), rank_text(card))
    return f"{rank} of {('clubs', 'diamonds', 'hearts', 'spades')[card // 13]}"
