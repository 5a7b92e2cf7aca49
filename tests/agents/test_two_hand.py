from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from minimax import Position, best, card_values, random_position
from spades_agents.compiler import jit
from spades_agents.search import solve_two
from spades_agents.solvers.payoffs import solve_state
from spades_agents.solvers.two_table import new_table

from spades_env.cards import SPADES, cards_in, mask_of, parse_cards, suit_of
from spades_env.game import Game


def solve(positions: Sequence[Position], payoffs=None, **options):
    return solve_two(
        [position.masks for position in positions],
        [position.turn for position in positions],
        led=[position.trick[0][1] if position.trick else -1 for position in positions],
        spades_broken=[position.broken or not position.must_break for position in positions],
        payoffs=payoffs,
        won=[position.tricks[0] for position in positions],
        **options,
    )


def as_dict(row: np.ndarray) -> dict[int, float]:
    return {int(card): float(row[card]) for card in np.flatnonzero(~np.isnan(row))}


def random_payoffs(rng: Random) -> list[float]:
    kind = rng.randrange(5)
    if kind == 0:
        return [float(rng.random() < 0.5) for _ in range(14)]
    if kind == 1:
        return [rng.uniform(-100, 100) for _ in range(14)]
    if kind == 2:
        return [float(rng.randint(-3, 3)) for _ in range(14)]
    if kind == 3:
        return [float(k == 0) for k in range(14)]
    bids = rng.randint(0, 13), rng.randint(0, 13)
    return [side(bids[0], k) - side(bids[1], 13 - k) for k in range(14)]


def side(bid: int, won: int) -> float:
    if bid == 0:
        return 100.0 if won == 0 else -100.0
    return 10.0 * bid - 9 * (won - bid) if won >= bid else -10.0 * bid


def random_deals(count: int, seed: int, cards: int = 13) -> np.ndarray:
    rng = np.random.default_rng(seed)
    decks = [rng.permutation(52) for _ in range(count)]
    return np.array([[mask_of(deck[:cards]), mask_of(deck[cards : 2 * cards])] for deck in decks], np.uint64)


def test_agrees_with_minimax():
    rng = Random(1)
    positions = [random_position(rng, 2, 4) for _ in range(5000)]
    positions += [random_position(rng, 2, 5) for _ in range(100)]
    payoffs = [random_payoffs(rng) for _ in positions]
    solved = solve(positions, payoffs)
    for k, position in enumerate(positions):
        expected = card_values(position, lambda tricks, k=k: payoffs[k][tricks[0]], [0])
        assert as_dict(solved.cards[k]) == expected, (position, payoffs[k])
        assert solved.values[k] == best(position, expected, [0])


def test_most_tricks_is_the_payoff_of_one_a_trick():
    rng = Random(2)
    positions = [random_position(rng, 2, 4) for _ in range(1000)]
    solved = solve(positions)
    for k, position in enumerate(positions):
        expected = card_values(position, lambda tricks, won=position.tricks[0]: tricks[0] - won, [0])
        assert as_dict(solved.cards[k]) == expected, position


def test_forced_lines():
    # The two top spades and a low club against three clubs: seat 0 takes both spades, in any order, and no more.
    hands = [[mask_of(parse_cards("AS KS 2C")), mask_of(parse_cards("3C 4C 5C"))]]
    solved = solve_two(hands, spades_must_break=False)
    assert solved.values[0] == 2
    # With spades unbroken it must lead the club, loses it, and ruffs or follows: two tricks again.
    assert as_dict(solve_two(hands).cards[0]) == {0: 2}
    # Seat 1 to lead from a tenace: K from A Q loses the Q to nobody, the Q under the K gives a trick away.
    tenace = [[mask_of(parse_cards("KH 2H")), mask_of(parse_cards("AH QH"))]]
    assert as_dict(solve_two(tenace, 1).cards[0]) == {38: 1, 36: 1}
    assert solve_two(tenace, 0).values[0] == 0


def test_swapping_the_seats_turns_the_value_around():
    deals = random_deals(200, 3, cards=9)
    rng = np.random.default_rng(3)
    payoffs = rng.normal(size=(200, 14)).round(2)
    turned = -payoffs[:, (9 - np.arange(14)) % 14]
    for broken in (False, True):
        one = solve_two(deals, 0, spades_broken=broken, payoffs=payoffs)
        other = solve_two(deals[:, ::-1], 1, spades_broken=broken, payoffs=turned)
        np.testing.assert_array_equal(one.values, -other.values)
        np.testing.assert_array_equal(one.cards, -other.cards)


def relabelled(mask: int, order: Sequence[int]) -> int:
    return mask_of(13 * order[suit_of(card)] + card % 13 for card in cards_in(mask))


