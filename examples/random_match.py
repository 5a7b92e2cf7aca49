"""Play one match with random legal actions through every interface.

Run ``python examples/random_match.py``.
"""

from __future__ import annotations

import gymnasium
import numpy as np

import spades_env
from spades_env import Game, Tables, spades_v0

gymnasium.register_envs(spades_env)
RULES, SEED, MAX_HANDS = "partnership", 0, 50


def with_game() -> list[int]:
    """``Game``: one table as a Python object. Returns the scores of the sides."""
    rng = np.random.default_rng(SEED)
    game = Game(RULES, seed=SEED)
    while not game.is_over and game.hand_number < MAX_HANDS:
        game.apply(rng.choice(game.legal_actions()))
    return game.scores


def with_pettingzoo() -> list[int]:
    """PettingZoo: every seat is an agent."""
    env = spades_v0.env(rules=RULES, max_hands=MAX_HANDS)
    env.reset(seed=SEED)
    for agent in env.agent_iter():
        observation, _, termination, truncation, _ = env.last()
        over = termination or truncation
        env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))
    return env.unwrapped.game.scores


def with_gymnasium() -> list[int]:
    """Gymnasium: one learner; agents play the other seats."""
    env = gymnasium.make("spades_env/Spades-v0", rules=RULES, opponents="random", max_hands=MAX_HANDS)
    _, info = env.reset(seed=SEED)
    over = False
    while not over:
        _, _, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))
        over = terminated or truncated
    return info["scores"].tolist()


def with_vector() -> list[int]:
    """Gymnasium's vector interface: many tables, one learner at each. Returns the scores of the first to finish."""
    envs = gymnasium.make_vec("spades_env/Spades-v0", num_envs=8, rules=RULES, max_hands=MAX_HANDS)
    _, infos = envs.reset(seed=SEED)
    rng = np.random.default_rng(SEED)
    while True:
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in infos["action_mask"]])
        _, _, terminated, truncated, infos = envs.step(actions)
        over = np.flatnonzero(terminated | truncated)
        if over.size:
            return infos["scores"][over[0]].tolist()


def with_tables() -> list[int]:
    """``Tables``: many tables in arrays, at full speed; here one. Returns the scores after 1,000 steps."""
    tables = Tables(RULES, 1, seed=SEED)
    for _ in range(1000):
        tables.step(tables.random_actions())
    return tables.view(0).scores


if __name__ == "__main__":
    for play in (with_game, with_pettingzoo, with_gymnasium, with_vector, with_tables):
        print(f"{play.__name__.removeprefix('with_')}: scores {play()}")
