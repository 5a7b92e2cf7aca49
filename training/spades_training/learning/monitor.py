"""Evaluations, snapshots, checkpoints, logs and the progress bar of a training run."""

from __future__ import annotations

import csv
import io
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import torch
from rich.console import Console
from sb3_contrib import MaskablePPO
from spades_agents.policy.learned import PolicyAgent
from spades_agents.policy.model_file import save_player
from stable_baselines3.common.callbacks import BaseCallback

from spades_env.files import write_whole
from spades_training.evaluation.evaluate import evaluate
from spades_training.evaluation.intervals import Estimate
from spades_training.evaluation.league import LEAGUE
from spades_training.learning.checkpoint import Checkpoint
from spades_training.learning.config import CHECKPOINT, Config
from spades_training.learning.rollouts import Rollouts
from spades_training.learning.sb3 import policy_network
from spades_training.learning.selfplay import OpponentMix
from spades_training.learning.trajectories import LearnerTrajectories
from spades_training.terminal.display import training_bar

EVAL_MATCHES = 100  # of each evaluation during training, among which its hands are divided


class TrainingError(RuntimeError):
    """The training cannot continue."""


class Monitor(BaseCallback):
    """Updates the opponents, and prints, logs and saves the progress of a run.

    All of this happens between an update and the next batch of decisions, when a checkpoint can hold the state of the
    run.

    Args:
        config: the settings.
        run: the folder of the run.
        env: where the learner plays.
        mix: the opponents in the environment.
        rng: the random generator of the self-play.
        console: where to print.
        metrics: rows of earlier evaluations and seconds of training so far, if the run is resumed.
    """

    def __init__(
        self,
        config: Config,
        run: Path,
        env: LearnerTrajectories,
        mix: OpponentMix,
        rng: np.random.Generator,
        console: Console,
        metrics: dict[str, Any] | None = None,
    ) -> None:
        super().__init__()
        self.config, self.run, self.env, self.mix, self.rng, self.console = config, run, env, mix, rng, console
        self.rules = env.rules
        self.metrics: dict[str, Any] = metrics or {"rows": [], "seconds": 0.0}
        self.progress = training_bar(console, "steps/s ETA")
        self.rated = 0  # decisions rated by rollouts
        self.after_checkpoint: Callable[[], object] = lambda: None
        self._evaluation = ""
        self._start = time.perf_counter() - self.metrics["seconds"]
        self._clock = time.perf_counter()
        self._steps_before = 0

    def after_round(self, model: MaskablePPO, stage: Rollouts, before: int) -> None:
        """Evaluate and save when due while learning from rollouts; ``before`` is the number rated one round ago."""
        self.check_weights(model)
        self.rated = stage.done
        if stage.done // self.config.eval_every > before // self.config.eval_every or stage.finished:
            self._evaluate(model)
        if stage.done // self.config.checkpoint_every > before // self.config.checkpoint_every or stage.finished:
            self.checkpoint(model)

    def check_weights(self, model: MaskablePPO) -> None:
        """Check that all weights are finite.

        Raises:
            TrainingError: if they are not.
        """
        if not all(bool(torch.isfinite(weights).all()) for weights in model.policy.parameters()):
            self._give_up(f"some weights are not finite after {model.num_timesteps:,} steps")

    def _on_training_start(self) -> None:
        self._steps_before = self.model.num_timesteps
        self._clock = time.perf_counter()
        total = self.config.total_timesteps
        self._task = self.progress.add_task("training", total=total, speed=0.0, evaluation="")
        self.progress.start()

    def _on_step(self) -> bool:
        if self.n_calls % 16 == 0:
            self.progress.update(
                self._task, completed=self.num_timesteps, speed=self._speed(), evaluation=self._evaluation
            )
        return True

    def _speed(self) -> float:
        return (self.num_timesteps - self._steps_before) / max(time.perf_counter() - self._clock, 1e-9)

    def _on_rollout_start(self) -> None:
        self._check_loss()
        network = policy_network(self.model)  # type: ignore[arg-type]
        if self._due(self.config.snapshot_every):
            self.mix.add_snapshot(network)
            league = self.run / LEAGUE
            league.mkdir(exist_ok=True)
            save_player(network, league / f"{self.num_timesteps:012}.zip", self.rules)
        if self._due(self.config.eval_every):
            self._evaluate(self.model)  # type: ignore[arg-type]
        if self._due(self.config.checkpoint_every) and self.num_timesteps > 0:
            self.checkpoint(self.model)  # type: ignore[arg-type]
        self.mix.update(network)  # after the checkpoint, because it draws random numbers that a resumed run draws again

    def _on_training_end(self) -> None:
        self._check_loss()
        self._evaluate(self.model)  # type: ignore[arg-type]
        self.checkpoint(self.model)  # type: ignore[arg-type]
        self.progress.stop()

    def _due(self, every: int) -> bool:
        """Whether the last batch passed a multiple of ``every``; also true at the start of a run."""
        if self.num_timesteps == self._steps_before > 0:
            return False  # it was done before the checkpoint
        batch = self.config.n_envs * self.config.n_steps
        return self.num_timesteps // every > (self.num_timesteps - batch) // every

    def _check_loss(self) -> None:
        loss = self.logger.name_to_value.get("train/loss", 0.0)
        if not math.isfinite(loss):
            self._give_up(f"the loss is {loss} after {self.num_timesteps:,} steps")

    def _give_up(self, why: str) -> NoReturn:
        saved = (self.run / CHECKPOINT).exists()
        older = (
            f"the last checkpoint in {self.run} was saved earlier"
            if saved
            else f"there is no checkpoint in {self.run} yet"
        )
        raise TrainingError(f"{why}: try a lower learning_rate; {older}")

    def checkpoint(self, model: MaskablePPO) -> None:
        """Save the state of the run."""
        self.metrics["seconds"] = time.perf_counter() - self._start
        Checkpoint.of(model, self.env, self.mix, self.rng, self.metrics, self.rated).save(self.run)
        self.after_checkpoint()

    def measure(self, model: MaskablePPO, decisions: int) -> None:
        """Evaluate the model against the frozen opponents and add a row to the metrics.

        Args:
            model: the model.
            decisions: number of decisions that it has learned from, including imitated and rated ones.
        """
        player = PolicyAgent(policy_network(model), self.rules)
        row: dict[str, Any] = {"decisions": decisions, "steps": model.num_timesteps}
        row["seconds"] = round(time.perf_counter() - self._start, 1)
        row["steps_per_second"] = round(self._speed())
        values = model.logger.name_to_value
        names = ("loss", "value_loss", "entropy_loss", "approx_kl", "clip_fraction", "explained_variance")
        row |= {name: round(float(values.get(f"train/{name}", math.nan)), 5) for name in names}
        texts, scalars = [], {}
        for opponent in self.config.frozen_opponents():
            points = self._points(player, opponent)
            row |= {opponent: points.value, f"{opponent}_low": points.low, f"{opponent}_high": points.high}
            texts.append(f"{opponent} {points.text(signed=True)}")
            scalars[f"eval/points_per_hand_{opponent}"] = points.value
        for (
            output
        ) in model.logger.output_formats:  # the logger itself writes only after the next batch, if there is one
            output.write(dict(scalars), dict.fromkeys(scalars, ()), decisions)
        self.metrics["rows"].append(row)
        self._evaluation = "points/hand: " + ", ".join(texts)
        speed = f"{self._speed():>6,.0f} steps/s" if model.num_timesteps else ""
        line = f"{decisions:>11,} decisions {row['seconds']:>4.0f} s {speed:>15} {self._evaluation}"
        self.progress.console.print(line, highlight=False, soft_wrap=True)
        self._write_metrics()

    def _evaluate(self, model: MaskablePPO) -> None:
        self.measure(model, self.config.warm_start + self.rated + model.num_timesteps)

    def _points(self, player: PolicyAgent, opponent: str) -> Estimate:
        """Points per hand against a frozen opponent; every call uses the same decks."""
        hands = max(1, self.config.eval_hands // EVAL_MATCHES)
        result = evaluate(player, opponent, self.rules, matches=EVAL_MATCHES, seed=self.config.seed, max_hands=hands)
        return result.points_per_hand

    def _write_metrics(self) -> None:
        rows = self.metrics["rows"]
        text = io.StringIO()
        writer = csv.DictWriter(text, list(rows[-1]), extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
        write_whole(self.run / "metrics.csv", text.getvalue())
