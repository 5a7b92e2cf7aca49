"""No seat is told what it may not know: with all that is hidden changed, what it is shown stays the same."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from hidden import HIDDEN_FIELDS, Watched, hidden_bytes
from random_rules import MIXES, Player
from spades_agents.registry import make_agent

from spades_env.engine.state import rules_array
from spades_env.game import View
from spades_env.observation import decode
from spades_env.rules import Rules
from spades_env.tables import Tables

HANDS = 2
KEEN = Player(blind=0.5, nil=0.2, wild=0.2, stop=0.2, spade=0.6)  # often blind, so that exchanges come up


class Shower:
    """All that an environment shows a seat, as bytes, from a record in place of its own."""

    def __init__(self, rules: Rules) -> None:
        self.rules, self.record = rules, rules_array(rules)
        self.tables = Tables(rules, 1, seed=0)

    def observation(self, states: np.ndarray, seat: int) -> bytes:
        self.tables.states[:] = states
        self.tables.observe(seats=np.array([seat], np.int8))
        return self.tables.observation.tobytes() + self.tables.action_mask.tobytes()

    def view(self, states: np.ndarray, seat: int) -> bytes:
        view = View(self.rules, self.record, states, seat)
        shown = [getattr(view, name) for name in dir(type(view)) if isinstance(getattr(type(view), name), property)]
        return view.to_bytes() + repr((view, view.legal_actions(), shown)).encode()


def leaks(rules, show, hands=HANDS, seed=2, player=KEEN):
    """The phases seen, and the decisions at which `show(states, seat)` gave a hidden thing away."""
    watched = Watched(rules, seed, player, endless=True)
    phases, found = set(), []
    for _ in watched.walk(hands):
        states = watched.pair.engine.state
        phases.add(watched.pair.reference.phase)
        for seat in range(rules.players):
            if show(states, seat) != show(watched.changed(seat), seat):
                found.append((watched.pair.reference.phase, seat, watched.pair.reference.seat))
    return phases, found


@pytest.mark.parametrize("mix", MIXES)
def test_observation_and_view(mix):
    rules, shower = MIXES[mix], Shower(MIXES[mix])
    phases, found = leaks(rules, lambda *at: shower.observation(*at) + shower.view(*at))
    assert found == []
    assert phases >= {"play", "bid"} | ({"draft"} if rules.draft else set())
    assert "blind" in phases or not rules.blind_nil
    assert "exchange" in phases or not (rules.exchange and rules.blind_nil)


@pytest.mark.parametrize("mix", MIXES)
def test_nor_when_the_match_is_over(mix):
    rules, shower = replace(MIXES[mix], target=1, nil=100), Shower(MIXES[mix])
    ends = 0
    for seed in range(24):
        watched = Watched(rules, seed, KEEN)
        for _ in watched.walk(3):
            pass
        if watched.pair.reference.is_over:
            ends += 1
            states = watched.pair.engine.state
            for seat in range(rules.players):
                changed = watched.changed(seat)
                assert shower.observation(states, seat) == shower.observation(changed, seat)
                assert shower.view(states, seat) == shower.view(changed, seat)
    assert ends > 3


@pytest.mark.parametrize(
    "mix, name",
    [(mix, name) for mix in ("two_player", "public", "dealt pair") for name in HIDDEN_FIELDS]
    + [("solo", name) for name in ("hands", "deck", "key", "rng", "match")],
)
def test_a_leak_would_be_noticed(mix, name):
    """A view that shows but one byte of a hidden field is caught."""
    rules = MIXES[mix]
    for byte in range(1, 4):  # byte 0 of a set holds no card
        _, found = leaks(rules, lambda states, seat, byte=byte: hidden_bytes(rules, states[0], name, seat)[byte], 1)
        assert len(found) > 5


def test_one_bit_of_another_hand_in_the_observation_would_be_noticed():
    rules, shower = MIXES["partnership"], Shower(MIXES["partnership"])

    def leaky(states, seat):
        ace_of_spades = int(states["hands"][0, (seat + 1) % 4]) >> 51 & 1
        return shower.observation(states, seat) + bytes([ace_of_spades])

    _, found = leaks(rules, leaky)
    assert len(found) > 20
    assert {phase for phase, _, _ in found} == {"blind", "bid", "play"}


@pytest.mark.parametrize("mix", ["two_player", "dealt pair", "partnership", "solo", "cutthroat"])
def test_before_the_blind_answer_a_seat_sees_no_card(mix):
    watched = Watched(MIXES[mix], 3, KEEN, endless=True)
    shower = Shower(MIXES[mix])
    unanswered = 0
    for _ in watched.walk(2):
        states, reference = watched.pair.engine.state, watched.pair.reference
        for seat in range(reference.rules.players):
            if reference.blind[seat] is None:
                unanswered += 1
                shower.observation(states, seat)
                observed = decode(shower.tables.observation[0])
                assert (observed["hand"], observed["drawn"], observed["gone"]) == (0, 0, 0)
                view = View(reference.rules, shower.record, states, seat)
                assert (view.hand, view.drawn, view.hands) == (0, None, [0] * reference.rules.players)
    assert unanswered > 4


class Rows(SimpleNamespace):
    """The arrays that `act_batch` takes, for one table."""


@pytest.mark.parametrize(
    "name,mix",
    [
        *product(
            ["random", "uniform", "heuristic", "rollout:worlds=4", "pimc:worlds=4"],
            ["two_player", "public", "dealt pair", "partnership", "solo", "cutthroat"],
        ),
        *product(["learned", "pimc:worlds=4,policy=learned"], ["two_player", "public"]),
    ],
)
def test_agents_decide_alike(name, mix):
    rules, agent = MIXES[mix], make_agent(name)
    record = rules_array(rules)

    def decision(states, seat):
        if int(states["seat"][0]) != seat:
            return None
        agent.reset(seed=1)
        alone = agent.act(View(rules, record, states, seat))
        agent.reset(seed=1)
        tables = Rows(states=states, rules=rules, rules_array=record, agent_rng=np.ones((1, 4), np.uint64))
        return alone, *agent.act_batch(tables, np.zeros(1, np.int64)).tolist()

    _, found = leaks(rules, decision)
    assert found == []


@pytest.mark.parametrize("mix", MIXES)
def test_worlds_that_agree_with_a_view_look_the_same(mix):
    """A sampled world was played again from its own deal: nothing a seat is shown may follow from other hands."""
    rules, shower = MIXES[mix], Shower(MIXES[mix])
    watched = Watched(rules, 4, KEEN, endless=True)
    for k, _ in enumerate(watched.walk(HANDS)):
        game = watched.pair.engine
        for seat in range(rules.players):
            if (k + seat) % 3 == 0:
                world = game.view(seat).sample(k)
                assert world.view(seat).to_bytes() == game.view(seat).to_bytes()
                assert shower.observation(world.state, seat) == shower.observation(game.state, seat)
