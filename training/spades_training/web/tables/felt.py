"""The table as HTML: seats, trick and piles, as an observer sees them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from spades_env.cards import SUIT_SYMBOLS, trick_winner
from spades_env.engine.state import Phase
from spades_env.game.position import Position
from spades_env.picture.seats import Seat, places, read_seats
from spades_training.terminal.board import Seats, capital
from spades_training.terminal.moves import SUIT_NAMES
from spades_training.web.tables.faces import card_svg


@dataclass(frozen=True)
class Shown:
    """What a page shows of a table.

    Attributes:
        position: a Game, shown with all hands, or a View.
        seats: how the page names the seats.
        names: names of the players, by seat.
        own: whether the cards of a View's observer are shown. A bystander's page is drawn from the view of a seat, but
            shows no card of it.
    """

    position: Position
    seats: Seats
    names: Sequence[str]
    own: bool
    fans: bool = False
    """Whether the cards of the observer are on the table, too, as for a page that has no hand below it."""


def felt_html(shown: Shown) -> str:
    """The table: a plate for each seat, and the trick or the piles of the draft between them."""
    position = shown.position
    bottom = position.observer or 0
    players = position.rules.players
    seats = [
        _seat_html(shown, (bottom + turn) % players, seat)
        for turn, seat in enumerate(read_seats(position, shown.names, None))
    ]
    return f'<div class="felt felt-{players}">{"".join(seats)}<div class="middle">{_middle(shown)}</div></div>'


def _seat_html(shown: Shown, number: int, seat: Seat) -> str:
    position, name = shown.position, escape(str(shown.names[number]))
    cards = seat.cards if shown.own or position.observer is None else [None] * len(seat.cards)
    on_turn = seat.on_turn and not position.is_over
    title = escape(capital(shown.seats[number]))
    who = title if title.lower() == name.lower() else f"{title}, {name}"
    words = [seat.line, f"{len(cards)} cards", *seat.notes, *(["on turn"] if on_turn else [])]
    voids = [SUIT_NAMES[suit] for suit in seat.voids]
    words += [f"no {', '.join(voids)}"] if voids else []
    label = f"{who}: {', '.join(words)}"
    # The cards of a page's own seat are below the table, where they can be played.
    own_seat = position.observer == number and shown.own and not shown.fans
    fan = (
        ""
        if own_seat
        else f'<div class="fan">{"".join(card_svg(card, label=card is not None) for card in cards)}</div>'
    )
    role = f'<span class="seat-role">{title}</span>' if title.lower() != name.lower() else ""
    notes = [*seat.notes, *(["no " + " ".join(SUIT_SYMBOLS[suit] for suit in seat.voids)] if seat.voids else [])]
    return (
        f'<section class="seat seat-{seat.place}{" on-turn" if on_turn else ""}" aria-label="{label}">'
        f'<div class="plate"><div class="plate-name"><b>{name}</b>{role}</div>'
        f'<div class="plate-line">{escape(seat.line)}</div>{_pips(seat)}'
        f'<div class="plate-notes">{escape(", ".join(notes))}</div></div>{fan}</section>'
    )


def _pips(seat: Seat) -> str:
    """A mark for each draw of the draft, or for each trick bid or won."""
    if seat.choices is not None:
        kinds = ["kept" if kept else "rejected" for kept in seat.choices]
    else:
        bid = seat.bid or 0
        kinds = [("won" if k < bid else "over") if k < seat.tricks else "open" for k in range(max(bid, seat.tricks))]
    return f'<div class="pips" aria-hidden="true">{"".join(f"<i class=pip-{kind}></i>" for kind in kinds)}</div>'


def _middle(shown: Shown) -> str:
    position = shown.position
    if position.is_over:
        side = side_name(shown, position.winner or 0)
        one = not position.rules.partners and side != "you"
        return f'<div class="result">{escape(capital(side))} win{"s" if one else ""} the match</div>'
    if position.phase == Phase.PLAY:
        return _trick(position)
    if position.rules.draft and position.phase in (Phase.BLIND, Phase.DRAFT):
        return _piles(shown)
    words = {Phase.BLIND: "Blind nil?", Phase.EXCHANGE: "Exchange", Phase.BID: "Bids"}
    return f'<div class="stage">{words[position.phase]}</div>'


def _trick(position: Position) -> str:
    """The cards of the trick; between two tricks those of the last one, greyed out."""
    trick, over = position.trick, False
    if not trick:
        trick, over = position.played[-position.rules.players :], True
    if not trick:
        return '<div class="stage">First trick</div>'
    winner, around, bottom = trick_winner(trick), places(position.rules.players), position.observer or 0
    cards = []
    for seat, card in trick:
        place = around[(seat - bottom) % len(around)]
        marks = f"played-{place}{' winning' if seat == winner else ''}{' past' if over else ''}"
        cards.append(f'<div class="played {marks}">{card_svg(card)}</div>')
    return f'<div class="trick" role="group" aria-label="{"Last trick" if over else "Trick"}">{"".join(cards)}</div>'


def _piles(shown: Shown) -> str:
    position = shown.position
    draws, out = len(position.draft_choices), position.phase == Phase.DRAFT
    drawn = ""
    if out:
        visible = shown.own or position.observer is None
        drawn = f'<div class="pile drawn">{card_svg(position.drawn if visible else None)}<span>drawn</span></div>'
    return (
        f'<div class="piles"><div class="pile">{card_svg(None)}<span>stock {52 - 2 * draws - out}</span></div>{drawn}'
        f'<div class="pile">{card_svg(None) if draws else ""}<span>discards {draws}</span></div></div>'
    )


def score_html(shown: Shown) -> str:
    """The sides with points and bags, and how far the hand is."""
    position, rules = shown.position, shown.position.rules
    sides = []
    for side in shown.seats.sides():
        bags = f"{position.bags[side]}/{rules.bag_limit}" if rules.bag_limit else str(position.bags[side])
        members = range(side, rules.players, rules.sides)
        bids = [position.bids[seat] for seat in members]
        contract = ""
        if all(bid is not None for bid in bids) and not position.is_over:
            won = sum(position.tricks[seat] for seat in members if position.bids[seat])
            contract = f'<span class="contract">{won} of {sum(bid or 0 for bid in bids)}</span>'
        sides.append(
            f'<div class="side"><span class="side-name">{escape(capital(side_name(shown, side)))}</span>'
            f'<b>{position.scores[side]}</b><span class="bags">bags {bags}</span>{contract}</div>'
        )
    hand = position.hand_number if position.is_over else position.hand_number + 1
    stage = f"trick {sum(position.tricks) + 1} of {rules.hand_size}" if position.phase == Phase.PLAY else ""
    broken = f"spades {'' if position.spades_broken else 'not '}broken" if position.phase == Phase.PLAY else ""
    facts = [f"hand {hand}", stage, broken, f"to {rules.target}"]
    facts_html = " · ".join(filter(None, facts))
    return f'<div class="score">{"".join(sides)}<div class="facts">{facts_html}</div></div>'


def side_name(shown: Shown, side: int) -> str:
    """How the page names a side."""
    rules = shown.position.rules
    if rules.partners and shown.seats.me < 0:
        return " and ".join(str(shown.names[seat]) for seat in (side, side + 2))
    return shown.names[side] if shown.seats.me < 0 else shown.seats.side(side)
