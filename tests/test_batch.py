"""Tables against single games, step by step: states, rewards, ends of episodes and the matches that follow."""

from __future__ import annotations

import copy
import os
import pickle
import signal
from random import Random

import numpy as np
import pytest
from random_rules import MIXES, Player

from spades_env.cards import cards_in
from spades_env.engine.batch import MANY
from spades_env.game import Game
from spades_env.reference import HandResult, Reference
from spades_env.rules import Rules
from spades_env.tables import Tables

ROWS = 5
SHORT = {"target": 60, "loss": -60}  # so that a match ends every two or three hands


class Row:
    """What one row of Tables ought to show: single games one after the other, with the reference beside them."""

    def __init__(self, rules: Rules, seed: int, row: int, episode: str, reward: str, max_hands: int) -> None:
        self.rules, self.seed, self.row = rules, seed, row
        self.episode, self.reward_kind, self.max_hands = episode, reward, max_hands
        self.rng = Random(seed * 1000 + row)
        self.player = Player.random(self.rng)
        self.begin(0)

    def begin(self, match: int) -> None:
        self.match = match
        self.game = Game(self.rules, seed=(self.seed, self.row, match))
        self.reference = Reference(
            self.rules,
            shuffle=lambda: self.game.state["deck"][0, : len(self.rules.deck)].tolist(),
            draw=lambda pile, count: cards_in(self.game.view(self.reference.seat).received),
        )

    def choose(self) -> int:
        return self.player.choose(self.rng, self.reference, self.reference.legal_actions())

    def apply(self, action: int) -> tuple[list[float], bool, bool]:
        """Returns the rewards of the seats, terminated, truncated."""
        finished = self.reference.hand_number
        self.game.apply(action)
        self.reference.apply(action)
        if self.reference.hand_number == finished:
            return [0.0] * self.rules.players, False, False
        terminated = self.reference.is_over or self.episode == "hand"
        truncated = not terminated and self.reference.hand_number == self.max_hands
        return self.rewards(self.reference.results[-1]), terminated, truncated

    def rewards(self, hand: HandResult) -> list[float]:
        sides = [self.rules.side_of(seat) for seat in range(self.rules.players)]
        if self.reward_kind == "win":
            winner = self.reference.winner
            return [0.0 if winner is None else 1.0 if side == winner else -1.0 for side in sides]
        others = self.rules.sides - 1
        return [
            (hand.points[side] - sum(p for k, p in enumerate(hand.points) if k != side) / others) / 100
            for side in sides
        ]


def fingerprint(tables):
    tables.step_random(20)
    return tables.states.tobytes(), tables.observation.tobytes()


def test_tables_with_threads_are_pickled_and_copied():
    tables = Tables("partnership", 64, seed=3, threads=2)
    tables.step_random(5)
    others = [pickle.loads(pickle.dumps(tables)), copy.deepcopy(tables)]
    expected = fingerprint(tables)
    assert [fingerprint(other) for other in others] == [expected] * 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_tables_with_threads_in_a_forked_child():
    tables = Tables("partnership", 64, seed=3, threads=2)
    tables.step_random(5)  # its threads are running
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        tables.step_random(20)
        os._exit(0 if (tables.states["hand_number"] >= 0).all() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize(
    "episode, reward, max_hands", [("match", "score", 6), ("match", "win", 3), ("hand", "score", 100)]
)
@pytest.mark.parametrize("mix", MIXES)
def test_rows_play_as_single_games(mix, episode, reward, max_hands):
    fields = MIXES[mix].to_dict()
    rules = Rules.from_dict({**fields, "target": SHORT["target"], "loss": fields["loss"] and SHORT["loss"]})
    tables = Tables(rules, ROWS, seed=5, episode=episode, reward=reward, max_hands=max_hands)
    rows = [Row(rules, 5, k, episode, reward, max_hands) for k in range(ROWS)]
    ends = 0
    while ends < 8:
        actions = [row.choose() for row in rows]
        expected = [row.apply(action) for row, action in zip(rows, actions, strict=True)]
        tables.step(np.array(actions))
        np.testing.assert_allclose(tables.reward, [rewards for rewards, _, _ in expected], rtol=1e-6)
        assert tables.terminated.tolist() == [terminated for _, terminated, _ in expected]
        assert tables.truncated.tolist() == [truncated for _, _, truncated in expected]
        for row, (_, terminated, truncated) in zip(rows, expected, strict=True):
            if terminated or truncated:
                row.begin(row.match + 1)
                ends += 1
        for k, row in enumerate(rows):
            assert tables.states[k].tobytes() == row.game.state[0].tobytes()
            assert tables.seat[k] == row.reference.seat
            assert np.flatnonzero(tables.action_mask[k]).tolist() == row.reference.legal_actions()


def test_truncated_and_terminated_ends_are_both_reached():
    tables = Tables(Rules.preset("solo", target=50), 50, seed=1, max_hands=2)
    seen = np.zeros(2, int)
    for _ in range(400):
        tables.step(tables.random_actions())
        seen += [tables.terminated.sum(), tables.truncated.sum()]
        assert not (tables.terminated & tables.truncated).any()
    assert seen.min() > 0


def test_without_auto_reset_a_finished_match_waits():
    rules = Rules.preset("solo", target=1, nil=0)
    tables = Tables(rules, 40, seed=2, auto_reset=False)
    while not tables.terminated.any():
        tables.step(tables.random_actions())
    over = np.flatnonzero(tables.terminated)
    assert (tables.action_mask[over] == 0).all()
    before = tables.states.copy()
    tables.reset_rows(over)
    for row in range(40):
        if row in over:
            assert tables.states[row].tobytes() == Game(rules, seed=(2, row, 1)).state[0].tobytes()
        else:
            assert tables.states[row] == before[row]


def test_an_own_seed_for_each_table():
    tables = Tables("two_player", 3, seed=[7, 0, 7])
    for row, seed in enumerate((7, 0, 7)):
        assert tables.states[row].tobytes() == Game("two_player", seed=seed).state[0].tobytes()


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("rules", ["two_player", "partnership"])
def test_observations_written_past_the_caches_are_the_same(rules, threads):
    """This many tables use non-temporal stores; a few of them alone, and ``observe``, do not."""
    tables = Tables(rules, MANY * threads, seed=[(5, i) for i in range(MANY * threads)], threads=threads)
    some = np.random.default_rng(0).choice(tables.count, 50, replace=False)
    alone = Tables(rules, len(some), seed=[(5, int(i)) for i in some])
    for _ in range(2):
        actions = tables.random_actions()
        tables.step(actions)
        assert (alone.random_actions() == actions[some]).all()
        alone.step(actions[some])
        tables.step_random(3)
        alone.step_random(3)
        assert (tables.observation[some] == alone.observation).all()
        written = tables.observation.copy()
        tables.observe()
        assert (tables.observation == written).all()


def test_observations_in_rows_that_do_not_start_at_a_cache_line_are_written_through_the_caches():
    tables, others = Tables("solo", MANY, seed=0), Tables("solo", MANY, seed=0)
    room = np.empty(tables.observation.size + 65, np.int8)
    start = -room.ctypes.data % 64 + 1
    tables.observation = room[start : start + others.observation.size].reshape(others.observation.shape)
    for one in (tables, others):
        one.step_random(2)
    assert (tables.observation == others.observation).all()
