"""The Gymnasium environment: the checkers of Gymnasium and SB3 for every preset, credit, opponents, resets."""

from __future__ import annotations

import copy
import pickle
import random
import sys

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from scripted import Scripted, endless, matches, reward_kinds

from spades_env import PRESETS, Game, IllegalAction, Rules, SpadesEnv
from spades_env.cards import DONE
from spades_env.episodes import Reward
from spades_env.observation import SIZE, decode
from spades_env.tables import Tables, agent_seed

presets = pytest.mark.parametrize("rules", PRESETS)


def play_on(env, steps, seed=0):
    """Play `steps` random legal actions (fewer if the episode ends) and return all that `step` said."""
    dice, seen = random.Random(seed), []
    for _ in range(steps):
        observation, *rest, info = env.step(dice.choice(np.flatnonzero(env.unwrapped.action_masks())))
        seen.append((observation.tobytes(), *rest, info["action_mask"].tobytes(), str(info.get("scores"))))
        if rest[1] or rest[2]:
            break
    return seen


class Recorder:
    """Plays the first legal action and notes what it was asked and told."""

    name = "recorder"

    def __init__(self):
        self.seats, self.seeds = [], []

    def reset(self, seed=None):
        self.seeds.append(seed)

    def act(self, view):
        assert view.seat == view.observer
        self.seats.append(view.seat)
        return view.legal_actions()[0]


@presets
def test_gymnasium_check(rules):
    env = gymnasium.make("spades_env/Spades-v0", rules=rules, disable_env_checker=True).unwrapped
    check_env(env)


@presets
def test_stable_baselines3_check(rules):
    from stable_baselines3.common.env_checker import check_env as check

    check(SpadesEnv(rules))


@presets
def test_make_with_gymnasiums_own_checks_around(rules):
    env = gymnasium.make("spades_env/Spades-v0", rules=rules, opponents="heuristic", max_hands=2)
    _, info = env.reset(seed=1)
    over = False
    while not over:
        _, _, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))
        over = terminated or truncated


@presets
def test_masks_are_the_legal_actions(rules):
    env, dice = SpadesEnv(rules, max_hands=2), random.Random(4)
    observation, info = env.reset(seed=4)
    over = False
    while not over:
        assert env.game.seat == env.learner
        assert observation in env.observation_space
        assert info["action_mask"].dtype == np.int8
        assert env.action_masks().dtype == np.bool_
        legal = env.game.legal_actions()
        assert np.flatnonzero(info["action_mask"]).tolist() == np.flatnonzero(env.action_masks()).tolist() == legal
        observation, _, terminated, truncated, info = env.step(np.int64(dice.choice(legal)))
        over = terminated or truncated
    assert np.flatnonzero(env.action_masks()).tolist() == [DONE]  # for the autoreset, which ignores it
    assert np.flatnonzero(info["action_mask"]).tolist() == [DONE]


@presets
def test_the_observation_holds_what_the_opponents_did(rules):
    env, dice = SpadesEnv(endless(rules), max_hands=2), random.Random(6)
    observation, _ = env.reset(seed=6)
    for _ in range(60):
        said, game, seats = decode(observation), env.game, env.rules.players
        order = [(env.learner + k) % seats for k in range(seats)]
        assert said["plays"][:seats] == [game.plays[seat] for seat in order]
        assert said["bids"][:seats] == [game.bids[seat] for seat in order]
        assert said["tricks"][:seats] == [game.tricks[seat] for seat in order]
        assert said["hand"] == game.view(env.learner).hand
        observation, _, _, truncated, _ = env.step(dice.choice(game.legal_actions()))
        if truncated:
            break


@matches
@reward_kinds
def test_every_seat_is_paid_what_was_worked_out_by_hand(match, kind):
    player = Scripted(match)
    for seat in range(match.rules.players):
        env = SpadesEnv(match.rules, player, seat, reward=kind)
        env.reset(seed=0, options=match.options)
        got, over = [], False
        while not over:
            _, reward, over, truncated, info = env.step(player.act(env.game.view()))
            got += [reward] if reward else []
            assert not truncated
        assert got == match.rewards(seat, kind)
        sides = match.rules.sides
        assert info["scores"].tolist() == [env.game.scores[(seat + k) % sides] for k in range(sides)]
        assert info["hands"] == len(match.hands)


