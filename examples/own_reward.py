"""Change the reward with a Gymnasium wrapper: reward exact contracts, so that a learner avoids bags.

Run ``python examples/own_reward.py``.
"""

from __future__ import annotations

from typing import Any, SupportsFloat

import gymnasium
import numpy as np

import spades_env

gymnasium.register_envs(spades_env)


class ExactContract(gymnasium.Wrapper):
    """The reward is 1 for a hand in which the learner took exactly the tricks that it bid, and 0 otherwise."""

    def step(self, action: Any) -> tuple[Any, SupportsFloat, bool, bool, dict[str, Any]]:
        """Carry out an action, and replace the reward when it finishes a hand."""
        game = self.unwrapped.game
        finished = game.hand_number
        observation, _, terminated, truncated, info = self.env.step(action)
        reward = 0.0
        if game.hand_number > finished:
            hand, seat = game.last_hand, self.unwrapped.learner
            reward = float(hand["tricks"][seat] == hand["bids"][seat])
        return observation, reward, terminated, truncated, info


if __name__ == "__main__":
    env = ExactContract(gymnasium.make("spades_env/Spades-v0", opponents="heuristic", episode="hand"))
    rng = np.random.default_rng(0)
    rewards = []
    for seed in range(100):
        _, info = env.reset(seed=seed)
        done = False
        while not done:
            action = rng.choice(np.flatnonzero(info["action_mask"]))
            _, reward, terminated, truncated, info = env.step(action)
            done = terminated or truncated
        rewards.append(reward)
    print(f"{np.mean(rewards):.0%} of 100 hands with random actions were exact")
