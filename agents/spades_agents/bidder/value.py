"""What each bid is worth, in points and in the chance to win the match, from the model's chances."""

from __future__ import annotations

import numpy as np

from spades_agents.bidder.features import FEATURES, fill_features
from spades_agents.bidder.model import (
    ALONE,
    CLASSES,
    COVER,
    INPUTS,
    LEAST,
    NEEDED,
    NIL,
    OTHERS,
    PARTNER,
    PARTNER_NIL,
    TRICKS,
    bid_inputs,
    chances,
    play_inputs,
)
from spades_agents.compiler import jit
from spades_agents.heuristic.hand import game_of
from spades_agents.match_value import after_hand, win_chance, worth
from spades_env.engine.bidding import nth_bidder
from spades_env.engine.state import ALL_BAGS, CONTRACT, NO_BID, ONE_BAG

# Columns of a table of bids: the chance that the side makes its contract, or the seat its nil; the points that the hand
# is expected to bring the own side and the other side, a bag at its share of the penalty; the chance to win the match.
MADE, POINTS, THEIR_POINTS, WIN = range(4)
COLUMNS = 4
UNLIKELY = 0.01  # bids of others less likely than this are left out
TRICKS_OF_MISSED_NIL = 1  # with partners, what a missed nil takes from the tricks of the others

