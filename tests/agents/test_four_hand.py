from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from minimax import Position, best, card_values, random_position
from spades_agents.compiler import jit
from spades_agents.search import nil_can_be_broken, solve_four, solve_two
from spades_agents.solvers.four_table import Question, new_table
from spades_agents.solvers.tricks import rate_state

from spades_env.cards import SPADES, cards_in, mask_of, parse_cards, suit_of
from spades_env.game import Game


def as_dict(row: np.ndarray) -> dict[int, float]:
    return {int(card): float(row[card]) for card in np.flatnonzero(~np.isnan(row))}


def arguments(positions: Sequence[Position]) -> dict:
    return {
        "hands": [position.masks for position in positions],
        "leader": [position.trick[0][0] if position.trick else position.turn for position in positions],
        "trick": [[card for _, card in position.trick] for position in positions],
        "spades_broken": [position.broken or not position.must_break for position in positions],
    }


def grouped(positions: Sequence[Position]) -> list[list[Position]]:
    """By the number of cards in the trick: one call takes tricks of one length."""
    return [[position for position in positions if len(position.trick) == k] for k in range(4)]


def random_positions(seed: int, seats: int, cards: int, count: int) -> list[list[Position]]:
    rng = Random(seed)
    return grouped([random_position(rng, seats, cards) for _ in range(count)])


@pytest.mark.parametrize(
    "seats,side,cards,count",
    [(4, (0, 2), 3, 2500), (4, (1,), 3, 800), (4, (0, 2, 3), 3, 400), (3, (0,), 3, 1300), (3, (1, 2), 3, 800)],
)
def test_most_tricks_agrees_with_minimax(seats, side, cards, count):
    for positions in filter(None, random_positions(seats + sum(side), seats, cards, count)):
        solved = solve_four(**arguments(positions), side=side)
        for k, position in enumerate(positions):
            start = sum(position.tricks[seat] for seat in side)
            expected = card_values(position, lambda tricks, s=start: sum(tricks[seat] for seat in side) - s, side)
            assert as_dict(solved.cards[k]) == expected, position
            assert solved.values[k] == best(position, expected, side)


@pytest.mark.parametrize(
    "seats,nil,partner,cards,count",
    [(4, 0, 2, 3, 2000), (4, 3, -1, 3, 1000), (3, 1, -1, 3, 1500), (3, 0, 1, 3, 700)],
)
def test_nil_agrees_with_minimax(seats, nil, partner, cards, count):
    breakers = [seat for seat in range(seats) if seat not in (nil, partner)]
    for positions in filter(None, random_positions(nil + seats, seats, cards, count)):
        solved = nil_can_be_broken(**arguments(positions), nil=nil, partner=partner)
        for k, position in enumerate(positions):
            start = position.tricks[nil]
            expected = card_values(position, lambda tricks, s=start: float(tricks[nil] > s), breakers)
            assert as_dict(solved.cards[k]) == expected, position
            assert solved.values[k] == best(position, expected, breakers)


def test_forced_lines():
    # N has the three top spades and leads: three tricks; unbroken, it must lead its club first and E's ace wins one.
    hands = [[mask_of(parse_cards(text)) for text in ("AS KS QS 2C", "AC AD KD QD", "3C 4C 5C 6C", "7C 8C 9C TC")]]
    assert solve_four(hands, 0, spades_must_break=False).values[0] == 3
    assert as_dict(solve_four(hands, 0).cards[0]) == {0: 3}
    # W must ruff its partner's ace when it holds nothing but spades.
    hands = [[mask_of(parse_cards(text)) for text in ("2C 3C", "AC AD", "4C 5C", "2S 3S")]]
    assert solve_four(hands, 1, side=[1]).values[0] == 0
    assert solve_four(hands, 1, side=[1, 3]).values[0] == 2


