"""Plots of a training run."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from spades_env.files import write_whole
from spades_env.rules import Rules


def learning_curve(rows: list[dict[str, Any]], opponents: list[str], rules: Rules, path: Path) -> None:
    """Plot the points per hand against each frozen opponent over the decisions trained on, as a PNG.

    Args:
        rows: rows of the metrics.
        opponents: names of the opponents.
        rules: the rules, for the title.
        path: the file.
    """
    figure, axes = _figure()
    for opponent in opponents:
        found = [row for row in rows if row.get(opponent) is not None]
        decisions = [row["decisions"] for row in found]
        (line,) = axes.plot(decisions, [row[opponent] for row in found], marker="o", markersize=3, label=opponent)
        # A single pair of matches has no interval: None becomes NaN, which is not drawn.
        low, high = (np.array([row[f"{opponent}_{end}"] for row in found], float) for end in ("low", "high"))
        axes.fill_between(decisions, low, high, alpha=0.2, color=line.get_color())
    imitated = max((row["decisions"] for row in rows if row["steps"] == 0), default=0)
    if imitated:
        axes.axvspan(0, imitated, color="0.93")
        axes.annotate("imitation", (imitated / 2, 0.02), xycoords=("data", "axes fraction"), ha="center", color="0.4")
    axes.axhline(0, color="0.6", linewidth=0.8)
    axes.set_xlabel("decisions trained on")
    axes.set_ylabel("points per hand ahead of the opponent")
    axes.set_title(f"{rules.name}: against frozen opponents, 95% intervals over duplicate pairs", fontsize=10)
    if opponents:
        axes.legend()
    _save(figure, path)


def rating_history(rows: list[dict[str, Any]], rules: Rules, path: Path) -> None:
    """Plot the ratings of a run's snapshots over the steps of self-play, with fixed players as bands, as a PNG.

    Args:
        rows: rows of ``league.csv``; fixed players have no ``steps``, and the rating of the first one is 0.
        rules: the rules, for the title.
        path: the file.
    """
    figure, axes = _figure()
    found = [row for row in rows if row["steps"] is not None]
    steps, ratings = ([row[name] for row in found] for name in ("steps", "rating"))
    reach = [[row["rating"] - row["low"] for row in found], [row["high"] - row["rating"] for row in found]]
    axes.errorbar(steps, ratings, reach, marker="o", markersize=4, capsize=3, label="policy")
    fixed = [row for row in rows if row["steps"] is None]
    for k, row in enumerate(fixed, 1):
        axes.axhline(row["rating"], color=f"C{k}", linestyle="--", linewidth=1, label=row["player"])
        axes.axhspan(row["low"], row["high"], color=f"C{k}", alpha=0.15, linewidth=0)
    axes.set_xlabel("steps of self-play")
    axes.set_ylabel(f"Elo points ahead of {fixed[0]['player']}")
    axes.set_title(f"{rules.name}: ratings over the run, 95% intervals over duplicate pairs", fontsize=10)
    figure.legend(loc="outside lower center", ncols=3)
    _save(figure, path)


def _figure() -> tuple[Figure, Any]:
    figure = Figure(figsize=(7, 4.2), dpi=120, layout="constrained")
    return figure, figure.add_subplot()


def _save(figure: Figure, path: Path) -> None:
    file = io.BytesIO()
    figure.savefig(file, format="png")
    write_whole(path, file.getvalue())
