"""How good the chances of a bidding model are, on deals that it was not fitted to."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from spades_agents.bidder.model import CLASSES, HEADS, LEAST, BiddingModel

from spades_env.rules import Rules
from spades_training.bidding.fit import Rows, examples, predict
from spades_training.evaluation.intervals import Estimate, proportion, ratio
from spades_training.files import write_whole

__all__ = ["HeadScores", "calibration", "calibration_plot", "score_model"]

BINS = 10
TARGET = {"tricks": -LEAST, "alone": -LEAST, "cover": -LEAST}  # the class of a contract just made


@dataclass(frozen=True)
class HeadScores:
    """Proper scores of a head on held-out deals, all the better the smaller; 95% intervals over deals.

    Attributes:
        rows: how many.
        log_score: mean of -ln(chance given to what came), in nats.
        log_gain: by how much that of the shares of the classes, whatever the hand, is worse.
        crps: mean sum over k of (chance of k or fewer - whether it was k or fewer)**2; in tricks (or bids).
        crps_gain: as ``log_gain``.
        brier: mean of (chance - whether it came)**2 for the contract or the nil being made, None for bids.
    """

    rows: int
    log_score: Estimate
    log_gain: Estimate
    crps: Estimate
    crps_gain: Estimate
    brier: Estimate | None


def _mean(values: np.ndarray, deals: np.ndarray) -> Estimate:
    """The mean of a value for each row, deals being the independent observations."""
    _, groups = np.unique(deals, return_inverse=True)
    return ratio(np.bincount(groups, values), np.bincount(groups).astype(float))


def log_scores(chances: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """-ln of the chance given to what came, for every row."""
    return -np.log(np.maximum(chances[np.arange(len(classes)), classes], 1e-12))


def crps_scores(chances: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """The continuous ranked probability score of every row (Gneiting and Raftery 2007), for whole numbers."""
    below = np.cumsum(chances, axis=1)
    came = classes[:, None] <= np.arange(chances.shape[1])
    return ((below - came) ** 2).sum(axis=1)


def score_head(model: BiddingModel, name: str, fitted: Rows, held_out: Rows, rules: Rules) -> HeadScores | None:
    """Scores of one head; None if there is nothing to score."""
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
    """The chance that the contract or the nil is made, and whether it was."""
    if name in TARGET:
        return chances[:, TARGET[name] :].sum(axis=1), classes >= TARGET[name]
    return chances[:, 0], classes == 0


def score_model(model: BiddingModel, fitted: Rows, held_out: Rows, rules: Rules) -> dict[str, HeadScores]:
    """Scores of every head that these rules have."""
    found = {name: score_head(model, name, fitted, held_out, rules) for name in HEADS}
    return {name: scores for name, scores in found.items() if scores is not None}


def calibration(model: BiddingModel, name: str, held_out: Rows, rules: Rules) -> list[tuple[float, Estimate, int]]:
    """How often events came that were given a chance: (mean chance, share that came, how many), by tenths of chance.

    For ``tricks``, ``alone`` and ``cover`` the events are "k tricks or more" for every k; else each class.
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


def calibration_plot(model: BiddingModel, held_out: Rows, rules: Rules, path: Path) -> None:
    """Draw :func:`calibration` of every head as a PNG."""
    from matplotlib.figure import Figure

    names = [name for name in HEADS if len(examples(name, held_out, rules)[2])]
    figure = Figure(figsize=(3 * len(names), 3.2), dpi=110, layout="constrained")
    for k, name in enumerate(names):
        axes: Any = figure.add_subplot(1, len(names), k + 1)
        points = calibration(model, name, held_out, rules)
        told = [point[0] for point in points]
        came = [point[1].value for point in points]
        errors = [
            [max(0.0, abs((end or 0.0) - (p[1].value or 0.0))) for p in points for end in [getattr(p[1], side)]]
            for side in ("low", "high")
        ]
        axes.plot([0, 1], [0, 1], color="0.7", linewidth=1)
        axes.errorbar(told, came, yerr=errors, fmt="o", markersize=3)
        axes.set_title(name, fontsize=9)
        axes.set_xlabel("chance told")
        axes.set_ylabel("share that came" if k == 0 else "")
    figure.suptitle(f"{rules.name}: calibration on deals held out, 95% intervals", fontsize=10)
    file = io.BytesIO()
    figure.savefig(file, format="png")
    write_whole(path, file.getvalue())
