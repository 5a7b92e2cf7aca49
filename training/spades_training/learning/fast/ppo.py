"""Self-play with PPO on the decisions of all seats; :func:`train` is the whole run.

The tables, the choice of actions, the rewards, the advantages and the gradient of the policy's loss are compiled code
(:mod:`spades_env.tables` and :mod:`spades_training.learning.fast.decisions`). The rest is matrix products, in bfloat16
if the processor has instructions for it.

The algorithm is PPO (Schulman et al. 2017) for a zero-sum game of imperfect information. One policy plays all seats,
the critic sees all hands (the policy never does), advantages end with the hand, and decisions with only one legal
action are not samples.
``spades train --learner fast`` calls :func:`train`.
"""

from __future__ import annotations

import io
import math
import shlex
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console
from spades_agents.base import BatchAgent, check_plays
from spades_agents.match_value import match_table
from spades_agents.policy.card_features import FEATURES
from spades_agents.registry import make_agent

from spades_env.cards import BID_0, BLIND_NIL, NUM_ACTIONS
from spades_env.engine.state import STATE
from spades_env.files import write_whole
from spades_env.tables import Tables
from spades_training.evaluation.evaluate import Result
from spades_training.learning.code import check_code
from spades_training.learning.fast.decisions import (
    STATISTICS,
    advantages,
    begin_hands,
    choose,
    end_hands,
    gather,
    policy_gradient,
    see,
)
from spades_training.learning.fast.networks import ActorCritic, Matrices, multiplies_bfloat16, run
from spades_training.learning.fast.reports import Reports, final_results
from spades_training.learning.fast.settings import Settings
from spades_training.learning.monitor import TrainingError
from spades_training.learning.plots import learning_curve
from spades_training.learning.sb3 import save_player
from spades_training.options import parse_rules

SELF, SNAPSHOT = "self", "snapshot"
# Random streams. Each is seeded by (seed, name, round), so a checkpoint need not save generators.
COLLECT, SHUFFLE, DROP = range(3)


