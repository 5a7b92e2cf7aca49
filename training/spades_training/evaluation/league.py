"""A training run's league: its snapshots and final model, and how strong each of them is."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from spades_env.checks import check_int

LEAGUE = "league"  # subfolder of a run with every snapshot, including those that no longer play


def thinned(steps: Sequence[int], most: int) -> list[int]:
    """At most ``most`` of ``steps``: the first, the last, and those closest to evenly spaced points between them."""
    ordered = np.array(sorted(steps))
    if len(ordered) <= most:
        return ordered.tolist()
    wanted = np.linspace(ordered[0], ordered[-1], most)
    return ordered[np.unique(np.abs(ordered[:, None] - wanted).argmin(axis=0))].tolist()


def history(run: Path, most: int) -> dict[str, int]:
    """The players of a run, oldest first, and the number of self-play steps after which each was saved.

    Args:
        run: the folder of the run.
        most: maximum number of snapshots, at least 2. The final model, if there is one, is added to them.

    Raises:
        ValueError: if there are no snapshots, or ``most`` is invalid.
    """
    check_int("snapshots", most, 2, 1000)
    saved = {int(path.stem): path for path in (run / LEAGUE).glob("*.zip") if path.stem.isdigit()}
    if not saved:
        raise ValueError(f"the run {run} has no snapshots: no file like {run / LEAGUE / '000000000000.zip'}")
    players = {f"ppo:{saved[steps]}": steps for steps in thinned(list(saved), most)}
    if (run / "model.zip").exists():
        players[f"ppo:{run / 'model.zip'}"] = _final_steps(run / "metrics.csv")
    return players


def _final_steps(metrics: Path) -> int:
    """Number of self-play steps at the end of a run."""
    try:
        with open(metrics, newline="", encoding="utf8") as file:
            return [int(row["steps"]) for row in csv.DictReader(file)][-1]
    except (OSError, ValueError, LookupError) as error:
        raise ValueError(f"cannot read the steps of the final model in {metrics}: {error}") from None


def league_rows(results: dict[str, Any], steps: dict[str, int], against: Sequence[str]) -> list[dict[str, Any]]:
    """The rows of ``league.csv``: the players of the run ordered by steps, then the fixed players.

    Args:
        results: results of a tournament whose last agent is ``against[0]``, which makes it second in all its pairings.
        steps: steps of the run's players, as returned by :func:`history`.
        against: the fixed players; the rating of the first is 0.
    """
    gaps = {cell["a"]: cell["rating_gap"] for cell in results["crosstable"] if cell["b"] == against[0]}
    gaps[against[0]] = {"value": 0.0, "low": 0.0, "high": 0.0}
    ratings = {row["agent"]: row for row in results["ratings"]}
    return [
        {
            "steps": steps.get(name),
            "player": name,
            "rating": gaps[name]["value"],
            "low": gaps[name]["low"],
            "high": gaps[name]["high"],
            **{key: ratings[name][key] for key in ("wins", "losses", "forfeits")},
        }
        for name in [*steps, *against]
    ]
