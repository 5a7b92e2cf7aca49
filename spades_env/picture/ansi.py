"""A table as text: the whole table, or what one seat sees."""

from __future__ import annotations

from spades_env.cards import RANKS, SUIT_SYMBOLS, SUITS, hand_text
from spades_env.engine.state import Phase
from spades_env.game.position import Position

_TO_DO = {Phase.BLIND: "to bid blind nil or look", Phase.DRAFT: "to keep or reject the drawn card"}
_TO_DO |= {Phase.EXCHANGE: "to exchange cards", Phase.BID: "to bid", Phase.PLAY: "to play"}


def ansi(table: Position) -> str:
    """The table in words and suit symbols, on several lines.

    Args:
        table: a :class:`Game`, shown with all hands, or a :class:`View`, which shows only what its observer may know.
    """
    lines = [_title(table), *_score_lines(table), *_seat_lines(table)]
    lines += [*_draft_lines(table), *_trick_lines(table), *_own_lines(table)]
    if table.is_over:
        lines.append(f"the match is won by {table.rules.side_name(table.winner or 0)}")
    else:
        lines.append(f"turn: {_who(table, table.seat)}, {_TO_DO[table.phase]}{_drawn(table)}")
    return "\n".join(lines)


def card_text(card: int) -> str:
    """A card with its suit symbol, such as ``A♠``."""
    return RANKS[card % 13] + SUIT_SYMBOLS[card // 13]


def _title(table: Position) -> str:
    seen_by = f", seen by seat {table.observer}" if table.observer is not None else ""
    hand = table.hand_number if table.is_over else table.hand_number + 1
    return f"── {table.rules.name}, hand {hand}, {table.phase.name.lower()}{seen_by} ──"


def _score_lines(table: Position) -> list[str]:
    """The points and bags of every side, and its result of the last hand."""
    limit = f"/{table.rules.bag_limit}" if table.rules.bag_limit else ""
    last = table.last_hand if table.hand_number else None
    lines = []
    for side, (score, bags) in enumerate(zip(table.scores, table.bags, strict=True)):
        text = f"{table.rules.side_name(side)}: {score} points, {bags}{limit} bags"
        if last:
            seats = range(side, table.rules.players, table.rules.sides)
            made = ", ".join(f"{_bid(last['bids'][k], last['blind'][k])} won {last['tricks'][k]}" for k in seats)
            text += f" (last hand {last['points'][side]:+}: bid {made})"
        lines.append(text)
    return lines


def _seat_lines(table: Position) -> list[str]:
    """The bid, tricks, shown voids and cards of every seat."""
    if table.is_over:
        return []
    lines = []
    for seat in range(table.rules.players):
        bid = table.bids[seat]
        marks = ["opener"] if seat == table.opener else []
        marks += ["leads" if table.phase == Phase.PLAY else "will lead"] if seat == table.leader else []
        suits = "".join(SUIT_SYMBOLS[suit] for suit in range(len(SUITS)) if table.voids[seat] >> suit & 1)
        parts = ["no bid yet" if bid is None else f"bid {_bid(bid, table.blind[seat])}, won {table.tricks[seat]}"]
        parts += [f"void in {suits}"] if suits else []
        parts += [f"gave up {table.exchanged[seat]}"] if table.exchanged[seat] else []
        if table.observer in (None, seat):
            unseen = "cards not looked at yet" if table.blind[seat] is None else "no cards"
            parts.append(hand_text(table.hands[seat], symbols=True) or unseen)
        lines.append(f"{'>' if seat == table.seat else ' '} {_who(table, seat)}: {' | '.join([*parts, *marks])}")
    return lines


def _draft_lines(table: Position) -> list[str]:
    """What has been kept and rejected so far, during the draft."""
    choices = table.draft_choices
    if not choices or table.phase not in (Phase.BLIND, Phase.DRAFT):
        return []
    by_seat = ["".join("+" if kept else "-" for at, kept in choices if at == seat) for seat in range(2)]
    texts = ", ".join(f"{_who(table, seat)} {text}" for seat, text in enumerate(by_seat) if text)
    return [f"draft (+ kept, - rejected): {texts}"]


def _trick_lines(table: Position) -> list[str]:
    """The last trick and the current one."""
    played, now = table.played, table.trick
    before = played[: len(played) - len(now)][-table.rules.players :]
    lines = []
    if before:  # its winner leads the current one
        lines.append(f"last trick: {_plays(before)}, won by {_who(table, table.leader)}")
    if now:
        lines.append(f"trick: {_plays(now)}")
    if table.phase == Phase.PLAY:
        lines.append(f"spades are {'broken' if table.spades_broken else 'not broken'}")
    return lines


def _own_lines(table: Position) -> list[str]:
    """What only the observer knows, besides its hand."""
    if table.observer is None:
        return []
    known = {"discards seen": table.discards_seen, "given up": table.given, "received": table.received}
    return [f"{what}: {hand_text(cards, symbols=True)}" for what, cards in known.items() if cards]


def _drawn(table: Position) -> str:
    return "" if table.drawn is None else f": {card_text(table.drawn)}"


def _plays(cards: list[tuple[int, int]]) -> str:
    return " ".join(f"{seat}:{card_text(card)}" for seat, card in cards)


def _bid(bid: int, blind: bool | None) -> str:
    return str(bid) if bid else ("blind nil" if blind else "nil")


def _who(table: Position, seat: int) -> str:
    return f"seat {seat}{' (you)' if seat == table.observer else ''}"
