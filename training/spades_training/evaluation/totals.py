"""Statistics of a player over a series of matches: contracts, nils, bags, bids."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from spades_env.rules import Rules

BLIND_COLUMN = 18  # blind nil in counts by bid, after the bids 0 to 17


@dataclass(frozen=True)
class PlayerResult:
    """Statistics of one player; a rate is None if there was nothing to count.

    Attributes:
        name: the player's name.
        points_per_hand: points of the player's side per hand, including bag penalties.
        contract_made: share of contracts made (the sum of a side's bids, if above 0).
        nil_tried: number of nils bid, without blind nils.
        nil_made: number of them made.
        blind_nil_tried: number of blind nils bid.
        blind_nil_made: number of them made.
        bags_per_hand: bags of a side per hand.
        mean_bid: mean bid of a seat, with a nil counted as 0.
        mean_tricks: mean number of tricks of a seat.
        decisions: number of decisions.
        decision_us: wall time per decision in microseconds, in batches if the player supports them.
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
    """Finished hands: arrays of shape (hands, seats) for bids and tricks, (hands, sides) for the rest."""

    bids: np.ndarray
    blind: np.ndarray
    tricks: np.ndarray
    contracts: np.ndarray
    made: np.ndarray
    bags: np.ndarray

    @classmethod
    def score(cls, rules: Rules, bids: np.ndarray, blind: np.ndarray, tricks: np.ndarray) -> Hands:
        """Compute the contracts and bags of each side from the bids and tricks of each seat."""

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
        # Without a contract only the tricks of failed nils under "contract" count, as bags.
        made = counted >= contracts
        return cls(bids, blind, tricks, contracts, made, bags + np.where(made, counted - contracts, 0))


@dataclass
class Totals:
    """Sums over all hands of one player.

    Attributes:
        decisions: number of decisions.
        seconds: their total wall time.
        counts: sums by name.
        bids: int64 of shape (19,), how often each bid from 0 to 17 and blind nil (:data:`BLIND_COLUMN`) was made.
        tricks_by_bid: int64 of shape (19,), the tricks won with each of them.
    """

    decisions: int = 0
    seconds: float = 0.0
    counts: Counter[str] = field(default_factory=Counter)
    bids: np.ndarray = field(default_factory=lambda: np.zeros(BLIND_COLUMN + 1, np.int64))
    tricks_by_bid: np.ndarray = field(default_factory=lambda: np.zeros(BLIND_COLUMN + 1, np.int64))

    def add(self, hand: Hands, points: np.ndarray, sides: np.ndarray, seats: np.ndarray) -> None:
        """Add hands; the masks ``sides`` (hands, sides) and ``seats`` (hands, seats) select this player's places."""
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
        """Add the sums of ``other`` to these."""
        self.decisions += other.decisions
        self.seconds += other.seconds
        self.counts.update(other.counts)
        self.bids += other.bids
        self.tricks_by_bid += other.tricks_by_bid

    def to_dict(self) -> dict[str, Any]:
        """The sums as values that JSON can hold."""
        return {
            "decisions": self.decisions,
            "seconds": self.seconds,
            "counts": dict(self.counts),
            "bids": self.bids.tolist(),
            "tricks_by_bid": self.tricks_by_bid.tolist(),
        }

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Totals:
        """The inverse of :meth:`to_dict`."""
        arrays = (np.array(fields[name], np.int64) for name in ("bids", "tricks_by_bid"))
        return cls(fields["decisions"], fields["seconds"], Counter(fields["counts"]), *arrays)

    def result(self, name: str) -> PlayerResult:
        """The means and rates."""
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
