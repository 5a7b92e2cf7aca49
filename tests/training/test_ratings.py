"""Bradley-Terry ratings: closed forms, and the coverage of the intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from spades_training.tournament.ratings import ELO, Comparisons, bradley_terry


def comparisons(rows):
    """Comparisons from rows of (a, b, wins, losses, deck)."""
    return Comparisons(*np.array(rows).T)


def test_two_players():
    """The strengths differ by the log odds of the wins, with half a match added to each side."""
    ratings = bradley_terry(2, comparisons([(0, 1, 1, 0, k) for k in range(30)] + [(0, 1, 0, 1, k) for k in range(10)]))
    gap = ELO * math.log(30.5 / 10.5)
    assert ratings.points == pytest.approx([gap / 2, -gap / 2])
    assert ratings.gap(0, 1).value == pytest.approx(gap)
    assert ratings.order() == [0, 1]


def test_the_variance_of_independent_matches_is_that_of_log_odds():
    """With one deck for each match it is 1 / (n p q), as in a logistic regression."""
    wins, count = 700, 1000
    ratings = bradley_terry(2, comparisons([(0, 1, k < wins, k >= wins, k) for k in range(count)]))
    error = ELO / math.sqrt(count * 0.7 * 0.3)
    gap = ratings.gap(0, 1)
    assert gap.high is not None
    assert gap.value is not None
    assert (gap.high - gap.value) / 1.962 == pytest.approx(error, rel=0.01)


def test_decks_that_decide_the_match_add_no_uncertainty():
    """Each player wins one match of every pair; only the shared match adds uncertainty."""
    ratings = bradley_terry(2, comparisons([(0, 1, 1, 1, k) for k in range(200)]))
    gap = ratings.gap(0, 1)
    assert gap.value == pytest.approx(0)
    assert gap.high is not None
    assert gap.high < 10


def test_one_against_three():
    """An equal player wins a quarter of the matches."""
    rows = [(a, 1 - a, k % 4 == 0, k % 4 != 0, k) for k in range(4000) for a in (0, 1)]
    assert bradley_terry(2, comparisons(rows), sides=4).points == pytest.approx([0, 0], abs=1e-9)
    # Winning half means equal odds against three opponents, so the player is three times as strong.
    rows = [(0, 1, k % 2, 1 - k % 2, k) for k in range(20000)]
    assert bradley_terry(2, comparisons(rows), sides=4).gap(0, 1).value == pytest.approx(ELO * math.log(3), abs=0.5)


def test_a_circle_is_a_tie():
    rows = [(a, b, 1, 0, k) for k in range(50) for a, b in ((0, 1), (1, 2), (2, 0))]
    assert bradley_terry(3, comparisons(rows)).points == pytest.approx([0, 0, 0], abs=1e-6)


def test_all_won_is_strong_but_not_infinitely():
    ratings = bradley_terry(2, comparisons([(0, 1, 2, 0, k) for k in range(20)]))
    gap = ratings.gap(0, 1)
    assert gap.value == pytest.approx(ELO * math.log(40.5 / 0.5))
    assert gap.low is not None
    # 40 of 40: the exact interval of the share of wins reaches down to 0.912, odds of 10 to 1.
    assert ELO * math.log(2) < gap.low < ELO * math.log(20)


@pytest.mark.parametrize("spread", [0.0, 1.5])
def test_intervals_cover_the_truth(spread, report):
    """Three players; a deck favours a side by a normally distributed amount and is played with seats swapped."""
    rng = np.random.default_rng(8)
    strengths = np.array([0.8, 0.0, -0.8])
    pairings = [(0, 1), (0, 2), (1, 2)]
    truth = marginal(strengths, spread)
    hits = []
    for _ in range(300):
        luck = spread * rng.standard_normal(60)
        rows = []
        for a, b in pairings:
            chances = 1 / (1 + np.exp(-(strengths[a] - strengths[b] + np.outer(luck, [1, -1]))))
            wins = (rng.random((60, 2)) < chances).sum(1)
            rows += [(a, b, w, 2 - w, k) for k, w in enumerate(wins)]
        ratings = bradley_terry(3, comparisons(rows))
        for k in range(3):
            rating = ratings.rating(k)
            assert rating.low is not None
            assert rating.high is not None
            hits.append(rating.low <= truth[k] <= rating.high)
    report(f"95% intervals that cover the truth, spread {spread}: {np.mean(hits):.3f}")
    # 300 tournaments: a coverage of 0.95 shows as less than 0.92 in 1 of 100.
    assert 0.92 <= np.mean(hits) <= 0.98


def marginal(strengths, spread):
    """The limit of the ratings as the number of such decks grows."""
    points, weights = np.polynomial.hermite_e.hermegauss(40)
    weights = weights / weights.sum()
    rows = []
    for a, b in [(0, 1), (0, 2), (1, 2)]:
        chance = (weights / (1 + np.exp(-(strengths[a] - strengths[b] + spread * points)))).sum()
        wins = round(1e9 * chance)
        rows.append((a, b, wins, 10**9 - wins, 0))
    return bradley_terry(3, comparisons(rows)).points
