"""What holds for every player: legal under all rules, alike one by one and in batches, blind to hidden cards."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from random_rules import MIXES, random_rules
from spades_agents import make_agent

from spades_env.cards import BID_0, BLIND_NIL, DONE
from spades_env.game import Game
from spades_env.rules import Rules
from spades_env.tables import Tables, agent_seed

NAMES = ["random", "uniform", "heuristic"]
ODD = {
    "no nil": {"nil": 0, "blind_nil": 0, "exchange": 0},
    "nil is all": {"nil": 1000, "blind_nil": 1000},
    "bags are free": {"bag_limit": 0},
    "every bag hurts": {"bag_limit": 1, "bag_penalty": 1000},
    "no penalty": {"bag_penalty": 0},
    "short": {"target": 1, "loss": -1},
    "any lead": {"spades_must_break": False},
    "failed nil counts": {"failed_nil": "contract"},
    "failed nil is bags": {"failed_nil": "bags"},
}


def rules_of(name: str) -> Rules:
    game, _, change = name.partition(": ")
    return Rules.preset(game, **ODD[change]) if change else MIXES[game]


ALL_RULES = [*MIXES, *(f"{game}: {change}" for game in ("two_player", "partnership", "cutthroat") for change in ODD)]


@pytest.mark.parametrize(
    "name,rules",
    [(name, rules) for name in NAMES for rules in ALL_RULES]
    + [(name, rules) for name in ("rollout:worlds=2", "pimc:worlds=2") for rules in MIXES]
    + [
        (f"{name}:worlds=2,policy=learned", rules) for name in ("rollout", "pimc") for rules in ("two_player", "public")
    ],
)
def test_a_batch_acts_as_single_agents_do_and_legally(name, rules):
    rules = rules_of(rules)
    tables = Tables(rules, 3, seed=7, max_hands=4)
    batch = make_agent(name)
    singles = {}
    rows = np.arange(3)
    for _ in range(250):
        states = tables.states.copy()
        actions = batch.act_batch(tables, rows)
        assert (tables.states == states).all()
        for row in rows:
            match = int(tables.states["match"][row])
            place = int(row), int(tables.seat[row])
            if singles.get(place, (None, -1))[1] != match:
                agent = make_agent(name)
                agent.reset(agent_seed((7, int(row), match), place[1]))
                singles[place] = agent, match
            view = tables.view(int(row))
            assert actions[row] == singles[place][0].act(view)
            assert actions[row] in view.legal_actions()
        tables.step(actions)


@pytest.mark.parametrize("seed", range(20))
def test_scripted_player_under_random_rules(seed):
    rng = Random(seed)
    game = Game(random_rules(rng), seed=seed)
    heuristic, dice = make_agent("heuristic"), make_agent(f"uniform:seed={seed}")
    while not game.is_over and game.hand_number < 8:
        agent = heuristic if game.seat % 2 else dice
        game.apply(agent.act(game.view()))  # raises if it is not legal


@pytest.mark.parametrize("rules", MIXES)
def test_equal_views_give_equal_actions(rules):
    """Worlds that agree with all that the seat has seen differ in what it cannot see, and in nothing it does."""
    agent, other = make_agent("heuristic"), make_agent("heuristic")
    game = Game(MIXES[rules], seed=3)
    rng = np.random.default_rng(0)
    for step in range(120):
        view = game.view()
        action = agent.act(view)
        assert other.act(view) == action
        if step % 4 == 0:
            assert agent.act(view.sample(rng).view(view.observer)) == action
        game.apply(action)
        if game.is_over:
            break


@pytest.mark.parametrize("name", NAMES)
def test_only_the_seat_on_turn_acts(name):
    game = Game("partnership", seed=0)
    with pytest.raises(ValueError, match="seat 0 is on turn, but the view is that of seat 1"):
        make_agent(name).act(game.view(1))


def test_no_action_after_the_end():
    game = Game(Rules(target=1), seed=0, scores=[1, 0, 0, 0])
    agent = make_agent("heuristic")
    while not game.is_over:
        game.apply(agent.act(game.view()))
    with pytest.raises(ValueError, match="the match is over"):
        agent.act(game.view())


@pytest.mark.parametrize(
    "rules,mean,spread", [("two_player", 6.5, 1.80), ("cutthroat", 5.67, 1.94), ("solo", 3.25 + 0.75**13, 1.53)]
)
def test_random_bids_its_share(rules, mean, spread):
    """A binomial count of n tricks with chance p: mean n p, deviation sqrt(n p (1 - p)); nil is raised to 1."""
    found = np.array([bid for seed in range(40) for bid in random_bids(rules, seed)])
    assert found.min() >= 1
    assert found.mean() == pytest.approx(mean, abs=4 * spread / np.sqrt(len(found)))
    assert found.std() == pytest.approx(spread, rel=0.1)


def random_bids(rules: str, seed: int) -> list[int]:
    """All bids of ten hands between random players."""
    game = Game(Rules.preset(rules, target=10_000, loss=None), seed=seed)
    agent = make_agent(f"random:seed={seed}")
    found = []
    while game.hand_number < 10:
        action = agent.act(game.view())
        assert action not in (BLIND_NIL, DONE)
        if BID_0 <= action < BLIND_NIL:
            found.append(action - BID_0)
        game.apply(action)
    return found


@pytest.mark.parametrize("rules", ["two_player", "partnership"])
def test_scripted_player_beats_random_play(rules):
    """At least 97 of 100 matches; each seed twice, with the seats swapped: it plays sides 0 and 1 of the same decks."""
    pairs = 50
    wins = 0
    for side in range(2):
        tables = Tables(rules, pairs, seed=5, auto_reset=False)
        players = [make_agent("heuristic"), make_agent("random")]
        running = np.arange(pairs)
        while len(running):
            mine = tables.seat[running] % 2 == side
            actions = np.empty(len(running), np.int64)
            for player, sits in zip(players, (mine, ~mine), strict=True):
                actions[sits] = player.act_batch(tables, running[sits])
            tables.advance(actions, running)
            running = running[tables.states["winner"][running] < 0]
        wins += int((tables.states["winner"] == side).sum())
    assert wins >= 97
