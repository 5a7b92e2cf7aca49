"""The warm start: imitate a teacher before self-play."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from spades_agents.base import BatchAgent
from stable_baselines3.common.utils import update_learning_rate
from torch.nn.functional import cross_entropy, mse_loss

from spades_training.learning.trajectories import LearnerTrajectories

STEPS = 256  # of a batch, at every table
MINIBATCH = 1024  # decisions
LEARNING_RATE = 1e-3  # initial; it decays linearly to a twentieth
UNKNOWN = np.nan  # value target of a decision whose episode does not end in the batch


def imitate(
    model: MaskablePPO,
    env: LearnerTrajectories,
    teacher: BatchAgent,
    decisions: int,
    after_batch: Callable[[int, int], object],
) -> float:
    """Train the policy to imitate ``teacher``, and the value network to predict the teacher's returns.

    Args:
        model: the model, which is changed.
        env: where the teacher takes the learners' seats.
        teacher: the player to imitate.
        decisions: number of the teacher's decisions, rounded up to whole batches.
        after_batch: called before the first and after each batch, with the number of batches done and the total.

    Returns:
        The share of decisions in the last batch in which the policy agreed with the teacher before learning from them.
    """
    agreement = 0.0
    rows = np.arange(env.num_envs)
    observations = env.reset()
    batches = -(-decisions // (STEPS * env.num_envs))
    after_batch(0, batches)
    for k in range(batches):
        seen, masks, actions, rewards, dones = ([] for _ in range(5))
        for _ in range(STEPS):
            seen.append(observations)
            masks.append(env.env_method("action_masks"))
            actions.append(teacher.act_batch(env.spades.tables, rows))
            observations, reward, done, _ = env.step(actions[-1])
            rewards.append(reward)
            dones.append(done)
        returns = _returns(np.array(rewards), np.array(dones), model.gamma)
        found, allowed, chosen = (torch.as_tensor(np.concatenate(part)) for part in (seen, masks, actions))
        update_learning_rate(model.policy.optimizer, LEARNING_RATE * (1 - 0.95 * k / batches))
        agreement = _fit(model, found, allowed, chosen, torch.as_tensor(returns.ravel()))
        after_batch(k + 1, batches)
    return agreement


def _returns(rewards: np.ndarray, dones: np.ndarray, gamma: float) -> np.ndarray:
    """Discounted sums of rewards to the end of each episode; UNKNOWN where the steps end first."""
    returns = np.empty_like(rewards)
    following = np.full(rewards.shape[1], UNKNOWN, rewards.dtype)
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
) -> float:
    """Make one pass over the decisions; returns the share predicted correctly, each minibatch before its step."""
    policy = model.policy
    policy.set_training_mode(True)
    right = 0
    for batch in torch.randperm(len(actions)).split(MINIBATCH):
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
