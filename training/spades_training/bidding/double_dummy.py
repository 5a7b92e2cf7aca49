"""Double-dummy analysis: positions with all cards open, parsed from text and solved."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from spades_agents.search import nil_can_be_broken, solve_four, solve_two

from spades_env.cards import card_name, cards_in, mask_of, parse_cards, parse_hand
from spades_env.reference import score_side
from spades_env.rules import Rules

COMPASS = "NESW"
USUAL_RULES = {2: "two_player", 3: "cutthroat", 4: "partnership"}


@dataclass(frozen=True)
class OpenPosition:
    """A position with all cards open; lists are by seat, ``bids`` is empty before the bidding, -1 is a blind nil."""

    rules: Rules
    hands: list[int]
    leader: int
    trick: list[int]
    broken: bool
    bids: list[int]
    won: list[int]

    @property
    def turn(self) -> int:
        """The seat on turn."""
        return (self.leader + len(self.trick)) % len(self.hands)

    @property
    def left(self) -> int:
        """Number of tricks still to be played, including the current one."""
        return self.hands[self.turn].bit_count()

    def seat_name(self, seat: int) -> str:
        """N, E, S or W at a table of four, otherwise the number of the seat."""
        return COMPASS[seat] if len(self.hands) == 4 else str(seat)


def double_dummy(rules: Rules, hands: np.ndarray) -> np.ndarray:
    """Tricks that each side takes when all cards are open and everyone plays only for tricks.

    Args:
        rules: the rules.
        hands: uint64 of shape (n, players), whole hands by seat; seat 0 is the opener.

    Returns:
        int64 of shape (n, sides).
    """
    leader = rules.leads_first
    shared = {"spades_must_break": rules.spades_must_break, "every_card": False, "threads": 1}
    first = np.ascontiguousarray(hands)
    if rules.players == 2:
        own = solve_two(first, leader, **shared).values
    elif rules.partners:
        own = solve_four(first, leader, **shared).values
    else:
        sides = [solve_four(first, leader, side=[seat], **shared).values for seat in range(rules.players)]
        return np.stack(sides, axis=1).astype(np.int64)
    return np.stack([own, rules.hand_size - own], axis=1).astype(np.int64)


def parse_deal(text: str) -> list[int]:
    """Parse a deal; returns the hands by seat, as 52-bit sets.

    Args:
        text: two to four hands clockwise. Either each is spades.hearts.diamonds.clubs, where ``-`` or nothing is a
            void, and spaces separate them: ``N:AKQ.T98.2. ...``. Or they are written as ``parse_hand`` takes them and
            separated by ``|``: ``AS KS 2H | ♠Q ♥3 ♦4 | ...``. The letter N, E, S or W (or a number from 0 to 3) before
            the first colon is the seat of the first hand; seat 0 is N. (``S:AK`` are spades.)

    Raises:
        ValueError: if the text is invalid; the message says where.
    """
    first, texts = _split(text)
    if len(texts) not in USUAL_RULES:
        hint = "" if "." in text or len(texts) > 1 else ": separate them by |"
        raise ValueError(f"a deal has two to four hands, got {len(texts)}{hint}")
    seat = _parse_seat(first, len(texts)) if first else 0
    hands = [0] * len(texts)
    for hand in texts:
        hands[seat] = parse_hand(hand)
        seat = (seat + 1) % len(texts)
    for seat, hand in enumerate(hands):
        for other in hands[:seat]:
            if hand & other:
                raise ValueError(f"{card_name(cards_in(hand & other)[0])} is in two hands")
    return hands


def _split(text: str) -> tuple[str, list[str]]:
    """The seat of the first hand, or "", and the hands."""
    if "|" not in text and "." in text:
        first, _, rest = text.strip().rpartition(":")
        return first.strip(), rest.split()
    # With suits, S: may start a hand: S is a seat only before a hand with dots.
    seat = re.match(r"\s*([NEW\d])\s*:" if "." not in text else r"\s*(\w)\s*:", text, re.IGNORECASE)
    rest = text[seat.end() :] if seat else text
    return seat[1] if seat else "", rest.split("|")


def _parse_seat(text: str, seats: int) -> int:
    name = text.strip().upper()
    seat = COMPASS.find(name) if seats == 4 and len(name) == 1 and name in COMPASS else None
    if seat is None and name.isdecimal() and int(name) < seats:
        seat = int(name)
    if seat is None:
        names = "N, E, S, W or 0 to 3" if seats == 4 else f"0 to {seats - 1}"
        raise ValueError(f"not a seat: {text.strip()!r}; with {seats} hands use {names}")
    return seat


def _parse_numbers(name: str, text: str, seats: int, words: dict[str, int], most: int) -> list[int]:
    """Parse one number for each seat, as in ``4,nil,3``."""
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


def parse_position(
    deal: str, leader: str | None, trick: str, bids: str, won: str, broken: bool, rules: Rules | None
) -> OpenPosition:
    """Parse the arguments of ``spades solve``; without ``rules`` the number of hands chooses a preset.

    Raises:
        ValueError: if they are invalid; the message says which one.
    """
    hands = parse_deal(deal)
    seats = len(hands)
    rules = rules or Rules.preset(USUAL_RULES[seats])
    if rules.players != seats:
        raise ValueError(f"rules {rules.name} are for {rules.players} players, the deal has {seats} hands")
    first = _split(deal)[0] or "0"
    cards = parse_cards(trick)
    called = _parse_numbers("--bids", bids, seats, {"nil": 0, "blind": -1}, rules.hand_size) if bids else []
    taken = _parse_numbers("--won", won, seats, {}, rules.hand_size) if won else [0] * seats
    position = OpenPosition(rules, hands, _parse_seat(leader or first, seats), cards, broken, called, taken)
    if mask_of(cards) & sum(hands):
        raise ValueError("--trick: a card of the trick is still in a hand")
    if len(cards) >= seats:
        raise ValueError(f"--trick: at most {seats - 1} cards, got {len(cards)}")
    if not 0 < position.left <= rules.hand_size:
        raise ValueError(f"a hand of {rules.name} has 1 to {rules.hand_size} cards, got {position.left}")
    if called and seats == 2 and position.left + sum(taken) != rules.hand_size:
        raise ValueError(
            f"with bids, the tricks won and left must sum to {rules.hand_size}: {sum(taken)} are won (--won), "
            f"{position.left} are left"
        )
    return position


def _payoffs(position: OpenPosition) -> list[float]:
    """The lead of seat 0 in points for 0 to 13 tricks (two players), a bag charged its share of the penalty."""
    rules = position.rules
    bag = rules.bag_penalty / rules.bag_limit if rules.bag_limit else 0.0
    bids = [max(bid, 0) for bid in position.bids]
    blind = [bid < 0 for bid in position.bids]
    worth = []
    for tricks in range(14):
        sides = [score_side(rules, side, bids, blind, (tricks, 13 - tricks)) for side in range(2)]
        ours, theirs = (points - bag * bags for points, bags in sides)
        worth.append(ours - theirs)
    return worth


def answer(position: OpenPosition) -> dict[str, Any]:
    """Solve a position; returns values that JSON can hold.

    Returns:
        ``rules``, ``turn``, ``left``, ``best`` (the results of best play) and ``cards`` (those after each legal card).
        A result is ``tricks`` of the side on turn; with bids also ``value`` (two players, see ``spades solve``) or
        ``nil SEAT`` for each nil: 1 if it is safe, otherwise 0.
    """
    turn, seats, rules = position.turn, len(position.hands), position.rules
    shared = {"spades_broken": position.broken, "spades_must_break": rules.spades_must_break, "threads": 1}
    columns: dict[str, tuple[float, np.ndarray]] = {}
    if seats == 2:
        led = position.trick[0] if position.trick else -1
        played = {**shared, "on_turn": turn, "led": led, "won": position.won[0]}
        solved = solve_two([position.hands], **played)
        ours = (lambda value: value) if turn == 0 else (lambda value: position.left - value)
        columns["tricks"] = ours(solved.values[0]), ours(solved.cards[0])
        if position.bids:
            solved = solve_two([position.hands], payoffs=_payoffs(position), **played)
            sign = 1 if turn == 0 else -1
            columns["value"] = sign * solved.values[0], sign * solved.cards[0]
    else:
        played = {**shared, "leader": position.leader, "trick": position.trick}
        side = [seat for seat in range(seats) if rules.side_of(seat) == rules.side_of(turn)]
        solved = solve_four([position.hands], side=side, **played)
        columns["tricks"] = solved.values[0], solved.cards[0]
        for nil, bid in enumerate(position.bids):
            if bid <= 0 and position.won[nil] == 0:
                partner = next((s for s in range(seats) if s != nil and rules.side_of(s) == rules.side_of(nil)), -1)
                solved = nil_can_be_broken([position.hands], nil, partner=partner, **played)
                columns[f"nil {position.seat_name(nil)}"] = 1 - solved.values[0], 1 - solved.cards[0]
    legal = np.flatnonzero(~np.isnan(columns["tricks"][1]))
    return {
        "rules": rules.name,
        "turn": position.seat_name(turn),
        "left": position.left,
        "best": {name: float(value) for name, (value, _) in columns.items()},
        "cards": {
            card_name(int(card)): {name: float(row[card]) for name, (_, row) in columns.items()}
            for card in sorted(legal, reverse=True)
        },
    }
