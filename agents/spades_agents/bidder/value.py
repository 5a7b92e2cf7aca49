"""What each bid is worth, in points and as a chance of winning the match, from the model's probabilities."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spades_agents.bidder import model as heads
from spades_agents.bidder.features import FEATURES, fill_features
from spades_agents.bidder.model import CLASSES, INPUTS, LEAST, BiddingModel, Bids, bid_inputs, chances, play_inputs
from spades_agents.certain import sure_tricks
from spades_agents.compiler import jit
from spades_agents.contract import Result, Standing, after_hand, combined, seat_result, worth
from spades_agents.heuristic.hand import game_of
from spades_agents.match_chance import win_chance
from spades_agents.match_value import match_table
from spades_env.engine.bidding import nth_bidder
from spades_env.engine.state import NO_BID
from spades_env.rules import Rules

# Columns of a rating: the chance that the side makes its contract, or the seat its nil; the expected points of the own
# side and of the other side, minus each bag's share of the penalty; the chance of winning the match.
MADE, POINTS, THEIR_POINTS, WIN = range(4)
COLUMNS = 4
MOST_BIDS = 18
UNLIKELY = 0.01  # bids of other seats with a lower probability are ignored
TRICKS_OF_MISSED_NIL = 1  # with partners, the tricks that a failed nil is assumed to take

# What the seat on turn knows, and scratch for the model.
SITUATION = np.dtype(
    [
        ("features", "f8", len(FEATURES)),
        ("inputs", "f8", INPUTS),
        ("partner", "f8", CLASSES),
        ("others", "f8", CLASSES),
        ("tricks", "f8", CLASSES),
        ("nil", "f8", CLASSES),
        ("rating", "f8", COLUMNS),  # of the bid under consideration
        ("sure", "i4"),  # tricks that the seat takes for certain
        ("position", "i4"),
        ("partner_bid", "i4"),  # -1: has not bid, or there is no partner
        ("heard", "i4"),  # seats of the other side that have bid
        ("others_bid", "i4"),  # the sum of their bids
        ("nils", "i4"),
        ("score", "i4"),
        ("bags", "i4"),
        ("their_score", "i4"),
        ("their_bags", "i4"),
        ("opens", "?"),  # whether the own side opens the next hand
    ],
    align=True,
)


class Workspace(NamedTuple):
    """The arrays used to rate bids."""

    weights: np.ndarray  # see BiddingModel
    blind: np.ndarray  # see BiddingModel
    values: np.ndarray  # see match_table
    situation: np.ndarray  # one SITUATION
    ratings: np.ndarray  # float64[MOST_BIDS, COLUMNS], the ratings by bid


def new_workspace(model: BiddingModel, rules: Rules) -> Workspace:
    """A workspace for bidding with ``model`` under ``rules``."""
    ratings = np.zeros((MOST_BIDS, COLUMNS))
    return Workspace(model.weights, model.blind, match_table(rules), np.zeros(1, SITUATION), ratings)


@jit
def assess(work, s, r):
    """Fill ``work.situation`` for the seat on turn; ``s`` need not hold more than that seat may know."""
    w = work.situation[0]
    me = s.seat
    side = me % r.sides
    fill_features(s.hands[me], game_of(r), w.features)
    w.sure = sure_tricks(s.hands[me])
    for place in range(r.players):
        if nth_bidder(s, r, place) == me:
            w.position = place
    w.partner_bid = -1
    w.heard = 0
    w.others_bid = 0
    w.nils = 0
    for seat in range(r.players):
        if seat == me or s.bids[seat] == NO_BID:
            continue
        if seat % r.sides == side:
            w.partner_bid = s.bids[seat]
        else:
            w.heard += 1
            w.others_bid += s.bids[seat]
            w.nils += 1 if s.bids[seat] == 0 else 0
    w.score = s.scores[side]
    w.bags = s.bags[side]
    w.their_score = s.scores[1 - side]
    w.their_bags = s.bags[1 - side]
    w.opens = (s.opener + 1) % 2 == side


@jit.apart
def add_ending(w, r, values, chance, made, ours, theirs):
    """Add an ending of the hand, the :class:`~spades_agents.contract.Result` of each side, to ``w.rating``."""
    mine = Standing(w.score, w.bags)
    other = Standing(w.their_score, w.their_bags)
    after = after_hand(r, mine, ours)
    other_after = after_hand(r, other, theirs)
    w.rating[MADE] += chance if made else 0.0
    w.rating[POINTS] += chance * (worth(r, after) - worth(r, mine))
    w.rating[THEIR_POINTS] += chance * (worth(r, other_after) - worth(r, other))
    w.rating[WIN] += chance * win_chance(values, r, after, other_after, w.opens)


@jit
def confine(chances, first, least, most):
    """Condition probabilities of ``first``, ``first + 1``, ... tricks on at least ``least`` and at most ``most``.

    If all of them lie outside, they stay as they are: the nearest bound is then certain.
    """
    total = 0.0
    for k in range(CLASSES):
        if least <= first + k <= most:
            total += chances[k]
    if total > 0.0:
        for k in range(CLASSES):
            chances[k] = chances[k] / total if least <= first + k <= most else 0.0


@jit.apart
def rate_two(work, r, bids, chance):
    """Add all endings of a two-player hand with these :class:`~spades_agents.bidder.model.Bids` to the rating."""
    w = work.situation[0]
    bid = bids.own
    play_inputs(w.features, bid, 0, bids.others, bids.nils, w.position, r.hand_size, w.inputs)
    chances(work.weights, heads.TRICKS if bid > 0 else heads.NIL, w.inputs, w.tricks)
    first = bid + LEAST if bid > 0 else 0
    confine(w.tricks, first, w.sure, r.hand_size)
    for k in range(CLASSES):
        if w.tricks[k] > 0.0:
            tricks = min(max(first + k, w.sure), r.hand_size)
            ours = seat_result(r, bid, False, tricks)
            theirs = seat_result(r, bids.others, False, r.hand_size - tricks)
            made = tricks >= bid if bid > 0 else tricks == 0
            add_ending(w, r, work.values, chance * w.tricks[k], made, ours, theirs)


@jit.apart
def rate_partners(work, r, bids, chance):
    """Add all endings of a partnership hand with these :class:`~spades_agents.bidder.model.Bids` to the rating.

    A made nil and the tricks of its partner are treated as independent. The points of the other side's nils are left
    out, since they are nearly the same for every bid.
    """
    w = work.situation[0]
    play_inputs(w.features, bids.own, bids.partner, bids.others, bids.nils, w.position, r.hand_size, w.inputs)
    contract = bids.own + bids.partner
    own_nil = bids.own == 0
    partner_nil = bids.partner == 0
    if own_nil:
        chances(work.weights, heads.NIL, w.inputs, w.nil)
    elif partner_nil:
        chances(work.weights, heads.PARTNER_NIL, w.inputs, w.nil)
    safe = 0.0 if own_nil and w.sure > 0 else w.nil[0] if own_nil or partner_nil else 1.0
    safe_both = 1.0
    if own_nil and partner_nil:
        chances(work.weights, heads.PARTNER_NIL, w.inputs, w.tricks)
        safe_both = w.tricks[0]
    else:
        head = heads.COVER if own_nil else heads.ALONE if partner_nil else heads.TRICKS
        chances(work.weights, head, w.inputs, w.tricks)
    least = 0 if own_nil else w.sure  # of the tricks that count toward the contract
    if contract > 0:
        confine(w.tricks, contract + LEAST, least, r.hand_size)
    for broken in range(2):
        part = chance * (1.0 - safe if broken else safe)
        if part <= 0.0:
            continue
        nil = seat_result(r, 0, False, broken * TRICKS_OF_MISSED_NIL)
        if contract == 0:
            for both in range(2):
                more = part * (1.0 - safe_both if both else safe_both)
                ours = combined(nil, seat_result(r, 0, False, both * TRICKS_OF_MISSED_NIL))
                left = r.hand_size - (broken + both) * TRICKS_OF_MISSED_NIL
                add_ending(w, r, work.values, more, not broken, ours, toward(bids.others, left))
            continue
        for k in range(CLASSES):
            if w.tricks[k] > 0.0:
                counted = min(max(contract + LEAST + k, least), r.hand_size)
                left = max(r.hand_size - counted - broken * TRICKS_OF_MISSED_NIL, 0)
                ours = toward(contract, counted)
                if own_nil or partner_nil:
                    ours = combined(ours, nil)
                made = not broken if own_nil else ours.tricks >= contract
                theirs = toward(bids.others, left)
                add_ending(w, r, work.values, part * w.tricks[k], made, ours, theirs)


@jit
def toward(contract, tricks):
    """The :class:`~spades_agents.contract.Result` of a side, without the points and bags of its nils."""
    return Result(np.int64(contract), np.int64(tricks if contract > 0 else 0), np.int64(0), np.int64(0))


@jit.apart
def bid_chances(work, r, head, bid, partner, out):
    """Write the probabilities of a head about the bids to come; the arguments are those of :func:`bid_inputs`."""
    w = work.situation[0]
    need = min(max((r.target - w.score) * 0.1, 0.0), heads.NEEDED)
    their_need = min(max((r.target - w.their_score) * 0.1, 0.0), heads.NEEDED)
    bid_inputs(w.features, bid, partner, w.heard, w.others_bid, w.nils, w.position, need, their_need, w.inputs)
    chances(work.weights, head, w.inputs, out)


@jit.apart
def rate_bid(work, r, bid):
    """Fill ``work.ratings[bid]``, the mean over the bids that are still to come."""
    w = work.situation[0]
    for k in range(COLUMNS):
        w.rating[k] = 0.0
    seats = r.players // 2
    known = seats == 1 or w.partner_bid >= 0
    if not known:
        bid_chances(work, r, heads.PARTNER, bid, np.int64(-1), w.partner)
    total = 0.0
    for p in range(1 if known else CLASSES):
        partner = np.int64(w.partner_bid) if known else p
        chance = 1.0 if known else w.partner[p]
        if chance < UNLIKELY or (not known and p > r.hand_size):
            continue
        if w.heard < seats:
            bid_chances(work, r, heads.OTHERS, bid, partner, w.others)
        for o in range(1 if w.heard == seats else CLASSES):
            part = chance if w.heard == seats else chance * w.others[o]
            others = np.int64(w.others_bid) + o
            if part < UNLIKELY * chance or others > 2 * r.hand_size:
                continue
            total += part
            if seats == 1:
                rate_two(work, r, Bids(bid, partner, others, np.int64(others == 0)), part)
            else:
                rate_partners(work, r, Bids(bid, partner, others, np.int64(w.nils)), part)
    for k in range(COLUMNS):
        work.ratings[bid, k] = w.rating[k] / total
    work.ratings[bid, MADE] = min(work.ratings[bid, MADE], 1.0)  # rounding


@jit
def rate_bids(work, s, r, low, high):
    """Fill ``work.ratings[low]`` to ``work.ratings[high]`` for the seat on turn in the bidding."""
    assess(work, s, r)
    for bid in range(low, high + 1):
        rate_bid(work, r, bid)


@jit.apart
def rate_blind(work, s, r):
    """Fill the situation's ``rating`` for a blind nil of the seat on turn.

    Returns the chance of winning before the hand, which is used as the value of looking at the cards.
    """
    assess(work, s, r)
    w = work.situation[0]
    for k in range(COLUMNS):
        w.rating[k] = 0.0
    total = 0.0
    for k in range(len(work.blind)):
        ending = work.blind[k]
        if ending[0] != w.position:
            continue
        weight = np.float64(ending[11])
        total += weight
        ours = Result(ending[1], ending[2], ending[3] * r.blind_nil + ending[4] * r.nil, ending[5])
        theirs = Result(ending[6], ending[7], ending[8] * r.blind_nil + ending[9] * r.nil, ending[10])
        add_ending(w, r, work.values, weight, ending[3] > 0, ours, theirs)
    for k in range(COLUMNS):
        w.rating[k] /= max(total, 1.0)
    mine = Standing(w.score, w.bags)
    return win_chance(work.values, r, mine, Standing(w.their_score, w.their_bags), s.opener % 2 == s.seat % 2)
