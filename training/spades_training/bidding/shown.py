"""Advice about a bid in words and rows, which the command and the page show alike."""

from __future__ import annotations

from typing import NamedTuple

from spades_agents.bidder.advice import Advice, BidValue

NOTE = (
    "Points charge each bag its share of the penalty. Other bids are left out: the model's data have none of them "
    "with hands like this."
)


class BidRow(NamedTuple):
    """One bid of the table.

    Attributes:
        name: the bid in words.
        bid: the number of tricks, 0 for nil; None for a blind nil.
        value: what it is worth.
        best: whether it has the highest chance of winning.
    """

    name: str
    bid: int | None
    value: BidValue
    best: bool


def bid_name(bid: int) -> str:
    """A bid in words: ``nil``, ``4``."""
    return "nil" if bid == 0 else str(bid)


def bid_rows(advice: Advice) -> list[BidRow]:
    """The bids that were tried, in ascending order, then the blind nil if the rules have one."""
    rows = [BidRow(bid_name(bid), bid, advice.bids[bid], bid == advice.best) for bid in advice.tried]
    if advice.blind is not None:
        rows.append(BidRow("blind nil", None, advice.blind, False))
    return rows


def verdict(advice: Advice) -> str:
    """The best bid, and that of the scripted player."""
    return f"bid {bid_name(advice.best)}; the scripted player bids {bid_name(advice.scripted)}."


def blind_verdict(advice: Advice) -> str | None:
    """Whether a blind nil would have paid; None if the rules have none."""
    if advice.blind is None:
        return None
    pays = "pays" if advice.blind_pays else "does not pay"
    return f"Before you see your cards, the chance of winning is {100 * advice.look:.1f} %: a blind nil {pays}."
