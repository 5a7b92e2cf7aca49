"""Spades for PettingZoo: ``env``, ``raw_env`` and ``parallel_env``.

The documentation of the environment describes observations, actions and rewards under PettingZoo's headings.

Version history
    v0: first version.
"""

from __future__ import annotations

import copy
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from numpy.typing import DTypeLike
from pettingzoo import AECEnv, ParallelEnv

from spades_env.action_space import ActionSpace
from spades_env.cards import NUM_ACTIONS
from spades_env.engine.step import NOTHING
from spades_env.envs import wrappers
from spades_env.envs.options import (
    HandEnds,
    NotReset,
    check_dtype,
    check_render_mode,
    following,
    open_window,
    rendered,
    start_options,
)
from spades_env.episodes import Episode, Reward, check_episode
from spades_env.game import Game
from spades_env.observation import SIZE, STATE_SIZE
from spades_env.rules import Rules, as_rules

__all__ = ["env", "parallel_env", "raw_env"]

# The attributes that change during a match.
_LIVE = ("game", "agents", "agent_selection", "rewards", "_cumulative_rewards", "terminations", "truncations", "infos")
_LIVE += ("_skip_agent_selection", "_paid", "np_random", "np_random_seed")


def env(
    rules: str | Rules = "two_player",
    episode: Episode = "match",
    reward: Reward | str = "score",
    max_hands: int = 100,
    render_mode: str | None = None,
    dtype: DTypeLike = np.int8,
) -> AECEnv[str, dict[str, np.ndarray], int | None]:
    """Spades in PettingZoo's usual wrappers.

    Agents are ``player_0`` and so on, by seat, clockwise. A seat may act several times in a row. An observation is a
    dict of ``"observation"`` (of shape (960,), see :mod:`spades_env.observation`) and ``"action_mask"`` (int8 of
    shape (75,), all 0 for a seat that is not on turn). An illegal action ends the match: it costs the offender 10 (1
    with ``reward="win"``) and the others nothing. When a hand ends, ``infos[agent]["hand"]`` holds its bids, blind nils
    and tricks by seat and its points by side, until the agent has acted.

    Args:
        rules: a preset's name or a :class:`spades_env.Rules`.
        episode: ``"match"``, or ``"hand"`` to end after one hand.
        reward: ``"score"``: after each hand, a side's score change minus the mean of the other sides', in hundreds of
            points; ``"win"``: after the match, 1 for the seats of the side that won and -1 for the others.
        max_hands: a match without a winner is truncated after this many hands.
        render_mode: None; ``"human"``, a window that follows every step (needs pygame-ce); ``"rgb_array"``, uint8 of
            shape (512, 768, 3) (needs Pillow); ``"ansi"``, a string. All show the whole table, every hand face up.
        dtype: of the observations and of ``state()``, ``np.int8`` or ``np.float32``. Masks are always int8.

    Raises:
        ValueError: if an argument is invalid.
    """
    raw = raw_env(rules, episode, reward, max_hands, render_mode, dtype)
    checked: Any = wrappers.TerminateIllegalWrapper(raw, illegal_reward=raw.reward_kind.illegal)
    checked = wrappers.AssertOutOfBoundsWrapper(checked)
    return wrappers.OrderEnforcingWrapper(checked)


def parallel_env(
    rules: str | Rules = "two_player",
    episode: Episode = "match",
    reward: Reward | str = "score",
    max_hands: int = 100,
    render_mode: str | None = None,
    dtype: DTypeLike = np.int8,
) -> ParallelEnv[str, dict[str, np.ndarray], int | None]:
    """The same game under the parallel interface, which only uses the action of ``infos[agent]["active_agent"]``.

    The masks of the other agents only allow ``DONE``, so that a policy can sample the action that is ignored.
    """
    return wrappers.Parallel(env(rules, episode, reward, max_hands, render_mode, dtype))


