"""The puzzles of the package: legal positions whose answers are right, and how the players do."""

from __future__ import annotations

import every_world
import numpy as np
import pytest
from spades_agents.puzzles import load_puzzles, score
from spades_agents.random_agent import UniformAgent

from spades_env.cards import NUM_CARDS, action_name, mask_of, parse_cards
from spades_env.game import Phase
from spades_env.reference import Reference, match_winner, score_side

PUZZLES = {puzzle.name: puzzle for puzzle in load_puzzles()}
PLAYS = {
    name: puzzle for name, puzzle in PUZZLES.items() if puzzle.answer[0] < NUM_CARDS and puzzle.theme != "exchange"
}
every_puzzle = pytest.mark.parametrize("puzzle", PUZZLES.values(), ids=PUZZLES)


def test_there_are_enough_of_all_kinds():
    assert len(load_puzzles()) == len(PUZZLES) >= 60
    assert {puzzle.rules.name for puzzle in PUZZLES.values()} == {"two_player", "partnership", "solo", "cutthroat"}
    assert {puzzle.game().phase for puzzle in PUZZLES.values()} == set(Phase) - {Phase.OVER}
    assert len(PLAYS) >= 30


@every_puzzle
def test_the_position_is_legal_and_the_answer_one_of_several_actions(puzzle):
    game = puzzle.game()
    assert set(puzzle.answer) < set(game.legal_actions())
    assert len(puzzle.reason) > 40
    table = Reference(puzzle.rules, [puzzle.deck], puzzle.scores, puzzle.bags, puzzle.opener)
    for action in puzzle.actions:
        table.apply(action)
    assert (table.seat, table.legal_actions()) == (game.seat, game.legal_actions())


@pytest.mark.parametrize("puzzle", PLAYS.values(), ids=PLAYS)
def test_the_answer_is_best_in_the_worlds_that_agree_with_the_view(puzzle):
    """On average for the observer whatever bags and the match are worth, and hardly ever a mistake in any world."""
    view = puzzle.game().view()
    rows = every_world.some_worlds(view)
    for stakes in every_world.ALL_STAKES:
        cards, values = every_world.card_values(view, rows, stakes)
        right = [k for k, card in enumerate(cards) if card in puzzle.answer]
        wrong = [k for k, card in enumerate(cards) if card not in puzzle.answer]
        means = values.mean(0)
        assert means[right].min() >= means[wrong].max() + 3, stakes
        assert (values[:, right[0]] >= values.max(1) - 1e-9).mean() >= 0.9, stakes


@pytest.mark.parametrize("puzzle", PLAYS.values(), ids=PLAYS)
def test_sampled_worlds_are_among_those_enumerated(puzzle):
    view = puzzle.game().view()
    rows = {tuple(row) for row in every_world.worlds(view)}
    for seed in range(5):
        assert tuple(view.sample(seed).hands) in rows


def outcomes(puzzle, bid):
    """For each number of tricks of the bidder: the scores after the hand and who has won."""
    game = puzzle.game()
    rules, seat = puzzle.rules, puzzle.turn
    found = []
    for tricks in range(rules.hand_size + 1):
        bids = [bid if k == seat else (other or 0) for k, other in enumerate(game.bids)]
        won = [tricks if k == seat else 0 for k in range(rules.players)]
        won[(seat + 1) % rules.players] = rules.hand_size - tricks
        scores = list(puzzle.scores)
        for side in range(rules.sides):
            points, bags = score_side(rules, side, bids, [False] * rules.players, won)
            bags += puzzle.bags[side]
            scores[side] += points - (rules.bag_penalty if bags >= rules.bag_limit else 0)
        found.append((scores, match_winner(rules, scores)))
    return found


def test_eight_is_better_than_any_other_bid_with_any_number_of_tricks():
    """Won, going on, lost: compared trick by trick; nil is out of question with the ace of spades."""
    puzzle = PUZZLES["Eight, not seven"]
    rank = {0: 2, None: 1, 1: 0}
    ranks = {bid: np.array([rank[winner] for _, winner in outcomes(puzzle, bid)]) for bid in range(1, 14)}
    assert ranks[8].tolist() == [0] * 8 + [1] + [2] * 5
    for bid, other in ranks.items():
        if bid != 8:
            assert (ranks[8] >= other).all()
            assert (ranks[8] > other).any()


def test_three_certain_tricks_win_the_match():
    puzzle = PUZZLES["Three tricks win the match"]
    view = puzzle.game().view()
    assert view.hand & mask_of(parse_cards("AS KS QS")) == mask_of(parse_cards("AS KS QS"))
    assert all(winner == 1 for _, winner in outcomes(puzzle, 3)[3:11])
    assert all(winner is None for _, winner in outcomes(puzzle, 4)[:4])
    assert all(winner is None for _, winner in outcomes(puzzle, 2)[:13])


def test_a_bid_below_six_certain_tricks_costs_a_penalty():
    puzzle = PUZZLES["Six certain tricks and nine bags"]
    for bid in range(1, 6):
        for (low, _), (six, _) in zip(outcomes(puzzle, bid)[6:], outcomes(puzzle, 6)[6:], strict=True):
            assert low[3] < six[3]


def test_only_nil_reaches_what_the_others_will_have():
    puzzle = PUZZLES["Only nil wins the match"]
    # the others make their four: at most nine tricks are left for this side, three of them the partner's
    for bid in range(1, 7):
        assert 400 + 10 * (3 + bid) + 6 < 480 + 40
    assert 400 + 30 + puzzle.rules.nil > 480 + 40 + (13 - 4 - 3)


@pytest.mark.parametrize("name", ["A nil that nobody can break", "Second to bid, nothing to win"])
def test_the_hand_holds_the_lowest_cards_of_each_suit_and_no_spade(name):
    hand = PUZZLES[name].game().view().hand
    for suit in range(4):
        held = hand >> 13 * suit & 0x1FFF
        assert held & (held + 1) == 0
    assert hand >> 39 == 0


@pytest.mark.parametrize("name,floor", [("heuristic", 0.75), ("rollout", 0.8), ("pimc:worlds=200", 0.9)])
def test_scores_of_the_players(name, floor, report):
    attempts = score(name)
    right = sum(attempt.right for attempt in attempts)
    wrong = [f"{a.puzzle.name}: {action_name(a.action)}" for a in attempts if not a.right]
    report(f"{right} of {len(attempts)}; wrong: {', '.join(wrong)}")
    assert right >= floor * len(attempts)


def test_the_same_player_answers_the_same_again():
    assert score("random", seed=3) == score("random", seed=3)
    assert [a.action for a in score("uniform", seed=1)] != [a.action for a in score("uniform", seed=2)]


def test_a_player_of_another_game_is_refused_before_it_decides():
    asked = []

    class TwoPlayer(UniformAgent):
        def check_rules(self, rules):
            if rules.players != 2:
                raise ValueError("two players only")

        def act(self, view):
            asked.append(view)
            return super().act(view)

    with pytest.raises(ValueError, match="two players only"):
        score(TwoPlayer())
    assert not asked
