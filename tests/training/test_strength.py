"""The strength table: every pairing once, with consistent numbers on both sides."""

from __future__ import annotations

from typing import Any

import pytest
from spades_training.evaluation.evaluate import Result, evaluate
from spades_training.evaluation.intervals import Estimate, turned
from spades_training.maintenance import strength

from spades_env.rules import PRESETS

NAMES = ["uniform", "random", "heuristic"]


@pytest.fixture(scope="module")
def results() -> dict[Any, Result]:
    pairings = [(a, b) for k, a in enumerate(NAMES) for b in NAMES[k + 1 :]]
    return {pair: evaluate(*pair, matches=40, seed=1) for pair in pairings}


def test_a_number_seen_from_the_other_side():
    assert turned(Estimate(0.7, 0.6, 0.75), 1.0) == Estimate(pytest.approx(0.3), 0.25, 0.4)
    assert turned(Estimate(5.0, -1.0, 11.0), 0.0) == Estimate(-5.0, -11.0, 1.0)
    assert turned(Estimate(None), 1.0) == Estimate(None)


def test_rows_and_columns(results):
    lines = strength.markdown(NAMES, results).splitlines()
    assert len(lines) == 2 * (2 + len(NAMES)) + 1
    assert lines[0] == "| win rate, % | uniform | random | heuristic | decision |"
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[2:5]]
    assert [row[0] for row in cells] == [f"**{name}**" for name in NAMES]
    assert cells[2][1] == turned(results["uniform", "heuristic"].win_rate, 1.0).text(100)
    assert [cells[k][k + 1] for k in range(3)] == ["", "", ""]
    assert all(row[-1].endswith("µs") for row in cells)


def test_every_pairing_is_played_once():
    found = dict(strength.round_robin(["uniform", "random"], PRESETS["two_player"], matches=4, processes=1, fast=10))
    assert list(found) == [("uniform", "random")]
    assert found["uniform", "random"].matches == 10
