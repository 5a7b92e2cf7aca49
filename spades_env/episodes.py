"""The options for episodes and rewards, and their checks."""

from __future__ import annotations

from enum import Enum
from typing import Any, Literal, get_args

from spades_env.checks import check_choice, check_int

Episode = Literal["match", "hand"]


class Reward(str, Enum):
    """The reward of each seat. A member equals its value: ``Reward.WIN == "win"``."""

    SCORE = "score"
    """After each hand, its side's score change minus the mean of the other sides', in hundreds of points."""

    WIN = "win"
    """After the match, 1 if its side has won and -1 if not."""

    MATCH = "match"
    """After each hand, twice the change in its side's chance of winning the match. Training computes it from match
    values; environments do not offer it."""

    __str__ = str.__str__

    @property
    def code(self) -> int:
        """The int that represents it in kernels."""
        return list(Reward).index(self)

    @property
    def illegal(self) -> float:
        """The reward of an illegal action that ends the episode."""
        return -10.0 if self is Reward.SCORE else -1.0


def check_episode(episode: Any, reward: Any, max_hands: Any) -> tuple[Episode, Reward, int]:
    """The three options that every environment has, checked.

    Raises:
        ValueError: if one of them is invalid.
    """
    check_choice("episode", episode, get_args(Episode))
    if reward == Reward.MATCH:
        raise ValueError("reward must be one of 'score', 'win', got 'match', which only training computes")
    reward = Reward(check_choice("reward", reward, (Reward.SCORE.value, Reward.WIN.value)))
    return episode, reward, check_int("max_hands", max_hands, 1, 1_000_000)
