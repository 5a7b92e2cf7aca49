"""Fits the bidding model to bidding data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from spades_agents.bidder.features import FEATURES
from spades_agents.bidder.model import (
    CLASSES,
    HEADS,
    INPUTS,
    LEAST,
    NEEDED,
    BiddingModel,
    bid_inputs,
    chances,
    game_name,
    play_inputs,
)
from spades_agents.compiler import jit

from spades_env.rules import Rules

MOST_ROWS = 200_000  # to fit a head to
PENALTY = 0.3  # inverse strength of the L2 penalty on weights of standardised inputs
MOST_STEPS = 300
MOST_ENDINGS = 500  # of hands with a blind nil, for each position


@dataclass(frozen=True)
class Rows:
    """Bidding data as the model sees it, one row for each seat of each deal; the other side appears only as a sum.

    Attributes:
        deal: int64 of shape (n,).
        features: float64 of shape (n, len(FEATURES)).
        position: int64 of shape (n,), place in the bidding order.
        bid: int64 of shape (n,), the seat's bid.
        partner: int64 of shape (n,), its partner's bid; 0 without a partner.
        others: int64 of shape (n,), sum of the other side's bids.
        nils: int64 of shape (n,), number of nils among them.
        partner_heard: bool of shape (n,), whether the partner bid before the seat.
        heard: int64 of shape (n,), number of the other side's bids made before the seat's.
        others_heard: int64 of shape (n,), sum of those bids.
        nils_heard: int64 of shape (n,), number of nils among them.
        need: float64 of shape (n,), tens of points that the seat's side is short of the target.
        their_need: float64 of shape (n,), the same for the other side.
        tricks: int64 of shape (n,), tricks won by the seat.
        partner_tricks: int64 of shape (n,), tricks won by its partner.
        blind: bool of shape (n,), whether the seat bid blind nil.
        any_blind: bool of shape (n,), whether any seat did.
    """

    deal: np.ndarray
    features: np.ndarray
    position: np.ndarray
    bid: np.ndarray
    partner: np.ndarray
    others: np.ndarray
    nils: np.ndarray
    partner_heard: np.ndarray
    heard: np.ndarray
    others_heard: np.ndarray
    nils_heard: np.ndarray
    need: np.ndarray
    their_need: np.ndarray
    tricks: np.ndarray
    partner_tricks: np.ndarray
    blind: np.ndarray
    any_blind: np.ndarray

    @classmethod
    def of(cls, frame: Any, rules: Rules) -> Rows:
        """The rows of a DataFrame from :func:`spades_training.bidding.data.read_data`."""
        players = rules.players

        def ints(name: str) -> np.ndarray:
            return frame[name].to_numpy().astype(np.int64)

        position = ints("position")
        zero = np.zeros(len(position), np.int64)
        bids = {k: ints(f"bid_{k}") for k in range(1, players)}
        before = {k: (position + k) % players < position for k in bids}
        against = [k for k in bids if not (rules.partners and k == 2)]
        blind = frame["blind"].to_numpy()
        any_blind = blind.copy()
        for k in bids:
            any_blind = any_blind | frame[f"blind_{k}"].to_numpy()
        need, their_need = (needed(rules.target, ints(f"score_{k}")) for k in range(2))
        return cls(
            deal=ints("deal"),
            features=frame.select(list(FEATURES)).to_numpy().astype(np.float64),
            position=position,
            bid=ints("bid"),
            partner=bids[2] if rules.partners else zero,
            others=sum((bids[k] for k in against), zero),
            nils=sum(((bids[k] == 0).astype(np.int64) for k in against), zero),
            partner_heard=before[2] if rules.partners else zero > 0,
            heard=sum((before[k].astype(np.int64) for k in against), zero),
            others_heard=sum((bids[k] * before[k] for k in against), zero),
            nils_heard=sum(((bids[k] == 0) * before[k] for k in against), zero),
            need=need,
            their_need=their_need,
            tricks=ints("tricks"),
            partner_tricks=ints("tricks_2") if rules.partners else zero,
            blind=blind,
            any_blind=any_blind,
        )

    def __getitem__(self, chosen: np.ndarray) -> Rows:
        return Rows(**{name: values[chosen] for name, values in vars(self).items()})

    def __len__(self) -> int:
        return len(self.deal)


def needed(target: int, scores: np.ndarray) -> np.ndarray:
    """Tens of points that ``scores`` are short of the target, from 0 to NEEDED."""
    return np.clip((target - scores) / 10, 0, NEEDED)


def split(frame: Any, share: float = 0.2) -> tuple[Any, Any]:
    """Split a DataFrame of bidding data into rows to fit to and the last ``share`` of the deals to test on."""
    held_out = frame["deal"] >= int(frame["deal"].max() * (1 - share)) + 1
    return frame.filter(~held_out), frame.filter(held_out)


@jit
def fill_play(features, bids, position, tricks, out):
    """:func:`play_inputs` for every row; the columns of ``bids`` are bid, partner, others and nils."""
    for k in range(len(out)):
        play_inputs(features[k], bids[k, 0], bids[k, 1], bids[k, 2], bids[k, 3], position[k], tricks, out[k])


@jit
def fill_bid(features, bids, position, needs, out):
    """:func:`bid_inputs` for every row.

    The columns of ``bids`` are bid, partner, heard, others_heard, nils_heard; those of ``needs`` are need, their_need.
    """
    for k in range(len(out)):
        own, partner, heard, others, nils = bids[k, 0], bids[k, 1], bids[k, 2], bids[k, 3], bids[k, 4]
        bid_inputs(features[k], own, partner, heard, others, nils, position[k], needs[k, 0], needs[k, 1], out[k])


@jit
def fill_chances(weights, head, inputs, out):
    """:func:`chances` for every row."""
    for k in range(len(inputs)):
        chances(weights, head, inputs[k], out[k])


def examples(name: str, rows: Rows, rules: Rules) -> tuple[np.ndarray, np.ndarray, Rows]:
    """The data of a head.

    Returns:
        Inputs (float64 of shape (n, INPUTS)), classes (int64 of shape (n,)) and the rows that they come from.
    """
    partners = rules.partners
    rows = rows[~rows.any_blind]
    chosen = {
        "partner": (partners & ~rows.partner_heard),
        "others": rows.heard < (2 if partners else 1),
        "tricks": (rows.bid > 0) & ((rows.partner > 0) | (not partners)),
        "alone": (rows.bid > 0) & (rows.partner == 0) & partners,
        "cover": (rows.bid == 0) & (rows.partner > 0) & partners,
        "nil": rows.bid == 0,
        "partner_nil": (rows.partner == 0) & partners,
    }[name]
    rows = rows[np.broadcast_to(chosen, len(rows))]
    inputs = np.zeros((len(rows), INPUTS))
    if name in ("partner", "others"):
        # The partner's bid comes before the others' remaining bids, so they may depend on it.
        partner = rows.partner if partners and name == "others" else np.full(len(rows), -1)
        bids = np.stack([rows.bid, partner, rows.heard, rows.others_heard, rows.nils_heard], axis=1)
        fill_bid(rows.features, bids, rows.position, np.stack([rows.need, rows.their_need], axis=1), inputs)
    else:
        bids = np.stack([rows.bid, rows.partner, rows.others, rows.nils], axis=1)
        fill_play(rows.features, bids, rows.position, rules.hand_size, inputs)
    over = {
        "tricks": rows.tricks + rows.partner_tricks - rows.bid - rows.partner,
        "alone": rows.tricks - rows.bid,
        "cover": rows.partner_tricks - rows.partner,
    }
    kinds = {
        "partner": rows.partner,
        "others": rows.others - rows.others_heard,
        "nil": rows.tricks,
        "partner_nil": rows.partner_tricks,
    }
    classes = over[name] - LEAST if name in over else kinds[name]
    return inputs, np.clip(classes, 0, CLASSES - 1), rows


def fit_head(inputs: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Fit a head; returns its weights for unscaled inputs, float64 of shape (INPUTS + 1, CLASSES)."""
    from sklearn.linear_model import LogisticRegression

    table = np.zeros((INPUTS + 1, CLASSES))
    table[INPUTS] = -np.inf
    mean, scale = inputs.mean(0), inputs.std(0)
    scale[scale == 0] = np.inf  # a constant input gets the weight 0
    model = LogisticRegression(C=PENALTY, max_iter=MOST_STEPS, tol=1e-3)
    model.fit((inputs - mean) / scale, classes)
    weights, constants = np.asarray(model.coef_), np.asarray(model.intercept_)
    if len(model.classes_) == 2:  # scikit-learn returns only the log odds of the second
        weights, constants = (np.stack([np.zeros_like(part[0]), part[0]]) for part in (weights, constants))
    table[:INPUTS, model.classes_] = (weights / scale).T
    table[INPUTS, model.classes_] = constants - (weights / scale) @ mean
    return table


