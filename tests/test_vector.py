"""The vector environment: row by row and step by step what Gymnasium makes of single ones."""

from __future__ import annotations

import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from scripted import Scripted, endless, matches, reward_kinds
from spades_agents import make_agent

from spades_env import PRESETS, IllegalAction, SpadesEnv, SpadesVectorEnv
from spades_env.cards import DONE

presets = pytest.mark.parametrize("rules", PRESETS)
MODES = {mode.value: mode for mode in AutoresetMode}


def assert_same(one, other, where=""):
    """Equal in type, shape, dtype and value, all the way down."""
    assert type(one) is type(other), where
    if isinstance(one, dict):
        assert one.keys() == other.keys(), where
        for key in one:
            assert_same(one[key], other[key], f"{where}[{key!r}]")
    elif isinstance(one, (tuple, list)):
        assert len(one) == len(other), where
        for k, (a, b) in enumerate(zip(one, other, strict=True)):
            assert_same(a, b, f"{where}[{k}]")
    elif isinstance(one, np.ndarray) and one.dtype != object:
        assert (one.dtype, one.shape) == (other.dtype, other.shape), where
        assert (one == other).all(), where
    elif isinstance(one, np.ndarray):
        assert_same(one.tolist(), other.tolist(), where)
    else:
        assert one == other, where


def choose(masks, dice, illegal=0.0):
    """A random legal action for each row (any where there is none), now and then an illegal one."""
    actions = np.array([dice.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in masks])
    return np.where(dice.random(len(masks)) < illegal, 75 - masks[:, ::-1].argmin(1) - 1, actions)


def both(n, mode, **arguments):
    native = SpadesVectorEnv(n, autoreset_mode=mode, **arguments)
    return native, SyncVectorEnv([lambda: SpadesEnv(**arguments)] * n, autoreset_mode=mode)


@presets
@pytest.mark.parametrize("opponents", ["random", "heuristic"])
@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_equals_single_environments(rules, opponents, mode):
    native, sync = both(3, mode, rules=rules, opponents=opponents, max_hands=3)
    dice, ends = np.random.default_rng(0), 0
    assert_same(native.reset(seed=11), sync.reset(seed=11), "reset")
    masks = native.action_masks()
    for step in range(300):
        actions = choose(masks, dice, 0.003)
        result = native.step(actions)
        assert_same(result, sync.step(actions), f"step {step}")
        assert (native.action_masks() == result[4]["action_mask"]).all()
        masks, ends = native.action_masks(), ends + (result[2] | result[3]).sum()
    assert ends > 3


@pytest.mark.parametrize("arguments", [{"episode": "hand", "reward": "win"}, {"reward": "win", "seat": 1}])
@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_equals_single_environments_with_other_options(arguments, mode):
    native, sync = both(2, mode, rules="solo", opponents=["random", "heuristic", "uniform"], **arguments)
    dice = np.random.default_rng(1)
    assert_same(native.reset(seed=[4, 9]), sync.reset(seed=[4, 9]), "reset")
    for step in range(200):
        actions = choose(native.action_masks(), dice)
        assert_same(native.step(actions), sync.step(actions), f"step {step}")
    assert_same(native.reset(), sync.reset(), "reset without a seed")
    assert_same(native.reset(seed=[None, 2]), sync.reset(seed=[None, 2]), "reset of one seed")


class OnlyActs:
    """The random player, one view at a time."""

    name = "only acts"

    def __init__(self):
        self.agent = make_agent("random")

    def reset(self, seed=None):
        self.agent.reset(seed)

    def act(self, view):
        return self.agent.act(view)


def test_agents_that_cannot_act_in_batches():
    mode = AutoresetMode.SAME_STEP
    one, two = (SpadesVectorEnv(3, "partnership", who, autoreset_mode=mode) for who in (OnlyActs(), "random"))
    dice = np.random.default_rng(2)
    for seed in (5, None, 5):
        assert_same(one.reset(seed=seed), two.reset(seed=seed), "reset")
        for step in range(120):
            actions = choose(one.action_masks(), dice)
            assert_same(one.step(actions), two.step(actions), f"step {step}")


