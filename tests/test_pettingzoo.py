"""The PettingZoo environments: the library's own tests for every preset, credit, copies, resets."""

from __future__ import annotations

import copy
import pickle
import random
import warnings

import numpy as np
import pettingzoo
import pytest
from scripted import Scripted, endless, matches, reward_kinds

from spades_env import PRESETS, Game, IllegalAction, Rules, spades_v0
from spades_env.cards import BID_0, DONE, KEEP, action_name
from spades_env.game import Phase
from spades_env.observation import SIZE, decode

with warnings.catch_warnings():  # the library's tests import its own environments in a way that it deprecates
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test, parallel_api_test, render_test, seed_test
    from pettingzoo.test.state_test import state_test

presets = pytest.mark.parametrize("rules", PRESETS)
# The only two that an observation with a mask in it always draws.
a_dict_warns = [
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be"),
]
pytestmark = a_dict_warns


def legal(observation):
    return np.flatnonzero(observation["action_mask"]).tolist()


def play_on(env, steps, seed=0):
    """Play `steps` random legal actions (fewer if the match ends) and return all that `last` and `observe` said."""
    dice, seen = random.Random(seed), []
    for agent in env.agent_iter(steps):
        observation, *rest = env.last()
        over = rest[1] or rest[2]
        seen.append((agent, observation["observation"].tobytes(), observation["action_mask"].tobytes(), *rest))
        env.step(None if over else dice.choice(legal(observation)))
    return seen


@presets
@pytest.mark.parametrize("make", [spades_v0.env, spades_v0.raw_env])
def test_api(rules, make, capsys):
    api_test(make(rules), num_cycles=1000, verbose_progress=False)


@presets
def test_seeds(rules):
    seed_test(lambda: spades_v0.env(rules), num_cycles=500)


@presets
def test_parallel_api(rules):
    parallel_api_test(spades_v0.parallel_env(rules), num_cycles=500)


def test_render(monkeypatch):
    monkeypatch.setitem(spades_v0.raw_env.metadata, "render_fps", 1000)
    render_test(lambda render_mode: spades_v0.env(render_mode=render_mode))


@presets
def test_state(rules):
    state_test(spades_v0.env(rules), spades_v0.parallel_env(rules))


@presets
def test_spaces(rules):
    env = spades_v0.env(rules)
    assert env.possible_agents == [f"player_{seat}" for seat in range(PRESETS[rules].players)]
    env.reset(seed=1)
    for agent in env.possible_agents:
        assert env.action_space(agent).n == 75
        assert env.action_space(agent) is env.action_space(agent)
        space = env.observation_space(agent)
        assert space is env.observation_space(agent)
        assert space["observation"].shape == (SIZE,)
        assert env.observe(agent) in space


def test_registered():
    if not hasattr(pettingzoo, "make"):
        pytest.skip("PettingZoo has a registry from 1.27 on")
    assert pettingzoo.make("aec", "spades_env/spades-v0", rules="solo").unwrapped.rules == PRESETS["solo"]
    assert len(pettingzoo.make("parallel", "spades_env/spades-v0").possible_agents) == 2


@presets
def test_masks_are_the_legal_actions_and_only_of_the_seat_on_turn(rules):
    env, dice = spades_v0.raw_env(rules, max_hands=3), random.Random(5)
    env.reset(seed=5)
    while not any(env.truncations.values()) and not any(env.terminations.values()):
        for agent in env.agents:
            expected = env.game.legal_actions() if agent == env.agent_selection else []
            assert legal(env.observe(agent)) == expected
        env.step(dice.choice(env.game.legal_actions()))
    assert not any(env.observe(agent)["action_mask"].any() for agent in env.possible_agents)


@presets
def test_every_seat_sees_a_move_at_once(rules):
    env, dice = spades_v0.raw_env(rules), random.Random(2)
    env.reset(seed=2)
    seats = PRESETS[rules].players
    while env.game.hand_number == 0:
        mover, action, phase = env.game.seat, dice.choice(env.game.legal_actions()), env.game.phase
        env.step(action)
        if env.game.hand_number:
            break
        for seat, agent in enumerate(env.possible_agents):
            said = decode(env.observe(agent)["observation"])
            place = (mover - seat) % seats
            if phase == Phase.PLAY:
                assert said["plays"][place] >> action & 1
            elif phase == Phase.BID:
                assert said["bids"][place] == action - BID_0
            elif phase == Phase.DRAFT:
                assert (said["draws"][place] - 1 in said["kept"][place]) == (action == KEEP)
            elif phase == Phase.BLIND:
                assert said["answer"][place] == (action_name(action) == "BLIND_NIL")


