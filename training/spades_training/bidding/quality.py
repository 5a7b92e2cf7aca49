"""How well a bidding model predicts deals that it was not fitted to."""

from __future__ import annotations

import dataclasses
import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from spades_agents.bidder.model import CLASSES, HEADS, LEAST, BiddingModel

from spades_env.files import write_whole
from spades_env.rules import Rules
from spades_training.bidding.data import read_data, read_settings
from spades_training.bidding.fit import Rows, examples, fit_model, predict, split
from spades_training.evaluation.intervals import Estimate, proportion, ratio

BINS = 10
TARGET = {"tricks": -LEAST, "alone": -LEAST, "cover": -LEAST}  # the class of a contract made exactly


@dataclass(frozen=True)
class HeadScores:
    """Proper scores of a head on held-out deals; lower is better. The 95% intervals are over deals.

    Attributes:
        rows: number of rows.
        log_score: mean of -ln(probability of the outcome), in nats.
        log_gain: improvement of the log score over a forecast that predicts the class shares for every hand.
        crps: mean sum over k of (probability of k or fewer - whether the outcome was k or fewer)**2, in tricks (or
            bids).
        crps_gain: the same improvement for ``crps``.
        brier: mean of (probability - outcome)**2 for the contract or the nil being made; None for bids.
    """

    rows: int
    log_score: Estimate
    log_gain: Estimate
    crps: Estimate
    crps_gain: Estimate
    brier: Estimate | None


def _mean(values: np.ndarray, deals: np.ndarray) -> Estimate:
    """The mean of one value for each row, with deals as the independent observations."""
    _, groups = np.unique(deals, return_inverse=True)
    return ratio(np.bincount(groups, values), np.bincount(groups).astype(float))


def log_scores(chances: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """-ln of the predicted probability of the outcome, for every row."""
    return -np.log(np.maximum(chances[np.arange(len(classes)), classes], 1e-12))


def crps_scores(chances: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """The ranked probability score of every row (Gneiting and Raftery 2007)."""
    below = np.cumsum(chances, axis=1)
    came = classes[:, None] <= np.arange(chances.shape[1])
    return ((below - came) ** 2).sum(axis=1)


def score_head(model: BiddingModel, name: str, fitted: Rows, held_out: Rows, rules: Rules) -> HeadScores | None:
    """The scores of one head; None if there is nothing to score."""
    inputs, classes, rows = examples(name, held_out, rules)
    if not len(rows):
        return None
    chances = predict(model, name, inputs)
    shares = np.bincount(examples(name, fitted, rules)[1], minlength=CLASSES) + 0.5
    same = np.broadcast_to(shares / shares.sum(), chances.shape)
    brier = None
    if name in TARGET or "nil" in name:
        good, came = made(name, chances, classes)
        brier = _mean((good - came) ** 2, rows.deal)
    logs, ranked = log_scores(chances, classes), crps_scores(chances, classes)
    return HeadScores(
        len(rows),
        _mean(logs, rows.deal),
        _mean(log_scores(same, classes) - logs, rows.deal),
        _mean(ranked, rows.deal),
        _mean(crps_scores(same, classes) - ranked, rows.deal),
        brier,
    )


def made(name: str, chances: np.ndarray, classes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The predicted probability that the contract or the nil is made, and whether it was."""
    if name in TARGET:
        return chances[:, TARGET[name] :].sum(axis=1), classes >= TARGET[name]
    return chances[:, 0], classes == 0


def score_model(model: BiddingModel, fitted: Rows, held_out: Rows, rules: Rules) -> dict[str, HeadScores]:
    """The scores of every head that exists under these rules."""
    found = {name: score_head(model, name, fitted, held_out, rules) for name in HEADS}
    return {name: scores for name, scores in found.items() if scores is not None}


def calibration(model: BiddingModel, name: str, held_out: Rows, rules: Rules) -> list[tuple[float, Estimate, int]]:
    """How often events occurred, by tenths of their predicted probability.

    The events of ``tricks``, ``alone`` and ``cover`` are "k tricks or more" for every k; those of other heads are the
    classes.

    Returns:
        For each tenth with events: their mean probability, the share that occurred, and their number.
    """
    inputs, classes, rows = examples(name, held_out, rules)
    chances = predict(model, name, inputs)
    events = np.arange(CLASSES)
    if name in TARGET:
        chances = np.cumsum(chances[:, ::-1], axis=1)[:, ::-1][:, 1:]
        came = classes[:, None] >= events[1:]
    else:
        came = classes[:, None] == events
    _, groups = np.unique(rows.deal, return_inverse=True)
    place = np.minimum((chances * BINS).astype(int), BINS - 1)
    points = []
    for k in range(BINS):
        inside = place == k
        seen = np.bincount(groups, inside.sum(axis=1))
        if not seen.sum():
            continue
        share = proportion(np.bincount(groups, (inside & came).sum(axis=1)), seen)
        points.append((float(chances[inside].mean()), share, int(seen.sum())))
    return points


def fit_and_score(
    folder: Path, report: Callable[[str, int], object]
) -> tuple[BiddingModel, dict[str, HeadScores], Rows, Rules]:
    """Fit a model to a folder of bidding data and score it on the last fifth of the deals.

    Args:
        folder: the data.
        report: called with the name of each head and its number of rows.

    Returns:
        The model with its card, its scores, the held-out rows and the rules.

    Raises:
        ValueError: if there is no data, too little of it, or no model for its rules.
    """
    frame, rules = read_data(folder)
    fitted, tested = split(frame)
    model = fit_model(fitted, rules, report)
    held_out = Rows.of(tested, rules)
    scores = score_model(model, Rows.of(fitted, rules), held_out, rules)
    settings = read_settings(folder)
    card = {
        "rules": settings["rules"],
        "data": {name: value for name, value in settings.items() if name != "rules"},
        "deals_fitted": int(fitted["deal"].n_unique()),
        "deals_held_out": int(tested["deal"].n_unique()),
        "scores": {name: dataclasses.asdict(found) for name, found in scores.items()},
    }
    return dataclasses.replace(model, card=card), scores, held_out, rules


def calibration_plot(model: BiddingModel, held_out: Rows, rules: Rules, path: Path) -> None:
    """Draw :func:`calibration` of every head as a PNG."""
    from matplotlib.figure import Figure

    names = [name for name in HEADS if len(examples(name, held_out, rules)[2])]
    figure = Figure(figsize=(3 * len(names), 3.2), dpi=110, layout="constrained")
    for k, name in enumerate(names):
        axes: Any = figure.add_subplot(1, len(names), k + 1)
        points = calibration(model, name, held_out, rules)
        predicted = [point[0] for point in points]
        came = [point[1].value for point in points]
        errors = [
            [max(0.0, abs((end or 0.0) - (p[1].value or 0.0))) for p in points for end in [getattr(p[1], side)]]
            for side in ("low", "high")
        ]
        axes.plot([0, 1], [0, 1], color="0.7", linewidth=1)
        axes.errorbar(predicted, came, yerr=errors, fmt="o", markersize=3)
        axes.set_title(name, fontsize=9)
        axes.set_xlabel("predicted probability")
        axes.set_ylabel("observed share" if k == 0 else "")
    figure.suptitle(f"{rules.name}: calibration on held-out deals, 95% intervals", fontsize=10)
    file = io.BytesIO()
    figure.savefig(file, format="png")
    write_whole(path, file.getvalue())
