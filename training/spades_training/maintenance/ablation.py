"""An ablation of the preset ``match``: small runs that each change one setting, as a Markdown table.

``python -m spades_training.maintenance.ablation --rules two_player --seeds 3`` runs it. To continue an interrupted
ablation, run the same command again.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer

from spades_training.cluster.connect import HERE, connect
from spades_training.cluster.side_by_side import train_side_by_side
from spades_training.evaluation.intervals import Estimate, t_quantile
from spades_training.learning.config import PRESETS, Config
from spades_training.options import OnOption, RulesOption
from spades_training.terminal.display import reporter

# The preset on a budget of about a minute on one core, without settings that only cost time.
BASE: dict[str, Any] = PRESETS["match"] | {
    "warm_start": 100_000,
    "rollouts": 300_000,
    "total_timesteps": 200_000,
    "snapshot_every": 50_000,
    "eval_every": 10**9,
    "checkpoint_every": 250_000,
    "tensorboard": False,
}


class Variant(NamedTuple):
    """A run that differs from its reference.

    Attributes:
        changes: settings that differ from the base.
        reference: name of the variant that it is compared with.
    """

    changes: dict[str, Any]
    reference: str = "base"


NO_ROLLOUTS = {"rollouts": 0}
VARIANTS: dict[str, Variant] = {
    "base": Variant({}),
    "no rollouts": Variant(NO_ROLLOUTS),
    "one update of self-play": Variant({"total_timesteps": 1}),
    "no hint": Variant({"hint": ""}),
    "random scores 0.3": Variant({"random_scores": 0.3}),
    "critic sees own cards": Variant({"oracle_critic": False}),
    "duplicate baseline": Variant({"duplicate_baseline": True}),
    "entropy 0.02": Variant({"ent_coef": 0.02}),
    "self only": Variant({"opponents": "self:1"}),
    "no rollouts, points": Variant(NO_ROLLOUTS | {"reward": "score"}, "no rollouts"),
    "no rollouts, win of a match": Variant(NO_ROLLOUTS | {"reward": "win", "episode": "match"}, "no rollouts"),
}


def ablate(
    variants: Mapping[str, Variant],
    base: Mapping[str, Any],
    seeds: int,
    folder: Path,
    workers: int = 1,
    on: Executor | None = None,
) -> dict[str, np.ndarray]:
    """Train every variant with every seed and evaluate it against the scripted player.

    Args:
        variants: by name.
        base: the settings that they change.
        seeds: number of seeds, starting at 0.
        folder: folder of the runs; runs that are complete are not trained again.
        workers: number of processes.
        on: an executor from :func:`spades_training.cluster.connect`, whose machines train instead of ``workers``.

    Returns:
        For each variant its win rate and points per hand, float64 of shape (seeds, 2).

    Raises:
        ValueError: if the folder holds a run with other settings.
    """
    configs = {
        (name, seed): Config(**{**base, **variant.changes, "seed": seed, "eval_opponents": "heuristic"})
        for seed in range(seeds)
        for name, variant in variants.items()
    }
    runs = {key: folder / f"{key[0].replace(', ', '_').replace(' ', '-')}_{key[1]}" for key in configs}
    keys = {run: key for key, run in runs.items()}
    for run in train_side_by_side({runs[key]: config for key, config in configs.items()}, workers, on):
        name, seed = keys[run]
        typer.echo(f"{name}, seed {seed}: {100 * _result(run)[0]:.1f}% of its matches", err=True)
    return {name: np.array([_result(runs[name, seed]) for seed in range(seeds)]) for name in variants}


def _result(run: Path) -> tuple[float, float]:
    """Win rate (nan if no match had a winner) and points per hand."""
    found = json.loads((run / "results.json").read_text("utf8"))["against"]["heuristic"]
    rate = found["win_rate"]["value"]
    return math.nan if rate is None else rate, found["points_per_hand"]["value"]


def contrasts(values: np.ndarray, references: Sequence[int]) -> list[Estimate]:
    """The difference between the mean of each variant and that of its reference, with 95% intervals.

    Seeds are blocks: one seed gives all variants the same decks and the same initial weights. The error is what the
    effects of variants and seeds do not explain, pooled over all of them, with (variants - 1) * (seeds - 1) degrees of
    freedom (randomized blocks: Montgomery, Design and Analysis of Experiments, chapter 4).

    Args:
        values: float64 of shape (variants, seeds), at least (2, 2).
        references: for each variant, the index of its reference.
    """
    variants, seeds = values.shape
    means = values.mean(1)
    freedom = (variants - 1) * (seeds - 1)
    left = values - means[:, None] - values.mean(0) + values.mean()
    reach = t_quantile(freedom) * math.sqrt(2 / seeds * float((left**2).sum()) / freedom)
    gaps = means - means[list(references)]
    return [Estimate(float(gap), float(gap - reach), float(gap + reach)) for gap in gaps]


def markdown(found: Mapping[str, np.ndarray], variants: Mapping[str, Variant]) -> str:
    """The table: means over the seeds, and their differences from the reference."""
    names = list(found)
    references = [names.index(variants[name].reference) for name in names]
    values = np.array([found[name] for name in names])
    rates, points = (contrasts(values[:, :, k], references) for k in (0, 1))
    lines = ["| variant | wins, % | points / hand | reference | wins, % | points / hand |", "|---" * 6 + "|"]
    for k, name in enumerate(names):
        rate, score = values[k].mean(0)
        row = [name, f"{100 * rate:.1f}", f"{score:+.1f}", "", "", ""]
        if references[k] != k:
            row[3:] = names[references[k]], rates[k].text(100, 1, signed=True), points[k].text(1, 1, signed=True)
        lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines)


def main(
    rules: RulesOption = "two_player",
    seeds: Annotated[int, typer.Option(help="Runs of each variant.", min=2)] = 3,
    only: Annotated[str, typer.Option(help="Names of variants, separated by semicolons; default: all.")] = "",
    workers: Annotated[int, typer.Option(help="Number of runs at a time.", min=1)] = 2,
    on: OnOption = HERE,
    out: Annotated[Path | None, typer.Option(help="Folder of the runs; default: ablation/RULES")] = None,
) -> None:
    """Train every variant with every seed, and print a table of their strength against the scripted player."""
    names = [name.strip() for name in only.split(";")] if only else list(VARIANTS)
    unknown = [name for name in names if name not in VARIANTS]
    if unknown:
        raise typer.BadParameter(f"unknown variant {unknown[0]!r}: use one or more of {'; '.join(VARIANTS)}")
    needed = {"base", *names, *(VARIANTS[name].reference for name in names)}
    chosen = {name: variant for name, variant in VARIANTS.items() if name in needed}
    folder = Path("ablation") / rules if out is None else out
    with connect(on, reporter()) as cluster:
        found = ablate(chosen, BASE | {"rules": rules}, seeds, folder, workers, cluster)
    typer.echo(markdown(found, chosen))


if __name__ == "__main__":
    typer.run(main)