WORK = np.dtype(
    [
        ("features", "f8", len(FEATURES)),
        ("inputs", "f8", INPUTS),
        ("partner", "f8", CLASSES),
        ("others", "f8", CLASSES),
        ("tricks", "f8", CLASSES),
        ("nil", "f8", CLASSES),
        ("position", "i4"),
        ("partner_bid", "i4"),  # -1: none yet, or no partner
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


@jit
def set_table(w, s, r):
    """Fill ``w``, one of WORK, with what the seat on turn knows; ``s`` may hold no more than that."""
    me = s.seat
    side = me % r.sides
    fill_features(s.hands[me], game_of(r), w.features)
    w.position = 0
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


@jit
def missed_nil(r, tricks):
    """What a missed nil of so many tricks adds to the side: tricks toward the contract, and bags."""
    if r.failed_nil == ONE_BAG:
        return 0, 1
    if r.failed_nil == ALL_BAGS:
        return 0, tricks
    if r.failed_nil == CONTRACT:
        return tricks, 0
    return 0, 0


@jit.apart
def add_ending(w, r, values, chance, made, ours, theirs, row):
    """Add one ending of the hand to a row of the table of bids.

    ``ours`` and ``theirs`` are (contract, counted, points of nils, bags of failed nils) of each side.
    """
    score, bags = after_hand(r, w.score, w.bags, ours[0], ours[1], ours[2], ours[3])
    other, other_bags = after_hand(r, w.their_score, w.their_bags, theirs[0], theirs[1], theirs[2], theirs[3])
    row[MADE] += chance if made else 0.0
    row[POINTS] += chance * (worth(r, score, bags) - worth(r, w.score, w.bags))
    row[THEIR_POINTS] += chance * (worth(r, other, other_bags) - worth(r, w.their_score, w.their_bags))
    row[WIN] += chance * win_chance(values, r, score, bags, other, other_bags, w.opens)


@jit
def two_player_ending(r, bid, tricks):
    """A side of one seat: contract, counted, points of a nil, bags of a failed one."""
    if bid > 0:
        return bid, tricks, 0, 0
    if tricks == 0:
        return 0, 0, int(r.nil), 0
    toward, loose = missed_nil(r, tricks)
    return 0, 0, -int(r.nil), loose + toward  # without a contract these are bags


@jit.apart
def rate_two(w, r, weights, values, bid, others, chance, row):
    """Add all endings of a two-player hand with these bids."""
    nils = 1 if others == 0 else 0
    play_inputs(w.features, bid, 0, others, nils, w.position, r.hand_size, w.inputs)
    chances(weights, TRICKS if bid > 0 else NIL, w.inputs, w.tricks)
    total = 0.0
    for k in range(CLASSES):
        tricks = bid + LEAST + k if bid > 0 else k
        if 0 <= tricks <= r.hand_size:
            total += w.tricks[k]
    for k in range(CLASSES):
        tricks = bid + LEAST + k if bid > 0 else k
        if 0 <= tricks <= r.hand_size:
            ours = two_player_ending(r, bid, tricks)
            theirs = two_player_ending(r, others, r.hand_size - tricks)
            made = tricks >= bid if bid > 0 else tricks == 0
            add_ending(w, r, values, chance * w.tricks[k] / total, made, ours, theirs, row)


@jit.apart
def rate_partners(w, r, weights, values, bid, partner, others, chance, row):
    """Add all endings of a hand of partners with these bids.

    Whether a nil is made and what its partner wins are taken as independent; what nils of the other side bring is
    left out, since it is nearly the same for every bid.
    """
    play_inputs(w.features, bid, partner, others, w.nils, w.position, r.hand_size, w.inputs)
    contract = bid + partner
    own_nil = bid == 0
    her_nil = partner == 0
    if own_nil:
        chances(weights, NIL, w.inputs, w.nil)
    elif her_nil:
        chances(weights, PARTNER_NIL, w.inputs, w.nil)
    safe = w.nil[0] if own_nil or her_nil else 1.0
    safe_both = 1.0
    if own_nil and her_nil:
        chances(weights, PARTNER_NIL, w.inputs, w.tricks)
        safe_both = w.tricks[0]
    else:
        chances(weights, COVER if own_nil else ALONE if her_nil else TRICKS, w.inputs, w.tricks)
    total = 0.0
    for k in range(CLASSES):
        if contract > 0 and 0 <= contract + LEAST + k <= r.hand_size:
            total += w.tricks[k]
    for broken in range(2):
        part = chance * (1.0 - safe if broken else safe)
        if part <= 0.0:
            continue
        points = 0
        loose = 0
        toward = 0
        if own_nil or her_nil:
            points = -int(r.nil) if broken else int(r.nil)
            if broken:
                toward, loose = missed_nil(r, TRICKS_OF_MISSED_NIL)
        if contract == 0:
            for both in range(2):
                more = part * (1.0 - safe_both if both else safe_both)
                second, bags = missed_nil(r, TRICKS_OF_MISSED_NIL) if both else (0, 0)
                nil = points + (-int(r.nil) if both else int(r.nil))
                ours = (0, 0, nil, toward + loose + second + bags)
                theirs = (others, int(r.hand_size) - (broken + both) * TRICKS_OF_MISSED_NIL, 0, 0)
                add_ending(w, r, values, more, not broken, ours, theirs, row)
            continue
        for k in range(CLASSES):
            counted = contract + LEAST + k
            if 0 <= counted <= r.hand_size:
                left = max(int(r.hand_size) - counted - broken * TRICKS_OF_MISSED_NIL, 0)
                made = not broken if own_nil else counted + toward >= contract
                ours = (contract, counted + toward, points, loose)
                theirs = (others, left, 0, 0)
                add_ending(w, r, values, part * w.tricks[k] / total, made, ours, theirs, row)


@jit.apart
def rate_bid(w, r, weights, values, bid, row):
    """Fill a row of the table of bids, float64[COLUMNS], over the bids that are still to come."""
    for k in range(COLUMNS):
        row[k] = 0.0
    seats = r.players // 2
    need = min(max((r.target - w.score) * 0.1, 0.0), NEEDED)
    their_need = min(max((r.target - w.their_score) * 0.1, 0.0), NEEDED)
    known = seats == 1 or w.partner_bid >= 0
    if not known:
        heard = (w.heard, w.others_bid, w.nils)
        bid_inputs(w.features, bid, -1, heard[0], heard[1], heard[2], w.position, need, their_need, w.inputs)
        chances(weights, PARTNER, w.inputs, w.partner)
    total = 0.0
    for p in range(1 if known else CLASSES):
        partner = w.partner_bid if known else p
        chance = 1.0 if known else w.partner[p]
        if chance < UNLIKELY or (not known and p > r.hand_size):
            continue
        if w.heard < seats:
            told = partner if seats == 2 else -1
            bid_inputs(w.features, bid, told, w.heard, w.others_bid, w.nils, w.position, need, their_need, w.inputs)
            chances(weights, OTHERS, w.inputs, w.others)
        for o in range(1 if w.heard == seats else CLASSES):
            part = chance if w.heard == seats else chance * w.others[o]
            others = w.others_bid if w.heard == seats else w.others_bid + o
            if part < UNLIKELY * chance or others > 2 * r.hand_size:
                continue
            total += part
            if seats == 1:
                rate_two(w, r, weights, values, bid, others, part, row)
            else:
                rate_partners(w, r, weights, values, bid, partner, others, part, row)
    for k in range(COLUMNS):
        row[k] /= total


@jit
def rate_bids(w, s, r, weights, values, low, high, table):
    """Fill rows ``low`` to ``high`` of ``table``, float64[18, COLUMNS], for the seat on turn in the bidding."""
    set_table(w, s, r)
    for bid in range(low, high + 1):
        rate_bid(w, r, weights, values, bid, table[bid])


@jit.apart
def rate_blind(s, r, values, blind, row):
    """Fill a row of the table of bids for a blind nil of the seat on turn; ``blind`` as the model keeps endings.

    Returns the chance to win as it is before the hand, which is what looking at the cards is worth.
    """
    me = s.seat
    side = me % r.sides
    place = 0
    for k in range(r.players):
        if nth_bidder(s, r, k) == me:
            place = k
    opens = (s.opener + 1) % 2 == side
    score, bags = s.scores[side], s.bags[side]
    other, other_bags = s.scores[1 - side], s.bags[1 - side]
    for k in range(COLUMNS):
        row[k] = 0.0
    total = 0.0
    for k in range(len(blind)):
        if blind[k, 0] != place:
            continue
        weight = np.float64(blind[k, 11])
        total += weight
        nils = blind[k, 3] * r.blind_nil + blind[k, 4] * r.nil
        ours, our_bags = after_hand(r, score, bags, blind[k, 1], blind[k, 2], nils, blind[k, 5])
        nils = blind[k, 8] * r.blind_nil + blind[k, 9] * r.nil
        theirs, their_bags = after_hand(r, other, other_bags, blind[k, 6], blind[k, 7], nils, blind[k, 10])
        row[MADE] += weight if blind[k, 3] > 0 else 0.0
        row[POINTS] += weight * (worth(r, ours, our_bags) - worth(r, score, bags))
        row[THEIR_POINTS] += weight * (worth(r, theirs, their_bags) - worth(r, other, other_bags))
        row[WIN] += weight * win_chance(values, r, ours, our_bags, theirs, their_bags, opens)
    for k in range(COLUMNS):
        row[k] /= max(total, 1.0)
    return win_chance(values, r, score, bags, other, other_bags, (s.opener % 2) == side)