def test_plain_suits_may_change_their_names():
    deals = random_deals(100, 4)
    order = (2, 0, 1, SPADES)
    moved = [[relabelled(hand, order) for hand in hands] for hands in deals]
    one = solve_two(deals, 1)
    other = solve_two(moved, 1)
    np.testing.assert_array_equal(one.values, other.values)
    for k in range(len(deals)):
        assert {13 * order[card // 13] + card % 13: v for card, v in as_dict(one.cards[k]).items()} == as_dict(
            other.cards[k]
        )


@pytest.mark.parametrize("gone", [0, 26])
def test_touching_cards_are_worth_the_same(gone):
    """Also those that touch because the cards between them have left play: 26 here are in nobody's hand."""
    rng = np.random.default_rng(5)
    compared = 0
    for deal in random_deals(100, 6, cards=13 if gone else 7):
        mine, other = map(int, deal)
        payoffs = rng.normal(size=14)
        values = as_dict(solve_two([[mine, other]], 0, spades_broken=True, payoffs=payoffs).cards[0])
        for suit in range(4):
            held = [card for card in cards_in(mine) if suit_of(card) == suit]
            for low, high in pairwise(held):
                if not any(low < card < high for card in cards_in(other)):
                    compared += 1
                    # The card is solved alone, from another position, lest the solver copy the value.
                    swapped = swap_and_solve(mine, other, low, high, payoffs)
                    assert values[low] == values[high] == swapped, (mine, other, low, high)
    assert compared > 100


def swap_and_solve(mine: int, other: int, low: int, high: int, payoffs: np.ndarray) -> float:
    """The value of ``high`` as that of the position after it was led."""
    rest = mine ^ (1 << high)
    return float(solve_two([[rest, other]], 1, led=high, spades_broken=True, payoffs=payoffs).values[0])


def test_gaps_do_not_matter():
    """The same relative ranks with other cards gone give the same value."""
    rng = Random(7)
    for _ in range(200):
        counts = [rng.randint(0, 13) for _ in range(4)]
        owners = [[rng.randrange(2) for _ in range(count)] for count in counts]
        size = min(sum(row.count(0) for row in owners), sum(row.count(1) for row in owners))
        spare = [sum(row.count(seat) for row in owners) - size for seat in range(2)]
        for row in owners:
            for place, seat in enumerate(row):
                if spare[seat] > 0:
                    spare[seat] -= 1
                    row[place] = -1
        values = set()
        for _ in range(2):
            hands = [0, 0]
            for suit, row in enumerate(owners):
                ranks = sorted(rng.sample(range(13), sum(seat >= 0 for seat in row)))
                for rank, seat in zip(ranks, (seat for seat in row if seat >= 0), strict=True):
                    hands[seat] |= 1 << (13 * suit + rank)
            if 0 < size <= 13:
                values.add(float(solve_two([hands]).values[0]))
        assert len(values) <= 1


def test_without_every_card_the_values_are_the_same():
    rng = Random(10)
    positions = [random_position(rng, 2, 9) for _ in range(200)]
    payoffs = [random_payoffs(rng) for _ in positions]
    short = solve(positions, payoffs, every_card=False)
    np.testing.assert_array_equal(solve(positions, payoffs).values, short.values)
    assert np.isnan(short.cards).all()


def test_threads_and_order_change_nothing():
    deals = random_deals(60, 8)
    payoffs = np.random.default_rng(8).normal(size=14)
    one = solve_two(deals, payoffs=payoffs, threads=1)
    two = solve_two(deals[::-1], payoffs=payoffs, threads=2)
    np.testing.assert_array_equal(one.cards, two.cards[::-1])


@jit
def solve_states(tables, states, rules, payoffs, out):
    return solve_state(tables[0], states[0], rules[0], payoffs, out)


def test_solves_a_table_at_every_decision_of_a_hand():
    """From the record of a game, with one table of answers throughout: playing the best card keeps the value."""
    table = new_table()
    rng = Random(9)
    for seed in range(10):
        game = Game("two_player", seed=seed)
        while game.phase.name != "PLAY":
            game.apply(rng.choice(game.legal_actions()))
        payoffs = np.array(random_payoffs(rng), np.float32)
        expected = None
        while game.hand_number == 0:
            out = np.full(75, np.nan, np.float32)
            value = solve_states(table, game.state, game.rules_array, payoffs, out)
            assert np.flatnonzero(~np.isnan(out)).tolist() == game.legal_actions()
            assert value == (np.nanmax(out) if game.seat == 0 else np.nanmin(out))
            assert expected is None or value == expected
            expected = value
            won = game.tricks[0]
            game.apply(rng.choice(np.flatnonzero(out == value)))
        assert expected in (payoffs[won], payoffs[won + 1])


@pytest.mark.parametrize(
    "arguments,message",
    [
        ({"hands": [1, 2]}, r"hands must have the shape \(n, 2\)"),
        ({"hands": [[1, 1]]}, "a card is in both hands"),
        ({"hands": [[0, 0]]}, "the hand on turn is empty"),
        ({"hands": [[1, 6]]}, "the seat on turn holds 1 cards, the other 2"),
        ({"hands": [[1 << 52, 1]]}, "bits above 51"),
        ({"hands": [[1, 0]], "led": 0}, "2C was led and is in a hand"),
        ({"hands": [[1, 2]], "won": 13}, "more than 13"),
        ({"hands": [[1, 2]], "on_turn": 2}, "on_turn must be in 0..1"),
        ({"hands": [[1, 2]], "payoffs": [1, 2]}, "payoffs must have the shape"),
    ],
)
def test_positions_that_cannot_be_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        solve_two(**arguments)
