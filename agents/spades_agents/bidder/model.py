"""What the model of the bidding is told and asks: rows of numbers in, chances out.

The model is a set of *heads*, each a multinomial logistic regression (softmax of a linear function) over the same
number of inputs. All weights are one array, so that kernels take them as they are.
"""

from __future__ import annotations

import functools
import json
import math
import os
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from spades_agents.bidder.features import FEATURES
from spades_agents.compiler import jit
from spades_env.rules import Rules

__all__ = ["FORMAT", "HEADS", "INPUTS", "BiddingModel", "bid_inputs", "chances", "game_name", "play_inputs"]

FORMAT = "spades_env bidding model 1"

# What each head tells. With partners, "the contract" is that of both.
HEADS = {
    "partner": "the partner's bid, 0 for nil, before she has bid",
    "others": "the sum of the bids that the other side has still to make",
    "tricks": "tricks above the contract, when no seat of the side bid nil",
    "alone": "the same for the seat alone, when its partner bid nil",
    "cover": "the same for the partner, when the seat bid nil",
    "nil": "tricks of the seat, when it bid nil",
    "partner_nil": "tricks of the partner, when she bid nil",
}
PARTNER, OTHERS, TRICKS, ALONE, COVER, NIL, PARTNER_NIL = range(len(HEADS))
CLASSES = 14
# Class k of TRICKS, ALONE and COVER is k + LEAST tricks above the contract, the ends standing for all beyond.
LEAST = -6
# Class k of PARTNER, OTHERS, NIL and PARTNER_NIL is k, the last standing for all above.

HAND = len(FEATURES)
TOTALS = 13  # bids of all less the tricks there are, from LOWEST_TOTAL up
LOWEST_TOTAL = -7
CONTRACTS = 13  # 0 to 12 and above
INPUTS = HAND + 16 + 2 * TOTALS + 2 * CONTRACTS
NEEDED = 14.0  # tens of points that a side lacks, at most


@jit
def common_inputs(features, bid, partner, others, nils, position, gap, out):
    """Set the inputs that all heads have in the same places, and all others to 0."""
    for k in range(HAND):
        out[k] = features[k]
    for k in range(HAND, INPUTS):
        out[k] = 0.0
    k = HAND
    out[k] = bid
    out[k + 1] = partner
    out[k + 2] = others
    out[k + 3] = nils
    out[k + 4 + position] = 1.0
    out[k + 8] = gap
    out[k + 9] = gap * gap


@jit.apart
def play_inputs(features, bid, partner, others, nils, position, tricks, out):
    """Inputs of the heads about the play: all bids are known.

    Args:
        features: of the hand, :data:`spades_agents.bidder.features.FEATURES`.
        bid: the seat's own.
        partner: her bid, 0 without a partner.
        others: the sum of the other side's bids.
        nils: how many of the other side bid nil.
        position: of the seat in the bidding.
        tricks: of a hand.
        out: float64[INPUTS].
    """
    gap = bid - features[0] if bid > 0 else -features[0]
    common_inputs(features, bid, partner, others, nils, position, gap, out)
    contract = bid + partner
    total = contract + others - tricks
    k = HAND
    out[k + 10] = max(gap, 0.0)
    out[k + 11] = gap * abs(gap)
    out[k + 12] = gap * contract
    out[k + 13] = gap * total
    out[k + 14] = features[0] * features[0]
    out[k + 15] = nils * features[0]
    k += 16
    place = min(max(total - LOWEST_TOTAL, 0), TOTALS - 1)
    out[k + place] = 1.0
    out[k + TOTALS + place] = gap
    k += 2 * TOTALS
    place = min(contract, CONTRACTS - 1)
    out[k + place] = 1.0
    out[k + CONTRACTS + place] = nils


@jit.apart
def bid_inputs(features, bid, partner, heard, others, nils, position, need, their_need, out):
    """Inputs of the heads about the bids to come.

    Args:
        features: of the hand.
        bid: the seat's own, the one being considered.
        partner: her bid, -1 if she has none or has not bid.
        heard: how many seats of the other side have bid.
        others: the sum of their bids.
        nils: how many of them bid nil.
        position: of the seat in the bidding.
        need: tens of points that the own side lacks to the target, 0 to NEEDED.
        their_need: the same of the other side.
        out: float64[INPUTS].
    """
    common_inputs(features, bid, partner, others, nils, position, bid - features[0], out)
    k = HAND
    out[k + 10] = need
    out[k + 11] = min(need - 7.0, 0.0)
    out[k + 12] = their_need
    out[k + 13] = min(their_need - 7.0, 0.0)
    out[k + 14] = heard
    out[k + 15] = 1.0 if partner == 0 else 0.0
    k += 16
    out[k + min(max(partner, -1), TOTALS - 2) + 1] = 1.0
    out[k + TOTALS + min(others, TOTALS - 1)] = heard
    k += 2 * TOTALS
    out[k + min(bid, CONTRACTS - 1)] = 1.0
    out[k + CONTRACTS + min(bid, CONTRACTS - 1)] = heard