def test_observations_are_never_written_to_again():
    env = spades_v0.raw_env()
    env.reset(seed=1)
    first, again = env.observe("player_0"), env.observe("player_0")
    before = copy.deepcopy(first)
    assert not np.shares_memory(first["observation"], again["observation"])
    assert not np.shares_memory(first["action_mask"], again["action_mask"])
    play_on(env, 50)
    assert all((first[key] == before[key]).all() for key in before)


@matches
@reward_kinds
@pytest.mark.parametrize("make", [spades_v0.env, spades_v0.raw_env])
def test_every_seat_is_paid_what_was_worked_out_by_hand(match, kind, make):
    env, player = make(match.rules, reward=kind), Scripted(match)
    env.reset(seed=0, options=match.options)
    got = {agent: [] for agent in env.agents}
    paid = dict.fromkeys(env.agents, 0.0)
    hands_told = dict.fromkeys(env.agents, 0)
    for agent in env.agent_iter():
        _, reward, terminated, truncated, info = env.last()
        if reward:
            got[agent].append(reward)
        hands_told[agent] += "hand" in info
        env.step(None if terminated or truncated else player.act(env.unwrapped.game.view()))
        for other, brought in env.rewards.items():
            paid[other] += brought
    for seat, agent in enumerate(env.possible_agents):
        assert got[agent] == match.rewards(seat, kind)
        assert sum(got[agent]) == pytest.approx(paid[agent])
        assert hands_told[agent] == len(match.hands)
    assert env.unwrapped.game.is_over


