"""The sequential test: its error rate and its power."""

from __future__ import annotations

import math

import numpy as np
import pytest
from spades_training.evaluation.totals import Totals
from spades_training.tournament import make_settings
from spades_training.tournament import run as run_module
from spades_training.tournament.sequential import BETS, order_is_certain, verdict


def test_a_verdict_by_hand():
    """All pairs won: the wealth after n pairs is the mean of (1 + bet) ** n."""
    for error in (0.05, 0.001):
        count = next(n for n in range(1, 100) if ((1 + BETS) ** n).mean() >= 2 / error)
        wins = np.ones(count)
        assert verdict(wins, error) == 1
        assert verdict(-wins, error) == -1
        assert verdict(wins[1:], error) == 0
        # Later scores do not matter: a verdict is final.
        assert verdict(np.concatenate([wins, -np.ones(500)]), error) == 1
    assert verdict(np.zeros(0), 0.05) == 0
    assert verdict(np.zeros(1000), 0.05) == 0


def random_scores(rng, p, pairs, luck=0.0):
    """Scores of pairs of two matches, of which A wins each with chance ``p``.

    A share ``luck`` of the decks decides the match, so that each player wins one match of the pair.
    """
    won = (rng.random((pairs, 2)) < p).sum(1) - 1.0
    return np.where(rng.random(pairs) < luck, 0.0, won)


@pytest.mark.parametrize("luck", [0.0, 0.6])
def test_equal_players_are_told_apart_no_more_often_than_allowed(luck, report):
    """Evaluated after each of 400 pairs; a test designed for a single evaluation errs far more often."""
    rng = np.random.default_rng(5)
    series = [random_scores(rng, 0.5, 400, luck) for _ in range(600)]
    wrong = np.mean([verdict(scores, 0.05) != 0 for scores in series])
    looks = np.arange(10, 401, 10)
    naive = np.mean(
        [any(abs(s[:n].mean()) > 1.96 * s[:n].std(ddof=1) / math.sqrt(n) for n in looks if s[:n].any()) for s in series]
    )
    report(f"told apart, at 0.05: {wrong:.3f}; by a repeated 95% test: {naive:.3f}")
    # 600 series: a chance of 0.05 shows as more than 0.07 in 1 of 100 tests.
    assert 0 < wrong <= 0.07
    assert naive > 0.2


@pytest.mark.parametrize("p,pairs", [(0.6, 200), (0.75, 40), (0.95, 15)])
def test_unequal_players_are_told_apart(p, pairs):
    """In most series after this number of pairs, and never in the wrong direction."""
    rng = np.random.default_rng(6)
    found = [verdict(random_scores(rng, p, pairs), 0.05) for _ in range(300)]
    assert set(found) <= {0, 1}
    assert np.mean(found) > 0.7


def test_an_order_needs_every_pair_of_neighbours():
    verdicts = {(0, 1): 1, (0, 2): 1, (1, 2): -1}
    assert order_is_certain([0, 2, 1], verdicts)
    assert not order_is_certain([0, 1, 2], verdicts)
    assert not order_is_certain([0, 2, 1], {**verdicts, (1, 2): 0})
    assert order_is_certain([0, 2, 1], {**verdicts, (0, 1): 0})


class Simulated:
    """Replaces the processes by simulated matches; agent k has strength ``strengths[k]``."""

    rng: np.random.Generator
    strengths: tuple[float, ...]

    def __init__(self, count, settings):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def play(self, units):
        for unit in units:
            chance = 1 / (1 + math.exp(self.strengths[unit.b] - self.strengths[unit.a]))
            won = self.rng.random(2 * unit.count) < chance
            yield {
                "unit": [unit.a, unit.b, unit.first, unit.count],
                "outcome": (2 * won - 1).tolist(),
                "hands": [1] * len(won),
                "margin": [0.0] * len(won),
                "totals": [Totals().to_dict()] * 2,
                "forfeits": [],
            }


def simulate(strengths, count, monkeypatch, tmp_path):
    """Simulate tournaments of three: (order certain, order, matches) of each."""
    monkeypatch.setattr(run_module, "Workers", Simulated)
    Simulated.rng, Simulated.strengths = np.random.default_rng(7), strengths
    agents = ["random", "uniform", "heuristic"]
    settings = make_settings(agents, matches=600)
    found = []
    for k in range(count):
        results = run_module.run_tournament(settings, tmp_path / str(k))
        order = [agents.index(row["agent"]) for row in results["ratings"]]
        found.append((results["order_certain"], order, results["matches"]))
    return found


def test_the_order_of_a_tournament_is_seldom_wrong(monkeypatch, tmp_path, report):
    """Two of the three are equal, so that no order is right."""
    found = simulate((0.0, 0.0, -1.0), 60, monkeypatch, tmp_path)
    wrong = np.mean([certain for certain, _, _ in found])
    report(f"an order where there is none, at 0.05: {wrong:.3f}")
    assert wrong <= 0.05
    assert all(order[2] == 2 for _, order, _ in found)
    # The clear pairings stop early, the open one is played to the end.
    assert np.mean([matches for _, _, matches in found]) < 1300


def test_a_clear_order_ends_a_tournament_early(monkeypatch, tmp_path):
    found = simulate((0.0, 1.2, 2.4), 20, monkeypatch, tmp_path)
    assert all(certain and order == [2, 1, 0] for certain, order, _ in found)
    assert max(matches for _, _, matches in found) <= 1200
