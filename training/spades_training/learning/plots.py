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
    """Plot the metrics of a run over the decisions trained on, as a PNG.

    There is a row of panels for each frozen opponent, with the share of matches won and the points per hand, and one
    for the policy: entropy, explained variance, bids and nils. The later half of the points sets the scale of a panel.
    What the rows do not have is left out.

    Args:
        rows: rows of the metrics.
        opponents: names of the opponents.
        rules: the rules, for the title.
        path: the file.
    """
    panels = []
    for name in opponents:
        panels.append(
            [
                (f"share of matches won against {name}", f"{name}_wins", 1 / rules.sides),
                (f"points per hand ahead of {name}", name, 0.0),
            ]
        )
    last = opponents[-1] if opponents else ""
    panels.append([("entropy, in nats", "entropy", None), ("explained variance", "explained", None)])
    panels.append(
        [(f"mean bid against {last}", f"{last}_bid", None), (f"nils per hand against {last}", f"{last}_nils", None)]
    )
    panels = [
        shown for row in panels if (shown := [panel for panel in row if any(panel[1] in found for found in rows)])
    ]
    figure = Figure(figsize=(9, 2.2 * len(panels) + 0.6), dpi=120, layout="constrained")
    grid = figure.subplots(max(len(panels), 1), 2, squeeze=False, sharex=True)
    imitated = max((row["decisions"] for row in rows if row["steps"] == 0), default=0)
    for line, shown in zip(grid, panels, strict=False):
        for axes in line[len(shown) :]:
            axes.set_axis_off()
        for axes, (label, key, level) in zip(line, shown, strict=False):
            _panel(axes, rows, label, key, level)
            if imitated:
                axes.axvspan(0, imitated, color="0.93", zorder=0)
                axes.annotate(
                    "imitation", (imitated / 2, 0.03), xycoords=("data", "axes fraction"), ha="center", color="0.4"
                )
    for axes in grid[-1]:
        axes.set_xlabel("decisions trained on")
    figure.suptitle(f"{rules.name}: against frozen opponents, 95% intervals over duplicate pairs", fontsize=10)
    _save(figure, path)


def _panel(axes: Any, rows: list[dict[str, Any]], label: str, key: str, level: float | None) -> None:
    """Plot one of the metrics with its interval, if it has one, and a line at ``level``."""
    found = [row for row in rows if row.get(key) is not None]
    decisions, values = [row["decisions"] for row in found], np.array([row[key] for row in found], float)
    axes.plot(decisions, values, marker="o", markersize=3)
    low = high = values
    if found and f"{key}_low" in found[0]:
        # A single pair of matches has no interval: None becomes NaN, which is not drawn.
        low, high = (np.array([row[f"{key}_{end}"] for row in found], float) for end in ("low", "high"))
        axes.fill_between(decisions, low, high, alpha=0.2)
    later = np.concatenate([part[len(found) // 2 :] for part in (low, values, high)])
    later = later[np.isfinite(later)]
    if len(later):
        margin = 0.1 * (later.max() - later.min()) or 0.1
        axes.set_ylim(later.min() - margin, later.max() + margin)
    if level is not None:
        axes.axhline(level, color="0.6", linewidth=0.8)
    axes.set_title(label, fontsize=9)


def rating_history(rows: list[dict[str, Any]], rules: Rules, path: Path) -> None:
    """Plot the ratings of a run's snapshots over the steps of self-play, with fixed players as bands, as a PNG.

    Args:
        rows: rows of ``league.csv``; fixed players have no ``steps``, and the rating of the first one is 0.
        rules: the rules, for the title.
        path: the file.
    """
    figure = Figure(figsize=(7, 4.2), dpi=120, layout="constrained")
    axes = figure.add_subplot()
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


def _save(figure: Figure, path: Path) -> None:
    file = io.BytesIO()
    figure.savefig(file, format="png")
    write_whole(path, file.getvalue())
