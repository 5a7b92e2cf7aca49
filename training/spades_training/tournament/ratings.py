"""Bradley-Terry ratings with confidence intervals.

The chance that A wins a match against B is ``1 / (1 + exp(b - a))``, where a and b are their strengths (Bradley and
Terry, Rank analysis of incomplete block designs, Biometrika 39, 1952). At a table where one A meets ``s - 1`` copies of
B, each on its own side, the chance is ``exp(a) / (exp(a) + (s - 1) * exp(b))`` (the choice axiom: Luce, Individual
Choice Behavior, 1959). The strengths maximise the likelihood, in which every two players also share one match, half won
by each: without it, a player that won all its matches would be infinitely strong.

The variance is the sandwich estimator of Huber (1967) and White (1982) with decks as clusters, because matches with the
same decks are not independent.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from spades_training.evaluation.intervals import Estimate, t_quantile

ELO = 400 / math.log(10)  # Elo points per unit of strength
STEPS = 100


@dataclass(frozen=True)
class Comparisons:
    """Matches summed by pairing and deck, as int64 arrays of equal length.

    Attributes:
        a: the first player.
        b: the second player, which takes all other sides.
        wins: number of matches that ``a`` won.
        losses: number of matches that ``b`` won.
        deck: the decks of the matches.
    """

    a: np.ndarray
    b: np.ndarray
    wins: np.ndarray
    losses: np.ndarray
    deck: np.ndarray


@dataclass(frozen=True)
class Ratings:
    """Strengths in Elo points; their mean over all players is 0.

    Attributes:
        points: float64 of shape (players,).
        covariance: float64 of shape (players, players).
        reach: half the width of a 95% interval, in standard errors.
    """

    points: np.ndarray
    covariance: np.ndarray
    reach: float

    def order(self) -> list[int]:
        """The players, best first; ties keep their order."""
        return sorted(range(len(self.points)), key=lambda k: (-self.points[k], k))

    def rating(self, player: int) -> Estimate:
        """The rating of one player, with its 95% interval."""
        return self._estimate(float(self.points[player]), float(self.covariance[player, player]))

    def gap(self, player: int, other: int) -> Estimate:
        """How many points ``player`` is ahead of ``other``, with a 95% interval."""
        pick = np.zeros(len(self.points))
        pick[player], pick[other] = 1, -1
        return self._estimate(float(pick @ self.points), float(pick @ self.covariance @ pick))

    def _estimate(self, value: float, variance: float) -> Estimate:
        reach = self.reach * math.sqrt(max(variance, 0.0))
        return Estimate(value, value - reach, value + reach)


def bradley_terry(players: int, matches: Comparisons, sides: int = 2) -> Ratings:
    """Rate players by their matches.

    Args:
        players: number of players.
        matches: a chain of matches must connect every two players.
        sides: number of sides at a table.
    """
    pairs = list(itertools.combinations(range(players), 2))
    decks = np.unique(matches.deck)
    # The shared match of every two players: two rows of half a match, each a cluster of its own.
    extra = len(pairs)
    a = np.concatenate([matches.a, [a for a, _ in pairs] * 2]).astype(int)
    b = np.concatenate([matches.b, [b for _, b in pairs] * 2]).astype(int)
    wins = np.concatenate([matches.wins, np.full(extra, 0.5), np.zeros(extra)])
    losses = np.concatenate([matches.losses, np.zeros(extra), np.full(extra, 0.5)])
    offset = np.where(np.arange(len(a)) < len(matches.a), -math.log(sides - 1), 0.0)
    cluster = np.concatenate([np.searchsorted(decks, matches.deck), len(decks) + np.arange(2 * extra)])

    design = np.zeros((len(a), players))
    design[np.arange(len(a)), a] = 1
    design[np.arange(len(a)), b] -= 1
    strength = np.zeros(players)
    mean = np.full((players, players), 1 / players)

    def at(strength: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The wins of each row minus their expectation, and the inverse of the information matrix."""
        chance = 1 / (1 + np.exp(-(design @ strength + offset)))
        weight = (wins + losses) * chance * (1 - chance)
        # Adding a constant to all strengths changes nothing: this pseudo-inverse keeps their sum at 0.
        inverse = np.linalg.inv(design.T @ (weight[:, None] * design) + mean) - mean
        return wins - (wins + losses) * chance, inverse

    for _ in range(STEPS):  # Newton's method
        residual, inverse = at(strength)
        step = inverse @ (design.T @ residual)
        strength = strength + step * min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-300))
        if float(np.abs(step).max()) < 1e-10:
            break
    residual, inverse = at(strength)
    scores = np.zeros((len(decks) + 2 * extra, players))
    np.add.at(scores, cluster, residual[:, None] * design)
    count = max(len(decks), 2)
    covariance = inverse @ (scores.T @ scores) @ inverse * (count / (count - 1))
    return Ratings(ELO * strength, ELO**2 * covariance, t_quantile(count - 1))
