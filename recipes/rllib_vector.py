"""PPO in RLlib's new API stack on many tables: every env runner steps all of its tables in one call.

    pip install -c constraints-rllib.txt -e '.[rllib]'
    OMP_NUM_THREADS=1 python recipes/rllib_vector.py

RLlib 2.60, Gymnasium 1.2.2, torch 2.13: 398,000 decisions (1,800 a second of CPU time) led to +28.5 [27.8, 29.2]
points a hand against ``random`` and -26.9 [-27.8, -26.1] against ``heuristic``: ``spades evaluate``, 400 matches.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import gymnasium
import numpy as np
import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.callbacks.callbacks import RLlibCallback
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env
from spades_agents.policy.model_file import save_player
from spades_agents.policy.network import PolicyNetwork
from spades_training.learning.selfplay import OpponentMix, SelfPlayEnv

from spades_env import VectorMaskInObservation
from spades_env.cards import NUM_ACTIONS
from spades_env.observation import SIZE
from spades_env.rules import as_rules

# Who has the other seats, and in what share of the hands. A partner is always the current policy.
OPPONENTS = {"self": 0.25, "random": 0.25, "heuristic": 0.5}


def make(context: dict[str, Any]) -> gymnasium.vector.VectorEnv:
    """The tables of one env runner. Until it has sampled once, "self" plays at random."""
    rules = as_rules(context["rules"])
    mix = OpponentMix(OPPONENTS, rules, snapshots=10, rng=np.random.default_rng())
    mix.update(PolicyNetwork(np.arange(SIZE), [(np.zeros((SIZE, NUM_ACTIONS)), np.zeros(NUM_ACTIONS))]))
    # NEXT_STEP: RLlib drops the step between two episodes, at which the mask allows DONE alone.
    return VectorMaskInObservation(SelfPlayEnv(context["num_envs"], rules, mix, autoreset_mode="NextStep"))


def policy_network(module: Any) -> PolicyNetwork:
    """The policy of an RLlib module as this package plays it, without torch."""
    return PolicyNetwork.from_torch([module.encoder.actor_encoder, module.pi])


class Follow(RLlibCallback):
    """Gives the weights that were just played with to "self"."""

    def on_sample_end(self, *, env_runner: Any, **kwargs: Any) -> None:
        env_runner.env.unwrapped.mix.update(policy_network(env_runner.module))


def config(args: argparse.Namespace) -> PPOConfig:
    """The settings of the algorithm."""
    register_env("spades", make)
    model = DefaultModelConfig(fcnet_hiddens=[128, 128], fcnet_activation="tanh", vf_share_layers=False)
    return (
        PPOConfig()
        .environment("spades", env_config={"rules": args.rules})
        .env_runners(
            num_env_runners=args.runners,
            num_envs_per_env_runner=args.tables,
            gym_env_vectorize_mode=gymnasium.VectorizeMode.VECTOR_ENTRY_POINT,
            rollout_fragment_length="auto",
            sample_timeout_s=600,  # the first sample compiles; RLlib would otherwise train on nothing after a minute
        )
        # A lost node takes its env runners along; they start again elsewhere, or when a node joins.
        .fault_tolerance(restart_failed_env_runners=True)
        .rl_module(rl_module_spec=RLModuleSpec(module_class=ActionMaskingTorchRLModule, model_config=model))
        .training(
            lr=[[0, 1e-3], [args.iterations * args.batch, 0.0]],
            gamma=0.995,
            lambda_=0.97,
            train_batch_size_per_learner=args.batch,
            minibatch_size=min(args.batch, 2048),
            num_epochs=4,
            clip_param=0.2,
            entropy_coeff=0.005,
            vf_loss_coeff=0.5,
            vf_clip_param=1e9,  # in RLlib the value loss itself is cut off, which stops the critic from learning
            use_kl_loss=False,
            grad_clip=0.5,
        )
        .callbacks(Follow)
        .debugging(log_level="ERROR", seed=0)
    )


def train(args: argparse.Namespace) -> None:
    """Train a player and write its model file."""
    # Without an address ray.init() would join a cluster that is still running on this machine.
    ray.init(address=args.address, include_dashboard=False if args.address == "local" else None)
    algorithm = config(args).build_algo()
    decisions, start = 0, time.perf_counter()
    for _ in range(args.iterations):
        runners = algorithm.train()["env_runners"]
        decisions += int(runners["num_env_steps_sampled"])
        rate = decisions / (time.perf_counter() - start)
        returns = runners.get("episode_return_mean", np.nan)
        print(f"{decisions} decisions, {rate:.0f}/s, mean return {returns:+.2f}", flush=True)
    save_player(policy_network(algorithm.get_module()), args.save, args.rules)
    algorithm.stop()
    print(f"saved; try: spades evaluate ppo:{args.save} heuristic --rules {args.rules}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rules", default="two_player")
    parser.add_argument("--iterations", type=int, default=24)
    parser.add_argument("--runners", type=int, default=0, help="env runners, each a process; 0: in this process")
    parser.add_argument("--tables", type=int, default=256, help="tables of an env runner")
    parser.add_argument("--batch", type=int, default=16_384, help="decisions in an iteration")
    parser.add_argument("--address", default="local", help="Ray cluster to join; local: start one")
    parser.add_argument("--save", default="rllib.zip", help="model file")
    train(parser.parse_args())
