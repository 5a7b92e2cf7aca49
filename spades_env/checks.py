"""Checks of arguments: each returns the value in its canonical form, or raises a ValueError with a one-line message."""

from __future__ import annotations

import operator
import secrets
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from spades_env.cards import card_name

if TYPE_CHECKING:
    from spades_env.rules import Rules

MOST_POINTS = 1_000_000


def shown(value: Any) -> str:
    """``repr(value)`` on one line of at most 80 characters."""
    return " ".join(repr(value).split())[:80]


def check_int(name: str, value: Any, low: int, high: int) -> int:
    """``value`` as an int in ``low..high``; NumPy integers are allowed, bools and floats are not."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool) or not low <= number <= high:
        raise ValueError(f"{name} must be an int in {low}..{high}, got {shown(value)}")
    return number


def check_choice(name: str, value: Any, allowed: Sequence[str]) -> Any:
    """``value``, which must be one of ``allowed``."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {shown(value)}")
    return value


def check_list(name: str, value: Any) -> list[Any]:
    """``value`` as a list; strings, dicts and scalars are rejected."""
    if isinstance(value, (str, bytes, dict)) or not hasattr(value, "__iter__") or getattr(value, "ndim", 1) == 0:
        raise ValueError(f"{name} must be a list, got {shown(value)}")
    return list(value)


def check_ints(name: str, values: Sequence[int] | None, count: int, low: int, high: int) -> list[int]:
    """``count`` ints in ``low..high``; None means zeros."""
    if values is None:
        return [0] * count
    found = check_list(name, values)
    if len(found) != count:
        raise ValueError(f"{name} must hold {count} ints, one for each side, got {len(found)}")
    return [check_int(f"{name}[{k}]", value, low, high) for k, value in enumerate(found)]


def check_deck(deck: Any, rules: Rules, name: str = "deck") -> list[int]:
    """A card order that holds each card of the rules' deck once."""
    cards = [check_int(f"{name}[{k}]", card, 0, 51) for k, card in enumerate(check_list(name, deck))]
    for card in cards:
        if card not in rules.deck:
            raise ValueError(f"{name}: {card_name(card)} is not in the deck for {rules.players} players")
        if cards.count(card) > 1:
            raise ValueError(f"{name}: {card_name(card)} appears twice")
    if len(cards) != len(rules.deck):
        raise ValueError(f"{name} must hold {len(rules.deck)} cards, got {len(cards)}")
    return cards


def check_seed(seed: Any) -> tuple[int, int, int]:
    """A seed as (seed, table, match); None takes a seed from the operating system."""
    if seed is None:
        return secrets.randbits(48), 0, 0
    parts = check_list("seed", seed) if not hasattr(seed, "__index__") else [seed]
    if not 1 <= len(parts) <= 3:
        raise ValueError(f"seed must be an int or (seed, table, match), got {seed!r}")
    parts += [0] * (3 - len(parts))
    return (
        check_int("seed", parts[0], 0, 2**64 - 1),
        check_int("seed[1] (table)", parts[1], 0, 2**31 - 1),
        check_int("seed[2] (match)", parts[2], 0, 2**31 - 1),
    )
