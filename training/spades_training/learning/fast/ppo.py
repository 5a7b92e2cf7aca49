"""Self-play with PPO on the decisions of all seats; :func:`train` is the whole run.

The tables, the choice of actions, the rewards, the values, the gradients of the losses and the first layer of the
networks are compiled code (:mod:`spades_env.tables` and the modules ``decisions`` and ``sparse`` beside this one). The
rest is matrix products, in bfloat16 if the processor has instructions for it. Workers play and compute gradients in
threads.

The algorithm is PPO (Schulman et al. 2017) for a zero-sum game of imperfect information, with a critic that rates every
action. One policy plays all seats, the critic sees all hands (the policy never does), values end with the hand, and
decisions with only one legal action are not samples. ``spades train`` calls :func:`train`.
"""

from __future__ import annotations

import io
import math
import os
import shlex
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console
from spades_agents.policy.model_file import save_player

from spades_env.files import write_whole
from spades_training.evaluation.evaluate import Result
from spades_training.learning.code import check_code
from spades_training.learning.fast.decisions import SQUARES, STATISTICS
from spades_training.learning.fast.networks import ActorCritic, Gradient, multiplies_bfloat16, shared_layers
from spades_training.learning.fast.reports import Reports, final_results
from spades_training.learning.fast.settings import WORKERS, Settings
from spades_training.learning.fast.worker import Worker
from spades_training.learning.monitor import TrainingError
from spades_training.learning.plots import learning_curve
from spades_training.learning.selfplay import SNAPSHOT
from spades_training.options import parse_rules


