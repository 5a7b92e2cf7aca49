"""Duplicate matches between two players: the same decks for both, seats swapped.

A *pair* is one match for every side of the table, all with the same decks and the same first opener: in the
k-th player A is side k and B is all the others. (Two players or partners: two matches, seats swapped; three- and
four-handed games: A at every seat in turn, against copies of B.) A deck depends on the seed, the match and the
number of the hand alone, so the matches of a pair have the same decks to the end. Luck of the cards cancels
within a pair, and the confidence intervals treat pairs as the independent observations.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from spades_agents.base import Agent
from spades_agents.registry import make_agent

from spades_env.checks import check_int
from spades_env.rules import Rules, as_rules
from spades_training.evaluation.intervals import Estimate, proportion, ratio
from spades_training.evaluation.series import Series
from spades_training.evaluation.totals import PlayerResult

__all__ = ["PlayerResult", "Result", "evaluate"]

BATCH = 1024  # matches in play at a time, unless told otherwise


@dataclass(frozen=True)
class Result:
    """What a series of duplicate matches gave.

    Attributes:
        rules: the rules, every field.
        seed: pair p had the decks of ``Game(rules, seed=(seed, p))``.
        pairs: how many pairs.
        matches: how many matches, ``pairs`` times the number of sides.
        truncated: matches that nobody had won after ``max_hands`` hands.
        max_hands: see ``truncated``.
        win_rate: matches that A won over matches that somebody won; truncated matches count for neither. By
            chance it is ``chance``.
        chance: 1 / sides, the win rate of equal players.
        points_per_hand: A's points less the mean of the other sides' points, for a hand.
        hands_per_match: mean length.
        a: player A.
        b: player B; the means over all its sides and seats.
    """

    rules: dict[str, Any]
    seed: int
    pairs: int
    matches: int
    truncated: int
    max_hands: int
    win_rate: Estimate
    chance: float
    points_per_hand: Estimate
    hands_per_match: float
    a: PlayerResult
    b: PlayerResult

    def to_dict(self) -> dict[str, Any]:
        """All of it as values that JSON can hold."""
        return dataclasses.asdict(self)


def evaluate(
    a: str | Agent,
    b: str | Agent,
    rules: str | Rules = "two_player",
    *,
    matches: int = 400,
    seed: int = 0,
    max_hands: int = 100,
    batch: int = BATCH,
    progress: Callable[[int, int], object] | None = None,
) -> Result:
    """Play duplicate matches between A and B.

    Players that have ``act_batch`` play many matches at once. If one of them has not, the matches are played
    one after the other and that player is reset before each, seeded by the match. Either way the result, times
    apart, depends on the players and ``seed`` but not on ``batch``.

    Args:
        a: an agent, or its name as ``make_agent`` takes it.
        b: its opponent; at three or four seats, all of its opponents.
        rules: a preset's name or a :class:`Rules`.
        matches: how many matches, rounded up to whole pairs.
        seed: of the decks and of the players' dice.
        max_hands: a match of so many hands without a winner is truncated.
        batch: most matches in play at a time.
        progress: called now and then with the matches finished and the matches in all.

    Raises:
        ValueError: if an argument makes no sense, or a player's action is illegal.
    """
    rules = as_rules(rules)
    pairs = -(-check_int("matches", matches, 1, 10_000_000) // rules.sides)
    seed = check_int("seed", seed, 0, 2**64 - 1)
    batch = check_int("batch", batch, 1, 10_000_000)
    agents = (make_agent(a), make_agent(b))
    series = Series(agents, rules, seed, range(pairs), max_hands)
    series.play(batch, progress)
    decided, hands = series.by_pair(series.decided), series.by_pair(series.hands)
    return Result(
        rules=rules.to_dict(),
        seed=seed,
        pairs=pairs,
        matches=series.tables.count,
        truncated=int((~series.decided).sum()),
        max_hands=max_hands,
        win_rate=proportion(series.by_pair(series.won), decided),
        chance=1 / rules.sides,
        points_per_hand=ratio(series.by_pair(series.margin), hands),
        hands_per_match=float(series.hands.mean()),
        a=series.totals[0].result(agents[0].name),
        b=series.totals[1].result(agents[1].name),
    )
