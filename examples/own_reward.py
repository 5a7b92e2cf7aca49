"""Change the reward with a Gymnasium wrapper: reward exact contracts, so that a learner avoids bags.

Run ``python examples/own_reward.py`` (needs the ``train`` extra).
"""

from __future__ import annotations

import sys
from typing import Any, SupportsFloat

import gymnasium
from sb3_contrib import MaskablePPO

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


def exact_hands(env: gymnasium.Env, model: MaskablePPO, hands: int) -> float:
    """The share of hands in which the model took exactly the tricks that it bid."""
    rewards = []
    for seed in range(hands):
        observation, info = env.reset(seed=seed)
        over = False
        while not over:
            action, _ = model.predict(observation, action_masks=info["action_mask"])
            observation, reward, terminated, truncated, info = env.step(action)
            over = terminated or truncated
        rewards.append(float(reward))
    return sum(rewards) / hands


if __name__ == "__main__":
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    env = ExactContract(gymnasium.make("spades_env/Spades-v0", opponents="heuristic", episode="hand"))
    model = MaskablePPO("MlpPolicy", env, n_steps=512, seed=0)
    print(f"{exact_hands(env, model, 100):.0%} of 100 hands are exact before training")
    model.learn(steps)
    print(f"{exact_hands(env, model, 100):.0%} of 100 hands are exact after {model.num_timesteps:,} decisions")
