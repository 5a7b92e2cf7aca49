"""How many tricks a bid is likely to end with, by the bidding model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from spades_agents.bidder import model as heads
from spades_agents.bidder.features import FEATURES, fill_rows
from spades_agents.bidder.model import CLASSES, INPUTS, LEAST, BiddingModel, bid_inputs, chances, game_name, play_inputs
from spades_agents.bidder.value import UNLIKELY
from spades_agents.certain import sure_tricks
from spades_agents.heuristic.hand import game_of

from spades_env.engine.state import rules_array
from spades_env.rules import Rules


def trick_chances(
    hand: int,
    rules: Rules,
    bid: int,
    scores: Sequence[int] = (0, 0),
    heard: Sequence[int] = (),
    model: BiddingModel | None = None,
) -> dict[int, float]:
    """The distribution of the tricks after a bid, averaged over the bids that are still to come.

    The arguments are those of :func:`spades_agents.bidder.advice.advise`, which checks them.

    Args:
        hand: 13 cards as a 52-bit set.
        rules: rules for two players or for partnerships.
        bid: the bid, 0 for nil.
        scores: points of the bidder's side and of the other side.
        heard: the bids made before this one, in order.
        model: a model to use in place of the shipped one.

    Returns:
        Probabilities that sum to 1, ascending by key. The keys are the tricks above the contract of the bidder's side,
        negative if it fails; for a nil, the tricks that the bidder wins. The first and the last key include all
        beyond.
    """
    model = model or heads.shipped(game_name(rules))
    seat = _Seat(hand, rules, scores, heard, model)
    total = np.zeros(CLASSES)
    for partner, others, chance in seat.endings(bid):
        total += chance * seat.tricks(bid, partner, others)
    first = LEAST if bid > 0 else 0
    return {first + k: float(total[k] / total.sum()) for k in np.flatnonzero(total)}


class _Seat:
    """What the bidder knows, as inputs of the model."""

    def __init__(
        self, hand: int, rules: Rules, scores: Sequence[int], heard: Sequence[int], model: BiddingModel
    ) -> None:
        self.rules, self.model = rules, model
        self.position = len(heard)
        self.heard = list(heard)
        self.partner = -1
        if rules.partners and len(heard) >= 2:
            self.partner = self.heard.pop(-2)
        self.sure = sure_tricks(np.uint64(hand))
        features = np.zeros((1, len(FEATURES)))
        fill_rows(np.array([hand], np.uint64), game_of(rules_array(rules)[0]), features)
        self.features = features[0]
        self.needs = [min(max((rules.target - score) * 0.1, 0.0), heads.NEEDED) for score in scores]

    def endings(self, bid: int) -> Iterator[tuple[int, int, float]]:
        """(partner's bid, sum of the other side's bids, probability) when the bidding is over."""
        seats = self.rules.players // 2
        known = seats == 1 or self.partner >= 0
        for partner, chance in [(max(self.partner, 0), 1.0)] if known else self._coming(heads.PARTNER, bid, -1):
            others = [(0, 1.0)] if len(self.heard) == seats else self._coming(heads.OTHERS, bid, partner)
            for more, share in others:
                yield partner, sum(self.heard) + more, chance * share

    def tricks(self, bid: int, partner: int, others: int) -> np.ndarray:
        """The probability of each class of the head that predicts the tricks, float64[CLASSES]."""
        nils = self.heard.count(0) if self.rules.partners else int(others == 0)
        inputs = np.zeros(INPUTS)
        play_inputs(self.features, bid, partner, others, nils, self.position, self.rules.hand_size, inputs)
        alone = self.rules.partners and partner == 0
        head = heads.NIL if bid == 0 else heads.ALONE if alone else heads.TRICKS
        found = self._chances(head, inputs)
        first = 0 if bid == 0 else bid + partner + LEAST
        counts = first + np.arange(CLASSES)
        possible = np.where((counts >= self.sure) & (counts <= self.rules.hand_size), found, 0.0)
        return possible / possible.sum() if possible.sum() > 0 else found

    def _coming(self, head: int, bid: int, partner: int) -> list[tuple[int, float]]:
        """The bids to come, or their sum, with their probabilities; unlikely ones are left out."""
        inputs = np.zeros(INPUTS)
        heard = len(self.heard), sum(self.heard), self.heard.count(0)
        bid_inputs(self.features, bid, partner, *heard, self.position, *self.needs, inputs)
        return [(k, float(chance)) for k, chance in enumerate(self._chances(head, inputs)) if chance >= UNLIKELY]

    def _chances(self, head: int, inputs: np.ndarray) -> np.ndarray:
        out = np.zeros(CLASSES)
        chances(self.model.weights, head, inputs, out)
        return out
