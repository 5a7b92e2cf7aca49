"""The settings of a training run, their presets and their file."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spades_agents.policy.policy_input import check_hint

from spades_env.checks import check_choice, check_int
from spades_env.episodes import Reward, check_episode
from spades_training.learning.settings import RunSettings, setting

SB3 = "sb3"  # the learner's name
CHECKPOINT = "checkpoint.zip"  # in the folder of a run


@dataclass(frozen=True)
class Config(RunSettings):
    """The settings of a training run; each is an option of ``spades train``, with the text below as its help.

    The defaults are the preset ``quick``. A hand is rewarded only at its last decision, some 25 decisions after the
    first. ``gamma`` and ``gae_lambda`` are therefore 1: nothing is discounted within a hand, and its result is a better
    target than a value function learned in such a short run.

    Raises:
        ValueError: if a value is invalid.
    """

    LEARNER = SB3

    rules: str = setting("two_player", "A preset, optionally with changes: solo,target=300")
    seed: int = setting(0, "Random seed; the same seed gives the same run.", 0, 2**32 - 1)
    total_timesteps: int = setting(1_250_000, "Decisions of the learner to train on in self-play.")
    episode: str = setting(
        "hand", "hand: every hand is an episode, and the match continues; match: the whole match is one episode."
    )
    reward: str = setting(
        "score",
        "score: each hand's points minus the opponents' mean, in hundreds; win: +1 or -1 for the match; match: twice "
        "the change in the chance of winning the match, after each hand.",
    )
    bag_shaping: bool = setting(True, "With reward=score: charge a bag when it is taken, not when the penalty is due.")
    random_scores: float = setting(0.0, "Share of hands that start with random scores and bags.")
    duplicate_baseline: bool = setting(
        False, "Subtract from a hand's reward what the scripted player would have earned with the same cards."
    )
    max_hands: int = setting(100, "Truncate a match without a winner after this many hands.")
    opponents: str = setting(
        "self:4,snapshot:2,heuristic:3,random:1",
        "Players of the other seats, drawn for every hand with these weights: self, snapshot or an agent's name.",
    )
    snapshot_every: int = setting(100_000, "Decisions between two snapshots of the policy.")
    snapshots: int = setting(10, "Maximum number of snapshots; a new one then replaces a random one, never the first.")
    snapshot_sampling: str = setting(
        "uniform",
        "uniform: all snapshots play equally often; strength: snapshots that do better against the learner play more "
        "often, and a new one replaces the weakest, never the first.",
    )
    warm_start: int = setting(400_000, "Decisions of the teacher to imitate before self-play.", 0)
    teacher: str = setting("heuristic", "The player to imitate.")
    rollouts: int = setting(
        0, "Decisions at which every action is rated by rollouts, between imitation and self-play.", 0
    )
    rollout_learning_rate: float = setting(1e-3, "Initial learning rate while learning from rollouts.")
    doubt: float = setting(0.01, "Minimum gain in win probability before an action replaces the teacher's.", 0, 10)
    blind_doubt: float = setting(0.02, "The same for the blind nil decision, in which luck matters most.", 0, 10)
    suit_symmetry: bool = setting(True, "Permute the suits other than spades at random while learning from rollouts.")
    start: str = setting(
        "", "Model file whose networks to start from, of the same size; learned: the policy of the shipped player."
    )
    n_envs: int = setting(256, "Number of tables.")
    n_steps: int = setting(128, "Decisions at each table between two updates.")
    batch_size: int = setting(4096, "Decisions per minibatch.")
    n_epochs: int = setting(4, "Passes over the decisions per update.")
    learning_rate: float = setting(7e-4, "Initial learning rate.")
    final_learning_rate: float = setting(1e-4, "Final learning rate; the decay is linear.")
    gamma: float = setting(1.0, "Discount factor per decision.")
    gae_lambda: float = setting(1.0, "Lambda of generalized advantage estimation (GAE).")
    clip_range: float = setting(0.2, "Clip range of PPO.", 1e-6)
    ent_coef: float = setting(0.005, "Weight of the entropy bonus.", 0, 10)
    vf_coef: float = setting(0.5, "Weight of the value loss.", 0, 100)
    max_grad_norm: float = setting(0.5, "Maximum norm of the gradient.", 1e-6, 1e6)
    card_features: bool = setting(False, "Add derived inputs to the networks: master cards, tricks needed and others.")
    hint: str = setting("", "Player whose action is an input too: heuristic or bidder (needs card_features).")
    oracle_critic: bool = setting(False, "Let the value network see all hands; the policy never does.")
    layers: str = setting("256,256", "Hidden layers of the policy network.")
    critic_layers: str = setting("256,256", "Hidden layers of the value network.")
    eval_every: int = setting(100_000, "Decisions between two evaluations against the frozen opponents.")
    eval_opponents: str = setting("random,heuristic", "Frozen opponents, separated by commas.")
    eval_hands: int = setting(1_000, "Hands of each evaluation against each frozen opponent.")
    final_matches: int = setting(400, "Duplicate matches of the final evaluation against each frozen opponent.")
    checkpoint_every: int = setting(100_000, "Decisions between two checkpoints.")
    threads: int = setting(1, "Threads of torch.")
    tensorboard: bool = setting(True, "Write TensorBoard logs.")

    def __post_init__(self) -> None:
        self.check()
        check_choice("reward", self.reward, [reward.value for reward in Reward])
        if self.snapshot_sampling not in SAMPLINGS:
            text = ", ".join(map(repr, SAMPLINGS))
            raise ValueError(f"snapshot_sampling must be one of {text}, got {self.snapshot_sampling!r}")
        check_episode(self.episode, "score", self.max_hands)
        if self.episode == "hand" and self.reward == Reward.WIN:
            raise ValueError("reward='win' needs episode='match': only a match is won")
        if self.episode == "match" and self.duplicate_baseline:
            raise ValueError("duplicate_baseline needs episode='hand': the baseline is the result of a hand")
        check_int("rollouts", self.rollouts, 0, 10**12)
        if self.rollouts and self.reward != Reward.MATCH:
            raise ValueError(f"rollouts need reward='match', got {self.reward!r}")
        if self.n_envs * self.n_steps < 2:
            raise ValueError("n_envs * n_steps must be at least 2")
        if self.n_envs * self.n_steps % self.batch_size == 1 or self.batch_size == 1:
            raise ValueError(
                f"batch_size={self.batch_size} leaves a minibatch of one decision out of n_envs * n_steps = "
                f"{self.n_envs * self.n_steps}: the advantage of a single decision cannot be normalised"
            )
        if self.hint:
            check_hint(self.hint)
            if not self.card_features:
                raise ValueError("hint needs card_features")
        self.hidden_layers()

    def hidden_layers(self) -> dict[str, list[int]]:
        """``layers`` and ``critic_layers`` as numbers, under SB3's names of the networks."""
        return {"pi": self.sizes("layers"), "vf": self.sizes("critic_layers")}

    def updates(self) -> int:
        """Number of updates in self-play: ``total_timesteps`` rounded up to whole batches."""
        return -(-self.total_timesteps // (self.n_envs * self.n_steps))

    def to_json(self) -> str:
        """The contents of ``config.json``."""
        return json.dumps(dataclasses.asdict(self), indent=1) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Config:
        """The inverse of :meth:`to_json`.

        Raises:
            ValueError: if the text is something else.
        """
        fields = json.loads(text)
        known = {field.name for field in dataclasses.fields(cls)}
        if not isinstance(fields, dict) or set(fields) - known:
            unknown = ", ".join(sorted(set(fields) - known)) if isinstance(fields, dict) else "not an object"
            raise ValueError(f"these are not the settings of a training run: {unknown}")
        return cls(**fields)

    @classmethod
    def load(cls, run: Path) -> Config:
        """The settings of the run in a folder.

        Raises:
            ValueError: if there are none, or the file is damaged.
        """
        path = run / "config.json"
        try:
            return cls.from_json(path.read_text("utf8"))
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise ValueError(f"cannot read the settings {path}: {reason}") from None


SAMPLINGS = ("uniform", "strength")

# Named changes to the defaults.
PRESETS: dict[str, dict[str, Any]] = {
    "quick": {},
    "match": {
        "total_timesteps": 3_000_000,
        "reward": "match",
        "opponents": "self:4,snapshot:2,heuristic:4",
        "snapshot_every": 500_000,
        "warm_start": 200_000,
        "teacher": "bidder",
        "rollouts": 8_000_000,
        "batch_size": 2048,
        "n_epochs": 2,
        "learning_rate": 2e-4,
        "final_learning_rate": 1e-5,
        "gae_lambda": 0.95,
        "ent_coef": 0.002,
        "card_features": True,
        "hint": "bidder",
        "oracle_critic": True,
        "critic_layers": "128,128",
        "eval_every": 500_000,
        "eval_opponents": "heuristic",
        "checkpoint_every": 250_000,
        "final_matches": 1_000,
    },
    "standard": {
        "total_timesteps": 20_000_000,
        "warm_start": 2_000_000,
        "n_envs": 512,
        "batch_size": 8192,
        "layers": "512,512",
        "critic_layers": "512,512",
        "learning_rate": 5e-4,
        "snapshot_every": 1_000_000,
        "snapshots": 20,
        "eval_every": 1_000_000,
        "checkpoint_every": 500_000,
        "final_matches": 1_000,
    },
}