class Learner:
    """Collects batches of decisions and learns from them.

    Attributes:
        net: the networks.
        imitated: number of the teacher's decisions so far.
        steps: number of decisions of self-play so far.
        statistics: statistics of the last update: ``entropy`` and ``divergence`` in nats, the shares ``clipped`` and
            ``agreement`` (the action taken was the most probable one), the ``explained`` variance of the results.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings, self.rules = settings, parse_rules(settings.rules)
        torch.set_num_threads(1)  # the workers run side by side
        self.threads = ThreadPoolExecutor(min(settings.threads or os.cpu_count() or 1, WORKERS))
        self.dtype = torch.bfloat16 if settings.bfloat16 and multiplies_bfloat16() else torch.float32
        sizes = settings.hidden_layers()
        generator = torch.Generator().manual_seed(settings.seed)
        self.net = ActorCritic(self.rules, *sizes, settings.suit_symmetry, generator, settings.card_features)
        self.optimizer = self._new_optimizer()
        self.workers = [Worker(settings, self.net, place, settings.n_envs // WORKERS) for place in range(WORKERS)]
        self.batch = settings.n_envs * settings.n_steps
        self.imitated = self.steps = self.rounds = 0
        self.snapshots: list[dict[str, torch.Tensor]] = []
        self.statistics: dict[str, float] = {}

    def _new_optimizer(self) -> torch.optim.Adam:
        return torch.optim.Adam(self.net.parameters(), self.settings.learning_rate, eps=1e-5, fused=True)

    def _together(self, work: Callable[[Worker], Any]) -> list[Any]:
        """The results of ``work`` for every worker, in their order."""
        return list(self.threads.map(work, self.workers))

    def scheduled(self, name: str) -> float:
        """The current value of a setting that changes linearly to its final value."""
        share = min(self.steps / self.settings.total_timesteps, 1.0)
        return (1 - share) * getattr(self.settings, name) + share * getattr(self.settings, f"final_{name}")

    @property
    def imitates(self) -> bool:
        """Whether the next batch is played by the teacher."""
        return self.imitated < self.settings.warm_start

    @property
    def teacher_weight(self) -> float:
        """The current weight of the cross-entropy to the teacher's probabilities."""
        if self.imitates or not self.settings.warm_start:
            return float(self.imitates)
        return self.settings.teacher_weight * max(1 - self.steps / self.settings.total_timesteps, 0.0)

    @property
    def seconds(self) -> dict[str, float]:
        """Time spent on each stage so far, summed over the workers."""
        return {name: sum(worker.seconds[name] for worker in self.workers) for name in self.workers[0].seconds}

    def advance(self) -> None:
        """Collect one batch of decisions and learn from it.

        Raises:
            TrainingError: if the loss is not a number.
        """
        if not self.imitates and self.passes(self.settings.snapshot_every):
            if len(self.snapshots) == self.settings.snapshots:
                del self.snapshots[self._rng().integers(len(self.snapshots))]
            self.snapshots.append({name: value.clone() for name, value in self.net.actor.state_dict().items()})
        self.collect()
        self.update()
        self.rounds += 1
        if not self.imitates:
            self.steps += self.batch
            return
        self.imitated += self.batch
        if not self.imitates:
            self.optimizer = self._new_optimizer()

    def _rng(self) -> np.random.Generator:
        # Seeded by the round, so a checkpoint need not save it; workers have three numbers more.
        return np.random.default_rng((self.settings.seed, self.rounds))

    def passes(self, every: int) -> bool:
        """Whether the last batch of self-play passed a multiple of ``every``; True before the first batch."""
        return self.steps // every > (self.steps - self.batch) // every

    def collect(self) -> None:
        """Let all workers play ``n_steps`` decisions at their tables."""
        actor, critic = self.net.evaluated(self.dtype)
        snapshot = actor
        if self.snapshots and SNAPSHOT in self.settings.opponent_weights():
            chosen = self.snapshots[self._rng().integers(len(self.snapshots))]
            snapshot = self.net.earlier_policy(chosen, self.dtype)
        weight, imitates = self.scheduled("match_weight"), self.imitates
        taught = imitates or self.teacher_weight > 0
        self._together(lambda worker: worker.collect(actor, critic, snapshot, self.rounds, weight, taught, imitates))

    def update(self) -> None:
        """Learn from the batch."""
        settings, imitates = self.settings, self.imitates
        rate, entropy = self.scheduled("learning_rate"), self.scheduled("ent_coef")
        if imitates:
            rate = settings.teacher_learning_rate * (1 - 0.95 * self.imitated / settings.warm_start)
        self.optimizer.param_groups[0]["lr"] = rate
        taught = self.teacher_weight
        count, squares, power = (sum(parts) for parts in zip(*self._together(Worker.spread), strict=True))
        if count < 2:
            return
        scale = 1 / (math.sqrt(squares / count) + 1e-6)
        minibatches = max(round(count / settings.batch_size), 1)
        sums = np.zeros(STATISTICS)
        for _ in range(settings.n_epochs):
            parts = zip(*(np.array_split(worker.samples, minibatches) for worker in self.workers), strict=True)
            for minibatch in parts:
                sums += self._step(minibatch, scale, entropy, taught, imitates)
        if not math.isfinite(sums.sum()):
            text = f"the loss is not a number after {self.imitated + self.steps:,} decisions"
            raise TrainingError(f"{text}: try a lower learning_rate")
        mean = sums / (count * settings.n_epochs)
        names = ("objective", "entropy", "divergence", "clipped", "agreement")
        self.statistics = dict(zip(names, mean.tolist(), strict=False))
        self.statistics["value_loss"] = float(mean[SQUARES])
        self.statistics["explained"] = float(1 - mean[SQUARES] / (power / count + 1e-12))

    def _step(
        self, minibatch: tuple[np.ndarray, ...], scale: float, entropy: float, taught: float, imitates: bool
    ) -> np.ndarray:
        """A step of the optimizer with each worker's part of a minibatch; returns the sums of the statistics."""
        networks, size = self.net.evaluated(self.dtype), sum(map(len, minibatch))

        def gradients(worker: Worker) -> tuple[list[Gradient], list[Gradient], np.ndarray]:
            return worker.gradients(*networks, minibatch[worker.place], scale, entropy, taught, imitates)

        policy, critic, sums = zip(*self._together(gradients), strict=True)
        self._set_gradient(self.net.actor, policy, 1 / size)
        self._set_gradient(self.net.critic, critic, 2 * self.settings.vf_coef / size)
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), self.settings.max_grad_norm)
        self.optimizer.step()
        return np.sum(sums, axis=0)

    def _set_gradient(self, network: torch.nn.ModuleList, found: Sequence[list[Gradient]], factor: float) -> None:
        """Set the gradient of a network to ``factor`` times the sum of the workers' gradients."""
        for layer, parts in zip(shared_layers(network), zip(*found, strict=True), strict=True):
            weights, biases = (torch.stack(same).sum(0).mul_(factor) for same in zip(*parts, strict=True))
            layer.set_gradient(weights, biases)

    def state(self) -> dict[str, Any]:
        """The state of the run, as tensors and plain values."""
        return {
            "network": self.net.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "workers": [worker.state() for worker in self.workers],
            "snapshots": self.snapshots,
            "counts": [self.imitated, self.steps, self.rounds],
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a state that :meth:`state` returned."""
        self.net.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])
        for worker, saved in zip(self.workers, state["workers"], strict=True):
            worker.restore(saved)
        self.snapshots = state["snapshots"]
        self.imitated, self.steps, self.rounds = state["counts"]


def train(
    settings: Settings,
    run: Path,
    resume: bool = False,
    console: Console | None = None,
    after_checkpoint: Callable[[], object] | None = None,
) -> dict[str, Result]:
    """Train a policy by self-play, save it and play it against the frozen opponents.

    Args:
        settings: the settings.
        run: the folder of the run, for ``model.zip``, ``metrics.csv``, ``learning_curve.png``, ``results.json``,
            ``checkpoint.zip``, ``league/`` and ``tensorboard/``.
        resume: continue from the last checkpoint in ``run``.
        console: where to print.
        after_checkpoint: called after each checkpoint; an exception ends the run, which can be resumed.

    Returns:
        The results of the final evaluation, by opponent.

    Raises:
        ValueError: if there is nothing to resume, the code of a player has changed, or an opponent is unknown.
        TrainingError: if the loss is not a number.
        OSError: if a file cannot be written.
    """
    console = console or Console()
    start = time.perf_counter()
    learner = Learner(settings)
    rules = learner.rules
    seconds, rows = 0.0, []
    path = run / "checkpoint.zip"
    if resume:
        check_code(settings, run)
        try:
            saved = torch.load(path, weights_only=True)
            learner.restore(saved["learner"])
            seconds, rows = saved["seconds"], saved["rows"]
        except FileNotFoundError:
            raise ValueError(f"nothing to resume: there is no {path}") from None
        except Exception as error:  # PyTorch raises many types
            raise ValueError(f"the checkpoint {path} is damaged or has other settings: {error}") from None
    text = f"{rules.name}, {settings.stages()}, in {'bfloat16' if learner.dtype == torch.bfloat16 else 'float32'}"
    text += f"; if interrupted, run {shlex.join(['spades', 'train', '--resume', str(run)])}"
    console.print(f"{run}: {text}", highlight=False, markup=False, soft_wrap=True)

    def save_checkpoint() -> None:
        file = io.BytesIO()
        torch.save({"learner": learner.state(), "seconds": seconds, "rows": rows}, file)
        write_whole(path, file.getvalue())
        if after_checkpoint is not None:
            after_checkpoint()

    def save_snapshot() -> None:
        (run / "league").mkdir(exist_ok=True)
        save_player(learner.net.policy(), run / "league" / f"{learner.steps:012}.zip", rules)

    with Reports(settings, rules, run, console, rows) as reports:

        def report() -> None:
            counts = {"decisions": learner.imitated + learner.steps, "steps": learner.steps}
            reports.evaluate(learner.net.policy(), counts, seconds, learner.statistics)

        while learner.steps < settings.total_timesteps:
            if not learner.imitates and learner.passes(settings.snapshot_every):
                save_snapshot()
            begun, imitating = time.perf_counter(), learner.imitates
            learner.advance()
            seconds += time.perf_counter() - begun
            decisions = learner.imitated + learner.steps
            reports.advance(decisions, decisions / seconds, learner.statistics)
            last, stage_ends = learner.steps >= settings.total_timesteps, imitating and not learner.imitates
            if stage_ends or (not imitating and learner.passes(settings.eval_every)) or last:
                report()
            if stage_ends or (not imitating and learner.passes(settings.checkpoint_every)) or last:
                save_checkpoint()
    save_snapshot()
    save_player(learner.net.policy(), run / "model.zip", rules)
    learning_curve(rows, settings.frozen_opponents(), rules, run / "learning_curve.png")

    found: dict[str, Any] = {"steps": learner.steps, "imitated": learner.imitated, "teacher": settings.teacher}
    found |= {"training_seconds": round(seconds, 1), "stages": {k: round(v, 1) for k, v in learner.seconds.items()}}
    results = final_results(settings, rules, run, console, found)
    spent = learner.seconds
    stages = ", ".join(f"{name} {value / sum(spent.values()):.0%}" for name, value in spent.items())
    console.print(f"{(learner.imitated + learner.steps) / seconds:,.0f} decisions/s: {stages}", highlight=False)
    total = time.perf_counter() - start
    command = shlex.join(["spades", "play", "--against", f"ppo:{run}", "--rules", settings.rules])
    console.print(f"{total:.0f} s in total. Next: {command}", highlight=False, markup=False, soft_wrap=True)
    return results
