"""What the environments share: the order of the matches a reset plays, and checks of common options."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np

Illegal = Literal["terminate", "raise"]

_START_OPTIONS = ("decks", "scores", "bags", "opener")


class MatchStream:
    """Which match each reset plays: match 0 of a seed, then without a new seed match 1, 2, ... of the same."""

    def __init__(self) -> None:
        self._seed: int | None = None
        self._match = -1

    def next(self, seed: int | None, rng: np.random.Generator) -> tuple[int, int, int]:
        """The seed of the next match, as :class:`spades_env.Game` takes it.

        Args:
            seed: starts match 0 of that seed; None goes on.
            rng: chooses the seed if there was none so far.
        """
        if seed is None and self._seed is None:
            seed = int(rng.integers(2**48))
        if seed is not None:
            self._seed, self._match = int(seed), -1
        self._match += 1
        return self._seed or 0, 0, self._match


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
