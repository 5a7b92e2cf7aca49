"""The public path of the Stable-Baselines3 environment; see :mod:`spades_training.learning.sb3`."""

from spades_agents.policy.model_file import save_player

from spades_training.learning.sb3 import (
    OraclePolicy,
    SpadesVecEnv,
    UsedBits,
    policy_network,
    save_model,
)

__all__ = ["OraclePolicy", "SpadesVecEnv", "UsedBits", "policy_network", "save_model", "save_player"]
