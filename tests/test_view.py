"""What people read of a Game and a View: sets of cards, voids, text, and the observation."""

from __future__ import annotations

import numpy as np
import pytest
from walks import walk

from spades_env import PRESETS, Game, Rules
from spades_env.cards import CLUBS, LOOK, SPADES, CardSet, SuitSet, card_name, parse_action
from spades_env.picture.ansi import ansi
from spades_env.tables import Tables

SETS = ("hands", "plays")
ONE = ("discard_pile", "discards_seen", "given", "received")


def played(rules, seed, *names):
    game = Game(rules, seed=seed)
    for name in names:
        game.apply(parse_action(name))
    return game


def test_a_hand_is_a_list_of_cards():
    game = Game("partnership", seed=7)
    game.apply(LOOK)
    view = game.view()
    assert str(view.hand) == "QS TS 9S AH 7H QC JC 9C 6C QD JD 7D 6D"
    assert [card_name(card) for card in view.cards] == str(view.hand).split()
    assert sorted(view.cards) == list(view.hand) == [card for card in range(52) if view.hand >> card & 1]
    assert game.hands[0] == view.hand
    assert [len(hand) for hand in view.hands] == [13, 0, 0, 0]


@pytest.mark.parametrize("rules", PRESETS)
def test_sets_are_sets_and_views_observe_what_the_game_shows(rules):
    for game in walk(3, Rules.preset(rules)):
        for seat in range(game.rules.players):
            view = game.view(seat)
            for table in (game, view):
                assert {type(one) for name in SETS for one in getattr(table, name)} == {CardSet}
                assert {type(getattr(table, name)) for name in ONE} == {CardSet}
                assert {type(one) for one in table.voids} == {SuitSet}
            expected = game.observe(seat)[0]
            assert (view.observation() == expected).all()
            assert (game.observation(seat) == expected).all()
        if not game.is_over:
            assert (game.observation() == game.view().observation()).all()
            assert game.observation().dtype == np.int8
            assert game.observation().shape == (960,)


def test_only_seats_have_observations():
    with pytest.raises(ValueError, match=r"seat must be an int in 0\.\.1, got 2"):
        Game("two_player", seed=1).observation(2)


def test_the_observation_of_a_view_of_tables():
    tables = Tables("solo", 3, seed=1)
    tables.step_random(30)
    tables.observe()
    assert (np.array([tables.view(row).observation() for row in range(3)]) == tables.observation).all()


def test_voids_are_suits():
    voids = SuitSet(1 << CLUBS | 1 << SPADES)
    assert (str(voids), list(voids), len(voids), SPADES in voids, repr(SuitSet())) == (
        "CS", [CLUBS, SPADES], 2, True, "<SuitSet empty>",
    )  # fmt: skip
    assert voids == 9
    assert voids >> SPADES & 1 == 1


def test_repr_and_text():
    game = played("partnership", 7, "LOOK", "BID_4")
    scores = "scores [0, 0]"
    assert repr(game) == f"<Game: partnership, hand 1, BLIND, seat 1 on turn, {scores}>"
    assert repr(game.view()) == (
        f"<View of seat 1: partnership, hand 1, BLIND, seat 1 on turn, {scores}, hand unseen or empty>"
    )
    hand = "QS TS 9S AH 7H QC JC 9C 6C QD JD 7D 6D"
    assert repr(game.view(0)).endswith(f"{scores}, hand {hand}>")
    for table in (game, game.view(), game.view(3)):
        assert str(table) == ansi(table)
    while game.phase.name != "PLAY":
        game.apply(game.legal_actions()[-1] if game.phase.name == "BLIND" else game.legal_actions()[1])
    game.apply(game.legal_actions()[0])
    assert f", trick {card_name(game.trick[0][1])}" in repr(game)
