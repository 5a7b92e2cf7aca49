"""A review of a match: what each decision cost by the ratings of a player."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from spades_agents.base import Agent, Rating, check_plays
from spades_agents.registry import make_agent
from spades_env.checks import check_int
from spades_env.game import View
from spades_env.records.record import Record

__all__ = ["Judged", "judge_decision", "review"]


@dataclass(frozen=True)
class Judged:
    """A decision of a match and the ratings of all its alternatives.

    Attributes:
        hand: number of the hand in the match, counted from 0, as :attr:`spades_env.Game.hand_number`.
        index: number of the decision among all actions of the hand, counted from 0.
        seat: who decided.
        view: what the seat knew.
        action: what it did.
        ratings: a rating for each legal action, ascending by action.
        best: the action with the highest value; of equal values the one played, else the first.
    """

    hand: int
    index: int
    seat: int
    view: View
    action: int
    ratings: dict[int, Rating]
    best: int

    @property
    def cost(self) -> float:
        """The value of the best action minus that of the action played, at least 0, in the unit of the ratings."""
        return self.ratings[self.best].value - self.ratings[self.action].value

    @property
    def error(self) -> float:
        """The standard error of the cost; 0 if the best action was played, NaN after a single world.

        It treats the two ratings as independent. Both come from the same worlds, so it is usually too large. The cost
        itself is biased upwards, since the best of several noisy ratings is partly lucky.
        """
        if self.best == self.action:
            return 0.0
        return math.hypot(self.ratings[self.best].error, self.ratings[self.action].error)


def review(record: Record, player: Agent | str, seats: Collection[int] | None = None) -> Iterator[Judged]:
    """Rate every decision of a match; decisions with a single legal action are left out.

    Each decision is rated from what the seat knew, not from the hidden cards.

    Args:
        record: the match. It is replayed and checked on the way.
        player: a player with a method ``rate(view)``, or its name as :func:`spades_agents.make_agent` takes it.
        seats: review only these seats; by default all.

    Returns:
        An iterator that rates one decision at a time, in the order of the match.

    Raises:
        ValueError: if the player rates no actions or cannot play the rules, or there is no such seat.
        RecordError: during the iteration, for the first value of the record that is wrong.

    Example:
        >>> from spades_env import Game
        >>> from spades_agents import make_agent
        >>> game, player = Game("partnership", seed=3), make_agent("random")
        >>> while game.hand_number < 1:
        ...     game.apply(player.act(game.view()))
        >>> worst = max(review(game.record(), "rollout:worlds=4", seats=[0]), key=lambda judged: judged.cost)
        >>> worst.seat, worst.cost > 0
        (0, True)
    """
    judge = make_agent(player)
    rules = record.rules
    if not hasattr(judge, "rate"):
        raise ValueError(f"player {judge.name!r} rates no actions: use pimc, rollout, bidder or a trained player")
    check_plays(judge, rules)
    chosen = range(rules.players) if seats is None else [check_int("seat", k, 0, rules.players - 1) for k in seats]
    return _judgments(record, judge, frozenset(chosen))


def _judgments(record: Record, judge: Agent, seats: frozenset[int]) -> Iterator[Judged]:
    for game, action in record.positions():
        if action is None or game.seat not in seats:
            continue
        view = game.view()
        if len(view.legal_actions()) == 1:
            continue
        yield judge_decision(judge, view, action, len(game.log.current.actions))


def judge_decision(player: Agent, view: View, action: int, index: int = 0) -> Judged:
    """Rate one decision.

    Args:
        player: a player with a method ``rate(view)``.
        view: what the seat on turn knows.
        action: what it does, a legal action.
        index: number of the decision among all actions of the hand, counted from 0.
    """
    ratings: dict[int, Rating] = player.rate(view)  # pyright: ignore[reportAttributeAccessIssue]
    best = max(ratings, key=lambda other: (ratings[other].value, other == action))
    return Judged(view.hand_number, index, view.observer, view, action, ratings, best)
