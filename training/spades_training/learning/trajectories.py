"""The learner's trajectories: where episodes end, how hands are rewarded, and what the critic sees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces
from spades_agents.compiler import jit
from spades_agents.heuristic.scripted import new_scratch, play_out
from spades_agents.match_value import chances, match_table
from spades_agents.policy.policy_input import InputEncoder, PolicyInput
from stable_baselines3.common.vec_env import VecEnvWrapper

from spades_env.cards import NUM_ACTIONS
from spades_env.engine.encode import encode_for
from spades_env.engine.state import BLIND_BID
from spades_env.observation import SIZE
from spades_training.learning.sb3 import SpadesVecEnv

LOWEST = -100  # random score


@jit
def encode_again(states, rules, rows, seats, observations, mask):
    """Write what ``seats`` observe at the tables ``rows`` to these rows of ``observations``; ``mask`` is scratch."""
    for k in range(len(rows)):
        encode_for(states[rows[k]], rules[0], seats[rows[k]], observations[rows[k]], mask)


@jit
def play_on(states, rules, scratch):
    """Let the scripted player finish the hands at ``states`` at all seats, with the random streams of the tables."""
    for row in range(len(states)):
        play_out(states, row, rules, scratch)


@dataclass(frozen=True)
class EpisodeOptions:
    """Where a learner's episodes end, and how they are rewarded.

    Attributes:
        by_hand: end an episode after every hand. The match continues, so scores and bags are those of real matches,
            but the rewards of later hands are not credited to this one. (The points of a hand say far more about
            its decisions than the end of a match dozens of hands later.)
        bag_shaping: charge ``bag_penalty / bag_limit`` points for a bag when it is taken, and refund them when the
            penalty is due. This is potential-based shaping (Ng, Harada and Russell 1999): the hand that takes a bag
            pays for it, and the best policy for the sum of all points stays the same.
        match_value: reward each hand by twice the change in the chance of winning the match, so that the rewards of a
            match sum to +1 or -1 minus the value of its start. Replaces the reward of the environment.
        random_scores: share of hands that start with random scores and bags.
        duplicate_baseline: subtract from the reward of a hand what it would have been if the scripted player had played
            every seat from the learner's first decision, with the same cards. The learner cannot influence this control
            variate, so its best policy stays the same, and much of the luck of the deal cancels. Requires ``by_hand``.
            The sums of rewards in the infos do not include it.
    """

    by_hand: bool
    bag_shaping: bool
    match_value: bool = False
    random_scores: float = 0.0
    duplicate_baseline: bool = False

    def __post_init__(self) -> None:
        if self.duplicate_baseline and not self.by_hand:
            raise ValueError("duplicate_baseline needs by_hand: the baseline is the result of a hand")


class LearnerTrajectories(VecEnvWrapper):
    """Changes the rewards, ends of episodes and observations of a :class:`SpadesVecEnv` that plays whole matches.

    Args:
        venv: the environment, with ``episode="match"``.
        options: where episodes end, and how they are rewarded.
        features: add those of :mod:`spades_agents.policy.card_features` to the observations.
        hint: name of a player; its action is then added, one bit for each action.
        oracle: add the cards of the other seats, clockwise, to the observations: 52 bits each, for the critic.
        rng: draws the random scores.
    """

    def __init__(
        self,
        venv: SpadesVecEnv,
        options: EpisodeOptions,
        features: bool = False,
        hint: str = "",
        oracle: bool = False,
        rng: np.random.Generator | None = None,
    ) -> None:
        self.spades = venv.env
        self.rules = venv.env.rules
        self.layout = PolicyInput(features, hint, self.rules.players - 1 if oracle else 0)
        self._encoder = InputEncoder(self.layout)
        self._scripted = new_scratch()
        super().__init__(venv, spaces.Box(0, 1, (self.layout.size,), np.int8))
        self.options = options
        self._rng = rng or np.random.default_rng(0)
        shaped = options.bag_shaping and self.rules.bag_limit > 0 and not options.match_value
        self._bag_price = self.rules.bag_penalty / self.rules.bag_limit / 100 if shaped else 0.0
        self._table = match_table(self.rules)
        self._potential = np.zeros(self.num_envs)
        self._hands = np.zeros(self.num_envs, np.int64)
        self._points = np.zeros(self.num_envs)
        self._lengths = np.zeros(self.num_envs, np.int64)
        self._baseline = np.zeros(self.num_envs) if options.duplicate_baseline else None

    def reset(self) -> np.ndarray:
        """Start a match at every table."""
        observations: np.ndarray = self.venv.reset()  # type: ignore[assignment]
        self._hands[:] = self._hand_numbers()
        self._start_hands(observations, np.arange(self.num_envs))
        self._points[:] = 0
        self._lengths[:] = 0
        return self._with_more(observations)

    def arrays(self) -> dict[str, np.ndarray]:
        """Like :meth:`SpadesVecEnv.arrays`, with the state of the hands in progress."""
        own = {"potential": self._potential, "hands": self._hands, "points": self._points, "steps": self._lengths}
        if self._baseline is not None:
            own["baseline"] = self._baseline
        return self.venv.arrays() | own  # type: ignore[attr-defined]

    def observe(self) -> np.ndarray:
        """The observations of the last step or reset."""
        return self._with_more(self.spades.observe())

    def hinted(self, observations: np.ndarray) -> np.ndarray:
        """The actions of the hints in ``observations``, int64."""
        return observations[:, self.layout.hint_columns].argmax(1)

    def restore(self, saved: dict[str, np.ndarray]) -> None:
        """Continue from copies of :meth:`arrays`.

        Raises:
            ValueError: if they belong to an environment with other settings.
        """
        own = self.arrays()
        if {k: (a.shape, a.dtype) for k, a in own.items()} != {k: (a.shape, a.dtype) for k, a in saved.items()}:
            raise ValueError("the tables in the checkpoint have other settings, or come from another version")
        for name, array in own.items():
            array[...] = saved[name]
        self.venv.resume()  # type: ignore[attr-defined]

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Step the environment, and change the rewards, ends of episodes and observations."""
        observations, rewards, dones, infos = self.venv.step_wait()
        hands = self._hand_numbers()
        ended = dones | (hands != self._hands)
        self._hands[:] = hands
        gains = self._gains(ended, dones, infos)
        paid = gains if self.options.match_value else rewards
        rewards = gains if self.options.match_value else rewards + gains
        if self._baseline is not None:
            rewards = rewards - np.where(ended, self._baseline, 0).astype(np.float32)
        self._points += paid
        self._lengths += 1
        self._start_hands(observations, np.flatnonzero(ended))  # type: ignore[arg-type]
        if self.options.by_hand:
            dones = ended
            for i in np.flatnonzero(dones):
                infos[i]["episode"] = {"r": float(self._points[i]), "l": int(self._lengths[i]), "t": 0.0}
                infos[i]["TimeLimit.truncated"] = False  # the hand is complete, so there is nothing to bootstrap
        self._points[dones] = 0
        self._lengths[dones] = 0
        return self._with_more(observations), rewards, dones, infos  # type: ignore[arg-type]

    def _hand_numbers(self) -> np.ndarray:
        return self.spades.tables.states["hand_number"].astype(np.int64)

    def _gains(self, ended: np.ndarray, dones: np.ndarray, infos: list[dict[str, Any]]) -> np.ndarray:
        """The increase in each learner's potential, float32; 0 where no hand has ``ended``."""
        if not self.options.match_value and not self._bag_price:
            return np.zeros(self.num_envs, np.float32)
        potential = self._potentials(self.spades.tables.states, self.spades.learners % self.rules.sides)
        for i in np.flatnonzero(dones):
            potential[i] = self._final_potential(infos[i], self._potential[i])
        return np.where(ended, potential - self._potential, 0).astype(np.float32)

    def rewarded(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray | float]:
        """What :func:`future_rewards` subtracts in the hands at ``rows``: their potentials and baselines."""
        return self._potential[rows], 0.0 if self._baseline is None else self._baseline[rows]

    def _potentials(self, states: np.ndarray, own_sides: np.ndarray) -> np.ndarray:
        """The value of the scores and bags to the learners' sides beyond the points already rewarded.

        By match value it is twice the chance of winning. Otherwise it is minus the price of the learner's bags plus the
        mean price of the other sides'.
        """
        rows = np.arange(len(states))
        if self.options.match_value:
            found = np.empty(len(states))
            chances(self._table, states, self.spades.tables.rules_array, rows, own_sides, found)
            return 2 * found
        return -self._bag_price * self._leads(states["bags"], own_sides)

    def _leads(self, numbers: np.ndarray, own_sides: np.ndarray) -> np.ndarray:
        """The learner's side minus the mean of the other sides, of ``numbers`` (tables, sides)."""
        numbers = numbers[:, : self.rules.sides].astype(np.float64)
        own = numbers[np.arange(len(numbers)), own_sides]
        return own - (numbers.sum(1) - own) / (self.rules.sides - 1)

    def _final_potential(self, info: dict[str, Any], before: float) -> float:
        """The potential at the end of a match; the learner's side is first in its scores."""
        if not self.options.match_value:
            return 0.0  # bags no longer matter
        if info["TimeLimit.truncated"]:
            return before
        return 2.0 if info["scores"][0] > max(info["scores"][1:]) else 0.0

    def _start_hands(self, observations: np.ndarray, rows: np.ndarray) -> None:
        """Set up the hands that have just started at ``rows``: random scores, potentials and baselines."""
        if not len(rows):
            return
        # Match value draws even at a share of 0, so that its random numbers are the same at any share.
        if self.options.random_scores or self.options.match_value:
            self._draw_scores(observations, rows)
        states, own_sides = self.spades.tables.states[rows], self.spades.learners[rows] % self.rules.sides
        self._potential[rows] = self._potentials(states, own_sides)
        if self._baseline is not None:
            self._baseline[rows] = self._scripted_rewards(states, own_sides, self._potential[rows])

    def _draw_scores(self, observations: np.ndarray, rows: np.ndarray) -> None:
        """Give random scores and bags to a share of the hands that have just started at ``rows``.

        Hands in which somebody has already bid blind keep their scores, because the bid depends on them.
        """
        tables = self.spades.tables
        chosen = rows[self._rng.random(len(rows)) < self.options.random_scores]
        chosen = chosen[(tables.states["blind"][chosen] != BLIND_BID).all(1)]
        shape = len(chosen), self.rules.sides
        bags = self._rng.integers(0, max(self.rules.bag_limit, 1), shape)
        tens = self._rng.integers(LOWEST // 10, self.rules.target // 10, shape)
        tables.set_scores(10 * tens + bags, bags, chosen)  # a bag is a point, so the bags are the last digit
        mask = np.empty(NUM_ACTIONS, np.int8)
        encode_again(tables.states, tables.rules_array, chosen, self.spades.learners, observations, mask)

    def _scripted_rewards(self, states: np.ndarray, own_sides: np.ndarray, before: np.ndarray) -> np.ndarray:
        """The learners' rewards in the hands at ``states`` if the scripted player finishes them at every seat.

        Args:
            states: the tables, which are played to the end of the hand in place.
            own_sides: sides of the learners.
            before: potentials at the start of the hand.
        """
        play_on(states, self.spades.tables.rules_array, self._scripted)
        over = states["winner"] >= 0
        truncated = ~over & (states["hand_number"] >= self.spades.tables.max_hands)
        after = self._potentials(states, own_sides)
        if self.options.match_value:
            return np.where(truncated, before, after) - before
        after[over | truncated] = 0  # bags no longer matter
        return self._leads(states["points"], own_sides) / 100 + after - before

    def _with_more(self, observations: np.ndarray) -> np.ndarray:
        """The observations followed by the other columns of the policy's input."""
        if self.layout.size == SIZE:
            return observations
        inputs = np.empty((self.num_envs, self.layout.size), np.int8)
        inputs[:, :SIZE] = observations
        self._encoder.encode_rest(self.spades.tables, np.arange(self.num_envs), inputs)
        return inputs


def future_rewards(chances: np.ndarray, rewarded: tuple[np.ndarray, np.ndarray | float]) -> np.ndarray:
    """The future rewards by match value in hands, float32 of the shape of ``chances``.

    Args:
        chances: the chances of winning the match after the hands.
        rewarded: the value of :meth:`LearnerTrajectories.rewarded`.
    """
    potential, baseline = rewarded
    return (2 * chances - potential - baseline).astype(np.float32)
