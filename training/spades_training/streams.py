"""What a learner is told of a match: where its episodes end, and when a bag is charged."""

from __future__ import annotations

from typing import Any

import numpy as np
from stable_baselines3.common.vec_env import VecEnvWrapper

from spades_training.sb3 import SpadesVecEnv

__all__ = ["LearnerStreams"]


class LearnerStreams(VecEnvWrapper):
    """Changes rewards and ends of the streams of a :class:`SpadesVecEnv` that plays whole matches.

    Args:
        venv: the environment, with ``episode="match"``.
        by_hand: end a stream with every hand. The match goes on, so scores and bags are as they come in a match,
            but what later hands bring is no merit of this one. (Points of a hand tell far more about its
            decisions than the end of a match, dozens of hands later.)
        bag_shaping: charge ``bag_penalty / bag_limit`` points for a bag when it is taken and give them back when
            the penalty falls due. That is shaping by a potential, which leaves the best policy for the sum of
            all points what it is (Ng, Harada and Russell 1999), and makes the cost of a bag fall to the hand
            that took it.
    """

    def __init__(self, venv: SpadesVecEnv, by_hand: bool, bag_shaping: bool) -> None:
        super().__init__(venv)
        self.spades = venv.env
        self.by_hand = by_hand
        rules = venv.env.rules
        shaped = bag_shaping and rules.bag_limit > 0
        self._bag_price = rules.bag_penalty / rules.bag_limit / 100 if shaped else 0.0
        self._potential = np.zeros(self.num_envs)
        self._hands = np.zeros(self.num_envs, np.int64)
        self._points = np.zeros(self.num_envs)
        self._lengths = np.zeros(self.num_envs, np.int64)

    def reset(self) -> np.ndarray:
        """Begin anew at every table."""
        observations = self.venv.reset()
        self._potential = self._bags_potential()
        self._hands = self._hand_numbers()
        self._points[:] = 0
        self._lengths[:] = 0
        return observations  # type: ignore[return-value]

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """As the environment, with other rewards and ends."""
        observations, rewards, dones, infos = self.venv.step_wait()
        self._points += rewards
        self._lengths += 1
        if self._bag_price:
            potential = self._bags_potential()
            # A match that is over has no bags to pay for.
            rewards = rewards + (np.where(dones, 0, potential) - self._potential).astype(np.float32)
            self._potential = potential
        if self.by_hand:
            hands = self._hand_numbers()
            dones = dones | (hands != self._hands)
            self._hands = hands
            for i in np.flatnonzero(dones):
                infos[i]["episode"] = {"r": float(self._points[i]), "l": int(self._lengths[i]), "t": 0.0}
                infos[i]["TimeLimit.truncated"] = False  # the hand is complete: nothing to bootstrap
            self._points[dones] = 0
            self._lengths[dones] = 0
        return observations, rewards, dones, infos  # type: ignore[return-value]

    def _hand_numbers(self) -> np.ndarray:
        return self.spades.tables.states["hand_number"].astype(np.int64)

    def _bags_potential(self) -> np.ndarray:
        """Minus the price of the learner's bags, plus the mean of the others'."""
        sides = self.spades.rules.sides
        bags = self.spades.tables.states["bags"][:, :sides].astype(np.float64)
        own = bags[np.arange(self.num_envs), self.spades.learners % sides]
        return -self._bag_price * (own - (bags.sum(1) - own) / (sides - 1))
