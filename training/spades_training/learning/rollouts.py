"""Policy improvement by rollouts: learn the value of every action when the scripted player finishes the hand.

At each decision all actions are tried in the actual deal, hidden cards included, from the same state and with the same
cards (Tesauro and Galperin, "On-line policy improvement using Monte-Carlo search", 1996). One such rating is mostly
luck. But the policy network that learns from it does not see the hidden cards, so it can only learn the mean over all
deals that look the same to the player. Preferring what is better on average improves on the scripted player
(classification-based policy iteration: Lagoudakis and Parr, "Reinforcement learning as classification", 2003). A
decision rates each of its actions without the luck of the deal, which is far more information than a policy gradient
gets from the one action that it samples.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from spades_agents.base import BatchAgent
from spades_agents.policy.learned import PolicyAgent
from stable_baselines3.common.utils import update_learning_rate
from torch.nn.functional import mse_loss

from spades_env.engine.state import Phase
from spades_training.cluster.rating import Ratings
from spades_training.cluster.spread import Spread
from spades_training.learning.config import Config
from spades_training.learning.sb3 import policy_network
from spades_training.learning.symmetry import suit_swaps
from spades_training.learning.trajectories import LearnerTrajectories, future_rewards

STEPS = 64  # of a batch, at every table
MINIBATCH = 2048  # decisions
FAR = -0.08  # gain in win probability of all other bids
ALONE = 0.1  # share of the stage in which only the teacher plays; the policy then plays at half of the tables
SHARPNESS = 400.0  # logits per unit of win probability: the policy is nearly greedy but can still be sampled
SCALE = 0.05  # win probability: an error of this size has loss 1
DRAFT_DOUBT = 0.5  # of the doubt, because a single draft decision is worth little


class Rollouts:
    """The stage of a training run that learns from rollouts.

    The logits learn how much better each action is rated than the teacher's, in win probability, minus a ``doubt``, so
    that only actions with a larger gain are preferred. The value network learns the return of the teacher's action. The
    learning rate decays linearly to 2%.

    Args:
        model: the model, which is changed.
        env: where it learns; half of the learners' actions are the teacher's, half the policy's.
        teacher: the player to improve on. The rollouts are always played by the scripted player.
        config: the number of decisions to rate, ``doubt`` and the other settings.
        rng: draws who plays, the minibatches and the suit permutations.
        done: number of decisions already rated, if the run is resumed.
        spread: the machines that rate; None for this process. The ratings are the same.
    """

    def __init__(
        self,
        model: MaskablePPO,
        env: LearnerTrajectories,
        teacher: BatchAgent,
        config: Config,
        rng: np.random.Generator,
        done: int = 0,
        spread: Spread | None = None,
    ) -> None:
        self.model, self.env, self.teacher, self.config, self.rng = model, env, teacher, config, rng
        self.done = done
        swaps = suit_swaps(env.rules, env.layout)
        self._swaps = [tuple(map(torch.as_tensor, swap)) for swap in (swaps if config.suit_symmetry else swaps[:1])]
        self._ratings = Ratings(env.rules, spread)
        self._doubts = np.full(len(Phase), config.doubt, np.float32)
        self._doubts[Phase.BLIND], self._doubts[Phase.DRAFT] = config.blind_doubt, DRAFT_DOUBT * config.doubt

    @property
    def finished(self) -> bool:
        """Whether all decisions have been rated."""
        return self.done >= self.config.rollouts

    def round(self) -> None:
        """Play and rate a batch of decisions, then learn from it."""
        seen, gains, references, values = self._collect()
        self.done += len(gains)
        left = max(1 - self.done / self.config.rollouts, 0.02)
        update_learning_rate(self.model.policy.optimizer, self.config.rollout_learning_rate * left)
        for batch in np.array_split(self.rng.permutation(len(gains)), -(-len(gains) // MINIBATCH)):
            columns, actions = self._swaps[self.rng.integers(len(self._swaps))]
            reference = torch.as_tensor(references[batch])
            self._learn(
                torch.as_tensor(seen[batch])[:, columns],
                torch.as_tensor(gains[batch])[:, actions],
                torch.argsort(actions)[reference],
                torch.as_tensor(values[batch]),
            )

    def _collect(self) -> tuple[np.ndarray, ...]:
        """Collect a batch: inputs of the learners, gains of all actions, the teacher's actions and their returns."""
        env, tables = self.env, self.env.spades.tables
        observations: Any = env.observe() if self.done else env.reset()
        everyone = np.arange(env.num_envs)
        player = PolicyAgent(policy_network(self.model), env.rules, deterministic=False, seed=self._seed())
        own = everyone[self.rng.random(env.num_envs) < (0.5 if self.done >= ALONE * self.config.rollouts else 0)]
        is_hint = self.config.teacher == self.config.hint  # the observations already hold the teacher's actions
        rated = []
        for _ in range(STEPS):
            masks: Any = env.env_method("action_masks")
            actions = env.hinted(observations) if is_hint else self.teacher.act_batch(tables, everyone)
            rows = np.flatnonzero(masks.sum(1) > 1)
            self._ratings.add(tables.states[rows], actions[rows])
            phases = tables.states["phase"][rows]
            rated.append((observations[rows], masks[rows], phases, actions[rows], env.rewarded(rows)))
            if own.size:
                actions[own] = player.act_batch(tables, own)
            observations, *_ = env.step(actions)
        parts: list[tuple[np.ndarray, ...]] = []
        for found, (seen, masks, phases, references, rewarded) in zip(self._ratings.take(), rated, strict=True):
            reached = found[np.arange(len(found)), references]
            gains = (found - reached[:, None]).astype(np.float32)
            gains -= self._doubts[phases, None]
            gains[np.isnan(gains) & masks] = FAR
            parts.append((seen, gains, references, future_rewards(reached, rewarded)))
        return tuple(np.concatenate(part) for part in zip(*parts, strict=True))

    def _seed(self) -> int:
        return int(self.rng.integers(2**48))

    def _learn(self, seen: torch.Tensor, gains: torch.Tensor, references: torch.Tensor, values: torch.Tensor) -> None:
        """One gradient step."""
        model, policy = self.model, self.model.policy
        policy.set_training_mode(True)
        latent_policy, latent_value = policy.mlp_extractor(policy.extract_features(seen))
        logits = policy.action_net(latent_policy)
        others = ~torch.isnan(gains)
        others.scatter_(1, references[:, None], False)
        errors = logits - logits.gather(1, references[:, None]) - SHARPNESS * gains
        squares = torch.where(others, errors, 0.0).square().sum(1) / others.sum(1)
        loss = squares.mean() / (SCALE * SHARPNESS) ** 2
        loss = loss + model.vf_coef * mse_loss(policy.value_net(latent_value).flatten(), values)
        policy.optimizer.zero_grad()
        loss.backward()
        policy.optimizer.step()
