"""Bradley-Terry ratings with intervals.

A wins a match against B with the chance ``1 / (1 + exp(b - a))``, where a and b are their strengths (Bradley and
Terry, Rank analysis of incomplete block designs, Biometrika 39, 1952). At a table where one A meets ``s - 1`` copies of
B, each for itself, A wins with ``exp(a) / (exp(a) + (s - 1) * exp(b))`` (the choice axiom: Luce, Individual Choice
Behavior, 1959). Strengths are those of greatest likelihood, where every two players are also given one match that each
won half: without it a player that won all its matches would be infinitely strong.

The variance is the sandwich of Huber (1967) and White (1982) with the decks as clusters, for matches with the same
decks are not independent: that is the reason for playing them.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from spades_training.evaluation.intervals import Estimate, t_quantile

__all__ = ["ELO", "Comparisons", "Ratings", "bradley_terry"]

ELO = 400 / math.log(10)  # points of the usual scale for a strength of 1
STEPS = 100


@dataclass(frozen=True)
class Comparisons:
    """Matches, summed up by pairing and deck; int64 arrays of one length.

    Attributes:
        a: the one player.
        b: the other one, at all other sides.
        wins: matches that ``a`` won.
        losses: matches that ``b`` won.
        deck: which decks they were played with.
    """

    a: np.ndarray
    b: np.ndarray
    wins: np.ndarray
    losses: np.ndarray
    deck: np.ndarray


@dataclass(frozen=True)
class Ratings:
    """Strengths in Elo points, the mean of all players 0.

    Attributes:
        points: float64 of shape (players,).
        covariance: float64 of shape (players, players).
        reach: how many standard errors a 95% interval reaches to either side.
    """

    points: np.ndarray
    covariance: np.ndarray
    reach: float

    def order(self) -> list[int]:
        """Players, best first; of equals the first."""
        return sorted(range(len(self.points)), key=lambda k: (-self.points[k], k))

    def rating(self, player: int) -> Estimate:
        """The rating of one player, with its 95% interval."""
        return self._estimate(float(self.points[player]), float(self.covariance[player, player]))

    def gap(self, player: int, other: int) -> Estimate:
        """How many points ``player`` is ahead of ``other``."""
        pick = np.zeros(len(self.points))
        pick[player], pick[other] = 1, -1
        return self._estimate(float(pick @ self.points), float(pick @ self.covariance @ pick))

    def _estimate(self, value: float, variance: float) -> Estimate:
        reach = self.reach * math.sqrt(max(variance, 0.0))
        return Estimate(value, value - reach, value + reach)


def bradley_terry(players: int, matches: Comparisons, sides: int = 2) -> Ratings:
    """The ratings of ``players`` players.

    Args:
        players: how many.
        matches: every player must be linked with every other one by some chain of matches.
        sides: of a table.
    """
    pairs = list(itertools.combinations(range(players), 2))
    decks = np.unique(matches.deck)
    # The match won by halves: two rows for every two players, each a cluster of its own.
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
        """What each row won above the expected, and the inverse of the information matrix."""
        chance = 1 / (1 + np.exp(-(design @ strength + offset)))
        weight = (wins + losses) * chance * (1 - chance)
        # The same added to all strengths changes nothing: this is the pseudo-inverse, which keeps their sum 0.
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
