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

__all__ = ["Rows", "examples", "fit_model", "predict", "split"]

MOST_ROWS = 200_000  # a head is fitted to at most so many
PENALTY = 0.3  # inverse strength of the L2 penalty on weights of standardised inputs
MOST_STEPS = 300
MOST_ENDINGS = 500  # of hands with a blind nil that are kept, for each position


@dataclass(frozen=True)
class Rows:
    """Bidding data as the model sees it, a row for a seat of a deal; everything about the other side is its sum.

    Attributes:
        deal: int64[n].
        features: float64[n, len(FEATURES)].
        position: int64[n], place in the bidding order.
        bid: int64[n], the seat's own.
        partner: int64[n], her bid; 0 without a partner.
        others: int64[n], sum of the other side's bids.
        nils: int64[n], how many of them bid nil.
        partner_heard: bool[n], whether the partner bid before the seat.
        heard: int64[n], how many of the other side bid before it.
        others_heard: int64[n], the sum of their bids.
        nils_heard: int64[n], how many of them bid nil.
        need: float64[n], tens of points that the own side lacks to the target.
        their_need: float64[n], the same of the other side.
        tricks: int64[n], the seat's.
        partner_tricks: int64[n], the partner's.
        blind: bool[n], the seat bid blind nil.
        any_blind: bool[n], some seat did.
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
        """The rows of a DataFrame as :func:`spades_training.bidding.data.read_data` gives it."""
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
    """Tens of points that scores lack to the target, at most NEEDED."""
    return np.clip((target - scores) / 10, 0, NEEDED)


def split(frame: Any, share: float = 0.2) -> tuple[Any, Any]:
    """A DataFrame of bidding data as what to fit to, and the last ``share`` of the deals, to test on."""
    held_out = frame["deal"] >= int(frame["deal"].max() * (1 - share)) + 1
    return frame.filter(~held_out), frame.filter(held_out)


@jit
def fill_play(features, bid, partner, others, nils, position, tricks, out):
    """:func:`play_inputs` for every row."""
    for k in range(len(out)):
        play_inputs(features[k], bid[k], partner[k], others[k], nils[k], position[k], tricks, out[k])


@jit
def fill_bid(features, bid, partner, heard, others, nils, position, need, their_need, out):
    """:func:`bid_inputs` for every row."""
    for k in range(len(out)):
        bid_inputs(
            features[k],
            bid[k],
            partner[k],
            heard[k],
            others[k],
            nils[k],
            position[k],
            need[k],
            their_need[k],
            out[k],
        )


@jit
def fill_chances(weights, head, inputs, out):
    """:func:`chances` for every row."""
    for k in range(len(inputs)):
        chances(weights, head, inputs[k], out[k])


def examples(name: str, rows: Rows, rules: Rules) -> tuple[np.ndarray, np.ndarray, Rows]:
    """What a head learns from: inputs, float64[n, INPUTS], classes, int64[n], and the rows that they come from."""
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
        # The partner's bid is told before the others' that are still to come, so those may depend on it.
        partner = rows.partner if partners and name == "others" else np.full(len(rows), -1)
        heard = rows.heard, rows.others_heard, rows.nils_heard
        fill_bid(rows.features, rows.bid, partner, *heard, rows.position, rows.need, rows.their_need, inputs)
    else:
        bids = rows.bid, rows.partner, rows.others, rows.nils
        fill_play(rows.features, *bids, rows.position, rules.hand_size, inputs)
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
    """Weights of a head, float64[INPUTS + 1, CLASSES], for inputs as they are."""
    from sklearn.linear_model import LogisticRegression

    table = np.zeros((INPUTS + 1, CLASSES))
    table[INPUTS] = -np.inf
    mean, scale = inputs.mean(0), inputs.std(0)
    scale[scale == 0] = np.inf  # an input that never changes tells nothing
    model = LogisticRegression(C=PENALTY, max_iter=MOST_STEPS, tol=1e-3)
    model.fit((inputs - mean) / scale, classes)
    weights, constants = np.asarray(model.coef_), np.asarray(model.intercept_)
    if len(model.classes_) == 2:  # scikit-learn gives the log odds of the second alone
        weights, constants = (np.stack([np.zeros_like(part[0]), part[0]]) for part in (weights, constants))
    table[:INPUTS, model.classes_] = (weights / scale).T
    table[INPUTS, model.classes_] = constants - (weights / scale) @ mean
    return table


def fit_model(frame: Any, rules: Rules, report: Any = None) -> BiddingModel:
    """Fit all heads to a DataFrame of bidding data; the card is left empty.

    Args:
        frame: as :func:`spades_training.bidding.data.read_data` gives it.
        rules: of the data: two players or partners.
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
            continue  # there is no partner
        if len(np.unique(classes)) < 2:
            raise ValueError(f"too little data to fit the head {name!r}: {len(classes)} rows")
        if report:
            report(name, min(len(classes), MOST_ROWS))
        weights[k] = fit_head(inputs[:MOST_ROWS], classes[:MOST_ROWS])
    return BiddingModel(weights, blind_endings(frame, rules), {})


def predict(model: BiddingModel, name: str, inputs: np.ndarray) -> np.ndarray:
    """Chances of the classes of a head, float64[n, CLASSES]."""
    out = np.zeros((len(inputs), CLASSES))
    fill_chances(model.weights, list(HEADS).index(name), np.ascontiguousarray(inputs), out)
    return out


def blind_endings(frame: Any, rules: Rules) -> np.ndarray:
    """How hands ended in which a seat was made to bid blind nil, as :class:`BiddingModel` keeps them.

    A systematic sample of the sorted endings: the shares of made nils, of contracts and so on are those of all.
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
