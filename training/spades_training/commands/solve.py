"""The command ``spades solve``: a deal with open cards, what each card leads to."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import typer

from spades_env.cards import RANKS, SUITS, card_name, cards_in, mask_of, parse_cards
from spades_env.reference import score_side
from spades_env.rules import Rules
from spades_training.options import parse_rules

__all__ = ["parse_deal", "solve"]

COMPASS = "NESW"
USUAL_RULES = {2: "two_player", 3: "cutthroat", 4: "partnership"}


@dataclass(frozen=True)
class Question:
    """A position with open cards; seats in order, ``bids`` empty if there are none (-1: blind nil)."""

    rules: Rules
    hands: list[int]
    leader: int
    trick: list[int]
    broken: bool
    bids: list[int]
    won: list[int]

    @property
    def turn(self) -> int:
        """The seat that plays next."""
        return (self.leader + len(self.trick)) % len(self.hands)

    @property
    def left(self) -> int:
        """Tricks still to be played, the current one among them."""
        return self.hands[self.turn].bit_count()

    def seat_name(self, seat: int) -> str:
        """N, E, S, W of four seats, else the seat's number."""
        return COMPASS[seat] if len(self.hands) == 4 else str(seat)


def parse_deal(text: str) -> list[int]:
    """The hands of a deal by seat, as 52-bit sets.

    Args:
        text: ``N:AKQ.T98.2. ...``: two to four hands clockwise, each spades.hearts.diamonds.clubs, ``-`` or nothing for
            none of a suit. N, E, S, W (or 0 to 3) before the colon says whose hand comes first; seat 0 is N.

    Raises:
        ValueError: if the text makes no sense; the message says where.
    """
    first, colon, rest = text.strip().rpartition(":")
    words = rest.split()
    if len(words) not in USUAL_RULES:
        raise ValueError(f"a deal has two to four hands, got {len(words)}")
    seat = parse_seat(first, len(words)) if colon else 0
    hands = [0] * len(words)
    for word in words:
        hands[seat] = _parse_hand(word)
        seat = (seat + 1) % len(words)
    for seat, hand in enumerate(hands):
        for other in hands[:seat]:
            if hand & other:
                raise ValueError(f"{card_name(cards_in(hand & other)[0])} is in two hands")
    return hands


def parse_seat(text: str, seats: int) -> int:
    """The seat that N, E, S, W or a number names."""
    name = text.strip().upper()
    seat = COMPASS.find(name) if seats == 4 and len(name) == 1 and name in COMPASS else None
    if seat is None and name.isdecimal() and int(name) < seats:
        seat = int(name)
    if seat is None:
        names = "N, E, S, W or 0 to 3" if seats == 4 else f"0 to {seats - 1}"
        raise ValueError(f"not a seat: {text.strip()!r} (of {seats} hands: {names})")
    return seat


def _parse_hand(word: str) -> int:
    suits = word.upper().replace("10", "T").split(".")
    if len(suits) != 4:
        raise ValueError(f"a hand is spades.hearts.diamonds.clubs, got {word!r}")
    mask = 0
    for suit, ranks in zip("SHDC", suits, strict=True):
        for rank in "" if ranks == "-" else ranks:
            if rank not in RANKS:
                raise ValueError(f"hand {word!r}: {rank!r} is not a rank of {RANKS}")
            card = 1 << (13 * SUITS.index(suit) + RANKS.index(rank))
            if mask & card:
                raise ValueError(f"hand {word!r}: {rank}{suit} stands twice")
            mask |= card
    return mask


def _parse_numbers(name: str, text: str, seats: int, words: dict[str, int], most: int) -> list[int]:
    """One number for each seat from ``4,nil,3``."""
    numbers = []
    for word in text.replace(",", " ").split():
        number = words.get(word.lower(), int(word) if word.isdecimal() else None)
        if number is None or number > most:
            allowed = ", ".join([f"0 to {most}", *words])
            raise ValueError(f"{name}: {word!r} is not one of {allowed}")
        numbers.append(number)
    if len(numbers) != seats:
        raise ValueError(f"{name}: expected {seats} numbers, one for each hand, got {len(numbers)}")
    return numbers


def _payoffs(question: Question) -> list[float]:
    """What seat 0 of a two-player game gets for 0..13 tricks: points ahead, a bag at its share of the penalty."""
    rules = question.rules
    bag = rules.bag_penalty / rules.bag_limit if rules.bag_limit else 0.0
    bids = [max(bid, 0) for bid in question.bids]
    blind = [bid < 0 for bid in question.bids]
    worth = []
    for tricks in range(14):
        sides = [score_side(rules, side, bids, blind, (tricks, 13 - tricks)) for side in range(2)]
        ours, theirs = (points - bag * bags for points, bags in sides)
        worth.append(ours - theirs)
    return worth


