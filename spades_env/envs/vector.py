"""Gymnasium's vector interface: many tables with one learner's seat at each, stepped by one call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import DTypeLike

from spades_env.action_space import IllegalAction
from spades_env.cards import NUM_ACTIONS
from spades_env.checks import check_choice, check_int, check_list, check_seed
from spades_env.engine import turns
from spades_env.engine.episode import episode_array
from spades_env.engine.turns import OPTIONS, TURN
from spades_env.envs.opponents import OneByOne, Opponents, make_opponents
from spades_env.envs.options import (
    Illegal,
    NotReset,
    check_dtype,
    check_render_mode,
    mask_ignored,
    rendered,
    start_options,
)
from spades_env.envs.spare import SpareRows
from spades_env.episodes import Episode, Reward
from spades_env.game.log import check_decks, check_start
from spades_env.observation import SIZE
from spades_env.rules import Rules
from spades_env.tables import Tables, agent_seed


class SpadesVectorEnv(VectorEnv):
    """Many tables of Spades, each with one learner's seat; agents play the other seats.

    After ``reset(seed=s)``, environment ``i`` is identical, step by step and match after match, to a
    :class:`spades_env.SpadesEnv` after ``reset(seed=s + i)``. Observations, actions, rewards and infos are
    those of ``SpadesEnv``, batched by Gymnasium's conventions: ``infos["action_mask"]`` is int8 of shape
    (num_envs, 75), and ``infos["_scores"]`` says which rows of ``infos["scores"]`` are valid. With
    ``SAME_STEP`` the last observation and info of an episode are in ``infos["final_obs"]`` and
    ``infos["final_info"]``. Where an episode is over, masks only allow ``DONE``, so that a policy can sample the action
    that ``NEXT_STEP`` ignores.

    Override :meth:`_opponent_actions` for opponents that differ from table to table.

    Args:
        num_envs: number of tables.
        rules: a preset's name or a :class:`Rules`.
        opponents: an agent (or its name) for all other seats, or a list of them, clockwise from the
            learner's left. Agents with ``act_batch`` act at all tables in one call.
        seat: the learner's seat; None for seat ``m % players`` in match number ``m`` of the table's stream.
        episode: ``"match"``, or ``"hand"`` to end after every hand.
        reward: ``"score"`` or ``"win"``, as in ``SpadesEnv``.
        max_hands: a match without a winner is truncated after this many hands.
        illegal: what an illegal action does: ``"terminate"`` ends the episode with a penalty
            (:attr:`spades_env.episodes.Reward.illegal`), ``"raise"`` raises ``IllegalAction`` with nothing changed.
        autoreset_mode: Gymnasium's ``AutoresetMode`` or its value. With ``DISABLED`` call
            ``reset(options={"reset_mask": ...})``.
        copy: whether to return new arrays; with False each step overwrites the arrays of the step before.
        render_mode: ``"rgb_array"`` (needs Pillow), ``"ansi"`` or None.
        dtype: of the observations, ``np.int8`` or ``np.float32``.

    Raises:
        ValueError: if an argument is invalid.
    """

    metadata: dict[str, Any] = {
        "render_modes": ["ansi", "rgb_array"],
        "render_fps": 2,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        rules: str | Rules = "two_player",
        opponents: Opponents = "random",
        seat: int | None = None,
        episode: Episode = "match",
        reward: Reward | str = "score",
        max_hands: int = 100,
        illegal: Illegal = "terminate",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        render_mode: str | None = None,
        dtype: DTypeLike = np.int8,
    ) -> None:
        super().__init__()
        self.num_envs = check_int("num_envs", num_envs, 1, 10_000_000)
        self.tables = Tables(
            rules, num_envs, seed=0, episode=episode, reward=reward, max_hands=max_hands, auto_reset=False
        )
        self.rules = self.tables.rules
        self.illegal = check_choice("illegal", illegal, get_args(Illegal))
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = check_render_mode(render_mode, self.metadata["render_modes"])
        self.copy = copy
        self.dtype = check_dtype(dtype)
        self.single_observation_space = spaces.Box(0, 1, (SIZE,), self.dtype.type)
        self.single_action_space = spaces.Discrete(NUM_ACTIONS)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        made = make_opponents(opponents, self.rules)
        one_by_one = {id(agent): OneByOne(agent) for agent in made if not hasattr(agent, "act_batch")}
        self.opponents: list[Any] = [one_by_one.get(id(agent), agent) for agent in made]

        self._one_kind = all(agent is self.opponents[0] for agent in self.opponents)
        self._turns = np.zeros(num_envs, TURN)
        same_step = self.autoreset_mode == AutoresetMode.SAME_STEP
        options = np.zeros(1, OPTIONS)
        options["seat"] = -1 if seat is None else check_int("seat", seat, 0, self.rules.players - 1)
        options["episode"] = episode_array(episode, self.tables.reward_kind, max_hands, same_step)
        self._decks = np.zeros((num_envs, 0, 52), np.int8)
        self._pending = np.zeros(num_envs, np.int64)
        self._final_obs = np.zeros((num_envs if same_step else 0, SIZE), np.int8)
        self._paid = np.zeros(self.rules.players)
        self._core = (self.tables.states, self.tables.rules_array, options, self.tables.agent_rng, self._turns)
        self._spare = SpareRows(num_envs)
        self._result = self._fresh()
        self._masks = self._result[1]
        self._converted = np.zeros((0 if copy or self.dtype == np.int8 else num_envs, SIZE), self.dtype)
        self._ignored = np.zeros(NUM_ACTIONS, np.int8)
        mask_ignored(self._ignored)
        self._seeded = np.zeros(num_envs, np.bool_)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Start a match at every table.

        Args:
            seed: an int (table ``i`` gets ``seed + i``), or one seed for each table. Where it is None, the table
                plays the next match of its stream (at the first reset, of a random stream).
            options: ``decks``, ``scores``, ``bags`` and ``opener`` for all tables, as
                :class:`spades_env.Game` takes them; ``reset_mask``, a bool array of the tables to reset,
                where the others are unchanged. Unknown keys are ignored.

        Raises:
            ValueError: if an option is invalid; then nothing has changed.
        """
        rows = self._reset_rows(options)
        seeds = self._reset_seeds(seed)
        given = start_options(options)
        decks = check_decks(given.pop("decks", ()), self.rules)
        start = check_start(self.rules, **given)
        super().reset(seed=seed if isinstance(seed, int) else None)
        for row in rows[~self._seeded[rows]]:
            if seeds[row] is None:
                seeds[row] = int(self.np_random.integers(2**48))
        keyed = np.array([row for row in rows if seeds[row] is not None], np.int64)
        turns.rekey(self.tables.states, keyed, np.array([seeds[row] for row in keyed], np.uint64))
        self._seeded[rows] = True
        self._turns["started"] = False
        self._give_decks(rows, decks)
        for agent in dict.fromkeys(self.opponents):
            if isinstance(agent, OneByOne):
                agent.forget(rows)
            elif len(rows) == self.num_envs:  # else the agent is playing at other tables; it uses the tables' streams
                agent.reset(None if seeds[0] is None else agent_seed(seeds[0], 0))
        given = start.opener, np.array(start.scores), np.array(start.bags)
        self._opponents_act(turns.begin_rows(self._core, self._decks, rows, given, len(decks), self._pending))
        observations, *_, infos = self._report()
        return observations, infos

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Carry out one action of every learner, then the opponents' actions until all learners are on turn again.

        Args:
            actions: ints of shape (num_envs,). Where an episode ended in the last step, ``NEXT_STEP``
                ignores the action and starts the next match.

        Returns:
            observations, rewards (float64), terminated, truncated (bool) and infos.

        Raises:
            IllegalAction: if an action is not legal and ``illegal="raise"``, or if an opponent's is not legal.
            ResetNeeded: before the first reset; with ``DISABLED``, if an episode has ended and was not reset.
        """
        actions = np.asarray(actions)
        if actions.shape != (self.num_envs,) or actions.dtype.kind not in "iu":
            raise ValueError(f"actions must be ints of shape ({self.num_envs},), got {actions.dtype} {actions.shape}")
        if not self._seeded[0]:
            raise NotReset("match to play")
        if self.autoreset_mode == AutoresetMode.DISABLED and self._turns["ended"].any():
            raise ResetNeeded("some episodes are over: call reset(options={'reset_mask': ...}) for them")
        if self.illegal == "raise":
            live = np.flatnonzero(~self._turns["ended"])
            self.tables.check_actions(actions[live], live)
        self._opponents_act(turns.learners_act(self._core, self._buffers(), actions, self._pending))
        return self._report()

    def arrays(self) -> dict[str, np.ndarray]:
        """The environment's own arrays, which hold the state of every match.

        Copy them to save the tables. To restore them, write the copies into the arrays of an environment that was
        made with the same arguments. (The memory of agents without ``act_batch`` is not included.)
        """
        states, agent_rng = self.tables.states, self.tables.agent_rng
        return {"states": states, "agent_rng": agent_rng, "turns": self._turns, "seeded": self._seeded}

    def observe(self) -> np.ndarray:
        """Write the observations and ``action_masks`` of the last step or reset again; return the observations.

        Raises:
            ResetNeeded: before the first reset.
        """
        self._check_reset("observation")
        return self._report()[0]

    def action_masks(self) -> np.ndarray:
        """Bool of shape (num_envs, 75): the legal actions of every learner; where an episode is over, only ``DONE``.

        Raises:
            ResetNeeded: before the first reset.
        """
        self._check_reset("action mask")
        return self._masks.view(np.bool_)

    def render(self) -> tuple[Any, ...] | None:
        """What every learner may see of its table: strings, or with ``"rgb_array"`` pixels of shape (512, 768, 3)."""
        if self.render_mode is None:
            return None
        self._check_reset("table to show")
        views = (self.tables.view(row, int(self._turns["learner"][row])) for row in range(self.num_envs))
        return tuple(rendered(view, self.render_mode) for view in views)

    @property
    def learners(self) -> np.ndarray:
        """int8 of shape (num_envs,): the learner's seat at each table.

        Raises:
            ResetNeeded: before the first reset.
        """
        self._check_reset("learner")
        return self._turns["learner"].copy()

    def _check_reset(self, what: str) -> None:
        if not self._seeded[0]:
            raise NotReset(what)

    def _opponent_actions(self, rows: np.ndarray) -> np.ndarray:
        """The actions (ints) of the seats on turn at the tables ``rows`` (int64), all of them opponents."""
        if self._one_kind:
            return self.opponents[0].act_batch(self.tables, rows)
        place = (self.tables.seat[rows] - self._turns["learner"][rows]) % self.rules.players - 1
        actions = np.empty(len(rows), np.int64)
        for k, agent in enumerate(self.opponents):
            here = np.flatnonzero(place == k)
            if here.size:
                actions[here] = agent.act_batch(self.tables, rows[here])
        return actions

    def _buffers(self) -> tuple[np.ndarray, ...]:
        return self._decks, self._final_obs, self._paid

    def _opponents_act(self, count: int) -> None:
        """Let the opponents act at the first ``count`` tables of ``_pending`` until no table waits for one."""
        while count:
            pending = self._pending[:count]
            actions = self._opponent_actions(pending)
            count = turns.opponents_act(self._core, self._buffers(), actions, pending)
            if count < 0:
                row, action = int(pending[-1 - count]), int(actions[-1 - count])
                raise IllegalAction(f"an opponent's {self.tables.illegal_action(row, action)}")

    def _report(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        result = self._fresh() if self.copy else self._result
        self._masks = result[1]
        turns.report(self.tables.states, self.tables.rules_array, self._turns, result)
        if self._turns["ended"].any():
            self._masks[self._turns["ended"]] = self._ignored
        observations, masks, rewards, terminated, truncated = result
        infos = self._infos(masks, terminated | truncated)
        return self._of_dtype(observations), rewards, terminated, truncated, infos

    def _of_dtype(self, observations: np.ndarray) -> np.ndarray:
        if self.copy or self.dtype == np.int8:
            return observations.astype(self.dtype, copy=False)
        self._converted[...] = observations
        return self._converted

    def _fresh(self) -> tuple[np.ndarray, ...]:
        n = self.num_envs
        flags = np.empty(n, np.bool_), np.empty(n, np.bool_)
        return self._spare.take(), np.empty((n, NUM_ACTIONS), np.int8), np.empty(n, np.float64), *flags

    def _infos(self, masks: np.ndarray, over: np.ndarray) -> dict[str, Any]:
        infos: dict[str, Any] = {"action_mask": masks, "_action_mask": np.ones(self.num_envs, np.bool_)}
        started = self._turns["started"]
        if started.any():
            infos["seat"] = np.where(started, self._turns["learner"], 0).astype(np.int64)
            infos["_seat"] = started.copy()
        if not over.any():
            return infos
        result = self._last_infos(over)
        if self.autoreset_mode != AutoresetMode.SAME_STEP:
            return infos | result
        final = np.full(self.num_envs, None, object)
        for row in np.flatnonzero(over):
            final[row] = self._final_obs[row].astype(self.dtype)
        masks = np.where(over[:, None], self._ignored, np.int8(0))
        blank = {"action_mask": masks, "_action_mask": over.copy()}
        ends = {"final_obs": final, "_final_obs": over.copy(), "final_info": blank | result, "_final_info": over.copy()}
        return infos | ends

    def _last_infos(self, over: np.ndarray) -> dict[str, Any]:
        """The infos of the episodes that have just ended."""
        rows = np.flatnonzero(over)
        scores = np.zeros((self.num_envs, self.rules.sides), np.int64)
        scores[rows] = self._turns["scores"][rows, : self.rules.sides]
        hands = np.zeros(self.num_envs, np.int64)
        hands[rows] = self._turns["hands"][rows]
        infos: dict[str, Any] = {"scores": scores, "_scores": over.copy(), "hands": hands, "_hands": over.copy()}
        illegal = self._turns["illegal"]
        if illegal.any():
            infos |= {"illegal_action": illegal.copy(), "_illegal_action": illegal.copy()}
        return infos

    def _reset_rows(self, options: dict[str, Any] | None) -> np.ndarray:
        mask = (options or {}).get("reset_mask")
        if mask is None:
            return np.arange(self.num_envs)
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
            raise ValueError(
                f"options['reset_mask'] must be a bool array of shape ({self.num_envs},), got {mask!r:.80}"
            )
        if not (mask | self._seeded).all():
            raise ResetNeeded("the first reset must be of all tables")
        return np.flatnonzero(mask)

    def _reset_seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, (int, np.integer)):
            first = check_seed(seed)[0]
            return [first + row for row in range(self.num_envs)]
        seeds = check_list("seed", seed)
        if len(seeds) != self.num_envs:
            raise ValueError(f"seed must be an int or {self.num_envs} seeds, one for each table, got {len(seeds)}")
        return [None if one is None else check_seed(one)[0] for one in seeds]

    def _give_decks(self, rows: np.ndarray, decks: list[list[int]]) -> None:
        """Store the decks of the next hands at the tables ``rows``."""
        if len(decks) > self._decks.shape[1]:
            self._decks = np.pad(self._decks, ((0, 0), (0, len(decks) - self._decks.shape[1]), (0, 0)))
        for hand, deck in enumerate(decks):
            self._decks[rows, hand, : len(deck)] = deck