def test_before_the_first_reset():
    env = SpadesEnv(render_mode="ansi")
    assert not hasattr(env, "game")
    for call in (env.action_masks, env.render, lambda: env.game, lambda: env.learner, lambda: env.step(0)):
        with pytest.raises(ResetNeeded, match=r"call reset\(\)"):
            call()
    with pytest.raises(AttributeError, match="has no attribute 'gmae'"):
        _ = env.gmae
    copy.deepcopy(env).reset()


def test_the_learners_seat_moves_on_every_match():
    env = SpadesEnv("cutthroat")
    seats = [env.reset(seed=3)[1]["seat"]] + [env.reset()[1]["seat"] for _ in range(4)]
    assert seats == [0, 1, 2, 0, 1]
    assert env.game.seed == (3, 0, 4)
    assert env.game.hands == Game("cutthroat", (3, 0, 4)).hands
    assert env.reset(seed=3)[1]["seat"] == 0
    fixed = SpadesEnv("cutthroat", seat=2)
    assert [fixed.reset()[1]["seat"] for _ in range(3)] == [2, 2, 2]


def test_resets_without_any_seed_differ():
    seeds = set()
    for _ in range(3):
        env = SpadesEnv()
        env.reset()
        seeds.add(env.game.seed)
    assert len(seeds) == 3


def test_opponents_sit_clockwise_from_the_learners_left():
    one, two, three = Recorder(), Recorder(), Recorder()
    env = SpadesEnv("partnership", [one, two, three], seat=2, episode="hand")
    env.reset(seed=0)
    play_on(env, 100)
    assert [set(agent.seats) for agent in (one, two, three)] == [{3}, {0}, {1}]
    assert env.opponents == [one, two, three]


def test_one_agent_at_several_seats_is_copied():
    agent = Recorder()
    env = SpadesEnv("partnership", agent, seat=0, episode="hand")
    env.reset(seed=0)
    play_on(env, 100)
    assert env.opponents[0] is agent
    assert [set(player.seats) for player in env.opponents] == [{1}, {2}, {3}]


def test_agents_are_seeded_for_every_match_as_the_tables_seed_theirs():
    agent = Recorder()
    env = SpadesEnv("two_player", agent, seat=1)
    env.reset(seed=8)
    env.reset()
    assert agent.seeds == [agent_seed((8, 0, match), 0) for match in range(2)]
    tables = Tables("two_player", 1, [8])
    assert tables.agent_rng[0, 0] == agent.seeds[0]
    tables.reset_rows(np.array([0]))
    assert tables.agent_rng[0, 0] == agent.seeds[1]


def test_a_match_without_a_winner_is_truncated():
    env = SpadesEnv(max_hands=1)
    env.reset(seed=3)
    *_, last = play_on(env, 1000)
    assert last[2:4] == (False, True)
    assert env.game.winner is None
    with pytest.raises(ResetNeeded):
        env.step(0)


@pytest.mark.parametrize("kind,penalty", [("score", -10), ("win", -1)])
@pytest.mark.parametrize("action", [74, 75, -1])
def test_an_illegal_action_ends_the_episode_with_a_penalty(kind, penalty, action):
    env = SpadesEnv("partnership", reward=kind)
    env.reset(seed=1)
    before = env.game.to_bytes()
    _, reward, terminated, truncated, info = env.step(action)
    assert (reward, terminated, truncated) == (penalty, True, False)
    assert info["illegal_action"] is True
    assert np.flatnonzero(info["action_mask"]).tolist() == [DONE]
    assert env.game.to_bytes() == before
    with pytest.raises(ResetNeeded):
        env.step(action)


def test_an_illegal_action_can_raise():
    env = SpadesEnv("partnership", illegal="raise")
    env.reset(seed=1)
    before = env.game.to_bytes()
    with pytest.raises(IllegalAction, match="DONE for seat 0 in phase BLIND: legal actions are BLIND_NIL LOOK"):
        env.step(74)
    assert env.game.to_bytes() == before
    play_on(env, 10)
    with pytest.raises(ValueError, match=r"action must be an int in 0\.\.74, got 1\.5"):
        env.step(1.5)


