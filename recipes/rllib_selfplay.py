"""Self-play PPO in RLlib's new API stack: the learner against frozen copies of itself and scripted players.

    pip install -c constraints-rllib.txt -e '.[rllib]'
    OMP_NUM_THREADS=1 python recipes/rllib_selfplay.py

RLlib 2.60, Gymnasium 1.2.2, torch 2.13: 69,000 decisions (420 a second of CPU time) led to +29.4 [28.3, 30.6] points a
hand against ``random``, -31.1 [-32.0, -30.2] against ``heuristic``: ``spades evaluate``, 400 matches.
"""

from __future__ import annotations

import argparse
import functools
import random
import time
from typing import Any

import numpy as np
import ray
from gymnasium import spaces
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.callbacks.callbacks import RLlibCallback
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModule, RLModuleSpec
from ray.rllib.env.multi_agent_env import MultiAgentEnv
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from spades_agents import make_agent
from spades_agents.policy.model_file import save_player
from spades_agents.policy.network import PolicyNetwork

from spades_env import spades_v0
from spades_env.cards import NUM_ACTIONS
from spades_env.envs.masked import masked, masked_space
from spades_env.rules import as_rules

LEARNER, COPIES, SCRIPTED = "learner", ("copy_0", "copy_1", "copy_2"), ("random", "heuristic")


class MultiAgentSpades(MultiAgentEnv):
    """One hand. Only the seat on turn gets an observation, so its next state is its own next decision."""

    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__()
        self.rules, self.rng = as_rules(config["rules"]), np.random.default_rng()
        self.scripted = [make_agent(name) for name in SCRIPTED]
        self.env = spades_v0.raw_env(self.rules, episode="hand")
        self.possible_agents = self.agents = list(self.env.possible_agents)
        hints = spaces.Box(0, NUM_ACTIONS - 1, (len(SCRIPTED),), np.int64)  # what the scripted players would do
        self.observation_spaces = {agent: spaces.Dict(masked_space(), hints=hints) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(NUM_ACTIONS) for agent in self.possible_agents}

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict, dict]:
        bags = self.rng.integers(0, 10, self.rules.sides)  # as within a match; without them nothing punishes bags
        self.env.reset(seed=seed, options={"bags": bags.tolist()})
        return self._observe([self.env.agent_selection]), {}

    def step(self, actions: dict[str, int]) -> tuple[dict, dict, dict, dict, dict]:
        self.env.step(int(actions[self.env.agent_selection]))
        over = any(self.env.terminations.values())
        ends = dict.fromkeys([*self.possible_agents, "__all__"], over)
        seen = self._observe(self.possible_agents if over else [self.env.agent_selection])
        return seen, dict(self.env.rewards), ends, dict.fromkeys(ends, False), {}  # rewards of all seats, even 0

    def _observe(self, agents: list[str]) -> dict[str, dict[str, np.ndarray]]:
        found = {}
        for agent in agents:
            seen = self.env.observe(agent)
            hints = [one.act(self.env.game.view()) if seen["action_mask"].any() else 0 for one in self.scripted]
            found[agent] = {**masked(seen["observation"], seen["action_mask"]), "hints": np.array(hints, np.int64)}
        return found


class Scripted(RLModule):
    """Plays a hint. It reads the batch without changing it: other modules' keys are gone once they are popped."""

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        return {Columns.ACTIONS: batch[Columns.OBS]["hints"][:, self.model_config["hint"]]}


def module_of(agent_id: str, episode: Any, sides: int, shares: dict[str, float], **kwargs: Any) -> str:
    """One side is the learner's, and a player that is drawn by ``shares`` has all other seats."""
    dice = random.Random(episode.id_)  # the same draw for all seats
    learner, other = dice.randrange(sides), dice.choices(list(shares), list(shares.values()))[0]
    return LEARNER if int(agent_id.rpartition("_")[2]) % sides == learner else other