class Learner:
    """Collects batches of decisions and learns from them.

    Attributes:
        net: the networks.
        imitated: number of the teacher's decisions so far.
        steps: number of decisions of self-play so far.
        statistics: statistics of the last update: ``entropy`` and ``divergence`` in nats, the shares ``clipped`` and
            ``agreement`` (the action taken was the most probable one), the ``explained`` variance of the returns.
        seconds: time spent on each stage so far: ``acting``, ``environment``, ``advantages``, ``update``.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings, self.rules = settings, parse_rules(settings.rules)
        torch.set_num_threads(settings.threads)
        self.dtype = torch.bfloat16 if settings.bfloat16 and multiplies_bfloat16() else torch.float32
        sizes = settings.hidden_layers()
        generator = torch.Generator().manual_seed(settings.seed)
        self.net = ActorCritic(self.rules, *sizes, settings.suit_symmetry, generator, settings.card_features)
        self.optimizer = self._new_optimizer()
        count, steps, sides = settings.n_envs, settings.n_steps, self.rules.sides
        self.tables = Tables(self.rules, count, settings.seed, auto_reset=False)
        self.everyone = np.arange(count)
        self.batch = count * steps
        self.imitated = self.steps = self.rounds = 0
        self.snapshots: list[Matrices] = []
        self.statistics: dict[str, float] = {}
        self.seconds: dict[str, float] = dict.fromkeys(("acting", "environment", "advantages", "update"), 0.0)
        self.teacher = self._agent(settings.teacher) if settings.warm_start else None

        # Guests play one side at some tables. The learner's side is the table's index modulo the number of sides.
        self.guests: list[tuple[BatchAgent | None, np.ndarray]] = []
        first = 0
        for name, share in settings.opponent_weights().items():
            if name != SELF:
                rows = np.arange(first, min(first + round(share * count), count))
                self.guests.append((None if name == SNAPSHOT else self._agent(name), rows))
                first += len(rows)
        self.hosting = self.everyone < first

        # Arrays of one batch of decisions, allocated once.
        self.seen = np.zeros((steps + 1, count, self.net.width), np.int8)
        self.masks = np.zeros((steps, count, NUM_ACTIONS), np.bool_)
        self.actions = np.zeros((steps, count), np.int64)
        self.log_probs = np.zeros((steps, count), np.float32)
        self.values = np.zeros((steps + 1, count), np.float32)
        self.seats = np.zeros((steps + 1, count), np.int8)
        self.gains = np.zeros((steps, count, sides), np.float32)
        self.ended = np.zeros((steps, count), np.bool_)
        self.forced = np.full((steps, count), -1)  # the action that replaced the policy's, or -1
        self.own = np.zeros((steps, count), np.bool_)  # the policy chose the action
        self.advantage = np.zeros((steps, count), np.float32)
        self.known = np.zeros((steps, count), np.bool_)  # the advantage is known
        self.over, self.hands = np.zeros(count, np.bool_), np.zeros(count, np.int32)
        self.worth = np.zeros((count, sides))
        self.chances = match_table(self.rules)
        self.legal = np.zeros(NUM_ACTIONS, np.int64)
        self.features = np.zeros(FEATURES * settings.card_features, np.int8)

    def _agent(self, name: str) -> BatchAgent:
        agent = make_agent(name)
        if not isinstance(agent, BatchAgent):
            raise ValueError(f"player {name!r} cannot play many tables at once: it has no act_batch")
        check_plays(agent, self.rules)
        agent.reset(self.settings.seed)
        return agent

    def _new_optimizer(self) -> torch.optim.Adam:
        return torch.optim.Adam(self.net.parameters(), self.settings.learning_rate, eps=1e-5, fused=True)

    def _inputs(self, count: int) -> tuple[torch.Tensor, np.ndarray, Any]:
        """An uninitialized array for the inputs of ``count`` decisions, a view of its bits, and the bits of a 1."""
        inputs = torch.empty((count, self.net.width), dtype=self.dtype)
        if self.dtype == torch.bfloat16:
            return inputs, inputs.view(torch.uint16).numpy(), np.uint16(0x3F80)
        return inputs, inputs.numpy(), np.float32(1)

    def _rng(self, name: int) -> np.random.Generator:
        return np.random.default_rng((self.settings.seed, name, self.rounds))

    def scheduled(self, name: str) -> float:
        """The current value of a setting that changes linearly to its final value."""
        share = min(self.steps / self.settings.total_timesteps, 1.0)
        return (1 - share) * getattr(self.settings, name) + share * getattr(self.settings, f"final_{name}")

    @property
    def imitates(self) -> bool:
        """Whether the next batch is played by the teacher."""
        return self.imitated < self.settings.warm_start

    def advance(self) -> None:
        """Collect one batch of decisions and learn from it."""
        if not self.imitates and self.passes(self.settings.snapshot_every):
            if len(self.snapshots) == self.settings.snapshots:
                del self.snapshots[self._rng(DROP).integers(len(self.snapshots))]
            with torch.no_grad():
                self.snapshots.append([(w.clone(), b.clone()) for w, b in self.net.matrices(self.dtype)[0]])
        self.collect()
        self.update()
        self.rounds += 1
        if not self.imitates:
            self.steps += self.batch
            return
        self.imitated += self.batch
        if not self.imitates:
            self.optimizer = self._new_optimizer()

    def passes(self, every: int) -> bool:
        """Whether the last batch of self-play passed a multiple of ``every``; True before the first batch."""
        return self.steps // every > (self.steps - self.batch) // every

    @torch.no_grad()
    def collect(self) -> None:
        """Play ``n_steps`` decisions at every table, then estimate the advantages of all actions."""
        settings, tables, count = self.settings, self.tables, self.settings.n_envs
        states, rules, bits = tables.states, tables.rules_array, len(self.net.columns)
        weight, rng = self.scheduled("match_weight"), self._rng(COLLECT)
        actor, critic = self.net.matrices(self.dtype)
        snapshot = self.snapshots[rng.integers(len(self.snapshots))] if self.snapshots else actor
        inputs, raw, one = self._inputs(count)
        begin_hands(self.chances, states, rules, self.everyone, weight, self.worth)
        self.hands[:] = states["hand_number"]
        for t in range(settings.n_steps + 1):
            start = time.perf_counter()
            see(states, rules, tables.observation, self.net.columns, self.features, self.seen[t])
            self.seats[t] = states["seat"]
            gather(self.seen[t], self.everyone, one, raw)
            self.values[t] = run(critic, inputs)[:, 0].numpy()
            if t == settings.n_steps:
                break
            self.masks[t] = tables.action_mask
            actions, log_probs, own = self.actions[t], self.log_probs[t], self.own[t]
            if self.imitates:
                actions[:], own[:] = self.teacher.act_batch(tables, self.everyone), True  # type: ignore[union-attr]
                played = np.where(rng.random(count) < settings.teacher_noise, tables.random_actions(), actions)
            else:
                own[:] = ~self.hosting | (self.seats[t] % self.rules.sides == self.everyone % self.rules.sides)
                # Without forced nils, self-play stops bidding nil before it has learned to make or break one.
                forced = self.forced[t]
                forced[:] = -1
                for nil in (BLIND_NIL, BID_0):
                    forced[(rng.random(count) < settings.forced_nils) & self.masks[t, :, nil] & own] = nil
                moment = self.rounds * settings.n_steps + t
                logits = run(actor, inputs[:, :bits]).numpy()
                choose(logits, tables.action_mask, forced, settings.seed, moment, self.legal, actions, log_probs)
                for guest, rows in self.guests:
                    here = rows[~own[rows]]
                    if guest is not None:
                        actions[here] = guest.act_batch(tables, here)
                    elif len(here):
                        logits, chosen, unused = (
                            run(snapshot, inputs[here, :bits]).numpy(),
                            actions[here],
                            log_probs[here],
                        )
                        arguments = tables.action_mask[here], forced[here], settings.seed + 1, moment, self.legal
                        choose(logits, *arguments, chosen, unused)
                        actions[here] = chosen
                played = actions
            middle = time.perf_counter()
            tables.step(played)
            end_hands(
                self.chances, states, rules, self.hands, weight, settings.max_hands,
                self.worth, self.gains[t], self.ended[t], self.over,
            )  # fmt: skip
            finished = np.flatnonzero(self.over)
            if len(finished):
                tables.reset_rows(finished)
                tables.observe(finished)
                begin_hands(self.chances, states, rules, finished, weight, self.worth)
                self.hands[finished] = 0
            self.seconds["acting"] += middle - start
            self.seconds["environment"] += time.perf_counter() - middle
        start = time.perf_counter()
        decay = 1.0 if self.imitates else settings.gae_lambda
        advantages(
            self.gains, self.ended, self.forced, self.values[:-1], self.values[-1], self.seats, self.rules.sides, decay,
            self.advantage, self.known,
        )  # fmt: skip
        self.seconds["advantages"] += time.perf_counter() - start

    def update(self) -> None:
        """Learn from the batch, with PPO's clipped objective or, from the teacher, with the cross-entropy.

        Raises:
            TrainingError: if the loss is not a number.
        """
        start = time.perf_counter()
        settings, bits, width = self.settings, len(self.net.columns), self.net.width
        if self.imitates:
            rate = settings.teacher_learning_rate * (1 - 0.95 * self.imitated / settings.warm_start)
        else:
            rate = self.scheduled("learning_rate")
        self.optimizer.param_groups[0]["lr"] = rate
        seen, masks = self.seen[:-1].reshape(-1, width), self.masks.reshape(-1, NUM_ACTIONS)
        actions, log_probs, advantage = (part.ravel() for part in (self.actions, self.log_probs, self.advantage))
        returns = advantage + self.values[:-1].ravel()
        samples = np.flatnonzero((self.masks.sum(2) > 1) & self.known & self.own)
        if len(samples) < 2:
            return
        normalised = (advantage - advantage[samples].mean()) / (advantage[samples].std() + 1e-6)
        if not self.imitates and settings.forced_nils:
            # Nils occur more often than under the policy: correct for it by importance sampling.
            nils = np.flatnonzero((actions == BLIND_NIL) | (actions == BID_0))
            chance, share = np.exp(log_probs[nils]), np.float32(settings.forced_nils)
            normalised[nils] *= chance / (share + (1 - share) * chance)
        clip, entropy_weight = np.float32(settings.clip_range), np.float32(self.scheduled("ent_coef"))
        rng, sums, squares, count = self._rng(SHUFFLE), np.zeros(STATISTICS), 0.0, 0
        for _ in range(settings.n_epochs):
            order = rng.permutation(samples)
            for part in np.array_split(order, max(round(len(order) / settings.batch_size), 1)):
                inputs, raw, one = self._inputs(len(part))
                gather(seen, part, one, raw)
                actor, critic = self.net.matrices(self.dtype)
                logits, values = run(actor, inputs[:, :bits]), run(critic, inputs)[:, 0]
                policy_slope = torch.empty_like(logits)
                policy_gradient(
                    logits.detach().numpy(), masks, part, actions, log_probs, normalised, clip, entropy_weight,
                    self.imitates, self.legal, policy_slope.numpy(), sums,
                )  # fmt: skip
                errors = values.detach() - torch.from_numpy(returns[part])
                self.optimizer.zero_grad()
                torch.autograd.backward([logits, values], [policy_slope, errors * (2 * settings.vf_coef / len(part))])
                torch.nn.utils.clip_grad_norm_(self.net.parameters(), settings.max_grad_norm)
                self.optimizer.step()
                squares += float(errors.square().sum())
                count += len(part)
        if not math.isfinite(squares + sums.sum()):
            text = f"the loss is not a number after {self.imitated + self.steps:,} decisions"
            raise TrainingError(f"{text}: try a lower learning_rate")
        names = ("objective", "entropy", "divergence", "clipped", "agreement")
        self.statistics = dict(zip(names, (sums / count).tolist(), strict=True))
        self.statistics["value_loss"] = squares / count
        self.statistics["explained"] = 1 - squares / count / (float(returns[samples].var()) + 1e-12)
        self.seconds["update"] += time.perf_counter() - start

    def state(self) -> dict[str, Any]:
        """The state of the run, as tensors and plain values."""
        return {
            "network": self.net.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "states": torch.from_numpy(self.tables.states.view(np.uint8).reshape(-1, STATE.itemsize)),
            "agent_rng": torch.from_numpy(self.tables.agent_rng.view(np.int64)),
            "snapshots": self.snapshots,
            "counts": [self.imitated, self.steps, self.rounds],
            "seconds": self.seconds,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a state that :meth:`state` returned."""
        self.net.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.tables.states[:] = state["states"].numpy().view(STATE)[:, 0]
        self.tables.agent_rng[:] = state["agent_rng"].numpy().view(np.uint64)
        self.tables.observe()
        self.snapshots, self.seconds = state["snapshots"], state["seconds"]
        self.imitated, self.steps, self.rounds = state["counts"]


def train(settings: Settings, run: Path, resume: bool = False, console: Console | None = None) -> dict[str, Result]:
    """Train a policy by self-play, save it and play it against the frozen opponents.

    Args:
        settings: the settings.
        run: the folder of the run, for ``model.zip``, ``metrics.csv``, ``learning_curve.png``, ``results.json``,
            ``checkpoint.zip``, ``league/`` and ``tensorboard/``.
        resume: continue from the last checkpoint in ``run``.
        console: where to print.

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
    stages = ", ".join(f"{name} {value / seconds:.0%}" for name, value in learner.seconds.items())
    console.print(f"{(learner.imitated + learner.steps) / seconds:,.0f} decisions/s: {stages}", highlight=False)
    total = time.perf_counter() - start
    command = shlex.join(["spades", "play", "--against", f"ppo:{run}", "--rules", settings.rules])
    console.print(f"{total:.0f} s in total. Next: {command}", highlight=False, markup=False, soft_wrap=True)
    return results