class raw_env(AECEnv[str, dict[str, np.ndarray], int | None]):  # noqa: N801 PettingZoo's name
    """Spades without wrappers: an illegal action raises :class:`spades_env.IllegalAction` and changes nothing.

    ``copy.deepcopy`` and ``pickle`` preserve the match in progress, as do :meth:`clone`, :meth:`get_state` and
    :meth:`set_state`.

    Attributes:
        game: the :class:`spades_env.Game` being played.
    """

    metadata: dict[str, Any] = {
        "name": "spades_v0",
        "render_modes": ["human", "ansi", "rgb_array"],
        "is_parallelizable": False,
        "render_fps": 2,
    }
    game: Game

    def __init__(
        self,
        rules: str | Rules = "two_player",
        episode: Episode = "match",
        reward: Reward | str = "score",
        max_hands: int = 100,
        render_mode: str | None = None,
        dtype: DTypeLike = np.int8,
    ) -> None:
        super().__init__()
        self.rules = as_rules(rules)
        self.episode, self.reward_kind, self.max_hands = check_episode(episode, reward, max_hands)
        self.render_mode = check_render_mode(render_mode, self.metadata["render_modes"])
        self._window = open_window(self.render_mode, self.metadata["render_fps"])
        self.possible_agents = [f"player_{seat}" for seat in range(self.rules.players)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.dtype = check_dtype(dtype)
        self.action_spaces: dict[str, Any] = {agent: ActionSpace() for agent in self.possible_agents}
        self.observation_spaces: dict[str, Any] = {
            agent: spaces.Dict(
                observation=spaces.Box(0, 1, (SIZE,), self.dtype.type),
                action_mask=spaces.Box(0, 1, (NUM_ACTIONS,), np.int8),
            )
            for agent in self.possible_agents
        }
        self.state_space = spaces.Box(0, 1, (STATE_SIZE,), self.dtype.type)
        self._hand_ends = HandEnds(self.rules, self.episode, self.reward_kind, self.max_hands)
        self._is_reset = False

    def observation_space(self, agent: str) -> gymnasium.Space[Any]:
        """The agent's Dict space, the same object at each call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.Space[Any]:
        """``Discrete(75)``, the same object at each call."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start ``Game(rules, seed)``, or without a seed the next match of the same stream.

        ``options`` takes ``decks``, ``scores``, ``bags`` and ``opener`` as :class:`spades_env.Game` does.

        Raises:
            ValueError: if an option is invalid; then the match in progress is unchanged.
        """
        if seed is not None or not self._is_reset:
            self.np_random, self.np_random_seed = seeding.np_random(seed)
        last = self.game if self._is_reset else None
        self.game = Game(self.rules, following(last, seed, self.np_random), **start_options(options))
        self._is_reset = True
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self._paid = False
        self.agent_selection = self.possible_agents[self.game.seat]
        if self._window is not None:
            self._window.show(self.game)

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What the agent may know now, as new arrays; its mask is all 0 unless it is on turn."""
        may_act = not (self.terminations.get(agent, True) or self.truncations[agent])
        observation, mask = self.game.observe(self._seats[agent], may_act)
        return {"observation": observation.astype(self.dtype, copy=False), "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Carry out the action of ``agent_selection``; None for an agent whose match is over.

        Raises:
            IllegalAction: if the action is not legal; then nothing has changed.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        before = None if self._window is None else self.game.clone()
        event = self.game.step(action)  # pyright: ignore[reportArgumentType] (rejects None as it does any non-int)
        self._cumulative_rewards[agent] = 0.0
        if self._paid:
            self._clear_rewards()
            self._paid = False
        if self.infos[agent]:
            self.infos[agent] = {}
        ends = None if event == NOTHING else self._hand_ends.book(self.game, event)
        if ends is not None:
            if self._window is not None and before is not None:
                self._window.show(before, action)  # the last trick, before the next hand replaces it
            self._end_hand(*ends)
        self.agent_selection = self.possible_agents[self.game.seat]
        if self._window is not None:
            self._window.show(self.game)

    def _end_hand(self, terminated: bool, truncated: bool) -> None:
        """Pay every agent, and end the episode if it is over."""
        self.rewards = dict(zip(self.agents, self._hand_ends.rewards.tolist(), strict=True))
        self._accumulate_rewards()
        self._paid = True
        hand = self.game.last_hand
        self.infos = {agent: {"hand": {name: values[:] for name, values in hand.items()}} for agent in self.agents}
        self.terminations = dict.fromkeys(self.agents, terminated)
        self.truncations = dict.fromkeys(self.agents, truncated)

    def state(self) -> np.ndarray:
        """The whole table, for centralised critics: see :meth:`spades_env.Game.full_observation`."""
        return self.game.full_observation().astype(self.dtype, copy=False)

    def render(self) -> str | np.ndarray | None:
        """The table with all its cards, as a string or as pixels; with ``"human"`` the window shows it."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() does nothing without a render_mode: use 'human', 'ansi' or 'rgb_array'")
        if self._window is not None:
            self._window.show(self.game)
        return rendered(self.game, self.render_mode)

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()

    def clone(self) -> raw_env:
        """An independent copy that continues identically."""
        return copy.deepcopy(self)

    def get_state(self) -> dict[str, Any]:
        """The match in progress, for :meth:`set_state`; treat it as opaque.

        In wrappers, call ``env.last()`` between ``set_state`` and ``step``, since they remember the last mask.
        """
        return copy.deepcopy({name: getattr(self, name) for name in _LIVE})

    def __getattr__(self, name: str) -> Any:
        if name in _LIVE:
            raise NotReset(name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def set_state(self, state: dict[str, Any]) -> None:
        """Restore what :meth:`get_state` returned, in this environment or in another with the same arguments."""
        for name, value in copy.deepcopy(state).items():
            setattr(self, name, value)
        self._is_reset = True
