"""PPO in TorchRL: one learner's seat at each of many tables, stepped in one call.

    pip install torchrl
    OMP_NUM_THREADS=1 python recipes/torchrl_ppo.py

TorchRL 0.14.1, torch 2.13: 131,072 decisions (3,000 a second of CPU time) led to +25.6 [24.8, 26.3] points a hand
against ``random`` and -29.1 [-29.8, -28.3] against ``heuristic``: ``spades evaluate``, 400 matches.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
import torch
from spades_agents.policy.model_file import save_player
from spades_agents.policy.network import PolicyNetwork
from spades_training.learning.selfplay import OpponentMix, SelfPlayEnv
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.data import Binary, Categorical, Composite, LazyTensorStorage, TensorDictReplayBuffer, Unbounded
from torchrl.data.replay_buffers.samplers import SamplerWithoutReplacement
from torchrl.envs import EnvBase
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from spades_env import SpadesVectorEnv
from spades_env.cards import NUM_ACTIONS
from spades_env.observation import SIZE
from spades_env.rules import as_rules

# Who has the other seats, and in what share of the hands. A partner is always the current policy.
OPPONENTS = {"self": 0.25, "random": 0.25, "heuristic": 0.5}


class SpadesTables(EnvBase):
    """A vector environment with ``autoreset_mode="Disabled"``: both libraries reset by a mask, so no step is lost.

    TorchRL's ``PettingZooWrapper`` takes ``spades_v0.env()``, too, but its time steps are those of the table: the next
    state of a seat is then another seat's decision, and an advantage computed from it is wrong.
    """

    def __init__(self, tables: SpadesVectorEnv, seed: int = 0) -> None:
        count = tables.num_envs
        super().__init__(batch_size=[count])
        self.tables = tables
        self.observation_spec = Composite(
            observation=Unbounded((count, SIZE)),
            action_mask=Binary(NUM_ACTIONS, (count, NUM_ACTIONS), dtype=torch.bool),
            shape=(count,),
        )
        self.action_spec = Categorical(NUM_ACTIONS, (count,))
        self.reward_spec = Unbounded((count, 1))
        flags = {key: Categorical(2, (count, 1), dtype=torch.bool) for key in ("done", "terminated", "truncated")}
        self.done_spec = Composite(flags, shape=(count,))
        self._seed: int | None = seed

    def _set_seed(self, seed: int | None) -> None:
        self._seed = seed

    def _reset(self, tensordict: TensorDict | None = None) -> TensorDict:
        rows = None if tensordict is None else tensordict.get("_reset", None)
        if rows is None or self._seed is not None:
            observations, infos = self.tables.reset(seed=self._seed)
            self._seed = None
        else:
            observations, infos = self.tables.reset(options={"reset_mask": rows.squeeze(-1).numpy()})
        return self._seen(observations, infos)

    def _step(self, tensordict: TensorDict) -> TensorDict:
        observations, rewards, terminated, truncated, infos = self.tables.step(tensordict["action"].numpy())
        found = self._seen(observations, infos)
        found["reward"] = torch.from_numpy(rewards.astype(np.float32))[:, None]
        found["terminated"] = torch.from_numpy(terminated)[:, None]
        found["truncated"] = torch.from_numpy(truncated)[:, None]
        found["done"] = found["terminated"] | found["truncated"]
        return found

    def _seen(self, observations: np.ndarray, infos: dict[str, Any]) -> TensorDict:
        mask = torch.from_numpy(infos["action_mask"]).bool()  # where a match is over, it allows DONE
        return TensorDict({"observation": torch.from_numpy(observations), "action_mask": mask}, self.batch_size)


def network(outputs: int) -> nn.Sequential:
    """Two hidden layers."""
    return nn.Sequential(nn.Linear(SIZE, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh(), nn.Linear(128, outputs))


def train(args: argparse.Namespace) -> None:
    """Train a player and write its model file."""
    torch.set_num_threads(1)  # several threads of torch are ten times slower on a busy machine
    torch.manual_seed(args.seed)
    rules, policy = as_rules(args.rules), network(NUM_ACTIONS)
    mix = OpponentMix(OPPONENTS, rules, snapshots=10, rng=np.random.default_rng(args.seed))
    mix.update(PolicyNetwork.from_torch([policy]))
    env = SpadesTables(SelfPlayEnv(args.tables, rules, mix, autoreset_mode="Disabled", dtype=np.float32), args.seed)
    actor = ProbabilisticActor(
        TensorDictModule(policy, ["observation"], ["logits"]),
        in_keys={"logits": "logits", "mask": "action_mask"},
        out_keys=["action"],
        distribution_class=MaskedCategorical,
        return_log_prob=True,
        spec=env.action_spec,
    )
    critic = ValueOperator(network(1), ["observation"])
    loss = ClipPPOLoss(actor, critic, clip_epsilon=0.2, entropy_coeff=0.005, critic_coeff=0.5, normalize_advantage=True)
    advantage = GAE(gamma=0.995, lmbda=0.97, value_network=critic)
    optimizer = torch.optim.Adam(loss.parameters(), 1e-3)
    frames = args.tables * args.steps
    limits = {"frames_per_batch": frames, "total_frames": frames * args.iterations}
    collector = Collector(env, actor, **limits, auto_register_policy_transforms=False)
    storage, sampler = LazyTensorStorage(frames), SamplerWithoutReplacement()
    buffer = TensorDictReplayBuffer(storage=storage, sampler=sampler, batch_size=min(frames, 2048))
    start = time.perf_counter()
    for number, data in enumerate(collector):
        optimizer.param_groups[0]["lr"] = 1e-3 * (1 - number / args.iterations)
        with torch.no_grad():
            advantage(data)
        buffer.extend(data.reshape(-1))
        for _ in range(4):
            for batch in buffer:
                losses = loss(batch)
                optimizer.zero_grad()
                sum(losses[key] for key in ("loss_objective", "loss_critic", "loss_entropy")).backward()
                nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
                optimizer.step()
        mix.update(PolicyNetwork.from_torch([policy]))  # a copy
        done = (number + 1) * frames
        rewards = data["next", "reward"]
        points, rate = 100 * rewards.sum() / (rewards != 0).sum(), done / (time.perf_counter() - start)
        print(f"{done} decisions, {rate:.0f}/s, {points:+.0f} points a hand", flush=True)
    collector.shutdown()
    save_player(PolicyNetwork.from_torch([policy]), args.save, args.rules)
    print(f"saved; try: spades evaluate ppo:{args.save} heuristic --rules {args.rules}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rules", default="two_player")
    parser.add_argument("--iterations", type=int, default=8)
    parser.add_argument("--tables", type=int, default=256)
    parser.add_argument("--steps", type=int, default=64, help="decisions at each table in one iteration")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--save", default="torchrl.zip", help="model file")
    train(parser.parse_args())