def fit_model(frame: Any, rules: Rules, report: Any = None) -> BiddingModel:
    """Fit all heads to a DataFrame of bidding data; the card stays empty.

    Args:
        frame: from :func:`spades_training.bidding.data.read_data`.
        rules: the rules of the data, for two players or partners.
        report: called with the name of each head and its number of rows.

    Raises:
        ValueError: if there is no model for these rules, or too few rows.
    """
    game_name(rules)
    rows = Rows.of(frame, rules)
    weights = np.zeros((len(HEADS), INPUTS + 1, CLASSES))
    weights[:, INPUTS] = -np.inf
    for k, name in enumerate(HEADS):
        inputs, classes, _ = examples(name, rows, rules)
        if not len(classes) and not rules.partners:
            continue  # a head that needs a partner
        if len(np.unique(classes)) < 2:
            raise ValueError(f"not enough data to fit the head {name!r}: {len(classes)} rows")
        if report:
            report(name, min(len(classes), MOST_ROWS))
        weights[k] = fit_head(inputs[:MOST_ROWS], classes[:MOST_ROWS])
    return BiddingModel(weights, blind_endings(frame, rules), {})


def predict(model: BiddingModel, name: str, inputs: np.ndarray) -> np.ndarray:
    """The class probabilities of a head, float64 of shape (n, CLASSES)."""
    out = np.zeros((len(inputs), CLASSES))
    fill_chances(model.weights, list(HEADS).index(name), np.ascontiguousarray(inputs), out)
    return out


