"""Duplicate matches between two players: the same decks, with the seats swapped.

A *pair* is one match for each side of the table, all with the same decks and the same first opener. In match k of a
pair, A is side k and B takes all the others. With two players or partners a pair is two matches with the seats
swapped; in three- and four-handed games A plays each seat in turn against copies of B. A deck depends only on the
seed, the pair and the number of the hand, so the matches of a pair share their decks to the end. The luck of the cards
cancels within a pair, and the confidence intervals treat pairs as the independent observations.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np
from spades_agents.base import Agent, check_plays
from spades_agents.registry import make_agent

from spades_env.checks import check_int
from spades_env.rules import Rules, as_rules
from spades_training.cluster.parcel import portable
from spades_training.cluster.spread import Spread
from spades_training.evaluation.intervals import Estimate, proportion, ratio
from spades_training.evaluation.series import Series
from spades_training.evaluation.totals import PlayerResult, Totals
from spades_training.tournament.schedule import is_fast

BATCH = 1024  # default number of matches in play at a time
# Pairs in a call on another machine. Fast agents play more pairs, because larger batches make them faster.
PART, FAST_PART = 1, 500


@dataclass(frozen=True)
class Result:
    """The result of a series of duplicate matches.

    Attributes:
        rules: every field of the rules.
        seed: pair p had the decks of ``Game(rules, seed=(seed, p))``.
        pairs: number of pairs.
        matches: number of matches, ``pairs`` times the number of sides.
        truncated: number of matches without a winner after ``max_hands`` hands.
        max_hands: see ``truncated``.
        win_rate: matches won by A as a share of the matches with a winner; truncated matches are not counted.
        chance: 1 / sides, the win rate of equal players.
        points_per_hand: A's points per hand minus the mean of the other sides' points.
        hands_per_match: mean number of hands.
        a: player A.
        b: player B, averaged over all its sides and seats.
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
        """The result as values that JSON can hold."""
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
    on: Executor | None = None,
) -> Result:
    """Play duplicate matches between A and B.

    Players that have ``act_batch`` play many matches at once. If either player does not have it, the matches are played
    one by one, and that player is reset before each with a seed that depends on the match. In both cases the result,
    apart from times, depends on the players and ``seed`` but not on ``batch``.

    Args:
        a: an agent, or its name as ``make_agent`` takes it.
        b: its opponent; with three or four sides it plays all the other sides.
        rules: a preset's name or a :class:`Rules`.
        matches: number of matches, rounded up to whole pairs.
        seed: seed of the decks and of the players' random numbers.
        max_hands: a match without a winner after this many hands is truncated.
        batch: maximum number of matches in play at a time.
        progress: called from time to time with the number of matches finished and the total.
        on: an executor from :func:`spades_training.cluster.connect`, on whose machines the matches are played. The
            players must then be given by name. Apart from times, the result is the same.

    Raises:
        ValueError: if an argument is invalid, a player cannot play the rules, or a player's action is illegal.

    Example:
        >>> result = evaluate("heuristic", "random", matches=20)
        >>> result.win_rate.text(100)  # in %
        '100.0 [69.2, 100.0]'
    """
    rules = as_rules(rules)
    pairs = -(-check_int("matches", matches, 1, 10_000_000) // rules.sides)
    seed = check_int("seed", seed, 0, 2**64 - 1)
    batch = check_int("batch", batch, 1, 10_000_000)
    agents = (make_agent(a), make_agent(b))
    for agent in agents:
        check_plays(agent, rules)
    names = [agent.name for agent in agents]
    if names[0] == names[1]:  # two own classes may have the same name
        names = [spec if isinstance(spec, str) else spec.name for spec in (a, b)]
    if on is None:
        played = _play(*agents, rules, seed, range(pairs), max_hands, batch, progress)
    else:
        if not (isinstance(a, str) and isinstance(b, str)):
            raise ValueError("players must be given by name, because they are created on other machines")
        played = _play_on(on, a, b, rules, seed, pairs, max_hands, batch, progress)
    return Result(
        rules=rules.to_dict(),
        seed=seed,
        pairs=pairs,
        matches=pairs * rules.sides,
        truncated=pairs * rules.sides - int(played.decided.sum()),
        max_hands=max_hands,
        win_rate=proportion(played.won, played.decided),
        chance=1 / rules.sides,
        points_per_hand=ratio(played.margin, played.hands),
        hands_per_match=float(played.hands.sum()) / (pairs * rules.sides),
        a=played.totals[0].result(names[0]),
        b=played.totals[1].result(names[1]),
    )


@dataclass(frozen=True)
class _Played:
    """Sums over the matches of each pair, float64 of shape (pairs,), and the statistics of A and B."""

    decided: np.ndarray
    won: np.ndarray
    hands: np.ndarray
    margin: np.ndarray
    totals: tuple[Totals, Totals]


def _play(
    a: str | Agent,
    b: str | Agent,
    rules: Rules,
    seed: int,
    pairs: range,
    max_hands: int,
    batch: int,
    progress: Callable[[int, int], object] | None = None,
) -> _Played:
    series = Series((make_agent(a), make_agent(b)), rules, seed, pairs, max_hands)
    series.play(batch, progress)
    decided, won, hands, margin = map(series.by_pair, (series.decided, series.won, series.hands, series.margin))
    return _Played(decided, won, hands, margin, series.totals)


def _play_on(
    executor: Executor,
    a: str,
    b: str,
    rules: Rules,
    seed: int,
    pairs: int,
    max_hands: int,
    batch: int,
    progress: Callable[[int, int], object] | None,
) -> _Played:
    """The same as :func:`_play`, in parts on the machines of an executor."""
    names = portable(a), portable(b)
    parts = list(_parts(pairs, FAST_PART if all(map(is_fast, names)) else PART))
    found: dict[range, _Played] = {}
    finished = 0
    with Spread(executor, names) as spread:
        jobs = {part: (*names, rules, seed, part, max_hands, batch) for part in parts}
        for part, played in spread.run_all(_play, jobs):
            found[part] = played
            finished += len(part) * rules.sides
            if progress:
                progress(finished, pairs * rules.sides)
    totals = Totals(), Totals()
    for part in parts:
        for total, more in zip(totals, found[part].totals, strict=True):
            total.merge(more)
    names_of_sums = ("decided", "won", "hands", "margin")
    sums = {name: np.concatenate([getattr(found[part], name) for part in parts]) for name in names_of_sums}
    return _Played(**sums, totals=totals)


def _parts(pairs: int, size: int) -> Iterator[range]:
    for first in range(0, pairs, size):
        yield range(first, min(first + size, pairs))
