"""The reports of a run of the fast learner: progress bar, evaluations, ``metrics.csv``, TensorBoard."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path
from types import TracebackType
from typing import Any

from rich.console import Console
from spades_agents.policy.learned import PolicyAgent, PPOAgent
from spades_agents.policy.network import PolicyNetwork

from spades_env.files import write_whole
from spades_env.rules import Rules
from spades_training.evaluation.evaluate import Result, evaluate
from spades_training.learning.fast.settings import Settings
from spades_training.terminal import display
from spades_training.terminal.display import training_bar

FINAL_SEED = 1_000_003  # decks of the final evaluation
EVALUATION_SEED = 5  # decks of the evaluations during training, which differ from those of the final one


class Reports:
    """Shows and saves the progress of a run; a context manager around the training.

    Args:
        settings: settings of the run.
        rules: the rules.
        run: the folder of the run.
        console: where to print.
        rows: rows of the metrics so far.
    """

    def __init__(
        self, settings: Settings, rules: Rules, run: Path, console: Console, rows: list[dict[str, Any]]
    ) -> None:
        self.settings, self.rules, self.run, self.console, self.rows = settings, rules, run, console, rows
        self._progress = training_bar(console, "decisions/s, left")
        total = settings.warm_start + settings.total_timesteps
        self._task = self._progress.add_task("training", total=total, speed=0.0, evaluation="")
        self._writer: Any = None
        if settings.tensorboard:
            from torch.utils.tensorboard.writer import SummaryWriter

            self._writer = SummaryWriter(str(run / "tensorboard"))

    def __enter__(self) -> Reports:
        self._progress.start()
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._progress.stop()
        if self._writer is not None:
            self._writer.close()

    def advance(self, decisions: int, speed: float, found: dict[str, float]) -> None:
        """Report an update: decisions so far, decisions per second, the learner's statistics."""
        stage = "imitation" if decisions <= self.settings.warm_start else "self-play"
        self._progress.update(self._task, description=stage, completed=decisions, speed=speed)
        if self._writer is not None:
            for name, value in {"decisions_per_second": speed, **found}.items():
                if math.isfinite(value):
                    self._writer.add_scalar(f"train/{name}", value, decisions)

    def evaluate(self, network: PolicyNetwork, counts: dict[str, int], seconds: float, found: dict[str, float]) -> None:
        """Play the frozen opponents, add a row to the metrics and print a line.

        Args:
            network: the policy.
            counts: ``decisions`` in total and ``steps`` of self-play.
            seconds: training time so far.
            found: the learner's statistics.
        """
        row: dict[str, Any] = dict(counts)
        speed = counts["decisions"] / max(seconds, 1e-9)
        row |= {"seconds": round(seconds, 1), "steps_per_second": round(speed)}
        row |= {name: round(value, 5) for name, value in found.items()}
        texts = []
        for name in self.settings.frozen_opponents():
            player = PolicyAgent(network, self.rules)
            matches, hands = self.settings.eval_matches, self.settings.max_hands
            seed = self.settings.seed + EVALUATION_SEED
            result = evaluate(player, name, self.rules, matches=matches, seed=seed, max_hands=hands)
            wins, points = result.win_rate, result.points_per_hand
            row |= {name: points.value, f"{name}_low": points.low, f"{name}_high": points.high}
            row |= {f"{name}_wins": wins.value, f"{name}_wins_low": wins.low, f"{name}_wins_high": wins.high}
            nils = (result.a.nil_tried + result.a.blind_nil_tried) / (result.hands_per_match * result.matches)
            row |= {f"{name}_bid": result.a.mean_bid, f"{name}_nils": nils}
            texts.append(f"{name} {wins.text(100)} %, {points.text(signed=True)}")
            if self._writer is not None:
                shown = {"wins": wins.value, "points_per_hand": points.value, "bid": result.a.mean_bid, "nils": nils}
                for key, value in shown.items():
                    if value is not None:
                        self._writer.add_scalar(f"eval/{key}_{name}", value, counts["decisions"])
        self.rows.append(row)
        evaluation = "; ".join(texts)
        self._progress.update(self._task, evaluation=evaluation)
        line = f"{counts['decisions']:>13,} decisions {seconds:>6.0f} s {speed:>9,.0f}/s  "
        line += f"entropy {found.get('entropy', math.nan):.2f}  explained {found.get('explained', math.nan):.2f}  "
        self._progress.console.print(line + evaluation, highlight=False, soft_wrap=True)
        text = io.StringIO()
        writer = csv.DictWriter(text, list(self.rows[-1]), extrasaction="ignore")
        writer.writeheader()
        writer.writerows(self.rows)
        write_whole(self.run / "metrics.csv", text.getvalue())


def final_results(
    settings: Settings, rules: Rules, run: Path, console: Console, found: dict[str, Any]
) -> dict[str, Result]:
    """Play the model file of a run against the frozen opponents, write ``results.json`` and print a table.

    Args:
        settings: settings of the run.
        rules: the rules.
        run: the folder of the run.
        console: where to print.
        found: further results to write: ``steps``, ``imitated``, ``training_seconds`` and others.

    Returns:
        The results by opponent.
    """
    results = {}
    for opponent in settings.frozen_opponents():
        with display.progress_bar(f"playing {opponent}") as progress:
            results[opponent] = evaluate(
                PPOAgent(run / "model.zip"), opponent, rules,
                matches=settings.final_matches, seed=FINAL_SEED + settings.seed, max_hands=settings.max_hands,
                progress=progress,
            )  # fmt: skip
    found["against"] = {name: result.to_dict() for name, result in results.items()}
    write_whole(run / "results.json", json.dumps(found, indent=1))
    imitated = f" after {found['imitated']:,} imitated decisions of {found['teacher']}" if found["imitated"] else ""
    title = f"{run}: {found['steps']:,} decisions of self-play{imitated}, {found['training_seconds']:.0f} s"
    console.print(display.evaluation_table(results, title))
    return results
