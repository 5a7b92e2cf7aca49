"""The bidding model: its inputs, its heads and its file.

The model is a set of *heads*, each a multinomial logistic regression (softmax of a linear function) with the same
number of inputs. All weights are in one array for the kernels.
"""

from __future__ import annotations

import functools
import json
import math
import os
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from spades_agents.bidder.features import FEATURES
from spades_agents.compiler import jit
from spades_env.rules import Rules

FORMAT = "spades_env bidding model 1"

# What each head predicts. With partners, "the contract" is that of both.
HEADS = {
    "partner": "the partner's bid, 0 for nil, before it is made",
    "others": "the sum of the bids that the other side has yet to make",
    "tricks": "tricks above the contract when no seat of the side bid nil",
    "alone": "tricks of the seat above its bid when its partner bid nil",
    "cover": "tricks of the partner above its bid when the seat bid nil",
    "nil": "tricks of the seat when it bid nil",
    "partner_nil": "tricks of the partner when it bid nil",
}
PARTNER, OTHERS, TRICKS, ALONE, COVER, NIL, PARTNER_NIL = range(len(HEADS))
CLASSES = 14
# Class k of TRICKS, ALONE and COVER is k + LEAST tricks above the contract; the end classes include all beyond.
LEAST = -6
# Class k of PARTNER, OTHERS, NIL and PARTNER_NIL is k; the last class includes all above.

HAND = len(FEATURES)
TOTALS = 13  # values of (sum of all bids - tricks of the hand), starting at LOWEST_TOTAL
LOWEST_TOTAL = -7
CONTRACTS = 13  # 0 to 11, and 12 or more
INPUTS = HAND + 16 + 2 * TOTALS + 2 * CONTRACTS
NEEDED = 14.0  # maximum of the tens of points that a side needs


class Bids(NamedTuple):
    """The bids as a seat sees them."""

    own: int | np.int64  # its bid, or the one under consideration
    partner: int | np.int64  # the partner's bid, if there is one
    others: int | np.int64  # sum of the other side's bids
    nils: int | np.int64  # number of nils among them


@jit
def common_inputs(features, bids, position, gap, out):
    """Write the inputs that all heads share, and 0 to all others."""
    for k in range(HAND):
        out[k] = features[k]
    for k in range(HAND, INPUTS):
        out[k] = 0.0
    k = HAND
    out[k] = bids.own
    out[k + 1] = bids.partner
    out[k + 2] = bids.others
    out[k + 3] = bids.nils
    out[k + 4 + position] = 1.0
    out[k + 8] = gap
    out[k + 9] = gap * gap


@jit.apart
def play_inputs(features, bid, partner, others, nils, position, tricks, out):
    """Write the inputs of the heads about the play, once all bids are known.

    Args:
        features: :data:`spades_agents.bidder.features.FEATURES` of the hand.
        bid: the seat's bid.
        partner: the partner's bid, 0 without a partner.
        others: sum of the other side's bids.
        nils: number of nils among them.
        position: place of the seat in the bidding order.
        tricks: tricks of a hand.
        out: float64[INPUTS].
    """
    gap = bid - features[0] if bid > 0 else -features[0]
    common_inputs(features, Bids(bid, partner, others, nils), position, gap, out)
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
    """Write the inputs of the heads about the bids to come.

    Args:
        features: :data:`spades_agents.bidder.features.FEATURES` of the hand.
        bid: the bid of the seat that is under consideration.
        partner: the partner's bid, -1 if it has not bid or there is none.
        heard: number of seats of the other side that have bid.
        others: sum of their bids.
        nils: number of nils among them.
        position: place of the seat in the bidding order.
        need: tens of points that the seat's side needs to reach the target, 0 to NEEDED.
        their_need: tens of points that the other side needs.
        out: float64[INPUTS].
    """
    common_inputs(features, Bids(bid, partner, others, nils), position, bid - features[0], out)
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
    """Write the probability of each class of a head to ``out``.

    Args:
        weights: float64[len(HEADS), INPUTS + 1, CLASSES]; the last row holds the constants.
        head: index of the head.
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
    """The game whose model serves these rules, ``two_player`` or ``partnership``.

    Raises:
        ValueError: if there is no model for the game.
    """
    if rules.removed:
        raise ValueError(f"the bidding models are for a deck of 52 cards, not for {rules.name}")
    if rules.players == 2:
        return "two_player"
    if rules.partners:
        return "partnership"
    raise ValueError(f"there are bidding models for two players and partnerships, not for {rules.name}")


@dataclass(frozen=True)
class BiddingModel:
    """A fitted model.

    Attributes:
        weights: float64[len(HEADS), INPUTS + 1, CLASSES]; -inf for classes that a head does not have.
        blind: int64[n, 12], how hands of a blind nil bidder ended: its place in the bidding order; for its side and
            then the other side the contract, the tricks that count toward it, blind nils made minus failed, other nils
            made minus failed, and the bags of failed nils; and the number of such hands.
        card: the data that the model was fitted to, and its scores on held-out deals.
    """

    weights: np.ndarray
    blind: np.ndarray
    card: dict[str, Any]

    def to_json(self) -> str:
        """The model as JSON."""
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
        """Read a model that ``spades bidding-fit`` wrote.

        Raises:
            ValueError: if the file cannot be read or holds no model.
        """
        try:
            return cls.from_json(Path(path).read_text("utf8"))
        except (OSError, UnicodeDecodeError) as error:
            raise ValueError(f"cannot read the model {os.fspath(path)}: {error}") from None

    @classmethod
    def from_json(cls, text: str) -> BiddingModel:
        """The inverse of :meth:`to_json`.

        Raises:
            ValueError: if ``text`` is not a model, or one of another version.
        """
        try:
            fields = json.loads(text)
            if fields["format"] != FORMAT:
                raise ValueError(f"its format is {fields['format']!r}, not {FORMAT!r}")
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
    """The model that ships with the package for ``two_player`` or ``partnership``."""
    return BiddingModel.from_json((resources.files("spades_agents.bidder") / f"{game}.json").read_text("utf8"))