@pytest.mark.parametrize(
    "cards,broken",
    [
        # The nil bidder, seat 0, can stay under its partner's ace and king.
        (("2H 4H", "3H 5H", "AH KH", "6H 7H"), 0),
        # Seat 1 leads the deuce and only the nil bidder has hearts.
        (("3H 4H", "2H 5D", "AD KD", "6D 7D"), 1),
        # The partner covers.
        (("3H 4H", "2H 5D", "AH KD", "6D 7D"), 0),
    ],
)
def test_nils_by_hand(cards, broken):
    hands = [[mask_of(parse_cards(text)) for text in cards]]
    assert nil_can_be_broken(hands, 0, leader=1).values[0] == broken


def random_deals(count: int, seed: int, seats: int = 4, cards: int = 13) -> np.ndarray:
    rng = np.random.default_rng(seed)
    decks = [rng.permutation(52) for _ in range(count)]
    return np.array([[mask_of(deck[cards * k : cards * (k + 1)]) for k in range(seats)] for deck in decks], np.uint64)


def test_agrees_with_dds():
    """200 deals, spades trump, no breaking: Bo Haglund's double-dummy solver, as the package endplay carries it."""
    dds = pytest.importorskip("endplay._dds", reason="endplay is not installed: no comparison with DDS")
    deals = random_deals(200, 1)
    leaders = np.arange(200) % 4
    solved = solve_four(deals, leaders, spades_must_break=False, every_card=False)
    for k, hands in enumerate(deals):
        table = dds.deal(trump=0, first=int(leaders[k]))
        for seat in range(4):
            for suit in range(4):  # spades first, and the bit of the deuce is 2
                table.remainCards[seat][suit] = (int(hands[seat]) >> 13 * (3 - suit) & 0x1FFF) << 2
        found = dds.futureTricks()
        dds.SolveBoard(table, -1, 1, 1, found, 0)
        tricks = found.score[0] if leaders[k] % 2 == 0 else 13 - found.score[0]
        assert solved.values[k] == tricks, [hex(hand) for hand in hands]


def relabelled(mask: int, order: Sequence[int]) -> int:
    return mask_of(13 * order[suit_of(card)] + card % 13 for card in cards_in(mask))


