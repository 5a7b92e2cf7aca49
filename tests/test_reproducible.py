"""The same seed gives the same match: in any process, batch, number of threads, copy and worker; and decks are fair."""

from __future__ import annotations

import copy
import hashlib
import os
import pickle
import subprocess
import sys
from random import Random

import gymnasium
import numpy as np
import pytest
from random_rules import MIXES, Player
from walks import choose

from spades_env import Game, spades_v0
from spades_env.cards import BLIND_NIL, NUM_CARDS, cards_in
from spades_env.rules import PRESETS, Rules
from spades_env.tables import Tables

DIGEST = """
import hashlib
import numpy as np
from spades_env import PRESETS, Tables
from spades_agents import make_agent
digest = hashlib.sha256()
for preset in PRESETS:
    tables, agent = Tables(preset, 8, seed=11, max_hands=2), make_agent("random")
    for _ in range(250):
        tables.step(agent.act_batch(tables, np.arange(8)))
        for array in (tables.observation, tables.action_mask, tables.reward, tables.terminated, tables.states):
            digest.update(array.tobytes())
print(digest.hexdigest())
"""


def digest_of_a_process(**environment):
    path = {"PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(
        [sys.executable, "-c", DIGEST], env=os.environ | path | environment, capture_output=True, text=True, check=True
    ).stdout


def test_processes_and_hash_seeds():
    digests = {digest_of_a_process(PYTHONHASHSEED=seed) for seed in ("0", "1")}
    assert len(digests) == 1
    assert len(next(iter(digests)).strip()) == 64


@pytest.mark.long
def test_without_the_compilers_cache(tmp_path):
    fresh = digest_of_a_process(SPADES_CACHE_DIR=str(tmp_path))
    assert any(tmp_path.iterdir())
    assert fresh == digest_of_a_process(SPADES_CACHE_DIR=str(tmp_path)) == digest_of_a_process()


def trace(count, threads, rows, steps=180, **options):
    """Bytes of all that `rows` show, when each table is played by its own random stream."""
    tables = Tables("two_player", count, seed=3, threads=threads, max_hands=2, **options)
    streams = {row: Random(row) for row in rows}
    digest = hashlib.sha256()
    for _ in range(steps):
        actions = np.argmax(tables.action_mask, axis=1)
        for row, rng in streams.items():
            actions[row] = rng.choice(np.flatnonzero(tables.action_mask[row]))
        tables.step(actions)
        for row in rows:
            digest.update(tables.observation[row].tobytes() + tables.states[row].tobytes())
            digest.update(
                tables.reward[row].tobytes() + tables.terminated[row].tobytes() + tables.truncated[row].tobytes()
            )
    return digest.hexdigest()


def test_batch_sizes_and_threads():
    rows = (0, 2, 6)
    assert len({trace(count, threads, rows) for count, threads in ((7, 1), (64, 1), (64, 2), (50, 7))}) == 1


def continuations(game):
    return {
        "clone": game.clone(),
        "copy": copy.copy(game),
        "deepcopy": copy.deepcopy(game),
        "pickle": pickle.loads(pickle.dumps(game)),
        "bytes": Game.from_bytes(game.to_bytes()),
    }


@pytest.mark.parametrize("mix", MIXES)
def test_copies_of_every_phase_continue_alike_and_apart(mix):
    rules, rng = MIXES[mix], Random(8)
    player = Player(blind=0.5, nil=0.2, wild=0.2, stop=0.3, spade=0.5)
    game, phases = Game(rules, seed=(5, 2, 1), bags=[1] * rules.sides), set()
    steps = 0
    while not game.is_over and game.hand_number < 3:
        if game.phase not in phases or steps % 41 == 0:
            phases.add(game.phase)
            before = game.state.tobytes()
            plays = {name: played_on(other, 130) for name, other in continuations(game).items()}
            assert len(set(plays.values())) == 1
            assert game.state.tobytes() == before, "the game itself has not moved"
        game.apply(choose(rng, player, game))
        steps += 1
    assert len(phases) >= (2 if not rules.blind_nil else 3)


def played_on(game, actions):
    """All states of a game that is played on (into the next hand and its fresh deck)."""
    rng, states = Random(9), []
    for _ in range(actions):
        if game.is_over:
            break
        game.apply(rng.choice(game.legal_actions()))
        states.append(game.state.tobytes())
    return tuple(states)


def test_a_deck_depends_on_seed_table_match_and_hand_alone():
    def decks(seed, choose, hands=3, **start):
        game, found = Game(Rules.preset("cutthroat", target=10_000, loss=None), seed=seed, **start), []
        while game.hand_number < hands:
            if len(found) == game.hand_number:
                found.append(tuple(game.state["deck"][0, :51].tolist()))
            game.apply(choose(game.legal_actions()))
        return found

    places = [(1, 0, 0), (2, 0, 0), (1, 1, 0), (1, 0, 1), (1, 2**31 - 1, 0), (2**64 - 1, 0, 0)]
    all_decks = []
    for place in places:
        lowest = decks(place, lambda legal: legal[0])
        highest = decks(place, lambda legal: legal[-1])
        assert lowest == highest
        assert lowest == decks(place, Random(1).choice, opener=2, scores=[50, -50, 0], bags=[1, 2, 3])
        all_decks += lowest
    assert len(set(all_decks)) == len(all_decks) == 3 * len(places)
    # Given decks take the place of the first ones and leave the others as they are.
    given = decks((1, 0, 0), lambda legal: legal[0], decks=[list(range(1, 52))])
    assert given[1:] == all_decks[1:3]


def chi_square(counts):
    """The statistic of equal chances, as a distance from its mean in standard deviations."""
    expected = counts.sum() / counts.size
    freedom = counts.size - 1
    return (((counts - expected) ** 2 / expected).sum() - freedom) / np.sqrt(2 * freedom)


