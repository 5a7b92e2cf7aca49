"""The chance of winning the match with a bid, estimated from the expected tricks."""

from typing import NamedTuple

import numpy as np

from spades_agents.compiler import jit
from spades_agents.contract import Result, Standing, after_hand, combined, seat_result
from spades_agents.heuristic.evaluate import bag_cost, nil_points, normal
from spades_agents.heuristic.hand import game_of
from spades_agents.match_chance import match_ends, spread
from spades_env.engine.state import NO_BID

# By game: added to the expected tricks of a side. This and the constants below were tuned by matches between players
# that differ in one of them.
SHIFT = np.array([-0.2, -0.1, -0.1, -0.1])
# The share by which the expected tricks are moved away from the contract. It makes bids far from them less attractive.
# A contract counts as at most REACH too high, or a hopeless one would seem to leave the others bags for a penalty.
STRETCH = 0.2
# The standard deviation of a side's tricks around their expectation. It is less than that of the cards alone: a side
# that has its contract stops taking tricks, and one that has not takes risks for them.
DEVIATION = 1.2
REACH = 2  # tricks on either side of the expectation that are considered
# Tricks that a partner takes above its bid.
PARTNER_OVER = 0.7
# The share of a nil's points that its bidder expects: made minus failed.
NIL_SHARE = 0.4
# With two players, the bid to expect after a nil.
BID_AFTER_NIL = 10
LOGISTIC = 1.702  # normal(z) is within 0.01 of the logistic function at LOGISTIC * z (Haley 1952)


class Outlook(NamedTuple):
    """What the seat on turn in the bidding expects of all others."""

    mine: Standing
    theirs: Standing  # of the other side, with more than two sides of the one that leads among them
    partner: Result  # the partner's contract and nil; without tricks
    partner_tricks: float
    other: Result  # the other side's contract and nils; its tricks, if there are more than two sides


@jit
def result(contract, tricks, points):
    """The :class:`~spades_agents.contract.Result` with these tricks, if they count toward a contract."""
    return Result(np.int64(contract), np.int64(tricks if contract > 0 else 0), np.int64(points), np.int64(0))


@jit
def expected_nil(s, r, seat):
    """Points to expect of a nil that has been bid."""
    return np.int64(NIL_SHARE * nil_points(s, r, seat))


@jit
def leading_rival(s, r):
    """The other side with the most points."""
    mine = s.seat % r.sides
    found = (mine + 1) % r.sides
    for side in range(r.sides):
        if side != mine and s.scores[side] > s.scores[found]:
            found = side
    return found


@jit
def look_around(s, r):
    """The :class:`Outlook` of the seat on turn.

    An opponent that has not bid is expected to bid its share of the tricks. A partner that has not bid is left out: the
    own bid must be enough.
    """
    side = s.seat % r.sides
    rival = leading_rival(s, r)
    share = r.hand_size // r.players
    contract = 0
    tricks = 0.0
    points = 0
    against = 0
    their_points = 0
    for seat in range(r.players):
        bid = s.bids[seat]
        if seat == s.seat:
            continue
        if seat % r.sides == side:
            if bid > 0:
                contract = bid
                tricks = bid + PARTNER_OVER
            elif bid == 0:
                points = expected_nil(s, r, seat)
        elif seat % r.sides == rival:
            if bid == NO_BID:
                against += share
            elif bid > 0:
                against += bid
            else:
                their_points += expected_nil(s, r, seat)
    return Outlook(
        Standing(np.int64(s.scores[side]), np.int64(s.bags[side])),
        Standing(np.int64(s.scores[rival]), np.int64(s.bags[rival])),
        result(contract, 0, points),
        tricks,
        result(against, against, their_points),
    )


@jit
def win_chance(r, mine, theirs):
    """The chance of winning against one other side after a hand, from the :class:`Standing` of both."""
    best = max(mine.score, theirs.score)
    worst = min(mine.score, theirs.score)
    if best != worst and match_ends(r, best, worst):
        return 1.0 if mine.score == best else 0.0
    lead = mine.score - theirs.score - (bag_cost(r) + 1.0) * (mine.bags - theirs.bags)
    return normal(lead / (LOGISTIC * spread(r, best)))


@jit
def chance_with(r, outlook, bid, tricks, sure, nil):
    """The chance of winning the match with ``bid``.

    Args:
        r: the packed rules.
        outlook: the :class:`Outlook`.
        bid: the bid.
        tricks: expected tricks of the seat; 0 for a nil.
        sure: tricks that the seat takes for certain; 0 for a nil.
        nil: the chance that a nil is made.
    """
    contract = bid + outlook.partner.contract
    other = outlook.other
    if bid == 0 and r.players == 2:
        other = result(max(other.contract, BID_AFTER_NIL), 0, 0) if other.contract > 0 else other
    mean = tricks + outlook.partner_tricks + SHIFT[game_of(r)]
    mean = min(max(mean + STRETCH * max(mean - contract, -REACH), sure), r.hand_size)
    middle = np.int64(mean + 0.5)
    total = 0.0
    weights = 0.0
    least = max(middle - REACH, sure)
    below = normal((least - 0.5 - mean) / DEVIATION)
    for taken in range(least, min(middle + REACH, r.hand_size) + 1):
        upto = normal((taken + 0.5 - mean) / DEVIATION)
        weight = upto - below
        below = upto
        weights += weight
        counted = taken if contract > 0 else 0
        left = other.tricks if r.sides > 2 else r.hand_size - counted
        theirs = after_hand(r, outlook.theirs, result(other.contract, left, other.nil_points))
        ours = result(contract, counted, outlook.partner.nil_points)
        if bid > 0:
            total += weight * win_chance(r, after_hand(r, outlook.mine, ours), theirs)
        else:
            made = combined(ours, seat_result(r, 0, False, 0))
            failed = combined(ours, seat_result(r, 0, False, 1))
            total += weight * nil * win_chance(r, after_hand(r, outlook.mine, made), theirs)
            total += weight * (1.0 - nil) * win_chance(r, after_hand(r, outlook.mine, failed), theirs)
    return total / weights
