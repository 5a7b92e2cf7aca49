"""What a caller says that one seat knows of a hand, read from ids or text; :mod:`spades_env.game.rebuild` uses it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from spades_env.cards import (
    BID_0,
    BLIND_NIL,
    DONE,
    KEEP,
    LOOK,
    NUM_CARDS,
    REJECT,
    card_name,
    mask_of,
    parse_action,
    parse_card,
    parse_cards,
    parse_hand,
)
from spades_env.checks import MOST_POINTS, check_int, check_list, shown
from spades_env.game.log import HandResult, Start, check_start
from spades_env.rules import Rules

CardLike = int | str  # an id, or text for parse_card
MOST_HANDS = 2**31 - 2


@dataclass(frozen=True)
class Draw:
    """A draw of the draft.

    Attributes:
        action: KEEP or REJECT; None for a card that has been drawn and not yet been decided on.
        cards: the cards of the draw that the seat has seen.
    """

    action: int | None
    cards: tuple[int, ...]


@dataclass(frozen=True)
class Known:
    """What one seat knows of a hand; each part is valid by itself.

    Attributes:
        rules: the rules.
        seat: the seat.
        start: scores, bags and opener of the hand, and the hand before it.
        hand: the cards that the seat holds, as a set; None if they were not given.
        bids: by seat, the last action of its bidding (BID_0 + n, BLIND_NIL or LOOK), or None.
        plays: the cards played, each with its seat if that was given.
        draft: the draws, in order.
        gone: in order, cards given up in the exchange, None where they are unseen, and DONE.
        received: the cards received in the exchange, as a set; None if they were not given.
    """

    rules: Rules
    seat: int
    start: Start
    hand: int | None
    bids: list[int | None]
    plays: list[tuple[int | None, int]]
    draft: list[Draw]
    gone: list[int | None]
    received: int | None


def read_known(
    rules: Rules,
    seat: int,
    hand: str | Iterable[CardLike] | None,
    bids: Sequence[int | str | None] | None,
    plays: str | Sequence[Any],
    scores: Sequence[int] | None,
    bags: Sequence[int] | None,
    opener: int,
    draft: Sequence[Any],
    gone: str | Sequence[CardLike | None],
    received: str | Iterable[CardLike] | None,
    hand_number: int,
    last_hand: dict[str, Any] | None,
) -> Known:
    """The arguments of :meth:`View.of <spades_env.View.of>`, each checked by itself.

    Raises:
        ValueError: if one is invalid; the message names it.
    """
    seat = check_int("seat", seat, 0, rules.players - 1)
    start = check_start(rules, scores, bags, opener)
    number = check_int("hand_number", hand_number, 0, MOST_HANDS)
    last = None if last_hand is None else _last_hand(last_hand, number, rules)
    return Known(
        rules=rules,
        seat=seat,
        start=Start(start.scores, start.bags, start.opener, number, last),
        hand=None if hand is None else _card_set("hand", hand, rules),
        bids=_bids(bids, rules),
        plays=_plays(plays, rules),
        draft=_draft(draft, rules),
        gone=_gone(gone, rules),
        received=None if received is None else _card_set("received", received, rules),
    )


def _read(name: str, parse: Callable[[str], Any], text: str) -> Any:
    """``parse(text)``, with the name of the argument in its errors."""
    try:
        return parse(text)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def _card(name: str, value: Any, rules: Rules) -> int:
    """One card of the deck, from its id or its name."""
    card = _read(name, parse_card, value) if isinstance(value, str) else check_int(name, value, 0, NUM_CARDS - 1)
    if card not in rules.deck:
        raise ValueError(f"{name}: {card_name(card)} is not in the deck of {rules.name}")
    return card


def _items(name: str, value: Any) -> list[Any]:
    """The cards of a text, or the items of a list."""
    return _read(name, parse_cards, value) if isinstance(value, str) else check_list(name, value)


def _card_set(name: str, value: Any, rules: Rules) -> int:
    if isinstance(value, str):
        value = _read(name, parse_hand, value)
    cards = [_card(f"{name}[{k}]", card, rules) for k, card in enumerate(check_list(name, value))]
    for card in cards:
        if cards.count(card) > 1:
            raise ValueError(f"{name}: {card_name(card)} appears twice")
    return mask_of(cards)


def _bids(value: Any, rules: Rules) -> list[int | None]:
    if value is None:
        return [None] * rules.players
    bids = check_list("bids", value)
    if len(bids) != rules.players:
        raise ValueError(f"bids must hold {rules.players} bids, one for each seat, got {len(bids)}")
    return [None if bid is None else _bid(f"bids[{k}]", bid, rules) for k, bid in enumerate(bids)]


def _bid(name: str, value: Any, rules: Rules) -> int:
    if not isinstance(value, str):
        return BID_0 + check_int(name, value, 0, rules.hand_size)
    try:
        action = parse_action(value)
    except ValueError:
        action = KEEP
    if BID_0 <= action <= BID_0 + rules.hand_size or (rules.blind_nil and action in (BLIND_NIL, LOOK)):
        return action
    names = "BLIND_NIL, LOOK or " if rules.blind_nil else ""
    raise ValueError(f"{name} must be None, an int in 0..{rules.hand_size}, {names}a bid's name, got {shown(value)}")


def _plays(value: Any, rules: Rules) -> list[tuple[int | None, int]]:
    plays: list[tuple[int | None, int]] = []
    for k, play in enumerate(_items("plays", value)):
        name = f"plays[{k}]"
        if isinstance(play, (list, tuple)):
            if len(play) != 2:
                raise ValueError(f"{name} must be a card, or a seat and a card, got {shown(play)}")
            seat = check_int(f"{name}: the seat", play[0], 0, rules.players - 1)
            plays.append((seat, _card(name, play[1], rules)))
        else:
            plays.append((None, _card(name, play, rules)))
    most = rules.players * rules.hand_size
    if len(plays) > most:
        raise ValueError(f"plays must hold at most {most} cards, got {len(plays)}")
    return plays


def _draft(value: Any, rules: Rules) -> list[Draw]:
    draws = [_draw(f"draft[{k}]", draw, rules) for k, draw in enumerate(check_list("draft", value))]
    if draws and not rules.draft:
        raise ValueError(f"draft must be empty: {rules.name} has no draft")
    if len(draws) > 2 * rules.hand_size:
        raise ValueError(f"draft must hold at most {2 * rules.hand_size} draws, got {len(draws)}")
    return draws


def _draw(name: str, value: Any, rules: Rules) -> Draw:
    """A draw, from text such as ``"REJECT 2C KH"``, a list of such words or ids, or a single card."""
    if isinstance(value, str):
        words: list[Any] = value.replace(",", " ").split()
    elif isinstance(value, (int, np.integer)):
        words = [value]
    else:
        words = check_list(name, value)
    action = None
    if words and str(words[0]).strip().upper() in ("KEEP", "REJECT", str(KEEP), str(REJECT)):
        action = KEEP if str(words[0]).strip().upper() in ("KEEP", str(KEEP)) else REJECT
        words = words[1:]
    elif len(words) != 1:
        raise ValueError(f"{name} must begin with KEEP or REJECT, or be the card just drawn, got {shown(value)}")
    return Draw(action, tuple(_card(name, card, rules) for card in words))


def _gone(value: Any, rules: Rules) -> list[int | None]:
    items = value.replace(",", " ").split() if isinstance(value, str) else check_list("gone", value)
    gone: list[int | None] = []
    for k, item in enumerate(items):
        if item is None or (isinstance(item, str) and item.strip().upper() == "DONE") or item == DONE:
            gone.append(None if item is None else DONE)
        else:
            gone.append(_card(f"gone[{k}]", item, rules))
    if gone and not (rules.exchange and rules.blind_nil):
        raise ValueError(f"gone must be empty: {rules.name} has no exchange")
    return gone


def _last_hand(value: Any, number: int, rules: Rules) -> HandResult:
    """The hand before this one, from a dict as ``View.last_hand``."""
    if number == 0:
        raise ValueError("last_hand must be None with hand_number=0: there was no hand before this one")
    keys = ("bids", "blind", "tricks", "points")
    if not isinstance(value, dict) or set(value) != set(keys):
        raise ValueError(f"last_hand must be a dict with the keys {', '.join(keys)}, got {shown(value)}")
    bids = _numbers("bids", value["bids"], rules.players, 0, rules.hand_size)
    blind = [bool(one) for one in _numbers("blind", value["blind"], rules.players, 0, 1)]
    tricks = _numbers("tricks", value["tricks"], rules.players, 0, rules.hand_size)
    points = _numbers("points", value["points"], rules.sides, -MOST_POINTS, MOST_POINTS)
    if sum(tricks) != rules.hand_size:
        raise ValueError(f"last_hand: tricks must sum to {rules.hand_size}, got {sum(tricks)}")
    return HandResult(bids, blind, tricks, points, [], [])


def _numbers(key: str, value: Any, count: int, low: int, high: int) -> list[int]:
    found = check_list(f"last_hand[{key!r}]", value)
    if len(found) != count:
        raise ValueError(f"last_hand[{key!r}] must hold {count} values, got {len(found)}")
    found = [int(one) if isinstance(one, bool) and high == 1 else one for one in found]
    return [check_int(f"last_hand[{key!r}][{k}]", one, low, high) for k, one in enumerate(found)]
