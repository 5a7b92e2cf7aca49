"""Gymnasium's interface: one learner's seat; agents play the others."""

from __future__ import annotations

import operator
from typing import Any, get_args

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from numpy.typing import DTypeLike

from spades_env.action_space import ActionSpace
from spades_env.cards import NUM_ACTIONS
from spades_env.checks import check_choice, check_int
from spades_env.engine.step import NOTHING
from spades_env.envs.opponents import Opponents, apart, make_opponents
from spades_env.envs.options import (
    HandEnds,
    Illegal,
    NotReset,
    check_dtype,
    check_render_mode,
    following,
    mask_ignored,
    open_window,
    rendered,
    start_options,
)
from spades_env.episodes import Episode, Reward, check_episode
from spades_env.game import Game, IllegalAction
from spades_env.observation import SIZE
from spades_env.rules import Rules, as_rules
from spades_env.tables import agent_seed


class SpadesEnv(gymnasium.Env[np.ndarray, np.int64]):
    """Spades for one learner: ``step`` returns at its next decision, after the other seats have acted.

    Observation: vector of :data:`spades_env.observation.SIZE` zeros and ones, whose slices
    ``spades_env.observation.LAYOUT`` names. Actions: ``Discrete(75)``, see ``spades_env.cards``. ``action_masks()``
    returns the legal actions as bool, as MaskablePPO expects, and ``info["action_mask"]`` holds them as int8, as
    ``action_space.sample`` expects. Once an episode is over, no action is legal, and the mask only allows ``DONE``: the
    autoreset of Gymnasium's vector environments asks for an action there, which it ignores.

    Reward: everything the learner's seat has received since its last decision. ``reset(seed=s)`` plays
    ``Game(rules, seed=s)``; a reset without a seed plays the next match of the same stream,
    ``Game(rules, seed=(s, 0, 1))`` and so on. Agents that use randomness are seeded in each match from the match's
    seed, so every match can be reproduced separately.

    ``info`` holds ``action_mask``; after a reset also ``seat``, the learner's seat; at the end of an episode
    ``scores`` (int64, by side, the learner's first), ``hands`` (the number of finished hands) and, if an illegal
    action ended it, ``illegal_action``.

    Args:
        rules: a preset's name or a :class:`Rules`.
        opponents: an agent (or its name, such as ``"heuristic"``) for all other seats, or a list
            of them, clockwise from the learner's left. An agent that plays several seats is copied.
        seat: the learner's seat; None for seat ``m % players`` in match number ``m`` of the stream.
        episode: ``"match"``, or ``"hand"`` to end after every hand.
        reward: ``"score"``: after each hand the score change of the learner's side minus the mean of the other
            sides', in hundreds of points; ``"win"``: 1 or -1 when the match is won or lost.
        max_hands: a match without a winner is truncated after this many hands.
        illegal: what an illegal action does: ``"terminate"`` ends the episode with a penalty
            (-10 with ``reward="score"``, -1 with ``"win"``), ``"raise"`` raises ``IllegalAction`` with nothing changed.
        render_mode: ``"human"`` shows the table in a window after every action, opponents' included, at two actions per
            second (needs pygame-ce). ``render()`` returns it as uint8 of shape (512, 768, 3) with ``"rgb_array"``
            (needs Pillow) and as a string with ``"ansi"``. All three only show what the learner may see.
        dtype: of the observations, ``np.int8`` or ``np.float32``.

    Attributes:
        game: the :class:`Game` being played, with all its cards.
        learner: the learner's seat.

    Raises:
        ValueError: if an argument is invalid.
    """

    metadata: dict[str, Any] = {"render_modes": ["human", "ansi", "rgb_array"], "render_fps": 2}
    game: Game
    learner: int

    def __init__(
        self,
        rules: str | Rules = "two_player",
        opponents: Opponents = "random",
        seat: int | None = None,
        episode: Episode = "match",
        reward: Reward | str = "score",
        max_hands: int = 100,
        illegal: Illegal = "terminate",
        render_mode: str | None = None,
        dtype: DTypeLike = np.int8,
    ) -> None:
        self.rules = as_rules(rules)
        self.opponents = apart(make_opponents(opponents, self.rules))
        self.seat = None if seat is None else check_int("seat", seat, 0, self.rules.players - 1)
        self.episode, self.reward_kind, self.max_hands = check_episode(episode, reward, max_hands)
        self.illegal: Illegal = check_choice("illegal", illegal, get_args(Illegal))
        self.render_mode = check_render_mode(render_mode, self.metadata["render_modes"])
        self._window = open_window(self.render_mode, self.metadata["render_fps"])
        self.dtype = check_dtype(dtype)
        self.observation_space = spaces.Box(0, 1, (SIZE,), self.dtype.type)
        self.action_space = ActionSpace()
        self._hand_ends = HandEnds(self.rules, self.episode, self.reward_kind, self.max_hands)
        self._terminated = self._truncated = False
        self._is_reset = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Start a match and let the opponents act until the learner is on turn.

        Args:
            seed: starts a new stream of matches; without one the next match of the stream is played.
            options: ``decks``, ``scores``, ``bags`` and ``opener``, as :class:`Game` takes them; other keys are
                ignored.

        Raises:
            ValueError: if an option is invalid; then the match in progress is unchanged.
        """
        super().reset(seed=seed)
        last = self.game if self._is_reset else None
        self.game = Game(self.rules, following(last, seed, self.np_random), **start_options(options))
        self._is_reset = True
        players = self.rules.players
        self.learner = self.game.seed[2] % players if self.seat is None else self.seat
        self._terminated = self._truncated = False
        for relative, agent in enumerate(self.opponents, 1):
            agent.reset(agent_seed(self.game.seed, (self.learner + relative) % players))
        if self._window is not None:
            self._window.show(self.game.view(self.learner))
        self._opponents_act()
        observation, mask = self._observe()
        return observation, {"action_mask": mask, "seat": self.learner}

    def step(self, action: int | np.int64) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Carry out the learner's action and the opponents' actions up to its next decision or the end.

        Raises:
            IllegalAction: if the action is not legal and ``illegal="raise"``, or if an opponent's is not legal.
            ResetNeeded: before the first reset and after the end of an episode.
        """
        if not self._is_reset or self._terminated or self._truncated:
            raise ResetNeeded("call reset() before step(), and after the end of an episode")
        try:
            index = operator.index(action)
        except TypeError:
            raise ValueError(f"action must be an int in 0..{NUM_ACTIONS - 1}, got {action!r}") from None
        info: dict[str, Any] = {}
        try:
            reward = self._act(index)
        except IllegalAction:
            if self.illegal == "raise":
                raise
            self._terminated = True
            reward = self.reward_kind.illegal
            info["illegal_action"] = True
        reward += self._opponents_act()
        observation, info["action_mask"] = self._observe()
        if self._terminated or self._truncated:
            sides = self.rules.sides
            own = self.learner % sides
            info["scores"] = np.array(self.game.scores[own:] + self.game.scores[:own], np.int64)
            info["hands"] = self.game.hand_number
        return observation, reward, self._terminated, self._truncated, info

    def action_masks(self) -> np.ndarray:
        """Bool of shape (75,): the learner's legal actions; once the episode is over, only ``DONE``."""
        return self._observe()[1].astype(np.bool_)

    def render(self) -> str | np.ndarray | None:  # type: ignore[override]
        """What the learner may see of the table, as a string or as pixels; with ``"human"`` the window shows it."""
        table = self.game.view(self.learner)
        if self._window is not None:
            self._window.show(table)
        return rendered(table, self.render_mode)

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()

    def _opponents_act(self) -> float:
        """Let the opponents act until the learner is on turn or the episode is over; returns the learner's reward."""
        reward = 0.0
        while not (self._terminated or self._truncated) and self.game.seat != self.learner:
            agent = self.opponents[(self.game.seat - self.learner) % self.rules.players - 1]
            try:
                reward += self._act(agent.act(self.game.view()))
            except IllegalAction as error:
                raise IllegalAction(f"an opponent's {error}") from None
        return reward

    def _act(self, action: int) -> float:
        """Carry out an action of the seat on turn; returns the learner's reward."""
        before = None if self._window is None else self.game.view(self.learner)
        event = self.game.step(action)
        ends = None if event == NOTHING else self._hand_ends.book(self.game, event)
        if self._window is not None and before is not None:
            if ends is not None:
                self._window.show(before, action)  # the last trick, before the next hand replaces it
            self._window.show(self.game.view(self.learner))
        if ends is None:
            return 0.0
        self._terminated, self._truncated = ends
        return float(self._hand_ends.rewards[self.learner])

    def _observe(self) -> tuple[np.ndarray, np.ndarray]:
        observation, mask = self.game.observe(self.learner)
        if self._terminated or self._truncated:
            mask_ignored(mask)
        return observation.astype(self.dtype, copy=False), mask

    def __getattr__(self, name: str) -> Any:
        if name in ("game", "learner"):
            raise NotReset(name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
