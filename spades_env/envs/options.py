"""What the environments share: the matches that resets play, the ends of hands, and checks of common options."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import DTypeLike

from spades_env.cards import DONE
from spades_env.engine import single
from spades_env.engine.episode import episode_array
from spades_env.engine.step import HAND_ENDED, MATCH_ENDED
from spades_env.episodes import Episode, Reward
from spades_env.game import Game
from spades_env.game.position import Position
from spades_env.rules import Rules

if TYPE_CHECKING:
    from spades_env.picture.window import Window

Illegal = Literal["terminate", "raise"]
DTYPES = (np.dtype(np.int8), np.dtype(np.float32))  # of observations

_START_OPTIONS = ("decks", "scores", "bags", "opener")


class NotReset(ResetNeeded, AttributeError):
    """Something was asked for that only exists after the first reset.

    It is an AttributeError, too, so that ``hasattr`` and PettingZoo's wrappers understand it.
    """

    def __init__(self, what: str) -> None:
        super().__init__(f"call reset() first: before it there is no {what}")


def mask_ignored(masks: np.ndarray) -> None:
    """Allow only the action ``DONE`` in these masks (in place): it will be ignored, but a policy has to sample it."""
    masks[...] = 0
    masks[..., DONE] = 1


class HandEnds:
    """Books the ends of hands at one table.

    Attributes:
        rewards: float64 of shape (players,), the reward of each seat for the last hand that has ended.
    """

    def __init__(self, rules: Rules, episode: Episode, reward: Reward, max_hands: int) -> None:
        self.rewards = np.zeros(rules.players)
        self._options = episode_array(episode, reward, max_hands)

    def book(self, game: Game, event: int) -> tuple[bool, bool] | None:
        """Write ``rewards`` for what ``game.step`` returned: (terminated, truncated), or None if no hand has ended."""
        if event not in (HAND_ENDED, MATCH_ENDED):
            return None
        return single.book_event(game.state, game.rules_array, self._options, event, self.rewards)


def following(game: Game | None, seed: int | None, rng: np.random.Generator) -> tuple[int, int, int]:
    """The seed of the match that a reset plays.

    Args:
        game: the last match, or None before the first.
        seed: seed of a new stream of matches; None continues the stream of ``game``.
        rng: draws the seed if both are None.
    """
    if seed is not None:
        return int(seed), 0, 0
    if game is None:
        return int(rng.integers(2**48)), 0, 0
    first, table, match = game.seed
    return first, table, match + 1


def start_options(options: dict[str, Any] | None) -> dict[str, Any]:
    """The reset options that determine how the match starts; others are ignored."""
    return {key: value for key, value in (options or {}).items() if key in _START_OPTIONS}


def check_dtype(dtype: DTypeLike) -> np.dtype[Any]:
    """The dtype of observations, checked."""
    with contextlib.suppress(TypeError):
        if np.dtype(dtype) in DTYPES:
            return np.dtype(dtype)
    raise ValueError(f"dtype must be np.int8 or np.float32, got {dtype!r}")


def check_render_mode(render_mode: Any, modes: Sequence[str]) -> str | None:
    """The render mode, checked: None or one that the environment has."""
    if render_mode is not None and render_mode not in modes:
        raise ValueError(f"render_mode must be None or one of {', '.join(map(repr, modes))}, got {render_mode!r}")
    return render_mode


def open_window(render_mode: str | None, fps: float) -> Window | None:
    """The window of ``render_mode="human"``, which opens with the first picture; None in other modes.

    Raises:
        gymnasium.error.DependencyNotInstalled: if a package that it needs is missing.
    """
    if render_mode != "human":
        return None
    from spades_env.picture.window import Window

    return Window("Spades", fps)


def rendered(table: Position, render_mode: str | None) -> str | np.ndarray | None:
    """What ``render()`` returns in the modes ``"ansi"`` and ``"rgb_array"``; None in other modes."""
    if render_mode == "ansi":
        from spades_env.picture.ansi import ansi

        return ansi(table)
    if render_mode == "rgb_array":
        from spades_env.picture import rgb_array

        return rgb_array(table)
    return None
