"""The same for every interface: with all that is hidden from a seat changed, it is shown the same."""

from __future__ import annotations

import pickle

import pytest
from random_rules import MIXES
from test_leaks import leaks

from spades_env import Game, SpadesEnv, SpadesVectorEnv, spades_v0
from spades_env.engine.state import rules_array
from spades_env.game import View
from spades_env.picture import scene
from spades_env.picture.ansi import ansi


def pettingzoo(rules):
    """All that an agent gets from the AEC environment."""
    env = spades_v0.raw_env(rules)
    env.reset(seed=0)

    def show(states, seat):
        env.game.state[:] = states
        agent = env.possible_agents[seat]
        env.agent_selection = env.possible_agents[int(states["seat"][0])]
        shown = [env.observe(agent), env.infos[agent], env.rewards[agent], env.terminations, env.truncations]
        return pickle.dumps([*shown, env.last() if env.agent_selection == agent else None])

    return show


def gymnasium_env(rules):
    """All that the learner gets from the single environment, its text included."""
    envs = [SpadesEnv(rules, "random", seat=seat, render_mode="ansi") for seat in range(rules.players)]
    for env in envs:
        env.reset(seed=0)

    def show(states, seat):
        env = envs[seat]
        env.game.state[:] = states
        return pickle.dumps((env._observe(), env.action_masks(), env.render()))

    return show


def gymnasium_vector_env(rules):
    """The text and the masks of the vector environment."""
    envs = [SpadesVectorEnv(1, rules, "random", seat=seat, render_mode="ansi") for seat in range(rules.players)]
    for env in envs:
        env.reset(seed=0)

    def show(states, seat):
        envs[seat].tables.states[:] = states
        return pickle.dumps(envs[seat].render())

    return show


def picture(rules):
    """The table as shapes, of which pixels and SVG are made."""
    record = rules_array(rules)
    return lambda states, seat: scene(View(rules, record, states, seat))


def text(rules):
    """The table as text."""
    record = rules_array(rules)
    return lambda states, seat: ansi(View(rules, record, states, seat))


@pytest.mark.parametrize("interface", [pettingzoo, gymnasium_env, gymnasium_vector_env, text, picture])
@pytest.mark.parametrize("mix", MIXES)
def test_interfaces(mix, interface):
    phases, found = leaks(MIXES[mix], interface(MIXES[mix]))
    assert found == []
    assert "play" in phases


def test_the_text_of_the_whole_table_would_be_noticed():
    game = Game("solo", seed=0)

    def whole_table(states, seat):
        game.state[:] = states
        return ansi(game)

    _, found = leaks(MIXES["solo"], whole_table, hands=1)
    assert len(found) > 200


@pytest.mark.parametrize("mix", ["two_player", "solo"])
def test_pixels(mix):
    """What the learner's environment draws, at one in 25: it takes long."""
    rules = MIXES[mix]
    envs = [SpadesEnv(rules, "random", seat=seat, render_mode="rgb_array") for seat in range(rules.players)]
    for env in envs:
        env.reset(seed=0)
    drawn = 0

    def show(states, seat):
        nonlocal drawn
        drawn += 1
        if (drawn - 1) // 2 % 25:
            return None
        envs[seat].game.state[:] = states
        return envs[seat].render().tobytes()

    _, found = leaks(rules, show, hands=2)
    assert found == []


def test_the_picture_of_the_whole_table_would_be_noticed():
    game = Game("solo", seed=0)

    def whole_table(states, seat):
        game.state[:] = states
        return scene(game)

    _, found = leaks(MIXES["solo"], whole_table, hands=1)
    assert len(found) > 200
