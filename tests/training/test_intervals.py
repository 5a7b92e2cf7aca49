"""Confidence intervals against numbers worked out by hand or read from a table."""

from __future__ import annotations

import numpy as np
import pytest
from spades_training.evaluation.intervals import Estimate, proportion, ratio, t_quantile


@pytest.mark.parametrize(
    "freedom,quantile", [(1, 12.706), (2, 4.303), (3, 3.182), (5, 2.571), (10, 2.228), (30, 2.042), (199, 1.972)]
)
def test_t_quantile_as_in_the_tables(freedom, quantile):
    assert t_quantile(freedom) == pytest.approx(quantile, abs=0.004)


def test_ratio_with_equal_bottoms_is_a_mean():
    # Means of pairs 0.5, 1, 0: mean 0.5, deviation 0.5, error 0.5 / sqrt(3) = 0.288675, times 4.302653.
    found = ratio(np.array([1.0, 2, 0]), np.array([2.0, 2, 2]))
    assert found.value == 0.5
    assert found.low == pytest.approx(0.5 - 1.242069, abs=1e-5)
    assert found.high == pytest.approx(0.5 + 1.242069, abs=1e-5)


def test_ratio_weighs_by_the_bottoms():
    # 30 points in 10 hands and 50 in 30: 2 a hand; residuals 30 - 20 = 10 and 50 - 60 = -10:
    # error sqrt(2 / 1 * 200) / 40 = 0.5, times 12.7062.
    found = ratio(np.array([30.0, 50]), np.array([10.0, 30]))
    assert found.value == 2
    assert found.high == pytest.approx(2 + 6.3531, abs=1e-4)


def test_one_pair_has_no_interval_and_no_pair_no_value():
    assert ratio(np.array([3.0]), np.array([2.0])) == Estimate(1.5)
    assert ratio(np.array([0.0]), np.array([0.0])) == Estimate(None)


def test_proportion_at_the_extremes():
    twos = np.full(200, 2.0)
    assert proportion(twos, twos) == Estimate(1.0, pytest.approx(0.98172, abs=1e-5), 1.0)
    assert proportion(0 * twos, twos) == Estimate(0.0, 0.0, pytest.approx(0.01828, abs=1e-5))


def test_proportion_stays_between_0_and_1():
    found = proportion(np.array([2.0, 2, 1]), np.array([2.0, 2, 2]))
    assert found.value == pytest.approx(5 / 6)
    assert found.high == 1.0


def test_text():
    assert Estimate(0.625, 0.5, 0.75).text(100) == "62.5 [50.0, 75.0]"
    assert Estimate(2.0, -1.0, 5.0).text(signed=True) == "+2.0 [-1.0, +5.0]"
    assert Estimate(None).text() == "-"
    assert Estimate(1.0).text() == "1.0"
