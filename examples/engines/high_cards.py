"""A complete engine in plain Python: it bids its high cards and wins a trick as cheaply as it can.

It needs nothing but Python. Let it play with ``spades evaluate "engine:python examples/engines/high_cards.py" random``.
"""

from __future__ import annotations

import json
import sys
from typing import Any

RANKS = "23456789TJQKA"


def choose(legal: list[str], view: dict[str, Any]) -> str:
    """One of the legal actions."""
    if view["phase"] == "BLIND":
        return "LOOK"
    if view["phase"] == "DRAFT":
        return "KEEP" if is_high(view["draft"][-1]) else "REJECT"
    if view["phase"] == "BID":
        return f"BID_{max(sum(map(is_high, view['hand'])), 1)}"
    if view["phase"] == "EXCHANGE":
        return "DONE"
    winning = [card for card in legal if takes_trick(card, view["trick"])]
    needs_tricks = view["tricks"][view["seat"]] < number(view["bids"][view["seat"]])
    return min(winning if winning and needs_tricks else legal, key=rank)


def number(bid: str) -> int:
    """The tricks of a bid, such as BID_4; none for BLIND_NIL."""
    return int(bid.removeprefix("BID_")) if bid.startswith("BID_") else 0


def rank(card: str) -> int:
    """The rank of a card, 0 for the deuce to 12 for the ace."""
    return RANKS.index(card[0])


def is_high(card: str) -> bool:
    """Whether the card is a king or an ace, or a spade from the ten up."""
    return rank(card) >= RANKS.index("T" if card[1] == "S" else "K")


def takes_trick(card: str, trick: list[tuple[int, str]]) -> bool:
    """Whether ``card`` beats every card of the current trick, given as (seat, card)."""
    led = trick[0][1][1] if trick else card[1]

    def strength(other: str) -> tuple[bool, bool, int]:
        return other[1] == "S", other[1] == led, rank(other)

    return all(strength(card) > strength(other) for _, other in trick)


def answer(message: dict[str, Any]) -> dict[str, Any]:
    """The answer to a message of the host."""
    match message["type"]:
        case "hello":
            return {"type": "hello", "protocol": "spades-engine", "version": 1, "name": "high cards (Python)"}
        case "match":
            return {"type": "ok"}
        case "act":
            return {"type": "action", "action": choose(message["legal"], message["view"])}
        case other:
            return {"type": "error", "message": f"unknown type {other}"}


if __name__ == "__main__":
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "quit":
            break
        print(json.dumps(answer(message)), flush=True)
