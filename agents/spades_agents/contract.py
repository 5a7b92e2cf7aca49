"""What a contract scores: points and bags of a side after a hand."""

from typing import NamedTuple

import numpy as np

from spades_agents.compiler import jit
from spades_env.engine.state import ALL_BAGS, CONTRACT, ONE_BAG


class Standing(NamedTuple):
    """Points and bag counter of a side between two hands."""

    score: int | np.int64
    bags: int | np.int64


class Result(NamedTuple):
    """How a hand ended for a side."""

    contract: int | np.int64  # sum of its bids, 0 if every seat of the side bid nil
    tricks: int | np.int64  # tricks that count toward the contract
    nil_points: int | np.int64  # points won and lost by nils
    nil_bags: int | np.int64  # bags taken by failed nils


@jit
def seat_result(r, bid, blind, tricks):
    """The :class:`Result` of one seat: its bid, whether a nil was blind, and the tricks that it took."""
    contract = np.int64(bid)
    toward = np.int64(tricks)
    points = np.int64(0)
    bags = np.int64(0)
    if bid == 0:
        points = np.int64(r.blind_nil if blind else r.nil)
        toward = 0
        if tricks > 0:
            points = -points
            toward = tricks if r.failed_nil == CONTRACT else 0
            if r.failed_nil == ONE_BAG:
                bags = 1
            elif r.failed_nil == ALL_BAGS:
                bags = tricks
    return Result(contract, toward, points, bags)


@jit
def combined(a, b):
    """The :class:`Result` of two partners."""
    return Result(a.contract + b.contract, a.tricks + b.tricks, a.nil_points + b.nil_points, a.nil_bags + b.nil_bags)


@jit
def after_hand(r, before, result):
    """The :class:`Standing` of a side after a hand, from the one ``before`` it and the hand's :class:`Result`."""
    score = before.score + result.nil_points
    bags = before.bags + result.nil_bags
    over = result.tricks - result.contract
    if over < 0:
        score -= 10 * result.contract
    else:
        bags += over
        if result.contract > 0:
            score += 10 * result.contract + over
    if 0 < r.bag_limit <= bags:
        score -= r.bag_penalty * (bags // r.bag_limit)
        bags %= r.bag_limit
    return Standing(score, bags)


@jit
def worth(r, standing):
    """Points of a :class:`Standing` minus each bag's share of the penalty to come."""
    if r.bag_limit == 0:
        return np.float64(standing.score)
    return standing.score - standing.bags * r.bag_penalty / np.float64(r.bag_limit)
