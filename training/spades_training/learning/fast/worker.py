"""A worker of the fast learner: plays a share of the tables, then computes gradients from their decisions."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import torch
from spades_agents.base import BatchAgent, StochasticAgent, check_plays
from spades_agents.match_value import match_table
from spades_agents.policy.card_features import FEATURES
from spades_agents.registry import make_agent

from spades_env.cards import BID_0, BLIND_NIL, NUM_ACTIONS
from spades_env.engine.state import STATE
from spades_env.tables import Tables
from spades_training.learning.fast.decisions import (
    STATISTICS,
    action_values,
    begin_hands,
    choose,
    end_hands,
    loss_gradients,
    see,
)
from spades_training.learning.fast.networks import ActorCritic, Gradient, Network
from spades_training.learning.fast.settings import Settings
from spades_training.learning.selfplay import SELF, SNAPSHOT
from spades_training.options import parse_rules

# Random streams. Each is seeded by (seed, worker, name, round), so a checkpoint need not save generators.
COLLECT, SHUFFLE = range(2)


class Worker:
    """A share of the tables and of the decisions of each batch. Different workers may run in different threads.

    Args:
        settings: settings of the run.
        net: the networks, for the columns that they see.
        place: number of this worker.
        count: number of tables.

    Attributes:
        samples: int64, the decisions of the last batch to learn from: those of the policy with a choice.
        seconds: time spent so far on ``acting``, on the ``environment`` and on the ``update``.
    """

    def __init__(self, settings: Settings, net: ActorCritic, place: int, count: int) -> None:
        self.settings, self.rules, self.place, self.count = settings, parse_rules(settings.rules), place, count
        self.used, self.first = net.columns, place * count
        steps, sides = settings.n_steps, self.rules.sides
        streams = [(settings.seed, self.first + row) for row in range(count)]
        self.tables = Tables(self.rules, count, streams, auto_reset=False)
        self.everyone = np.arange(count)
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
        self.seconds: dict[str, float] = dict.fromkeys(("acting", "environment", "update"), 0.0)

        # Arrays of one batch of decisions, allocated once. Memory that is never written to is never used.
        self.columns = np.empty((steps + 1) * count * net.width, np.int16)
        self.starts, self.middles, self.ends = (np.zeros((steps + 1, count), np.int64) for _ in range(3))
        self.masks = np.zeros((steps, count, NUM_ACTIONS), np.bool_)
        self.taken = np.zeros((steps, count), np.int64)
        self.targets = np.zeros((steps, count, NUM_ACTIONS), np.float32)  # the teacher's probabilities
        self.log_probs, self.ratings = np.zeros((steps, count), np.float32), np.zeros((steps, count), np.float32)
        self.values = np.zeros((steps + 1, count), np.float32)
        self.seats = np.zeros((steps + 1, count), np.int8)
        self.gains = np.zeros((steps, count, sides), np.float32)
        self.ended = np.zeros((steps, count), np.bool_)
        self.own = np.zeros((steps, count), np.bool_)  # the policy chose the action
        self.results = np.zeros((steps, count), np.float32)
        self.known = np.zeros((steps, count), np.bool_)  # the result is known
        self.over, self.hands = np.zeros(count, np.bool_), np.zeros(count, np.int32)
        self.worth = np.zeros((count, sides))
        self.chances = match_table(self.rules)
        self.samples = np.zeros(0, np.int64)
        # Scratch space of kernels and unused results.
        self.legal, self.features = (
            np.zeros(NUM_ACTIONS, np.int64),
            np.zeros(FEATURES * settings.card_features, np.int8),
        )
        self.forced, self.spare = np.zeros(count, np.int64), np.zeros(count, np.float32)
        self.spare_actions = np.zeros(count, np.int64)

    def _agent(self, name: str) -> BatchAgent:
        agent = make_agent(name)
        if not isinstance(agent, BatchAgent):
            raise ValueError(f"player {name!r} cannot play many tables at once: it has no act_batch")
        check_plays(agent, self.rules)
        agent.reset(self.settings.seed + self.place)
        return agent

    def _rng(self, name: int, round_: int) -> np.random.Generator:
        return np.random.default_rng((self.settings.seed, self.place, name, round_))

    def collect(
        self,
        actor: Network,
        critic: Network,
        snapshot: Network,
        round_: int,
        weight: float,
        taught: bool,
        imitate: bool,
    ) -> None:
        """Play ``n_steps`` decisions at every table, then estimate what each action was worth.

        Args:
            actor: the policy.
            critic: its critic.
            snapshot: an earlier policy, which plays as a guest.
            round_: number of batches so far.
            weight: ``match_weight`` of the rewards.
            taught: whether the teacher's probabilities are needed.
            imitate: whether the teacher plays.
        """
        settings, tables, count, steps = self.settings, self.tables, self.count, self.settings.n_steps
        states, rules = tables.states, tables.rules_array
        rng = self._rng(COLLECT, round_)
        begin_hands(self.chances, states, rules, self.everyone, weight, self.worth)
        self.hands[:] = states["hand_number"]
        shown = np.zeros(count, np.int64)  # the teacher's actions
        place = 0
        for t in range(steps + 1):
            start = time.perf_counter()
            self.starts[t, 0] = place
            bounds = self.starts[t], self.middles[t], self.ends[t]
            see(states, rules, tables.observation, self.used, self.features, self.columns, *bounds)
            place = self.ends[t, -1]
            self.seats[t] = states["seat"]
            logits, ratings = self._outputs(actor, bounds, 1), self._outputs(critic, bounds, 2)
            taken, log_probs = (self.taken[t], self.log_probs[t]) if t < steps else (self.spare_actions, self.spare)
            moment = round_ * steps + t
            forced = self._forced(rng, states, imitate)
            arguments = tables.action_mask, forced, settings.seed, moment, self.first, self.legal
            choose(logits, ratings, *arguments, taken, log_probs, self.values[t])
            if t == steps:
                break
            self.masks[t] = tables.action_mask
            own = self.own[t]
            if taught:
                shown[:] = self._teach(t)
            if imitate:
                own[:] = True
                taken[:] = np.where(rng.random(count) < settings.teacher_noise, tables.random_actions(), shown)
            else:
                own[:] = ~self.hosting | (self.seats[t] % self.rules.sides == self.everyone % self.rules.sides)
                self._guests_act(taken, own, snapshot, bounds, moment)
            self.ratings[t] = ratings[self.everyone, taken] + ratings[:, NUM_ACTIONS]
            middle = time.perf_counter()
            tables.step(taken)
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
        action_values(
            self.gains, self.ended, self.values[:-1], self.ratings, self.values[-1], self.seats, self.rules.sides,
            1.0 if imitate else settings.gae_lambda, self.results, self.known,
        )  # fmt: skip
        self.samples = np.flatnonzero((self.masks.sum(2) > 1) & self.known & self.own)
        self._rng(SHUFFLE, round_).shuffle(self.samples)

    def _teach(self, t: int) -> np.ndarray:
        """Write the teacher's probabilities for the decisions at step ``t``; return its actions at all tables."""
        masks, targets = self.tables.action_mask, self.targets[t]
        rows = np.flatnonzero(masks.sum(1) > 1)
        shown = masks.argmax(1)
        if isinstance(self.teacher, StochasticAgent):
            targets[rows] = self.teacher.probabilities(self.tables, rows)
            shown[rows] = targets[rows].argmax(1)
        else:
            shown[rows] = self.teacher.act_batch(self.tables, rows)  # type: ignore[union-attr]
            targets[rows] = 0
            targets[rows, shown[rows]] = 1
        return shown

    def _outputs(self, network: Network, bounds: tuple[np.ndarray, ...], end: int, rows: Any = None) -> np.ndarray:
        """The outputs of the policy (``end`` 1) or the critic (2) at some tables, by default all."""
        rows = self.everyone if rows is None else rows
        return network.forward((self.columns, bounds[0], bounds[end]), rows)[-1].numpy()

    def _forced(self, rng: np.random.Generator, states: np.ndarray, imitate: bool) -> np.ndarray:
        """Actions that replace the policy's, or -1. Without forced nils, self-play stops bidding nil too early."""
        self.forced[:] = -1
        if not imitate:
            turn = self.hosting & (states["seat"] % self.rules.sides != self.everyone % self.rules.sides)
            for nil in (BLIND_NIL, BID_0):
                chance = rng.random(self.count) < self.settings.forced_nils
                self.forced[chance & (self.tables.action_mask[:, nil] > 0) & ~turn] = nil
        return self.forced

    def _guests_act(
        self, taken: np.ndarray, own: np.ndarray, snapshot: Network, bounds: tuple[np.ndarray, ...], moment: int
    ) -> None:
        """Replace the actions of the seats that guests play."""
        for guest, rows in self.guests:
            here = rows[~own[rows]]
            if guest is not None:
                taken[here] = guest.act_batch(self.tables, here)
            elif len(here):
                logits, chosen = self._outputs(snapshot, bounds, 1, here), taken[here]
                arguments = self.tables.action_mask[here], self.forced[here], self.settings.seed + 1, moment, self.first
                unrated, unused = np.zeros((len(here), NUM_ACTIONS + 1), np.float32), np.zeros(len(here), np.float32)
                choose(logits, unrated, *arguments, self.legal, chosen, unused, unused)
                taken[here] = chosen

    def spread(self) -> tuple[int, float, float]:
        """The number of samples and the sums of their advantages' and results' squares."""
        results, values = self.results.ravel()[self.samples], self.values[:-1].ravel()[self.samples]
        return len(self.samples), float(np.square(results - values).sum()), float(np.square(results).sum())

    def gradients(
        self,
        actor: Network,
        critic: Network,
        part: np.ndarray,
        scale: float,
        entropy: float,
        teacher_weight: float,
        imitate: bool,
    ) -> tuple[list[Gradient], list[Gradient], np.ndarray]:
        """The gradients of the summed losses of some decisions, for each layer of both networks, and statistics.

        Args:
            actor: the policy.
            critic: its critic.
            part: int64, the decisions.
            scale: factor that gives the advantages a standard deviation of 1.
            entropy: weight of the entropy bonus.
            teacher_weight: weight of the cross-entropy to the teacher's probabilities.
            imitate: whether the teacher played.
        """
        start = time.perf_counter()
        shown = self.columns, self.starts.ravel(), self.middles.ravel()
        known = self.columns, self.starts.ravel(), self.ends.ravel()
        acted, rated = actor.forward(shown, part), critic.forward(known, part)
        policy_slopes, critic_slopes = torch.empty_like(acted[-1]), torch.empty_like(rated[-1])
        sums = np.zeros(STATISTICS)
        flat = (array.ravel() for array in (self.taken, self.log_probs, self.results))
        targets = self.targets.reshape(-1, NUM_ACTIONS)
        loss_gradients(
            acted[-1].numpy(), rated[-1].numpy(), self.masks.reshape(-1, NUM_ACTIONS), part, *flat, targets,
            np.float32(scale), np.float32(self.settings.clip_range), np.float32(entropy), np.float32(teacher_weight),
            imitate, self.legal,
            policy_slopes.numpy(), critic_slopes.numpy(), sums,
        )  # fmt: skip
        found = actor.backward(shown, part, acted, policy_slopes), critic.backward(known, part, rated, critic_slopes)
        self.seconds["update"] += time.perf_counter() - start
        return *found, sums

    def state(self) -> dict[str, Any]:
        """The tables, as bytes and integers."""
        states = self.tables.states.view(np.uint8).reshape(-1, STATE.itemsize)
        rng = self.tables.agent_rng.view(np.int64)
        saved = {"states": torch.from_numpy(states.copy()), "agent_rng": torch.from_numpy(rng.copy())}
        return saved | {"seconds": dict(self.seconds)}

    def restore(self, state: dict[str, Any]) -> None:
        """Continue with tables that :meth:`state` returned."""
        self.tables.states[:] = state["states"].numpy().view(STATE)[:, 0]
        self.tables.agent_rng[:] = state["agent_rng"].numpy().view(np.uint64)
        self.tables.observe()
        self.seconds = dict(state["seconds"])