class League(RLlibCallback):
    """Lets those play more who lose less to the learner, and replaces a copy that it beats by a new one."""

    def on_episode_end(self, *, episode: Any, metrics_logger: Any, **kwargs: Any) -> None:
        gains = {episode.module_for(agent): own.get_return() for agent, own in episode.agent_episodes.items()}
        won = float(gains.pop(LEARNER) > 0)
        metrics_logger.log_value(f"won_{next(iter(gains))}", won, reduce="mean", window=50)

    def on_train_result(self, *, algorithm: Any, result: dict[str, Any], **kwargs: Any) -> None:
        found = {name: float(result["env_runners"].get(f"won_{name}", np.nan)) for name in (*COPIES, *SCRIPTED)}
        wins = result["wins"] = {name: 0.5 if np.isnan(rate) else rate for name, rate in found.items()}
        beaten = max(COPIES, key=wins.__getitem__)
        if wins[beaten] > 0.55:
            group = algorithm.learner_group  # its weights come as a copy: a player that learns on is not frozen
            group.set_weights({beaten: group.get_weights([LEARNER])[LEARNER]})
            algorithm.env_runner_group.sync_weights(from_worker_or_learner_group=group, policies=[beaten])
        shares = {name: 1.1 - rate for name, rate in wins.items()}
        mapping = functools.partial(module_of, sides=algorithm.config.env_config["sides"], shares=shares)
        algorithm.env_runner_group.foreach_env_runner(lambda one: one.config.multi_agent(policy_mapping_fn=mapping))


def config(args: argparse.Namespace) -> PPOConfig:
    """The settings of the algorithm."""
    sides, shares = as_rules(args.rules).sides, dict.fromkeys((*COPIES, *SCRIPTED), 0.6)
    model = DefaultModelConfig(fcnet_hiddens=[128, 128], fcnet_activation="tanh", vf_share_layers=False)
    network = RLModuleSpec(module_class=ActionMaskingTorchRLModule, model_config=model)
    modules = dict.fromkeys((LEARNER, *COPIES), network)
    modules |= {name: RLModuleSpec(Scripted, model_config={"hint": k}) for k, name in enumerate(SCRIPTED)}
    training = {"lr": 7e-4, "gamma": 1.0, "lambda_": 0.97, "num_epochs": 4, "clip_param": 0.2, "entropy_coeff": 0.005}
    training |= {"train_batch_size_per_learner": args.batch, "minibatch_size": min(args.batch, 1024), "grad_clip": 0.5}
    training |= {"vf_clip_param": 1e9, "use_kl_loss": False}  # by default it cuts off the value loss itself
    # RLlib's check of the environment plays illegal actions. Episodes that are cut lose decisions of other seats.
    env = {"env_config": {"rules": args.rules, "sides": sides}, "disable_env_checking": True}
    runners = {"num_env_runners": args.runners, "num_envs_per_env_runner": 32, "batch_mode": "complete_episodes"}
    runners |= {"sample_timeout_s": 600}  # the first sample compiles
    mapping = functools.partial(module_of, sides=sides, shares=shares)
    agents = {"policies": set(modules), "policy_mapping_fn": mapping, "policies_to_train": [LEARNER]}
    algorithm = PPOConfig().environment(MultiAgentSpades, **env).env_runners(**runners).multi_agent(**agents)
    algorithm = algorithm.rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs=modules)).training(**training)
    return algorithm.fault_tolerance(restart_failed_env_runners=True).callbacks(League).debugging(log_level="ERROR")


def train(args: argparse.Namespace) -> None:
    """Train a player and write its model file."""
    ray.init(address=args.address)  # without an address it would join a cluster that is left over
    algorithm, decisions, start = config(args).build_algo(), 0, time.perf_counter()
    for _ in range(args.iterations):
        result = algorithm.train()
        decisions += int(result["env_runners"]["num_module_steps_sampled"][LEARNER])
        wins = " ".join(f"{name} {rate:.0%}" for name, rate in result["wins"].items())
        print(f"{decisions} decisions, {decisions / (time.perf_counter() - start):.0f}/s, wins: {wins}", flush=True)
    module: Any = algorithm.get_module(LEARNER)
    save_player(PolicyNetwork.from_torch([module.encoder.actor_encoder, module.pi]), args.save, args.rules)
    print(f"saved; try: spades evaluate ppo:{args.save} heuristic --rules {args.rules}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options = {"rules": "two_player", "iterations": 25, "batch": 4096, "save": "rllib.zip"}
    for name, value in {**options, "runners": 0, "address": "local"}.items():  # players' processes, cluster to join
        parser.add_argument(f"--{name}", type=type(value), default=value)
    train(parser.parse_args())
