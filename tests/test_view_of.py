"""`View.of`: a view from what a seat knows is that of the game, and what contradicts itself is refused."""

from __future__ import annotations

import pytest
from random_rules import MIXES, Player
from told import Told

from spades_env import View
from spades_env.game import Phase

KEEN = Player(blind=0.5, nil=0.2, wild=0.2, stop=0.4, spade=0.5)  # often blind, so that exchanges come up


@pytest.mark.parametrize("mix", MIXES)
def test_equals_the_view_of_the_game(mix):
    rules = MIXES[mix]
    phases = set()
    for seed in range(6):
        told = Told(seed, rules, KEEN if seed % 2 else None)
        for game in told.walk(3):
            phases.add(game.phase)
            for seat in range(rules.players):
                built = View.of(rules, seat, **told.to(seat, text=seed % 3 == 0))
                view = game.view(seat)
                assert built == view
                assert built.to_bytes() == view.to_bytes()
                assert (built.observation() == view.observation()).all()
                assert built.legal_actions() == view.legal_actions()
    assert phases >= {Phase.BID, Phase.PLAY}
    assert (Phase.BLIND in phases) == (rules.blind_nil > 0)
    assert (Phase.DRAFT in phases) == rules.draft
    assert (Phase.EXCHANGE in phases) == (rules.exchange > 0 and rules.blind_nil > 0)


def test_any_rules():
    for seed in range(100, 160):
        told = Told(seed)
        for game in told.walk(2):
            seat = game.seat
            assert View.of(game.rules, seat, **told.to(seat)) == game.view(seat)
