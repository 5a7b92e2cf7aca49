"""The settings of the fast learner, their presets and their file."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Any

from spades_agents.base import plays
from spades_agents.heuristic.agent import HeuristicAgent
from spades_agents.policy.shipped import LearnedAgent

from spades_env.rules import Rules
from spades_training.learning.config import Config
from spades_training.learning.settings import RunSettings, setting
from spades_training.options import parse_rules

FAST = "fast"  # the learner's name in the file of its settings
# Workers share the tables and every minibatch. Their number is fixed, so that results do not depend on the threads.
WORKERS = 4
AUTO = "auto"  # the teacher is chosen by the rules


@dataclass(frozen=True)
class Settings(RunSettings):
    """The settings of a run of the fast learner; each is an option of ``spades train --learner fast``.

    The defaults are the preset ``quick``. A scheduled value changes linearly to its ``final_`` value during self-play.
    Rewards are not discounted, and every hand is an episode.

    Raises:
        ValueError: if a value is invalid.
    """

    LEARNER = FAST

    rules: str = setting("two_player", "A preset, optionally with changes: solo,target=300")
    seed: int = setting(0, "Random seed; the same seed gives the same run.", 0, 2**32 - 1)
    total_timesteps: int = setting(1_500_000, "Decisions of self-play to train on, all seats together.")
    warm_start: int = setting(
        2_000_000, "Decisions of the teacher to imitate before self-play; 0 trains from scratch.", 0
    )
    teacher: str = setting(
        AUTO, "The player to imitate; auto: learned, or heuristic for rules that learned does not play."
    )
    teacher_noise: float = setting(0.03, "Share of random actions while the teacher plays.")
    teacher_learning_rate: float = setting(2e-3, "Initial learning rate of the imitation; it decreases to 5% of this.")
    teacher_weight: float = setting(
        1.0, "Initial weight of the teacher's probabilities in the self-play after it; it decreases to 0.", 0, 100
    )
    match_weight: float = setting(
        1.0, "Initial share of the gain in win probability in the reward of a hand; the rest is points."
    )
    final_match_weight: float = setting(1.0, "Final share of the gain in win probability in the reward.")
    opponents: str = setting(
        "self:1", "Players of the other side, as shares of the tables: self, snapshot or an agent's name."
    )
    forced_nils: float = setting(0.03, "Share of bids replaced by nil, and of blind questions answered by blind nil.")
    snapshot_every: int = setting(2_000_000, "Decisions between two snapshots of the policy.")
    snapshots: int = setting(20, "Maximum number of snapshots; a new one then replaces a random one.")
    n_envs: int = setting(1024, "Number of tables.")
    n_steps: int = setting(128, "Decisions at each table between two updates.")
    batch_size: int = setting(2048, "Decisions per minibatch.")
    n_epochs: int = setting(1, "Passes over the decisions per update.")
    learning_rate: float = setting(1e-3, "Initial learning rate.")
    final_learning_rate: float = setting(3e-5, "Final learning rate; the decay is linear.")
    gae_lambda: float = setting(0.97, "Lambda of generalized advantage estimation (GAE).")
    clip_range: float = setting(0.2, "Clip range of PPO.", 1e-6)
    ent_coef: float = setting(0.01, "Initial weight of the entropy bonus.", 0, 10)
    final_ent_coef: float = setting(0.001, "Final weight of the entropy bonus.", 0, 10)
    vf_coef: float = setting(0.5, "Weight of the value loss.", 0, 100)
    max_grad_norm: float = setting(1.0, "Maximum norm of the gradient.", 1e-6, 1e6)
    layers: str = setting("192,192", "Hidden layers of the policy network.")
    critic_layers: str = setting("192,192", "Hidden layers of the value network, which sees all hands.")
    card_features: bool = setting(True, "Add derived inputs to the networks: master cards, tricks needed and others.")
    suit_symmetry: bool = setting(True, "Share weights between the suits other than spades.")
    bfloat16: bool = setting(True, "Multiply matrices in bfloat16 if the processor has instructions for it.")
    max_hands: int = setting(100, "Truncate a match without a winner after this many hands.")
    eval_every: int = setting(750_000, "Decisions between two evaluations against the frozen opponents.")
    eval_opponents: str = setting("random,heuristic", "Frozen opponents, separated by commas.")
    eval_matches: int = setting(200, "Duplicate matches of each evaluation against each frozen opponent.")
    final_matches: int = setting(1_000, "Duplicate matches of the final evaluation against each frozen opponent.")
    checkpoint_every: int = setting(750_000, "Decisions between two checkpoints.")
    threads: int = setting(0, "Threads, at most 4; 0: one for each core. The result does not depend on them.", 0)
    tensorboard: bool = setting(True, "Write TensorBoard logs.")

    def __post_init__(self) -> None:
        self.check()
        if self.n_envs % WORKERS:
            raise ValueError(f"n_envs must be a multiple of {WORKERS}, got {self.n_envs}")
        if self.teacher == AUTO:
            object.__setattr__(self, "teacher", _best_teacher(parse_rules(self.rules)))
        deck = parse_rules(self.rules).deck
        orders = sum(0 in deck or order[0] == 0 for order in permutations(range(3))) if self.suit_symmetry else 1
        for name, sizes in zip(("layers", "critic_layers"), self.hidden_layers(), strict=True):
            if any(size % orders for size in sizes):
                text = f"must be multiples of {orders}, the number of orders of the suits other than spades"
                raise ValueError(f"{name} {text}, got {getattr(self, name)!r}; or use --no-suit-symmetry")

    def hidden_layers(self) -> tuple[list[int], list[int]]:
        """``layers`` and ``critic_layers`` as numbers."""
        return self.sizes("layers"), self.sizes("critic_layers")

    def stages(self) -> str:
        """The decisions of self-play and imitation in words, with the numbers that whole batches make of them."""
        batch = self.n_envs * self.n_steps

        def count(wanted: int) -> str:
            done = -(-wanted // batch) * batch
            return f"{wanted:,}" + (f" (in batches of {batch:,}: {done:,})" if done != wanted else "")

        text = f"{count(self.total_timesteps)} decisions of self-play"
        return text + (f" after {count(self.warm_start)} imitated of {self.teacher}" if self.warm_start else "")

    def to_json(self) -> str:
        """The contents of ``config.json``."""
        return json.dumps({"learner": FAST} | dataclasses.asdict(self), indent=1) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Settings:
        """The inverse of :meth:`to_json`.

        Raises:
            ValueError: if the text is something else.
        """
        fields = json.loads(text)
        if not isinstance(fields, dict) or fields.pop("learner", None) != FAST:
            raise ValueError("these are not the settings of the fast learner")
        unknown = fields.keys() - {known.name for known in dataclasses.fields(cls)}
        if unknown:
            raise ValueError(f"these are not the settings of the fast learner: {', '.join(sorted(unknown))}")
        return cls(**fields)


def _best_teacher(rules: Rules) -> str:
    """The shipped policy, or the scripted player if the policy does not play these rules."""
    return LearnedAgent.name if plays(LearnedAgent(), rules) else HeuristicAgent.name


def load_settings(run: Path) -> Config | Settings:
    """The settings of the run in a folder, written by either learner.

    Raises:
        ValueError: if there are none, or the file is damaged.
    """
    path = run / "config.json"
    try:
        text = path.read_text("utf8")
        fields = json.loads(text)
    except (OSError, ValueError):
        return Config.load(run)  # it names the error
    if not isinstance(fields, dict) or "learner" not in fields:
        return Config.load(run)
    try:
        return Settings.from_json(text)
    except ValueError as error:
        raise ValueError(f"cannot read the settings {path}: {error}") from None


# Training from scratch: no imitation, and at first half of the reward is points.
_SCRATCH: dict[str, Any] = {
    "warm_start": 0,
    "match_weight": 0.5,
    "batch_size": 4096,
    "learning_rate": 1.5e-3,
    "ent_coef": 0.03,
    "final_ent_coef": 0.002,
}

# Named changes to the defaults.
FAST_PRESETS: dict[str, dict[str, Any]] = {
    "quick": {},
    "standard": _SCRATCH
    | {
        "total_timesteps": 120_000_000,
        "snapshot_every": 20_000_000,
        "eval_every": 10_000_000,
        "checkpoint_every": 10_000_000,
    },
    "strong": _SCRATCH
    | {
        "total_timesteps": 1_000_000_000,
        "layers": "384,384",
        "critic_layers": "384,384",
        "snapshot_every": 50_000_000,
        "eval_every": 50_000_000,
        "checkpoint_every": 10_000_000,
    },
}
