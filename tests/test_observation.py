"""The observation, field by field, against what the reference and the rules say that a seat knows."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hidden import Watched
from random_rules import MIXES
from side_by_side import mask
from tabletop import deal, finish_hand, plan

from spades_env.engine.state import STATE
from spades_env.game import Game
from spades_env.observation import LAYOUT, SIZE, decode, used_bits
from spades_env.rules import Rules
from spades_env.tables import Tables

PHASES = ("blind", "draft", "exchange", "bid", "play", "over")


def observe(game, seat):
    """(observation, mask) of a seat of a single game."""
    tables = Tables(game.rules, 1, seed=0)
    tables.states[:] = game.state
    tables.observe(seats=np.array([seat], np.int8))
    return tables.observation[0], tables.action_mask[0]


def expected(watched: Watched, seat: int) -> dict:
    """What the observation of a seat has to say, from the reference and from what everybody saw."""
    game, rules, players = watched.pair.reference, watched.rules, watched.rules.players
    seats = [(seat + k) % players for k in range(players)]
    sides = [(rules.side_of(seat) + k) % rules.sides for k in range(rules.sides)]

    def by_seat(values, missing, count=4):
        return [values[k] for k in seats[:count]] + [missing] * (count - players)

    def by_side(values):
        return [values[k] for k in sides] + [0] * (4 - len(sides))

    def place(other):
        return (other - seat) % players

    draws = [[kept for drawer, kept in watched.draws if drawer == k] for k in range(players)]
    trick = [1 << card for _, card in game.trick]
    on_turn = game.seat if game.seat is not None else watched.leader
    return {
        "hand": mask(game.hands[seat]) if watched.knows_hand(seat) else 0,
        "drawn": 1 << game.drawn if game.drawn is not None and game.seat == seat else 0,
        "gone": mask(game.seen_discards[seat] | set(game.given[seat])),
        "plays": by_seat([mask(plays) for plays in watched.plays], 0),
        "bids": by_seat(game.bids, None),
        "answer": by_seat([{None: None, False: 0, True: 1}[blind] for blind in game.blind], None),
        "tricks": by_seat(game.tricks, 0),
        "voids": by_seat([sorted(voids) for voids in watched.voids], []),
        "trick": trick + [0] * (3 - len(trick)),
        "broken": watched.broken_in_sight,
        "lead": game.phase == "play" and not trick,
        "phase": PHASES.index(game.phase),
        "leader": place(watched.leader),
        "opener": place(game.opener),
        "turn": place(on_turn),
        "draws": by_seat([len(kept) for kept in draws], 0, 2) if players == 2 else [0, 0],
        "kept": by_seat([[k for k, kept in enumerate(own) if kept] for own in draws], [], 2)
        if players == 2
        else [[], []],
        "exchanged": by_seat([len(given) for given in game.given], 0, 2) if players == 2 else [0, 0],
        "score": by_side(game.scores),
        "to_target": by_side([min(16, max(0, -((score - rules.target) // 25))) for score in game.scores]),
        "bags": by_side([min(bags, 127) for bags in game.bags]),
        "bag_room": by_side([min(10, rules.bag_limit - bags) if rules.bag_limit else 0 for bags in game.bags]),
    }


@pytest.mark.parametrize("mix", MIXES)
def test_every_field_at_every_decision_for_every_seat(mix):
    rules, phases = MIXES[mix], set()
    tables = Tables(rules, rules.players, seed=0)
    for seed in range(5):
        watched = Watched(rules, seed)
        game = watched.pair.reference
        for _ in watched.walk(3):
            tables.states[:] = watched.pair.engine.state
            tables.observe(seats=np.arange(rules.players, dtype=np.int8))
            phases.add(game.phase)
            for seat in range(rules.players):
                found, wanted = decode(tables.observation[seat]), expected(watched, seat)
                assert found == wanted, {k: (found[k], wanted[k]) for k in wanted if found[k] != wanted[k]}
                legal = game.legal_actions() if game.seat == seat else []
                assert np.flatnonzero(tables.action_mask[seat]).tolist() == legal
    assert phases >= {"bid", "play", "over"}


def test_scores_and_bags_are_cut_off():
    game = Game(Rules(players=2, bag_limit=0), seed=1, scores=[40_000, -40_000], bags=[300, 127])
    found = decode(observe(game, 0)[0])
    assert found["score"][:2] == [32_767, -32_768]
    assert found["bags"][:2] == [127, 127]
    assert decode(observe(game, 1)[0])["score"][:2] == [-32_768, 32_767]


def test_records_have_no_holes():
    """Bytes between fields would be left out of numpy's copies, and a View's bytes would differ by chance."""
    assert sum(STATE[name].itemsize for name in STATE.names) == STATE.itemsize


def test_layout_has_no_gap_and_no_overlap():
    places = sorted((part.start, part.stop) for field in LAYOUT for part in field.slices)
    assert places[0][0] == 0
    assert all(before[1] == after[0] for before, after in pairwise(places))
    assert places[-1][1] == SIZE <= 1024


def all_tricks(rules: Rules, seat: int) -> Game:
    """A match over after a hand in which one seat won every trick."""
    won = tuple(rules.hand_size if k == seat else 0 for k in range(rules.players))
    cards = plan(rules, won)
    game = Game(replace(rules, target=1, bag_limit=0), seed=0, decks=[deal(rules, cards)])
    finish_hand(game, [rules.hand_size if k == seat else 0 for k in range(rules.players)], cards)
    assert game.is_over
    return game


@pytest.mark.parametrize("mix", MIXES)
def test_used_bits_are_those_that_are_ever_seen(mix):
    rules = replace(MIXES[mix], loss=None)
    used, seen = used_bits(rules), np.zeros(SIZE, bool)
    tables, shape = Tables(rules, 400, seed=1), (400, rules.sides)
    noise = np.random.default_rng(1)
    scores = noise.integers(-40_000, rules.target, shape) // noise.choice([1, 100], (400, 1))
    tables.set_scores(scores, noise.integers(0, rules.bag_limit or 300, shape))
    for step in range(250):
        for seat in range(rules.players):
            tables.observe(seats=np.full(400, seat, np.int8))
            seen |= tables.observation.any(axis=0)
        tables.step(tables.random_actions())
        if step == 60:
            tables.set_scores(noise.integers(0, 32_768, shape), tables.states["bags"][:, : rules.sides])
    for winner in range(0 if rules.removed else rules.players):  # such hands are planned for full decks
        game = all_tricks(rules, winner)
        for seat in range(rules.players):
            seen |= observe(game, seat)[0].astype(bool)
    assert not (seen & ~used).any(), "a bit said never to be used"
    unseen = {field.name: np.flatnonzero((used & ~seen)[part]) for field in LAYOUT for part in field.slices}
    only_planned = ("tricks", "phase") if rules.removed else ()
    assert {name: bits.tolist() for name, bits in unseen.items() if bits.size and name not in only_planned} == {}