@pytest.mark.parametrize("preset", PRESETS)
def test_every_card_comes_to_every_place_alike(preset):
    """Cards against places of the deck, over 40,000 first hands and again over 200 seeds of 200 tables."""
    size = len(Rules.preset(preset).deck)
    first = NUM_CARDS - size
    for decks in (
        Tables(preset, 40_000, seed=7).states["deck"],
        np.concatenate([Tables(preset, 200, seed=seed).states["deck"] for seed in range(200)]),
    ):
        cards = decks[:, :size].astype(np.int64) - first
        counts = np.zeros((size, size))
        for place in range(size):
            counts[:, place] = np.bincount(cards[:, place], minlength=size)
        # Rows and columns have fixed sums, so that (size - 1)**2 places are free.
        assert abs(chi_square(counts)) < 5
        # Neighbours in the deck: each ordered pair of cards as often.
        pairs = np.bincount((cards[:, :-1] * size + cards[:, 1:]).ravel(), minlength=size * size)
        different = pairs.reshape(size, size)[~np.eye(size, dtype=bool)]
        assert abs(chi_square(different)) < 5


@pytest.mark.parametrize("preset", ["partnership", "solo", "cutthroat"])
def test_every_card_comes_to_every_seat_alike(preset):
    rules = Rules.preset(preset)
    hands = Tables(preset, 40_000, seed=8).states["hands"]
    for card in rules.deck:
        counts = np.array([(hands[:, seat] >> np.uint64(card) & np.uint64(1)).sum() for seat in range(rules.players)])
        assert counts.sum() == 40_000
        assert chi_square(counts.astype(float)) < 12  # of 3 or 2 degrees of freedom: chances of 1 in a million


def test_every_pair_of_the_pile_comes_back_alike_in_an_exchange():
    """A dealt pair: seat 0 gives up 2 of 13 cards, and each pair of the 26 of the pile comes as often as any other."""
    rules = Rules(players=2, exchange=2)
    by_place, by_rank = np.zeros((26, 26)), np.zeros((26, 26))
    for seed in range(8_000):
        game = Game(rules, seed=seed)
        deck = game.state["deck"][0].tolist()
        pile = deck[26:]
        for action in (BLIND_NIL, deck[0], deck[2]):
            game.apply(action)
        received = cards_in(game.view(0).received)
        by_place[tuple(sorted(map(pile.index, received)))] += 1
        by_rank[tuple(map(sorted(pile).index, received))] += 1  # among the cards of the pile, lowest first
    for counts in (by_place, by_rank):
        pairs = counts[np.triu_indices(26, 1)]
        assert pairs.sum() == 8_000
        assert abs(chi_square(pairs)) < 5


OPTIONS = {
    "rules": Rules.preset("two_player", target=60, exchange=1),
    "episode": "hand",
    "reward": "win",
    "max_hands": 7,
}


def make_env():
    return gymnasium.make("spades_env/Spades-v0", **OPTIONS, opponents="random")


def options_of(env):
    raw = env.unwrapped
    return raw.rules, raw.episode, raw.reward_kind, raw.max_hands


def test_options_survive_seeded_resets_and_copies():
    single, aec = make_env(), spades_v0.raw_env(**OPTIONS)
    wanted = tuple(OPTIONS.values())
    for env in (single, aec):
        for seed in (None, 1, 2):
            env.reset(seed=seed)
            assert options_of(env) == wanted
            assert env.unwrapped.game.rules == OPTIONS["rules"]
        for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
            other.reset(seed=3)
            assert options_of(other) == wanted
            assert other.unwrapped.game.rules == OPTIONS["rules"]


def test_vector_workers_play_the_same_with_the_same_options():
    """Two environments in processes of their own against two in this one: 60 steps over several episodes."""
    with_workers = gymnasium.vector.AsyncVectorEnv([make_env] * 2, context="spawn")
    here = gymnasium.vector.SyncVectorEnv([make_env] * 2)
    try:
        pairs = [env.reset(seed=4) for env in (with_workers, here)]
        rng = np.random.default_rng(5)
        for _ in range(60):
            (first, infos), (second, others) = pairs
            np.testing.assert_array_equal(first, second)
            np.testing.assert_array_equal(infos["action_mask"], others["action_mask"])
            masks = others["action_mask"]
            actions = np.array([rng.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in masks])
            steps = [env.step(actions) for env in (with_workers, here)]
            for one, other in zip(steps[0][1:4], steps[1][1:4], strict=True):
                np.testing.assert_array_equal(one, other)
            pairs = [(step[0], step[4]) for step in steps]
    finally:
        with_workers.close()
        here.close()


@pytest.mark.long
def test_stable_baselines3_workers_play_the_same_with_the_same_options():
    """The same of Stable-Baselines3's vector environments, which begin the next episode at once."""
    from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv

    with_workers, here = SubprocVecEnv([make_env] * 2, start_method="spawn"), DummyVecEnv([make_env] * 2)
    try:
        for env in (with_workers, here):
            env.seed(6)
            assert [rules.exchange for rules in env.get_attr("rules")] == [1, 1]
        observations = [env.reset() for env in (with_workers, here)]
        ends = 0
        for _ in range(150):
            np.testing.assert_array_equal(*observations)
            actions = np.array([np.flatnonzero(mask)[-1] for mask in here.env_method("action_masks")])
            steps = [env.step(actions) for env in (with_workers, here)]
            observations = [step[0] for step in steps]
            np.testing.assert_array_equal(steps[0][1], steps[1][1])
            np.testing.assert_array_equal(steps[0][2], steps[1][2])
            ends += steps[1][2].sum()
        assert ends > 4
    finally:
        with_workers.close()
        here.close()
