"""What a player did in the hands of a series of matches: contracts, nils, bags, bids."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from spades_env.rules import Rules

__all__ = ["BLIND_COLUMN", "Hands", "PlayerResult", "Totals"]

BLIND_COLUMN = 18  # of counts by bid: after the bids 0 to 17


@dataclass(frozen=True)
class PlayerResult:
    """How one player did; rates are None where there was nothing to count.

    Attributes:
        name: of the player.
        points_per_hand: points of a side of this player in a hand, bag penalties included.
        contract_made: share of contracts (bids above 0, a side's together) that were made.
        nil_tried: nils bid, blind ones not among them.
        nil_made: how many of them were made.
        blind_nil_tried: blind nils bid.
        blind_nil_made: how many of them were made.
        bags_per_hand: bags of a side in a hand.
        mean_bid: of a seat in a hand, nils counted as 0.
        mean_tricks: of a seat in a hand.
        decisions: how many it made.
        decision_us: microseconds of wall time for a decision, in batches where the player can.
    """

    name: str
    points_per_hand: float | None
    contract_made: float | None
    nil_tried: int
    nil_made: int
    blind_nil_tried: int
    blind_nil_made: int
    bags_per_hand: float | None
    mean_bid: float | None
    mean_tricks: float | None
    decisions: int
    decision_us: float | None = field(compare=False)


@dataclass
class Hands:
    """Finished hands as arrays (hands, seats) and (hands, sides)."""

    bids: np.ndarray
    blind: np.ndarray
    tricks: np.ndarray
    contracts: np.ndarray
    made: np.ndarray
    bags: np.ndarray

    @classmethod
    def score(cls, rules: Rules, bids: np.ndarray, blind: np.ndarray, tricks: np.ndarray) -> Hands:
        """Contracts and bags of each side, from bids and tricks of each seat."""

        def by_side(values: np.ndarray) -> np.ndarray:
            return values.reshape(len(values), -1, rules.sides).sum(1)

        nil = bids == 0
        contracts = by_side(bids)
        counted = by_side(np.where(nil, 0, tricks))
        failed = by_side(np.where(nil, tricks, 0))
        bags = np.zeros_like(contracts)
        if rules.failed_nil == "one_bag":
            bags = by_side(nil & (tricks > 0))
        elif rules.failed_nil == "bags":
            bags = failed
        elif rules.failed_nil == "contract":
            counted = counted + failed
        # Without a contract nothing is counted but tricks of failed nils under "contract", which are bags then.
        made = counted >= contracts
        return cls(bids, blind, tricks, contracts, made, bags + np.where(made, counted - contracts, 0))


@dataclass
class Totals:
    """Sums over all hands of one player.

    Attributes:
        decisions: made.
        seconds: of wall time for them.
        counts: sums by name.
        bids: int64 of shape (19,), how often it bid 0 to 17, and blind nil (:data:`BLIND_COLUMN`).
        tricks_by_bid: int64 of shape (19,), the tricks that the seats with such a bid won.
    """

    decisions: int = 0
    seconds: float = 0.0
    counts: Counter[str] = field(default_factory=Counter)
    bids: np.ndarray = field(default_factory=lambda: np.zeros(BLIND_COLUMN + 1, np.int64))
    tricks_by_bid: np.ndarray = field(default_factory=lambda: np.zeros(BLIND_COLUMN + 1, np.int64))

    def add(self, hand: Hands, points: np.ndarray, sides: np.ndarray, seats: np.ndarray) -> None:
        """Count the ``sides`` (hands, sides) and ``seats`` (hands, seats) that are this player's."""
        bids, tricks, blind = hand.bids[seats], hand.tricks[seats], hand.blind[seats]
        contracts = hand.contracts[sides]
        nil, none = bids == 0, tricks == 0
        found = {
            "sides": len(contracts),
            "points": points[sides].sum(),
            "contracts": (contracts > 0).sum(),
            "contracts_made": ((contracts > 0) & hand.made[sides]).sum(),
            "bags": hand.bags[sides].sum(),
            "nil_made": (nil & ~blind & none).sum(),
            "blind_nil_made": (blind & none).sum(),
        }
        self.counts.update({name: int(value) for name, value in found.items()})
        column = np.where(blind, BLIND_COLUMN, bids)
        self.bids += np.bincount(column, minlength=BLIND_COLUMN + 1)
        self.tricks_by_bid += np.bincount(column, weights=tricks, minlength=BLIND_COLUMN + 1).astype(np.int64)

    def merge(self, other: Totals) -> None:
        """Add the sums of ``other``."""
        self.decisions += other.decisions
        self.seconds += other.seconds
        self.counts.update(other.counts)
        self.bids += other.bids
        self.tricks_by_bid += other.tricks_by_bid

    def to_dict(self) -> dict[str, Any]:
        """All of it as values that JSON can hold."""
        return {
            "decisions": self.decisions,
            "seconds": self.seconds,
            "counts": dict(self.counts),
            "bids": self.bids.tolist(),
            "tricks_by_bid": self.tricks_by_bid.tolist(),
        }

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Totals:
        """What :meth:`to_dict` gave."""
        arrays = (np.array(fields[name], np.int64) for name in ("bids", "tricks_by_bid"))
        return cls(fields["decisions"], fields["seconds"], Counter(fields["counts"]), *arrays)

    def result(self, name: str) -> PlayerResult:
        """Means and rates of the sums."""
        counts, seats = self.counts, int(self.bids.sum())

        def mean(top: float, bottom: int) -> float | None:
            return top / bottom if bottom else None

        return PlayerResult(
            name=name,
            points_per_hand=mean(counts["points"], counts["sides"]),
            contract_made=mean(counts["contracts_made"], counts["contracts"]),
            nil_tried=int(self.bids[0]),
            nil_made=counts["nil_made"],
            blind_nil_tried=int(self.bids[BLIND_COLUMN]),
            blind_nil_made=counts["blind_nil_made"],
            bags_per_hand=mean(counts["bags"], counts["sides"]),
            mean_bid=mean(int((self.bids[:BLIND_COLUMN] * np.arange(BLIND_COLUMN)).sum()), seats),
            mean_tricks=mean(int(self.tricks_by_bid.sum()), seats),
            decisions=self.decisions,
            decision_us=mean(1e6 * self.seconds, self.decisions),
        )