def test_a_reset_of_some_tables_leaves_the_players_at_the_others_alone():
    one, two = (SpadesVectorEnv(3, "two_player", who, autoreset_mode="Disabled") for who in (OnlyActs(), "random"))
    dice = np.random.default_rng(6)
    some = np.array([False, True, False])
    for options, seed in ((None, 7), ({"reset_mask": some}, 7), ({"reset_mask": some}, None)):
        assert_same(one.reset(seed=seed, options=options), two.reset(seed=seed, options=options), "reset")
        for step in range(30):
            actions = choose(one.action_masks(), dice)
            assert_same(one.step(actions), two.step(actions), f"step {step}")


def test_disabled_autoreset():
    native, sync = both(4, AutoresetMode.DISABLED, rules="cutthroat", episode="hand")
    dice = np.random.default_rng(3)
    assert_same(native.reset(seed=0), sync.reset(seed=0), "reset")
    resets = 0
    for step in range(150):
        actions = choose(native.action_masks(), dice)
        result = native.step(actions)
        assert_same(result, sync.step(actions), f"step {step}")
        over = result[2] | result[3]
        if over.any():
            with pytest.raises(ResetNeeded, match="some episodes are over"):
                native.step(actions)
            observations, infos = native.reset(options={"reset_mask": over})
            expected, expected_infos = sync.reset(options={"reset_mask": over.copy()})
            assert_same(observations, expected)
            assert_same(infos["action_mask"][over], expected_infos["action_mask"][over])
            assert_same(infos["_seat"], expected_infos["_seat"])
            resets += over.sum()
    assert resets > 8


@matches
@reward_kinds
@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
def test_every_seat_is_paid_what_was_worked_out_by_hand(match, kind, mode):
    player = Scripted(match)
    for seat in range(match.rules.players):
        envs = SpadesVectorEnv(2, match.rules, player, seat, reward=kind, autoreset_mode=mode)
        envs.reset(seed=0, options=match.options)
        got, over = [], False
        while not over:
            actions = np.array([player.act(envs.tables.view(row)) for row in range(2)])
            _, rewards, terminated, truncated, infos = envs.step(actions)
            assert rewards[0] == rewards[1]
            got += [rewards[0]] if rewards[0] else []
            over = terminated.all()
            assert terminated.any() == over
            assert not truncated.any()
        assert got == match.rewards(seat, kind)
        info = infos["final_info"] if mode == AutoresetMode.SAME_STEP else infos
        assert info["hands"].tolist() == [len(match.hands)] * 2


def test_given_decks_last_for_one_match_and_only_where_they_were_given():
    match = {"decks": [list(range(52))[::-1]] * 2, "scores": [5, 6]}
    native, sync = both(3, AutoresetMode.SAME_STEP, rules=endless("two_player"), max_hands=3)
    dice = np.random.default_rng(4)
    assert_same(native.reset(seed=1), sync.reset(seed=1), "reset")
    for start in ([True, False, True], [False, False, True]):
        mask = np.array(start)
        observations, _ = native.reset(options={**match, "reset_mask": mask})
        assert_same(observations, sync.reset(options={**match, "reset_mask": mask})[0], "masked reset")
        match = {"decks": [list(range(52))]}
        for step in range(170):
            actions = choose(native.action_masks(), dice)
            assert_same(native.step(actions), sync.step(actions), f"step {step}")


def test_illegal_actions_can_raise():
    envs = SpadesVectorEnv(3, "partnership", illegal="raise")
    envs.reset(seed=0)
    before = pickle.dumps(envs.tables.states)
    actions = choose(envs.action_masks(), np.random.default_rng(0))
    actions[1] = 74
    with pytest.raises(IllegalAction, match="table 1: illegal action DONE for seat 0: legal actions are BLIND_NIL"):
        envs.step(actions)
    assert pickle.dumps(envs.tables.states) == before


