"""What the environments share: the order of the matches a reset plays, and checks of common options."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from spades_env.game import Game
from spades_env.game.position import Position

if TYPE_CHECKING:
    from spades_env.picture.window import Window

Illegal = Literal["terminate", "raise"]

_START_OPTIONS = ("decks", "scores", "bags", "opener")


def following(game: Game | None, seed: int | None, rng: np.random.Generator) -> tuple[int, int, int]:
    """The seed of the match that a reset plays.

    Args:
        game: the match played so far, None at first.
        seed: of a new stream of matches, of which this is the first; None goes on to the next of the same.
        rng: draws the seed if there is neither.
    """
    if seed is not None:
        return int(seed), 0, 0
    if game is None:
        return int(rng.integers(2**48)), 0, 0
    first, table, match = game.seed
    return first, table, match + 1


def start_options(options: dict[str, Any] | None) -> dict[str, Any]:
    """Those of the options of a reset that say how the match begins; the others are somebody else's."""
    return {key: value for key, value in (options or {}).items() if key in _START_OPTIONS}


def check_illegal(illegal: Any) -> Illegal:
    """What an illegal action does, checked."""
    if illegal not in get_args(Illegal):
        raise ValueError(f"illegal must be one of {', '.join(map(repr, get_args(Illegal)))}, got {illegal!r}")
    return illegal


def check_render_mode(render_mode: Any, modes: Sequence[str]) -> str | None:
    """A render mode that the environment has, or None."""
    if render_mode is not None and render_mode not in modes:
        raise ValueError(f"render_mode must be None or one of {', '.join(map(repr, modes))}, got {render_mode!r}")
    return render_mode


def open_window(render_mode: str | None, fps: float) -> Window | None:
    """The window of ``render_mode="human"``, which opens with the first picture; None in other modes.

    Raises:
        gymnasium.error.DependencyNotInstalled: if there is no package to open one with.
    """
    if render_mode != "human":
        return None
    from spades_env.picture.window import Window

    return Window("Spades", fps)


def rendered(table: Position, render_mode: str | None) -> str | np.ndarray | None:
    """What ``render()`` returns in the modes ``"ansi"`` and ``"rgb_array"``; None in others."""
    if render_mode == "ansi":
        from spades_env.picture.ansi import ansi

        return ansi(table)
    if render_mode == "rgb_array":
        from spades_env.picture import rgb_array

        return rgb_array(table)
    return None
