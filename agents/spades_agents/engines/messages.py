"""The messages of the engine protocol: lines of JSON, and a view as the values in one."""

from __future__ import annotations

import json
import math
from typing import Any, get_args

from spades_agents.base import Rating, Unit
from spades_env.cards import BID_0, BLIND_NIL, DONE, KEEP, LOOK, NUM_ACTIONS, REJECT, action_name, in_display_order
from spades_env.checks import check_choice
from spades_env.engine.state import UNKNOWN_CARD
from spades_env.game import Phase, View
from spades_env.rules import Rules

PROTOCOL = "spades-engine"
VERSION = 1
MOST_BYTES = 1 << 20  # of a line
ACTIONS = [action_name(action) for action in range(NUM_ACTIONS)]


def encode(message: dict[str, Any]) -> bytes:
    """A message as a line of ASCII characters without spaces between its parts."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


QUIT = encode({"type": "quit"})


def decode(line: bytes) -> dict[str, Any]:
    """The message in a line.

    Raises:
        ValueError: if the line is not a JSON object with a ``type``.
    """
    try:
        message = json.loads(line.decode(), parse_constant=_reject)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except UnicodeDecodeError:
        raise ValueError("not UTF-8") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at column {error.colno}") from None
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        raise ValueError('not an object with a "type"')
    return message


def _reject(constant: str) -> None:
    raise ValueError(f"not JSON: {constant}")


def match_message(rules: Rules, seed: int | None) -> dict[str, Any]:
    """The message that begins a match under ``rules``."""
    return {
        "type": "match",
        "seed": None if seed is None else str(seed),  # 64 bits, more than JavaScript's numbers hold
        "name": rules.name,
        "sides": rules.sides,
        "hand_size": rules.hand_size,
        "rules": rules.to_dict(),
    }


def view_message(kind: str, view: View, seconds: float) -> dict[str, Any]:
    """The message ``kind`` (``"act"`` or ``"rate"``) about a view whose observer is on turn."""
    legal = view.legal_actions()
    return {
        "type": kind,
        "seconds": seconds,
        "legal": [ACTIONS[action] for action in legal],
        "legal_ids": legal,
        "view": view_fields(view),
        "observation": (view.observation() + ord("0")).tobytes().decode(),
    }


KNOWN = (
    *("seat", "hand", "bids", "plays", "scores", "bags", "opener"),
    *("draft", "gone", "received", "hand_number", "last_hand"),
)
"""The fields of a view that are arguments of :meth:`spades_env.View.of`; all others follow from them."""


def ratings_message(ratings: dict[int, Rating]) -> dict[str, Any]:
    """The answer with a rating for every legal action."""
    return {
        "type": "ratings",
        "unit": next(iter(ratings.values())).unit,
        "ratings": {
            ACTIONS[action]: [rating.value, None if math.isnan(rating.error) else rating.error]
            for action, rating in ratings.items()
        },
    }


def read_ratings(message: dict[str, Any], legal: list[int]) -> dict[int, Rating]:
    """The ratings in a message, ascending by action.

    Raises:
        ValueError: if the unit is unknown, a legal action has no rating, or a rating is no pair of numbers.
    """
    unit = check_choice("unit", message.get("unit"), get_args(Unit))
    found = message.get("ratings")
    names = [ACTIONS[action] for action in legal]
    if not isinstance(found, dict) or sorted(found) != sorted(names):
        raise ValueError(f"ratings must be an object with {', '.join(names)}")
    ratings = {}
    for action, name in zip(legal, names, strict=True):
        match found[name]:
            case [int() | float() as value, int() | float() | None as error] if math.isfinite(value):
                ratings[action] = Rating(float(value), math.nan if error is None else float(error), unit)
            case other:
                raise ValueError(f"the rating of {name} must be a value and its standard error, got {other!r:.80}")
    return ratings


def view_fields(view: View) -> dict[str, Any]:
    """Everything that the observer knows, as values that JSON can hold; ``docs/engines.md`` describes the fields."""
    rules = view.rules
    fields: dict[str, Any] = {
        "seat": view.observer,
        "phase": view.phase.name,
        "hand_number": view.hand_number,
        "opener": view.opener,
        "leader": view.leader,
        "scores": view.scores,
        "bags": view.bags,
        "bids": [_last_bid(view, seat) for seat in range(rules.players)],
        "tricks": view.tricks,
        "spades_broken": view.spades_broken,
        "hand": None if view.blind[view.observer] is None else _names(view.hand),
        "trick": _plays(view.trick),
        "plays": _plays(view.played),
    }
    if rules.draft:
        fields["draft"] = _draws(view)
    if rules.exchange and rules.blind_nil:
        fields |= {"gone": _gone(view), "received": _names(view.received)}
    fields["last_hand"] = view.last_hand if view.hand_number else None
    return fields


def _names(cards: int) -> list[str]:
    return [ACTIONS[card] for card in in_display_order(cards)]


def _plays(plays: list[tuple[int, int]]) -> list[list[int | str]]:
    return [[seat, ACTIONS[card]] for seat, card in plays]


def _last_bid(view: View, seat: int) -> str | None:
    """The last action of a seat's bidding."""
    bid, blind = view.bids[seat], view.blind[seat]
    if blind:
        return ACTIONS[BLIND_NIL]
    if bid is not None:
        return ACTIONS[BID_0 + bid]
    return ACTIONS[LOOK] if view.rules.blind_nil and blind is False else None


def _draws(view: View) -> list[str]:
    """For each draw ``KEEP`` or ``REJECT`` and the cards of it that the observer has seen; then the card just drawn."""
    deck = view.state["deck"][0].tolist()
    draws = []
    for k, (_, kept) in enumerate(view.draft_choices):
        seen = [ACTIONS[card] for card in deck[2 * k : 2 * k + 2] if card != UNKNOWN_CARD]
        draws.append(" ".join([ACTIONS[KEEP if kept else REJECT], *seen]))
    return draws if view.drawn is None else [*draws, ACTIONS[view.drawn]]


def _gone(view: View) -> list[str | None]:
    """The exchanges in order: the cards given up, None where they are unseen, and ``DONE`` where one ended early."""
    rules, gone = view.rules, []
    if rules.draft and view.phase < Phase.EXCHANGE:
        return gone
    for k in range(rules.players):
        seat = (view.opener + rules.bids_first + k) % rules.players
        if view.blind[seat]:
            count = view.exchanged[seat]
            gone += _names(view.given) if seat == view.observer else [None] * count
            if view.phase == Phase.EXCHANGE and seat == view.seat:
                break
            if count < rules.exchange:
                gone.append(ACTIONS[DONE])
    return gone


def read_view(rules: Rules, fields: Any) -> View:
    """The view that :func:`view_fields` has written.

    Raises:
        ValueError: if something is missing, invalid or contradictory.
    """
    if not isinstance(fields, dict):
        raise ValueError(f"view must be an object, got {fields!r:.80}")
    if "seat" not in fields:
        raise ValueError("view needs a seat")
    return View.of(rules, **{name: fields[name] for name in KNOWN if name in fields})