def test_an_opponents_illegal_action_is_told_as_its_own():
    class Broken(OnlyActs):
        def act(self, view):
            return 74

    envs = SpadesVectorEnv(2, "partnership", Broken(), seat=3)
    with pytest.raises(IllegalAction, match="an opponent's table 0: illegal action DONE for seat 0"):
        envs.reset(seed=1)


def test_opponents_may_depend_on_the_table():
    class Mixed(SpadesVectorEnv):
        def _opponent_actions(self, rows):
            odd = rows % 2 == 1
            actions = np.empty(len(rows), np.int64)
            for part, agent in ((odd, self.strong), (~odd, self.weak)):
                actions[part] = agent.act_batch(self.tables, rows[part])
            return actions

    envs = Mixed(4)
    envs.strong, envs.weak = make_agent("heuristic"), make_agent("random")
    alone = [SpadesEnv(opponents=who) for who in ("random", "heuristic", "random", "heuristic")]
    dice = np.random.default_rng(0)
    observations, _ = envs.reset(seed=20)
    assert (observations == [env.reset(seed=20 + k)[0] for k, env in enumerate(alone)]).all()
    for _ in range(50):
        actions = choose(envs.action_masks(), dice)
        observations = envs.step(actions)[0]
        assert (observations == [env.step(action)[0] for env, action in zip(alone, actions, strict=True)]).all()


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_returned_arrays_are_fresh_unless_asked_otherwise(mode):
    dice = np.random.default_rng(0)
    for copies in (True, False):
        envs = SpadesVectorEnv(3, autoreset_mode=mode, copy=copies)
        envs.reset(seed=0)
        first = envs.step(choose(envs.action_masks(), dice))
        second = envs.step(choose(envs.action_masks(), dice))
        shared = [np.shares_memory(a, b) for a, b in zip(first[:4], second[:4], strict=True)]
        assert shared == [not copies] * 4
        assert np.shares_memory(first[4]["action_mask"], second[4]["action_mask"]) == (not copies)


def test_arrays_are_used_again_only_when_let_go():
    envs, dice = SpadesVectorEnv(3), np.random.default_rng(0)
    kept = [envs.reset(seed=0)[0]]
    for _ in range(9):
        kept.append(envs.step(choose(envs.action_masks(), dice))[0])
        if len(kept) % 2:
            kept[-1] = kept[-1][1:2, 5:].T  # a view of a view holds on to the whole
    assert not any(np.shares_memory(a, b) for k, a in enumerate(kept) for b in kept[:k])
    kept.clear()
    places = {envs.step(choose(envs.action_masks(), dice))[0].ctypes.data for _ in range(20)}
    assert len(places) <= 2


@pytest.mark.parametrize("mode", MODES)
def test_every_mask_allows_an_action(mode):
    envs = SpadesVectorEnv(4, "partnership", episode="hand", autoreset_mode=mode, seat=1)
    dice, ends = np.random.default_rng(5), 0
    masks = envs.reset(seed=3)[1]["action_mask"]
    for _ in range(60):
        assert masks.any(1).all()
        *_, terminated, truncated, infos = envs.step(np.array([dice.choice(np.flatnonzero(mask)) for mask in masks]))
        over, masks = terminated | truncated, infos["action_mask"]
        assert (envs.action_masks() == masks).all()
        if over.any() and mode == "SameStep":
            masks_at_the_end = infos["final_info"]["action_mask"][over]
        elif over.any():
            masks_at_the_end = masks[over]
        if over.any():
            assert np.nonzero(masks_at_the_end)[1].tolist() == [DONE] * over.sum()
            ends += over.sum()
        if over.any() and mode == "Disabled":
            masks = envs.reset(options={"reset_mask": over})[1]["action_mask"]
    assert ends > 3


def test_before_the_first_reset():
    envs = SpadesVectorEnv(2, render_mode="ansi")
    calls = (envs.action_masks, envs.observe, envs.render, lambda: envs.learners, lambda: envs.step(np.zeros(2, int)))
    for call in calls:
        with pytest.raises(ResetNeeded, match=r"call reset\(\) first"):
            call()
    envs.reset(seed=1)
    assert all(call() is not None for call in calls[:-1])


