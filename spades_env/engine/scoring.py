"""The points and bags of a finished hand, and the end of the match."""

from __future__ import annotations

from spades_env.engine.bits import U64, ones
from spades_env.engine.jit import jit
from spades_env.engine.state import ALL_BAGS, BLIND_BID, CONTRACT, ONE_BAG
from spades_env.observation import FIELDS, TARGET_STEP

_TO_TARGET, _BAGS, _BAG_ROOM = (
    FIELDS[name].start - FIELDS["score"].start for name in ("to_target", "bags", "bag_room")
)


@jit
def score_side(s, r, side):
    """The points of one side for the hand, before bag penalties, and its new bags."""
    contract = 0
    counted = 0
    points = 0
    bags = 0
    loose = 0  # tricks of failed nils that count toward the contract
    for seat in range(side, r.players, r.sides):
        bid = s.bids[seat]
        tricks = s.tricks[seat]
        if bid > 0:
            contract += bid
            counted += tricks
            continue
        value = r.blind_nil if s.blind[seat] == BLIND_BID else r.nil
        if tricks == 0:
            points += value
            continue
        points -= value
        if r.failed_nil == ONE_BAG:
            bags += 1
        elif r.failed_nil == ALL_BAGS:
            bags += tricks
        elif r.failed_nil == CONTRACT:
            loose += tricks
    if contract == 0:
        return points, bags + loose
    counted += loose
    if counted < contract:
        return points - 10 * contract, bags
    over = counted - contract
    return points + 10 * contract + over, bags + over


@jit
def side_block(r, score, bags):
    """The block of a side: score, to_target, bags and bag_room, in this order."""
    block = U64(min(max(score, -32768), 32767) & 0xFFFF)
    block |= ones((r.target - score + TARGET_STEP - 1) // TARGET_STEP, 16) << U64(_TO_TARGET)
    block |= U64(min(bags, 127)) << U64(_BAGS)
    return block | ones(r.bag_limit - bags, 10) << U64(_BAG_ROOM)


@jit
def set_score(s, r, side, score, bags):
    """Set the points and bags of a side, and the block of the observation that shows them."""
    s.scores[side] = score
    s.bags[side] = bags
    s.ledger[side] = side_block(r, score, bags)


@jit
def score_hand(s, r):
    """Score the finished hand: set points, scores, bags, the ``last_*`` fields and the hand number."""
    for side in range(r.sides):
        points, bags = score_side(s, r, side)
        bags += s.bags[side]
        if r.bag_limit > 0:
            points -= r.bag_penalty * (bags // r.bag_limit)
            bags %= r.bag_limit
        s.points[side] = points
        set_score(s, r, side, s.scores[side] + points, bags)
    for seat in range(r.players):
        s.last_bids[seat] = s.bids[seat]
        s.last_blind[seat] = s.blind[seat]
        s.last_tricks[seat] = s.tricks[seat]
    s.hand_number += 1


@jit
def match_winner(s, r):
    """The side that has won, or -1: the match ends once a side has reached target or loss and one side leads."""
    best = 0
    shared = False
    ends = False
    for side in range(r.sides):
        score = s.scores[side]
        ends |= score >= r.target or score <= r.loss
        if side > 0 and score == s.scores[best]:
            shared = True
        elif score > s.scores[best]:
            best = side
            shared = False
    return best if ends and not shared else -1
