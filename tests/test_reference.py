"""What the reference tells beyond the names it shares with the engine."""

import pytest
from tabletop import BLIND, CLUB_CARDS, SPADE_CARDS, Hand, act, deal, finish_hand, plan, play

from spades_env.cards import parse_card, parse_cards
from spades_env.reference import HandResult, Reference, match_winner
from spades_env.rules import Rules

DEALT_PAIR = Rules(players=2, exchange=3)


def test_the_drawn_card():
    game = Reference("two_player", decks=[range(52)])
    assert game.drawn is None
    act(game, "LOOK")
    assert game.drawn == parse_card("2C")
    act(game, "KEEP")
    assert game.drawn is None
    act(game, "LOOK")
    assert game.drawn == parse_card("4C")


def test_draw_gets_the_sorted_pile_and_the_number():
    asked = []

    def lowest(pile, count):
        asked.append((pile, count))
        return pile[:count]

    # The 26 cards not dealt are the hearts and diamonds.
    game = Reference(DEALT_PAIR, decks=[deal(DEALT_PAIR, [CLUB_CARDS, SPADE_CARDS])], draw=lowest)
    act(game, "BLIND_NIL AC KC DONE")
    assert asked == [(list(range(13, 39)), 2)]
    assert game.hands[0] == {*range(11), *parse_cards("2D 3D")}
    assert game.given == [parse_cards("AC KC"), []]
    act(game, "BLIND_NIL 2S 3S 4S")
    assert asked[1:] == [(list(range(15, 39)), 3)]
    assert game.discards == list(range(18, 39))


def test_draw_is_not_asked_for_nothing():
    game = Reference(DEALT_PAIR, draw=lambda pile, count: pytest.fail("asked"))
    act(game, "BLIND_NIL DONE")


def test_shuffle_gives_the_decks_after_those_given():
    hands = plan(Rules.preset("solo"), (4, 3, 3, 3))
    game = Reference("solo", decks=[deal("solo", hands)], shuffle=lambda: list(range(51, -1, -1)))
    finish_hand(game, (4, 3, 3, 3), hands)
    assert game.opener == 1
    assert game.hands[1] == set(range(3, 52, 4))


def test_history_is_that_of_the_hand():
    game = Reference("partnership")
    act(game, "LOOK BID_4 BLIND_NIL")
    assert game.history == [71, 56, 70]


def test_results():
    hands = [Hand((BLIND, 5, 2, 5), (0, 6, 2, 5)), Hand((4, 3, 3, 3), (4, 3, 3, 3))]
    game = play(Reference, "partnership", hands, bags=[0, 9])
    blind = (True, False, False, False)
    assert game.results == [
        HandResult(0, (0, 5, 2, 5), blind, (0, 6, 2, 5), points=(220, 1), scores=(220, 1), bags=(0, 0)),
        HandResult(1, (4, 3, 3, 3), (False,) * 4, (4, 3, 3, 3), points=(70, 60), scores=(290, 61), bags=(0, 0)),
    ]


ENDS = [(520, 510), (500, 499), (-210, -205), (600, -300), (500, 500), (-200, -200), (499, -199)]


@pytest.mark.parametrize("scores", ENDS)
def test_swapped_scores_swap_the_winner(scores):
    rules = Rules.preset("partnership")
    winner = match_winner(rules, scores)
    assert match_winner(rules, scores[::-1]) == (None if winner is None else 1 - winner)