def test_make_vec():
    envs = gymnasium.make_vec("spades_env/Spades-v0", num_envs=3, rules="solo", vector_kwargs=None)
    assert isinstance(envs, SpadesVectorEnv)
    assert envs.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP
    observations, infos = envs.reset(seed=1)
    assert observations in envs.observation_space
    assert infos["action_mask"].shape == (3, 75)
    assert envs.learners.tolist() == [0, 0, 0]
    same = gymnasium.make_vec("spades_env/Spades-v0", num_envs=3, autoreset_mode="SameStep")
    assert same.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
    assert SpadesVectorEnv.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP


def test_gymnasiums_statistics_agree():
    envs = gymnasium.wrappers.vector.RecordEpisodeStatistics(SpadesVectorEnv(4, "partnership", episode="hand"))
    envs.reset(seed=0)
    total, lengths, over = np.zeros(4), np.zeros(4, int), np.zeros(4, bool)
    dice = np.random.default_rng(0)
    while not over.any():
        _, rewards, over, _, infos = envs.step(choose(envs.unwrapped.action_masks(), dice))
        total, lengths = total + rewards, lengths + 1
    assert infos["episode"]["r"][over] == pytest.approx(total[over])
    assert (infos["episode"]["l"][over] == lengths[over]).all()


@pytest.mark.parametrize(
    "call,message",
    [
        (lambda: SpadesVectorEnv(0), "num_envs must be an int"),
        (lambda: SpadesVectorEnv(2, autoreset_mode="Never"), "'Never' is not a valid AutoresetMode"),
        (lambda: SpadesVectorEnv(2, opponents=["random"] * 2), "opponents must be one agent, or a list of 1"),
        (
            lambda: SpadesVectorEnv(2, "solo", "learned"),
            "agent 'learned' plays only two_player, partnership and cutthroat",
        ),
        (lambda: SpadesVectorEnv(2, render_mode="human"), "render_mode must be None or one of 'ansi'"),
        (lambda: SpadesVectorEnv(2).reset(seed=[1]), "seed must be an int or 2 seeds, one for each table, got 1"),
        (lambda: SpadesVectorEnv(2).reset(options={"reset_mask": [True]}), "must be a bool array of shape"),
        (lambda: SpadesVectorEnv(2).reset(options={"scores": [1]}), "scores must hold 2 ints"),
    ],
)
def test_bad_arguments(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_calls_out_of_order():
    envs = SpadesVectorEnv(2)
    with pytest.raises(ResetNeeded, match="call reset"):
        envs.step(np.zeros(2, int))
    with pytest.raises(ResetNeeded, match="the first reset must be of all tables"):
        envs.reset(options={"reset_mask": np.array([True, False])})
    envs.reset(seed=1)
    with pytest.raises(ValueError, match=r"actions must be ints of shape \(2,\)"):
        envs.step(np.zeros(2))


def test_render():
    envs = SpadesVectorEnv(2, "partnership", render_mode="ansi")
    envs.reset(seed=1)
    texts = envs.render()
    assert len(texts) == 2
    assert all("seat 0 (you)" in text for text in texts)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_saved_arrays_go_on_elsewhere(mode):
    """Copies of the arrays, written into those of another environment, lead to the same steps, matches over or not."""
    options = {"rules": "two_player", "opponents": "random", "max_hands": 2, "autoreset_mode": MODES[mode]}
    one, other = SpadesVectorEnv(20, **options), SpadesVectorEnv(20, **options)
    one.reset(seed=3)
    other.reset(seed=4)
    dice = np.random.default_rng(5)

    def actions(env):
        odds = env.action_masks() * dice.random((20, 75))
        return odds.argmax(1)

    for _ in range(75):
        last = one.step(actions(one))
    for name, array in other.arrays().items():
        array[...] = one.arrays()[name].copy()
    assert (other.observe() == last[0]).all()
    assert (other.action_masks() == one.action_masks()).all()
    for _ in range(75):
        chosen = actions(one)
        assert_same(one.step(chosen), other.step(chosen))
