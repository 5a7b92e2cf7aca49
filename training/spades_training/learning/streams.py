"""What a learner is told of a match: where its episodes end, what its hands are worth, and what its critic sees."""

from __future__ import annotations

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

__all__ = ["LearnerStreams"]

LOWEST = -100  # random scores are so many points or more


@jit
def encode_again(states, rules, rows, seats, observations, mask):
    """Write what ``seats`` observe at the tables ``rows`` to the same rows of ``observations``; ``mask`` is scratch."""
    for k in range(len(rows)):
        encode_for(states[rows[k]], rules[0], seats[rows[k]], observations[rows[k]], mask)


@jit
def play_on(states, rules, scratch):
    """Let the scripted player finish the hands at ``states``, at all seats; the decks and dice are the tables' own."""
    for row in range(len(states)):
        play_out(states, row, rules, scratch)


class LearnerStreams(VecEnvWrapper):
    """Changes rewards and ends of the streams of a :class:`SpadesVecEnv` that plays whole matches.

    Args:
        venv: the environment, with ``episode="match"``.
        by_hand: end a stream with every hand. The match goes on, so scores and bags are as they come in a match,
            but what later hands bring is no merit of this one. (Points of a hand tell far more about its
            decisions than the end of a match, dozens of hands later.)
        bag_shaping: charge ``bag_penalty / bag_limit`` points for a bag when it is taken and give them back when
            the penalty falls due. That is shaping by a potential, which leaves the best policy for the sum of
            all points what it is (Ng, Harada and Russell 1999), and makes the cost of a bag fall to the hand
            that took it.
        match_value: reward each hand by twice what it adds to the chance of winning the match, so that the
            rewards of a match sum to +1 or -1 less what the start was worth. Replaces the environment's reward.
        random_scores: share of hands that begin with random scores and bags.
        features: add those of :mod:`spades_agents.policy.card_features` to the observations.
        hint: name of a player; and then, one bit for each action, what it would do.
        oracle: add the cards of the other seats, clockwise, to the observations: 52 bits each, for the critic.
        duplicate_baseline: subtract from the reward of a hand what it would have brought if the scripted player had
            played every seat, with the same cards, from the learner's first decision on. Nothing that the learner
            does changes that, so its best policy stays the same, and much of the luck of the deal cancels: a control
            variate, which with ``by_hand`` alone makes sense. Sums of rewards in the infos are without it.
        rng: draws the random scores.

    Raises:
        ValueError: if ``duplicate_baseline`` is wanted but not ``by_hand``.
    """

    def __init__(
        self,
        venv: SpadesVecEnv,
        by_hand: bool,
        bag_shaping: bool,
        match_value: bool = False,
        random_scores: float = 0.0,
        features: bool = False,
        hint: str = "",
        oracle: bool = False,
        duplicate_baseline: bool = False,
        rng: np.random.Generator | None = None,
    ) -> None:
        if duplicate_baseline and not by_hand:
            raise ValueError("duplicate_baseline needs by_hand: it tells what a hand would have brought")
        self.spades = venv.env
        self.rules = venv.env.rules
        self.layout = PolicyInput(features, hint, self.rules.players - 1 if oracle else 0)
        self._encoder = InputEncoder(self.layout)
        self._scripted = new_scratch()
        super().__init__(venv, spaces.Box(0, 1, (self.layout.size,), np.int8))
        self.by_hand, self.match_value, self.random_scores = by_hand, match_value, random_scores
        self._rng = rng or np.random.default_rng(0)
        shaped = bag_shaping and self.rules.bag_limit > 0 and not match_value
        self._bag_price = self.rules.bag_penalty / self.rules.bag_limit / 100 if shaped else 0.0
        self._table = match_table(self.rules)
        self._potential = np.zeros(self.num_envs)
        self._hands = np.zeros(self.num_envs, np.int64)
        self._points = np.zeros(self.num_envs)
        self._lengths = np.zeros(self.num_envs, np.int64)
        self._baseline = np.zeros(self.num_envs) if duplicate_baseline else None

    def reset(self) -> np.ndarray:
        """Begin anew at every table."""
        observations: np.ndarray = self.venv.reset()  # type: ignore[assignment]
        self._hands[:] = self._hand_numbers()
        self._begin_hands(observations, np.arange(self.num_envs))
        self._points[:] = 0
        self._lengths[:] = 0
        return self._with_more(observations)

    def arrays(self) -> dict[str, np.ndarray]:
        """As :meth:`SpadesVecEnv.arrays`, with what is known of the hands under way."""
        own = {"potential": self._potential, "hands": self._hands, "points": self._points, "steps": self._lengths}
        if self._baseline is not None:
            own["baseline"] = self._baseline
        return self.venv.arrays() | own  # type: ignore[attr-defined]

    def observe(self) -> np.ndarray:
        """The observations of the last step or reset once more."""
        return self._with_more(self.spades.observe())

    def hinted(self, observations: np.ndarray) -> np.ndarray:
        """The actions, int64, that the hints in ``observations`` name."""
        return observations[:, self.layout.hint_columns].argmax(1)

    def restore(self, saved: dict[str, np.ndarray]) -> None:
        """Go on from copies of :meth:`arrays`.

        Raises:
            ValueError: if they are not those of such an environment.
        """
        own = self.arrays()
        if {k: (a.shape, a.dtype) for k, a in own.items()} != {k: (a.shape, a.dtype) for k, a in saved.items()}:
            raise ValueError("the tables in the checkpoint are those of other settings, or of another version")
        for name, array in own.items():
            array[...] = saved[name]
        self.spades.observe()
        self.venv._reset_seeds()  # the model that was loaded has asked for other matches at the next reset

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """As the environment, with other rewards and ends."""
        observations, rewards, dones, infos = self.venv.step_wait()
        hands = self._hand_numbers()
        ended = dones | (hands != self._hands)
        self._hands[:] = hands
        gains = self._gains(ended, dones, infos)
        paid = gains if self.match_value else rewards
        rewards = gains if self.match_value else rewards + gains
        if self._baseline is not None:
            rewards = rewards - np.where(ended, self._baseline, 0).astype(np.float32)
        self._points += paid
        self._lengths += 1
        self._begin_hands(observations, np.flatnonzero(ended))  # type: ignore[arg-type]
        if self.by_hand:
            dones = ended
            for i in np.flatnonzero(dones):
                infos[i]["episode"] = {"r": float(self._points[i]), "l": int(self._lengths[i]), "t": 0.0}
                infos[i]["TimeLimit.truncated"] = False  # the hand is complete: nothing to bootstrap
        self._points[dones] = 0
        self._lengths[dones] = 0
        return self._with_more(observations), rewards, dones, infos  # type: ignore[arg-type]

    def _hand_numbers(self) -> np.ndarray:
        return self.spades.tables.states["hand_number"].astype(np.int64)

    def _gains(self, ended: np.ndarray, dones: np.ndarray, infos: list[dict[str, Any]]) -> np.ndarray:
        """By how much the potential of each learner has risen, float32; 0 where no hand has ``ended``."""
        if not self.match_value and not self._bag_price:
            return np.zeros(self.num_envs, np.float32)
        potential = self._potentials(self.spades.tables.states, self.spades.learners % self.rules.sides)
        for i in np.flatnonzero(dones):
            potential[i] = self._final_potential(infos[i], self._potential[i])
        return np.where(ended, potential - self._potential, 0).astype(np.float32)

    def returns(self, rows: np.ndarray, chances: np.ndarray) -> np.ndarray:
        """The rewards to come by match value in the hands at ``rows``, if these are the chances to win after them."""
        baseline = 0.0 if self._baseline is None else self._baseline[rows]
        return (2 * chances - self._potential[rows] - baseline).astype(np.float32)

    def _potentials(self, states: np.ndarray, own_sides: np.ndarray) -> np.ndarray:
        """What the scores and bags are worth to the learners' sides beyond the points already given to them.

        Twice the chance to win; or minus the price of the learner's bags, plus the mean of the others'.
        """
        rows = np.arange(len(states))
        if self.match_value:
            found = np.empty(len(states))
            chances(self._table, states, self.spades.tables.rules_array, rows, own_sides, found)
            return 2 * found
        return -self._bag_price * self._leads(states["bags"], own_sides)

    def _leads(self, numbers: np.ndarray, own_sides: np.ndarray) -> np.ndarray:
        """By how much the learner's side has more than the mean of the others, of ``numbers`` (tables, sides)."""
        numbers = numbers[:, : self.rules.sides].astype(np.float64)
        own = numbers[np.arange(len(numbers)), own_sides]
        return own - (numbers.sum(1) - own) / (self.rules.sides - 1)

    def _final_potential(self, info: dict[str, Any], before: float) -> float:
        """The same of a match that is over, the learner's side first in its scores."""
        if not self.match_value:
            return 0.0  # no bags to pay for
        if info["TimeLimit.truncated"]:
            return before
        return 2.0 if info["scores"][0] > max(info["scores"][1:]) else 0.0

    def _begin_hands(self, observations: np.ndarray, rows: np.ndarray) -> None:
        """Note what the hands that have just begun at ``rows`` start from, after giving some random scores."""
        if not len(rows):
            return
        if self.random_scores or self.match_value:  # by match value the rest of the dice are the same at any share
            self._draw_scores(observations, rows)
        states, own_sides = self.spades.tables.states[rows], self.spades.learners[rows] % self.rules.sides
        self._potential[rows] = self._potentials(states, own_sides)
        if self._baseline is not None:
            self._baseline[rows] = self._scripted_rewards(states, own_sides, self._potential[rows])

    def _draw_scores(self, observations: np.ndarray, rows: np.ndarray) -> None:
        """Give a share of the hands that have just begun at ``rows`` random scores and bags.

        Not where somebody has bid blind already: only the old scores explain why.
        """
        tables = self.spades.tables
        chosen = rows[self._rng.random(len(rows)) < self.random_scores]
        chosen = chosen[(tables.states["blind"][chosen] != BLIND_BID).all(1)]
        shape = len(chosen), self.rules.sides
        bags = self._rng.integers(0, max(self.rules.bag_limit, 1), shape)
        tens = self._rng.integers(LOWEST // 10, self.rules.target // 10, shape)
        tables.set_scores(10 * tens + bags, bags, chosen)  # a bag is a point: so bags are the last digit
        mask = np.empty(NUM_ACTIONS, np.int8)
        encode_again(tables.states, tables.rules_array, chosen, self.spades.learners, observations, mask)

    def _scripted_rewards(self, states: np.ndarray, own_sides: np.ndarray, before: np.ndarray) -> np.ndarray:
        """What the hands at ``states`` would bring the learners if the scripted player went on at every seat.

        Args:
            states: the tables, which are played to the end of the hand.
            own_sides: of the learners.
            before: potentials at the start of the hand.
        """
        play_on(states, self.spades.tables.rules_array, self._scripted)
        over = states["winner"] >= 0
        cut_off = ~over & (states["hand_number"] >= self.spades.tables.max_hands)
        after = self._potentials(states, own_sides)
        if self.match_value:
            return np.where(cut_off, before, after) - before
        after[over | cut_off] = 0  # no bags to pay for
        return self._leads(states["points"], own_sides) / 100 + after - before

    def _with_more(self, observations: np.ndarray) -> np.ndarray:
        """The observations followed by the other columns of the policy's input."""
        if self.layout.size == SIZE:
            return observations
        inputs = np.empty((self.num_envs, self.layout.size), np.int8)
        inputs[:, :SIZE] = observations
        self._encoder.encode_rest(self.spades.tables, np.arange(self.num_envs), inputs)
        return inputs