@presets
def test_what_last_pays_is_what_was_brought(rules):
    env, dice = spades_v0.env(rules, max_hands=6), random.Random(7)
    env.reset(seed=7)
    paid, brought = dict.fromkeys(env.agents, 0.0), dict.fromkeys(env.agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        paid[agent] += reward
        env.step(None if terminated or truncated else dice.choice(legal(observation)))
        for other, amount in env.rewards.items():
            brought[other] += amount
    assert paid == pytest.approx(brought)
    assert any(paid.values())
    assert sum(paid.values()) == pytest.approx(0)


def test_a_match_without_a_winner_is_truncated():
    env = spades_v0.env(max_hands=1)
    env.reset(seed=3)
    seen = play_on(env, 1000)
    assert env.unwrapped.game.hand_number == 1
    assert env.unwrapped.game.winner is None
    assert [entry[4:6] for entry in seen[-2:]] == [(False, True)] * 2


def test_an_episode_of_one_hand_terminates():
    env = spades_v0.env("partnership", episode="hand")
    env.reset(seed=3)
    seen = play_on(env, 1000)
    assert env.unwrapped.game.hand_number == 1
    assert [entry[4:6] for entry in seen[-4:]] == [(True, False)] * 4


def test_options_survive_a_seeded_reset_and_copies():
    rules = Rules.preset("two_player", target=300, nil=50)
    env = spades_v0.env(rules, "hand", "win", 7)
    for _ in range(2):
        env.reset(seed=9)
        for one in (env, copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
            raw = one.unwrapped
            assert (raw.rules, raw.episode, raw.reward_kind, raw.max_hands) == (rules, "hand", "win", 7)
            assert raw.game.rules == rules


def test_resets_play_one_match_of_the_stream_after_another():
    env = spades_v0.env("solo")
    env.reset(seed=5)
    for match in range(3):
        assert env.unwrapped.game.seed == (5, 0, match)
        assert env.unwrapped.game.hands == Game("solo", (5, 0, match)).hands
        env.reset()
    env.reset(seed=5)
    assert env.unwrapped.game.seed == (5, 0, 0)
    others = [spades_v0.env(), spades_v0.env()]
    for other in others:
        other.reset()
    assert others[0].unwrapped.game.seed != others[1].unwrapped.game.seed


def test_reset_options():
    env = spades_v0.env("partnership")
    env.reset(seed=1, options={"scores": [30, -40], "bags": [1, 2], "opener": 2, "somebody else's": 1})
    game = env.unwrapped.game
    assert (game.scores, game.bags, game.opener) == ([30, -40], [1, 2], 2)
    assert env.agent_selection == "player_2"
    with pytest.raises(ValueError, match="scores must hold 2 ints"):
        env.reset(options={"scores": [1]})
    assert env.unwrapped.game is game


@presets
@pytest.mark.parametrize("make", [spades_v0.env, spades_v0.raw_env])
@pytest.mark.parametrize("steps", [0, 1, 9, 30, 75, 140])
def test_copies_continue_alike_and_apart(rules, make, steps):
    env = make(endless(rules), max_hands=8)
    env.reset(seed=steps)
    play_on(env, steps)
    copies = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    if make is spades_v0.raw_env:
        other = make(endless(rules), max_hands=8)
        other.set_state(env.get_state())
        copies += [env.clone(), other]
    expected = play_on(copies[0], 10_000, seed=1)
    assert len(expected) > 50
    for one in copies[1:]:
        assert play_on(one, 10_000, seed=1) == expected
    assert play_on(env, 10_000, seed=1) == expected


def test_a_state_can_be_gone_back_to_many_times():
    env = spades_v0.raw_env()
    env.reset(seed=4)
    play_on(env, 40)
    state = env.get_state()
    once = play_on(env, 500)
    for _ in range(2):
        env.set_state(state)
        assert play_on(env, 500) == once


def test_raw_env_refuses_an_illegal_action_and_stays_as_it_was():
    env = spades_v0.raw_env()
    env.reset(seed=1)
    before = env.game.to_bytes()
    for action in (0, 75, -1, 3.5, None, "KEEP"):
        with pytest.raises(IllegalAction):
            env.step(action)
    assert env.game.to_bytes() == before
    assert env.agent_selection == "player_0"


@pytest.mark.parametrize("kind,penalty", [("score", -10), ("win", -1)])
def test_env_ends_at_an_illegal_action_at_the_offenders_cost(kind, penalty):
    env = spades_v0.env("partnership", reward=kind)
    env.reset(seed=1)
    play_on(env, 2)
    offender = env.agent_selection
    env.step(0)
    paid = {}
    for agent in env.agent_iter():
        _, paid[agent], terminated, _, _ = env.last()
        assert terminated
        env.step(None)
    assert paid == {agent: penalty if agent == offender else 0 for agent in env.possible_agents}


@pytest.mark.parametrize("make", [spades_v0.raw_env, spades_v0.env, spades_v0.parallel_env])
def test_before_the_first_reset(make):
    env = make(render_mode="ansi")
    asks = {
        "render": env.render,
        "state": env.state,
        "agents": lambda: env.agents,
        "step": lambda: env.step({"player_0": 0} if make is spades_v0.parallel_env else 0),
        "game": lambda: env.unwrapped.game,
    }
    if make is not spades_v0.parallel_env:
        asks |= {name: lambda name=name: getattr(env, name) for name in ("agent_selection", "infos", "rewards")}
        asks |= {"observe": lambda: env.observe("player_0"), "last": env.last}
    for name, ask in asks.items():
        with pytest.raises((AttributeError, AssertionError), match="reset"):  # PettingZoo has both
            print(name, ask())
    env.reset(seed=1)
    assert len(env.agents) == 2


def test_the_parallel_interface_names_the_agent_on_turn_and_every_mask_allows_an_action():
    env = spades_v0.parallel_env("partnership", episode="hand")
    observations, infos = env.reset(seed=4)
    for step in range(60):
        active = {info["active_agent"] for info in infos.values()}
        assert active == {env.unwrapped.agent_selection}
        if step == 0:
            assert active == {"player_0"}
        for agent, observation in observations.items():
            legal = np.flatnonzero(observation["action_mask"]).tolist()
            assert legal == (env.unwrapped.game.legal_actions() if agent in active else [DONE])
        actions = {agent: np.flatnonzero(one["action_mask"])[0] for agent, one in observations.items()}
        observations, rewards, terminations, *_, infos = env.step(actions)
        if not env.agents:
            break
    assert all(terminations.values())
    assert sum(rewards.values()) == 0


def test_env_checks_calls():
    env = spades_v0.env()
    with pytest.raises(AttributeError, match="agent_selection cannot be accessed before reset"):
        _ = env.agent_selection
    env.reset(seed=1)
    with pytest.raises(AssertionError, match="action is not in action space"):
        env.step(75)
    assert str(env) == "spades_v0"


@pytest.mark.parametrize(
    "arguments,message",
    [
        ({"rules": "bridge"}, "unknown rules 'bridge'"),
        ({"episode": "trick"}, "episode must be one of"),
        ({"reward": "money"}, "reward must be one of"),
        ({"max_hands": 0}, "max_hands must be an int"),
        ({"render_mode": "gif"}, "render_mode must be None or one of 'human', 'ansi'"),
    ],
)
def test_bad_arguments(arguments, message):
    for make in (spades_v0.raw_env, spades_v0.env, spades_v0.parallel_env):
        with pytest.raises(ValueError, match=message):
            make(**arguments)


@presets
def test_state_holds_every_hand(rules):
    env, dice = spades_v0.raw_env(endless(rules)), random.Random(3)
    env.reset(seed=3)
    for _ in range(120):
        state = env.state()
        assert state in env.state_space
        assert (state[:SIZE] == env.observe("player_0")["observation"]).all()
        sets = [sum(1 << int(card) for card in np.flatnonzero(row)) for row in state[SIZE:].reshape(6, 52)]
        seats = PRESETS[rules].players
        assert sets[:seats] == env.game.hands
        assert sets[4] == (0 if env.game.drawn is None else 1 << env.game.drawn)
        cards = [card for row in state[SIZE:].reshape(6, 52) for card in np.flatnonzero(row)]
        assert len(set(cards)) == len(cards)
        env.step(dice.choice(env.game.legal_actions()))
