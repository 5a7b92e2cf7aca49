"""The belief about hidden cards against what can be counted."""

from __future__ import annotations

import numpy as np
import pytest
from spades_agents import make_agent
from spades_training.web.study.belief import believe, holdings

from spades_env.cards import LOOK, cards_in
from spades_env.game import Game
from spades_env.rules import Rules

SAMPLES = 400


def test_nothing_known_but_the_own_hand():
    """Each of the 39 hidden cards is with each of three seats with probability 1/3."""
    game = Game("partnership", 4)
    game.apply(LOOK)
    belief = believe(game.view(0), SAMPLES)
    assert belief.holders == (1, 2, 3)
    assert sorted([*belief.cards, *game.hands[0]]) == list(range(52))
    assert belief.chances.sum(axis=1) == pytest.approx([13.0] * 3)
    # 117 shares, none of them 4.5 standard errors off
    assert np.abs(belief.chances - 1 / 3).max() < 4.5 * (2 / 9 / SAMPLES) ** 0.5


def test_before_looking_the_own_hand_is_hidden_too():
    belief = believe(Game("partnership", 4).view(0), 50)
    assert belief.holders == (0, 1, 2, 3)
    assert len(belief.cards) == 52


@pytest.mark.parametrize("rules", ["two_player", "cutthroat", "solo"])
def test_at_every_step_of_a_hand(rules):
    game, player = Game(rules, 2), make_agent("random")
    player.reset(0)
    while game.hand_number == 0:
        view = game.view()
        belief = believe(view, 30)
        assert belief.chances.sum(axis=0) == pytest.approx(np.ones(len(belief.cards)))
        assert not set(belief.cards) & {*view.hand, *(card for _, card in game.played)}
        shares = dict(zip(belief.holders, belief.chances, strict=True))
        for seat in range(game.rules.players):
            if seat != view.observer and seat in shares and not game.rules.draft:
                assert shares[seat].sum() == pytest.approx(len(game.hands[seat]))
            void = [card for card in belief.cards if view.voids[seat] >> card // 13 & 1]
            if seat in shares:
                assert not shares[seat][[belief.cards.index(card) for card in void]].any()
        for card in cards_in(view.discards_seen):
            assert shares[-1][belief.cards.index(card)] == 1
        game.apply(player.act(view))


def test_holdings_of_a_two_player_hand():
    game = Game(Rules.preset("two_player_dealt", blind_nil=0), 3)
    found = holdings(game)
    assert found.shape == (3, 52)
    assert found.sum(axis=1).tolist() == [13, 13, 26]
    assert np.flatnonzero(found[0]).tolist() == cards_in(game.hands[0])
