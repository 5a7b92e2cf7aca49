"""A warm start: imitate a scripted player before the self-play begins."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from spades_agents.base import BatchAgent
from stable_baselines3.common.utils import update_learning_rate
from torch.nn.functional import cross_entropy, mse_loss

from spades_training.learning.streams import LearnerStreams

__all__ = ["imitate"]

DISCARDED = np.nan  # target of a value that the collected steps do not tell


def imitate(
    model: MaskablePPO,
    env: LearnerStreams,
    teacher: BatchAgent,
    decisions: int,
    after_round: Callable[[int, int], object],
    steps: int = 256,
    batch_size: int = 1024,
    learning_rate: float = 1e-3,
) -> float:
    """Teach the model what ``teacher`` does, and the value of what the learner sees while it does that.

    Args:
        model: the model, which is changed.
        env: where the teacher takes the learners' seats.
        teacher: the player to imitate.
        decisions: how many of its decisions to see, rounded up to whole collections.
        after_round: called before the first and after each collection, with how many are done and how many there are.
        steps: steps of a collection, at every table.
        batch_size: decisions in a minibatch.
        learning_rate: of Adam at the start; it falls evenly to a twentieth of it.

    Returns:
        The share of the last collection's decisions in which the policy, before it had learned from them, agreed
        with the teacher.
    """
    agreement = 0.0
    rows = np.arange(env.num_envs)
    observations = env.reset()
    rounds = -(-decisions // (steps * env.num_envs))
    after_round(0, rounds)
    for k in range(rounds):
        seen, masks, actions, rewards, dones = ([] for _ in range(5))
        for _ in range(steps):
            seen.append(observations)
            masks.append(env.env_method("action_masks"))
            actions.append(teacher.act_batch(env.spades.tables, rows))
            observations, reward, done, _ = env.step(actions[-1])
            rewards.append(reward)
            dones.append(done)
        returns = _returns(np.array(rewards), np.array(dones), model.gamma)
        found, allowed, chosen = (torch.as_tensor(np.concatenate(part)) for part in (seen, masks, actions))
        targets = torch.as_tensor(returns.ravel())
        update_learning_rate(model.policy.optimizer, learning_rate * (1 - 0.95 * k / rounds))
        agreement = _fit(model, found, allowed, chosen, targets, batch_size)
        after_round(k + 1, rounds)
    return agreement


def _returns(rewards: np.ndarray, dones: np.ndarray, gamma: float) -> np.ndarray:
    """Discounted sums of rewards to the end of each episode; DISCARDED where the steps end before it does."""
    returns = np.empty_like(rewards)
    following = np.full(rewards.shape[1], DISCARDED, rewards.dtype)
    for k in reversed(range(len(rewards))):
        following = rewards[k] + gamma * np.where(dones[k], 0, following)
        returns[k] = following
    return returns


def _fit(
    model: MaskablePPO,
    observations: torch.Tensor,
    masks: torch.Tensor,
    actions: torch.Tensor,
    returns: torch.Tensor,
    batch_size: int,
) -> float:
    """One pass over the decisions; returns how many of them the policy got right beforehand."""
    policy = model.policy
    policy.set_training_mode(True)
    right = 0
    order = torch.randperm(len(actions))
    for batch in order.split(batch_size):
        latent_policy, latent_value = policy.mlp_extractor(policy.extract_features(observations[batch]))
        logits = torch.where(masks[batch], policy.action_net(latent_policy), -1e8)
        values = policy.value_net(latent_value).flatten()
        target = returns[batch]
        known = torch.isfinite(target)
        loss = cross_entropy(logits, actions[batch])
        if known.any():
            loss = loss + model.vf_coef * mse_loss(values[known], target[known])
        policy.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(policy.parameters(), model.max_grad_norm)
        policy.optimizer.step()
        right += int((logits.argmax(1) == actions[batch]).sum())
    return right / len(actions)