def answer(question: Question) -> dict[str, Any]:
    """The tricks, and with bids the value or the fate of each nil, of the position and after each card."""
    from spades_agents.search import nil_can_be_broken, solve_four, solve_two

    turn, seats, rules = question.turn, len(question.hands), question.rules
    shared = {"spades_broken": question.broken, "spades_must_break": rules.spades_must_break, "threads": 1}
    columns: dict[str, tuple[float, np.ndarray]] = {}
    if seats == 2:
        led = question.trick[0] if question.trick else -1
        played = {**shared, "on_turn": turn, "led": led, "won": question.won[0]}
        solved = solve_two([question.hands], **played)
        ours = (lambda value: value) if turn == 0 else (lambda value: question.left - value)
        columns["tricks"] = ours(solved.values[0]), ours(solved.cards[0])
        if question.bids:
            solved = solve_two([question.hands], payoffs=_payoffs(question), **played)
            sign = 1 if turn == 0 else -1
            columns["value"] = sign * solved.values[0], sign * solved.cards[0]
    else:
        played = {**shared, "leader": question.leader, "trick": question.trick}
        side = [seat for seat in range(seats) if rules.side_of(seat) == rules.side_of(turn)]
        solved = solve_four([question.hands], side=side, **played)
        columns["tricks"] = solved.values[0], solved.cards[0]
        for nil, bid in enumerate(question.bids):
            if bid <= 0 and question.won[nil] == 0:
                partner = next((s for s in range(seats) if s != nil and rules.side_of(s) == rules.side_of(nil)), -1)
                solved = nil_can_be_broken([question.hands], nil, partner=partner, **played)
                columns[f"nil {question.seat_name(nil)}"] = 1 - solved.values[0], 1 - solved.cards[0]
    legal = np.flatnonzero(~np.isnan(columns["tricks"][1]))
    return {
        "rules": rules.name,
        "turn": question.seat_name(turn),
        "left": question.left,
        "best": {name: float(value) for name, (value, _) in columns.items()},
        "cards": {
            card_name(int(card)): {name: float(row[card]) for name, (_, row) in columns.items()}
            for card in sorted(legal, reverse=True)
        },
    }


def solve(
    deal: Annotated[str, typer.Argument(help="Two to four hands clockwise: 'N:AKQ.T98.2.- ...' (spades first).")],
    leader: Annotated[
        str | None, typer.Option(help="Who leads the trick, or led it: N, E, S, W or 0 to 3; default: the first hand.")
    ] = None,
    trick: Annotated[str, typer.Option(help="Cards of the current trick, in order: 'QH,2H'.")] = "",
    bids: Annotated[str, typer.Option(help="By seat from 0 (N): '4,nil,3,5'; blind for blind nil.")] = "",
    won: Annotated[str, typer.Option(help="Tricks won so far, by seat; default: none.")] = "",
    broken: Annotated[bool, typer.Option("--broken", help="Spades are broken.")] = False,
    rules: Annotated[
        str | None, typer.Option(help="Preset, with changes if need be; default: by the number of hands.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for machines instead.")] = False,
) -> None:
    """Solve a deal with open cards: the tricks of the side on turn after each card, best play by all.

    With bids: in the two-player game the points ahead (each bag at its share of the penalty) when both play for that;
    with three or four hands, whether each nil is safe.
    """
    from rich.console import Console

    question = ask(deal, leader, trick, bids, won, broken, rules)
    result = answer(question)
    if as_json:
        typer.echo(json.dumps(result))
    else:
        print_answer(Console(), result)


def ask(deal: str, leader: str | None, trick: str, bids: str, won: str, broken: bool, rules: str | None) -> Question:
    """The question that the texts put.

    Raises:
        ValueError: if they make no sense; the message says which.
    """
    hands = parse_deal(deal)
    seats = len(hands)
    game = parse_rules(rules or USUAL_RULES[seats])
    if game.players != seats:
        raise ValueError(f"rules {game.name} are for {game.players} players, the deal has {seats} hands")
    first = deal.rpartition(":")[0].strip() or "0"
    cards = parse_cards(trick)
    called = _parse_numbers("--bids", bids, seats, {"nil": 0, "blind": -1}, game.hand_size) if bids else []
    taken = _parse_numbers("--won", won, seats, {}, game.hand_size) if won else [0] * seats
    question = Question(game, hands, parse_seat(leader or first, seats), cards, broken, called, taken)
    if mask_of(cards) & sum(hands):
        raise ValueError("--trick: a card of the trick is still in a hand")
    if len(cards) >= seats:
        raise ValueError(f"--trick: at most {seats - 1} cards, got {len(cards)}")
    if not 0 < question.left <= game.hand_size:
        raise ValueError(f"a hand of {game.name} has 1 to {game.hand_size} cards, got {question.left}")
    if called and seats == 2 and question.left + sum(taken) != game.hand_size:
        raise ValueError(
            f"with bids, tricks won and left must make {game.hand_size}: --won says {sum(taken)}, left {question.left}"
        )
    return question


def print_answer(console: Any, result: dict[str, Any]) -> None:
    """The result as a table, cards of a suit with the same result together."""
    from rich.table import Table

    names = list(result["best"])
    table = Table(title=f"{result['rules']}: {result['turn']} to play, {result['left']} tricks left")
    table.add_column("card")
    for name in names:
        table.add_column(name, justify="right")
    groups: dict[tuple[str, Sequence[float]], list[str]] = {}
    for card, values in result["cards"].items():
        groups.setdefault((card[-1], tuple(values[name] for name in names)), []).append(card)
    best = tuple(result["best"].values())
    for (_, values), cards in groups.items():
        cells = [_cell(name, value) for name, value in zip(names, values, strict=True)]
        table.add_row(" ".join(cards), *cells, style="bold" if values == best else None)
    table.add_section()
    table.add_row("best", *(_cell(name, value) for name, value in zip(names, best, strict=True)))
    console.print(table)


def _cell(name: str, value: float) -> str:
    if name.startswith("nil"):
        return "safe" if value else "broken"
    return f"{value:+g}" if name == "value" else f"{value:g}"