@jit.apart
def chances(weights, head, inputs, out):
    """Write the chance of each class to ``out``.

    Args:
        weights: float64[len(HEADS), INPUTS + 1, CLASSES], the last row the constants.
        head: which.
        inputs: float64[INPUTS].
        out: float64[CLASSES].
    """
    for c in range(CLASSES):
        out[c] = weights[head, INPUTS, c]
    for k in range(INPUTS):
        x = inputs[k]
        if x != 0.0:
            for c in range(CLASSES):
                out[c] += x * weights[head, k, c]
    most = out[0]
    for c in range(CLASSES):
        most = max(most, out[c])
    total = 0.0
    for c in range(CLASSES):
        out[c] = math.exp(out[c] - most)
        total += out[c]
    for c in range(CLASSES):
        out[c] /= total


def game_name(rules: Rules) -> str:
    """Whose model serves these rules: ``two_player`` or ``partnership``, whatever else they say.

    Raises:
        ValueError: for other games.
    """
    if rules.players == 2:
        return "two_player"
    if rules.partners:
        return "partnership"
    raise ValueError(f"there is a bidding model for two players and for partners, not for {rules.name}")


@dataclass(frozen=True)
class BiddingModel:
    """A fitted model.

    Attributes:
        weights: float64[len(HEADS), INPUTS + 1, CLASSES]; -inf where a head has no such class.
        blind: int64[n, 12], how hands of a blind nil bidder ended: its position, then for the own and the other side
            the contract, tricks counted toward it, blind nils made less missed, the same of nils, bags of missed nils,
            and last how often.
        card: what it was fitted to, and how well it did on deals held out.
    """

    weights: np.ndarray
    blind: np.ndarray
    card: dict[str, Any]

    def to_json(self) -> str:
        """As text: numbers and words alone."""
        heads = {}
        for name, table in zip(HEADS, self.weights, strict=True):
            used = np.isfinite(table[INPUTS])
            if used.any():
                rounded = [[float(f"{value:.5g}") for value in row] for row in table[:, used]]
                heads[name] = {"classes": np.flatnonzero(used).tolist(), "weights": rounded}
        fields = {"format": FORMAT, "card": self.card, "blind": self.blind.tolist(), "heads": heads}
        return json.dumps(fields, separators=(",", ":")).replace('],"', '],\n"').replace("],[", "],\n[") + "\n"

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> BiddingModel:
        """The model in a file of ``spades bidding-fit``.

        Raises:
            ValueError: if there is none.
        """
        try:
            return cls.from_json(Path(path).read_text("utf8"))
        except (OSError, UnicodeDecodeError) as error:
            raise ValueError(f"cannot read the model {os.fspath(path)}: {error}") from None

    @classmethod
    def from_json(cls, text: str) -> BiddingModel:
        """The model of such a text.

        Raises:
            ValueError: if it is none, or one of another version.
        """
        try:
            fields = json.loads(text)
            if fields["format"] != FORMAT:
                raise ValueError(f"it is of the format {fields['format']!r}, not {FORMAT!r}")
            weights = np.zeros((len(HEADS), INPUTS + 1, CLASSES))
            weights[:, INPUTS] = -np.inf
            weights[:, INPUTS, 0] = 0.0
            for name, head in fields["heads"].items():
                k = list(HEADS).index(name)
                weights[k, INPUTS] = -np.inf
                weights[k][:, head["classes"]] = np.array(head["weights"], np.float64)
            return cls(weights, np.array(fields["blind"], np.int64).reshape(-1, 12), fields["card"])
        except (KeyError, TypeError, IndexError, ValueError) as error:
            raise ValueError(f"not a bidding model: {error}") from None


@functools.cache
def shipped(game: str) -> BiddingModel:
    """The model that comes with the package for ``two_player`` or ``partnership``."""
    return BiddingModel.from_json((resources.files("spades_agents.bidder") / f"{game}.json").read_text("utf8"))