def test_an_opponents_illegal_action_is_told_as_its_own():
    class Broken(Recorder):
        def act(self, view):
            return 74

    env = SpadesEnv("partnership", Broken(), seat=3)
    with pytest.raises(IllegalAction, match="an opponent's illegal action DONE for seat 0"):
        env.reset(seed=1)


@pytest.mark.parametrize(
    "arguments,message",
    [
        ({"rules": "bridge"}, "unknown rules 'bridge'"),
        ({"opponents": "nobody"}, "unknown agent 'nobody'"),
        ({"opponents": ["random", "random"]}, "opponents must be one agent, or a list of 1, got a list of 2"),
        ({"opponents": 3}, "opponents: 3 is not an agent: it has no reset and no act"),
        ({"opponents": "learned", "rules": "solo"}, "agent 'learned' plays only two_player, partnership and cutthroat"),
        ({"opponents": ["random", "bidder"], "rules": "cutthroat"}, "there are bidding models for two players and"),
        ({"seat": 2}, r"seat must be an int in 0\.\.1, got 2"),
        ({"episode": "trick"}, "episode must be one of"),
        ({"reward": "money"}, "reward must be one of 'score', 'win', got 'money'"),
        ({"reward": "match"}, "reward must be one of 'score', 'win', got 'match', which only training computes"),
        ({"max_hands": 0}, "max_hands must be an int"),
        ({"illegal": "ignore"}, "illegal must be one of 'terminate', 'raise', got 'ignore'"),
        ({"render_mode": "gif"}, "render_mode must be None or one of"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        SpadesEnv(**arguments)


def test_without_the_agents_package_texts_are_refused_and_agents_welcome(monkeypatch):
    monkeypatch.setitem(sys.modules, "spades_agents", None)
    with pytest.raises(ModuleNotFoundError, match="opponents='random' needs the package spades_agents"):
        SpadesEnv()
    SpadesEnv(opponents=Recorder()).reset(seed=1)


@presets
@pytest.mark.parametrize("opponents", ["random", "heuristic"])
def test_copies_continue_alike(rules, opponents):
    env = SpadesEnv(endless(rules), opponents, max_hands=3)
    env.reset(seed=2)
    play_on(env, 20)
    copies = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    expected = play_on(env, 1000)
    assert len(expected) > 20
    for one in copies:
        assert play_on(one, 1000) == expected
        assert one.reset()[1]["seat"] == 1


def test_options_survive_a_seeded_reset():
    rules = Rules.preset("two_player", target=300)
    env = SpadesEnv(rules, "random", 1, "hand", "win", 7)
    env.reset(seed=5)
    env.reset(seed=5)
    assert env.game.rules == rules
    assert (env.episode, env.reward_kind, env.max_hands, env.learner) == ("hand", "win", 7, 1)


def test_a_reward_is_its_name():
    assert [f"{reward}" for reward in Reward] == list(Reward) == ["score", "win", "match"]
    assert SpadesEnv(reward=Reward.WIN).reward_kind == SpadesEnv(reward="win").reward_kind == "win"


def test_reset_options():
    env = SpadesEnv("partnership", seat=0)
    env.reset(seed=1, options={"scores": [30, -40], "bags": [1, 2], "opener": 2, "somebody else's": 1})
    assert (env.game.scores, env.game.bags, env.game.opener) == ([30, -40], [1, 2], 2)
    game = env.game
    with pytest.raises(ValueError, match="bags must hold 2 ints"):
        env.reset(options={"bags": [1]})
    assert env.game is game


def test_returned_arrays_are_never_written_to_again():
    env = SpadesEnv(episode="hand")
    observation, info = env.reset(seed=1)
    before = observation.copy(), info["action_mask"].copy()
    play_on(env, 60)
    assert (observation == before[0]).all()
    assert (info["action_mask"] == before[1]).all()
    assert observation.shape == (SIZE,)
