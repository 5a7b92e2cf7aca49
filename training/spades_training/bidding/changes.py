"""How the best bid with a hand changes with the scores and the bags."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from spades_agents.bidder.advice import advise

from spades_env.rules import Rules

_MOST_BAGS = 10  # values of the bag counter that are tried


class Best(NamedTuple):
    """The best bid in one situation.

    Attributes:
        scores: points of the bidder's side and of the other side.
        bags: bag counters of the bidder's side and of the other side.
        bid: the best bid, 0 for nil.
        win: its chance of winning the match.
    """

    scores: tuple[int, int]
    bags: tuple[int, int]
    bid: int
    win: float


def score_steps(rules: Rules) -> list[int]:
    """Scores from behind zero to just before the target, in fifths of it: for 500, -100 to 400 and 450."""
    step = max(rules.target // 5, 1)
    loss = rules.loss if rules.loss is not None else -rules.target
    found = {k * step for k in range(-1, 5)} | {rules.target - max(step // 2, 1)}
    return sorted(score for score in found if loss < score < rules.target)


def bag_steps(rules: Rules) -> list[int]:
    """The values of a bag counter, at most ten; empty if bags are not counted."""
    if not rules.bag_limit:
        return []
    count = min(rules.bag_limit, _MOST_BAGS)
    return [k * (rules.bag_limit - 1) // max(count - 1, 1) for k in range(count)]


def situations(
    rules: Rules, scores: Sequence[int], bags: Sequence[int]
) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """All (scores, bags) to compare: every pair of scores with these bags, then every bag counter of either side.

    Args:
        rules: the rules.
        scores: points of the bidder's side and of the other side, for the bag counters.
        bags: bag counters of the bidder's side and of the other side, for the scores.
    """
    steps, counts = score_steps(rules), bag_steps(rules)
    own, other = bags
    level = (int(scores[0]), int(scores[1]))
    found = [((mine, theirs), (int(own), int(other))) for mine in steps for theirs in steps]
    found += [(level, (count, int(other))) for count in counts]
    return found + [(level, (int(own), count)) for count in counts]


def best_bids(
    hand: int,
    rules: Rules,
    scores: Sequence[int] = (0, 0),
    bags: Sequence[int] = (0, 0),
    heard: Sequence[int] = (),
    progress: Callable[[int, int], bool] | None = None,
) -> list[Best]:
    """The best bid in each of the :func:`situations`.

    Args:
        hand: 13 cards as a 52-bit set.
        rules: rules for two players or for partnerships.
        scores: points of the bidder's side and of the other side.
        bags: bag counters of the bidder's side and of the other side.
        heard: the bids made before this one, in order.
        progress: called with the number of situations done and the total; the rest is left out when it returns False.

    Raises:
        ValueError: if an argument is invalid, or there is no model for the rules.
    """
    found = []
    wanted = situations(rules, scores, bags)
    for k, (score, count) in enumerate(wanted, 1):
        advice = advise(hand, rules, score, count, heard)
        found.append(Best(score, count, advice.best, advice.bids[advice.best].win))
        if progress is not None and not progress(k, len(wanted)):
            break
    return found