def blind_endings(frame: Any, rules: Rules) -> np.ndarray:
    """How hands with a forced blind nil ended, in the format of :class:`BiddingModel`.

    This is a systematic sample of the sorted endings, so it keeps the shares of nils made, contracts made and so on.
    """
    players = rules.players
    names = [("bid", "blind", "tricks"), *((f"bid_{k}", f"blind_{k}", f"tricks_{k}") for k in range(1, players))]
    bids, blind, tricks = (
        np.stack([frame[columns[part]].to_numpy().astype(np.int64) for columns in names], axis=1) for part in range(3)
    )
    nil = bids == 0
    failed = nil & (tricks > 0)
    balance = np.where(failed, -1, 1) * nil
    counted = np.where(nil & (rules.failed_nil != "contract"), 0, tricks)
    loose = failed * {"one_bag": 1, "bags": tricks}.get(rules.failed_nil, 0)
    of_seat = bids, counted, balance * (blind == 1), balance * (blind == 0), loose
    fields = [values[:, side::2].sum(1) for side in range(2) for values in of_seat]
    table = np.stack([frame["position"].to_numpy().astype(np.int64), *fields], axis=1)
    table = table[(frame["blind"] & frame["drawn"]).to_numpy()]
    kept = [np.zeros((0, table.shape[1] + 1), np.int64)]
    for position in range(players):
        found = table[table[:, 0] == position]
        found = found[np.lexsort(found[:, [10, 7, 6, 2, 1, 4, 3]].T)]
        picked = found[np.linspace(0, len(found), MOST_ENDINGS, endpoint=False).astype(int)] if len(found) else found
        endings, counts = np.unique(picked, axis=0, return_counts=True)
        kept.append(np.column_stack([endings, counts]))
    return np.concatenate(kept)