@pytest.mark.parametrize("seats", [3, 4])
def test_seats_may_be_turned_and_plain_suits_relabelled(seats):
    deals = random_deals(30, 2, seats, cards=8)
    order = (1, 2, 0, SPADES)
    sides = [0, 2] if seats == 4 else [0]
    turned = [[relabelled(hands[(seat - 1) % seats], order) for seat in range(seats)] for hands in deals]
    for broken in (False, True):
        one = solve_four(deals, 0, side=sides, spades_broken=broken)
        other = solve_four(turned, 1, side=[(seat + 1) % seats for seat in sides], spades_broken=broken)
        np.testing.assert_array_equal(one.values, other.values)
        for k in range(len(deals)):
            moved = {13 * order[card // 13] + card % 13: v for card, v in as_dict(one.cards[k]).items()}
            assert moved == as_dict(other.cards[k])


def test_the_sides_share_the_tricks():
    deals = random_deals(40, 3, cards=9)
    ours = solve_four(deals, 1, side=[0, 2])
    theirs = solve_four(deals, 1, side=[1, 3])
    np.testing.assert_array_equal(ours.values + theirs.values, np.full(40, 9))
    np.testing.assert_array_equal(ours.cards + theirs.cards, np.where(np.isnan(ours.cards), np.nan, 9))


@pytest.mark.parametrize("cards", [7, 10])
def test_touching_cards_are_worth_the_same(cards):
    """Also those that touch because the cards between them have left play, of which there are 12 to 24."""
    compared = 0
    for hands in random_deals(60, 4, cards=cards):
        values = as_dict(solve_four([hands], 0, spades_broken=True).cards[0])
        others = int(np.bitwise_or.reduce(hands[1:]))
        for low, high in pairwise(cards_in(hands[0])):
            if suit_of(low) == suit_of(high) and not any(low < card < high for card in cards_in(others)):
                compared += 1
                rest = [int(hands[0]) ^ (1 << high), *map(int, hands[1:])]
                alone = solve_four([rest], 0, trick=[high], spades_broken=True).values[0]
                assert values[low] == values[high] == alone, (hands, low, high)
    assert compared > 80


def test_two_seats_alone_are_the_two_hand_game():
    """Four seats of which two hold only low clubs, when everyone is void of clubs: they can never win or hinder."""
    rng = Random(5)
    for _ in range(200):
        size = rng.randint(1, 4)
        dealt = rng.sample(range(13, 52), 2 * size)
        clubs = rng.sample(range(13), 2 * size)  # in the two other hands
        hands = [dealt[:size], clubs[:size], dealt[size:], clubs[size:]]
        masks = [mask_of(hand) for hand in hands]
        broken = rng.random() < 0.5
        four = solve_four([masks], 0, side=[0], spades_broken=broken)
        two = solve_two([[masks[0], masks[2]]], 0, spades_broken=broken)
        np.testing.assert_array_equal(four.values, two.values)
        np.testing.assert_array_equal(four.cards, two.cards)


def test_without_every_card_the_values_are_the_same():
    for positions in filter(None, random_positions(8, 4, 5, 100)):
        full = solve_four(**arguments(positions))
        short = solve_four(**arguments(positions), every_card=False)
        np.testing.assert_array_equal(full.values, short.values)
        assert np.isnan(short.cards).all()


def test_threads_and_order_change_nothing():
    deals = random_deals(20, 6, cards=9)
    one = solve_four(deals, threads=1)
    two = solve_four(deals[::-1], threads=2)
    np.testing.assert_array_equal(one.cards, two.cards[::-1])


@jit
def rate_states(tables, states, rules, ask, out):
    return rate_state(tables[0], states[0], rules[0], ask, out)


@pytest.mark.parametrize("preset,side,counted,most", [("partnership", 5, 5, 13), ("cutthroat", 6, 1, 1)])
def test_solves_a_table_at_every_decision_of_a_hand(preset, side, counted, most):
    """From the record of a game: playing the best card keeps the value, tricks won and to come."""
    table = new_table()
    rng = Random(7)
    game = Game(preset, seed=1)
    while game.phase.name != "PLAY":
        game.apply(rng.choice(game.legal_actions()))
    for _ in range(5 * game.rules.players):  # some tricks at random: the rest is solved
        game.apply(rng.choice(game.legal_actions()))
    expected = None
    while game.hand_number == 0:
        out = np.full(75, np.nan, np.float32)
        start = sum(game.tricks[seat] for seat in range(game.rules.players) if counted >> seat & 1)
        ask = Question(game.rules.players, side, counted, most)
        value = rate_states(table, game.state, game.rules_array, ask, out) + start
        assert np.flatnonzero(~np.isnan(out)).tolist() == game.legal_actions()
        assert expected is None or most == 1 or value == expected
        expected = value
        game.apply(rng.choice(np.flatnonzero(out + start == value)))


@pytest.mark.parametrize(
    "arguments,message",
    [
        ({"hands": [[1, 2]]}, r"hands must have the shape \(n, 3\) or \(n, 4\)"),
        ({"hands": [[1, 2, 4, 4]]}, "a card is in two places"),
        ({"hands": [[1, 2, 4, 24]]}, "the hands have"),
        ({"hands": [[0, 0, 0, 0]]}, "no cards left"),
        ({"hands": [[1, 2, 4, 1 << 60]]}, "bits above 51"),
        ({"hands": [[1, 2, 4]], "leader": 3}, "leader must be in 0..2"),
        ({"hands": [[1, 2, 4]], "side": [3]}, "side must hold seats in 0..2"),
        ({"hands": [[1, 2, 4]], "side": []}, "side must hold seats"),
        ({"hands": [[1, 2, 4]], "trick": [1, 2, 3]}, "trick must have the shape"),
        ({"hands": [[0, 2, 4]], "trick": [52]}, "trick must hold cards"),
    ],
)
def test_positions_that_cannot_be_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        solve_four(**arguments)


def test_a_nil_needs_its_seat():
    with pytest.raises(ValueError, match="nil must hold seats"):
        nil_can_be_broken([[1, 2, 4, 8]], 4)
