"""Move ordering with three and four seats: the order decides how much of the tree is pruned.

The features are those of double-dummy solvers, see Haglund and Hein, "Search Algorithms for a Bridge Double Dummy
Solver" (2014). The weights, in arbitrary units, were fitted by hill climbing on the number of positions searched in
random deals of 11 cards a hand.
"""

import numpy as np

from spades_agents.compiler import jit
from spades_agents.solvers.four_bounds import lane, top_run
from spades_agents.solvers.lanes import PLAIN, SPADE_LANE, lane_of, takes
from spades_env.engine.bits import U64, bit, highest, lowest, popcount

LHO_LENGTH, SPADE, LAST_SPADES, SINGLETON = 2, 1, -17, 4
ENEMY_VOID, ENEMY_RUFFS, ENEMY_TOP_ALONE, RHO_TOP, LHO_TOP, LHO_SECOND = -25, -18, 10, 6, 6, 1
WINNER, WITH_PARTNERS_SECOND, UNDER_OWN_TOP, TO_PARTNERS_TOP, FROM_SECOND, FOR_RUFF = 42, 8, 20, 46, -6, 33
SEQUENCE, OTHER_LEAD, LEAD_RANK = 30, 15, -2
# For the second, third and fourth card of a trick.
RANK, RUFF, DISCARD_LENGTH, OVERTAKE_RISK, OVERTAKE, LEAVE_RISK, LEAVE, BEAT_RISK, BEAT, DISCARD_WINNER = range(10)
FOLLOW = np.array(
    [
        [2, -6, 1, 11, 9, 42, 42, 21, 39, -5],
        [0, -6, -1, 4, -5, 10, 51, 9, 34, -10],
        [1, -4, 3, 9, 0, 3, 1, 14, 30, -6],
    ]
)


@jit
def score_lead(p, seats, seat, friends, card):
    """The score of a lead."""
    suit = card >> 4
    rank = card & 15
    mine = lane(p.h[seat], suit)
    play = lane(p.all, suit)
    top = highest(play)
    second = highest(play & ~bit(top))
    score = 0
    partner_top = False
    partner_second = False
    partner_ruffs = False
    enemy_ruffs = False
    enemy_spades = False
    for step in range(1, seats):
        other = seat + step
        other = other - seats if other >= seats else other
        theirs = lane(p.h[other], suit)
        spades = p.h[other] >> U64(SPADE_LANE) != U64(0)
        if friends >> other & 1:
            if theirs == U64(0):
                partner_ruffs |= spades and suit < 3
            elif highest(theirs) == top:
                partner_top = True
            elif second >= 0 and theirs & bit(second):
                partner_second = True
            continue
        enemy_spades |= spades
        before = step < seats - 1  # does not play last
        if theirs:
            if before:
                score += LHO_LENGTH * popcount(theirs)
            if highest(theirs) == top:
                if popcount(theirs) == 1:
                    score += ENEMY_TOP_ALONE
                else:
                    score += LHO_TOP if before else RHO_TOP
            elif before and second >= 0 and theirs & bit(second):
                score += LHO_SECOND
        elif spades and suit < 3:
            enemy_ruffs = True
        else:
            score += ENEMY_VOID
    if enemy_ruffs:
        score += ENEMY_RUFFS
    if suit == 3:
        score += SPADE
        if not enemy_spades:
            score += LAST_SPADES
    elif popcount(mine) == 1 and lane(p.h[seat], 3):
        score += SINGLETON
    if mine >> U64(top) & U64(1):
        if top_run(mine, play) >> U64(rank) & U64(1):
            return score + WINNER + (WITH_PARTNERS_SECOND if partner_second else 0)
        return score + UNDER_OWN_TOP - LEAD_RANK * rank
    if partner_top:
        from_second = second >= 0 and mine >> U64(second) & U64(1)
        return score + TO_PARTNERS_TOP - LEAD_RANK * rank + (FROM_SECOND if from_second else 0)
    if partner_ruffs:
        return score + FOR_RUFF - LEAD_RANK * rank
    if second >= 1 and mine >> U64(second - 1) & U64(3) == U64(3) and rank >= second - 1:
        return score + SEQUENCE
    return score + OTHER_LEAD - LEAD_RANK * rank


@jit
def enemy_beats(p, seats, friends, seat, best):
    """Whether an opponent that plays after ``seat`` can take the trick from the card ``best``."""
    other = seat + 1 if seat + 1 < seats else 0
    while other != p.leader:
        if friends >> other & 1 == 0:
            follow = p.h[other] & lane_of(p.lead)
            spades = p.h[other] & ~PLAIN
            card = highest(follow) if follow else highest(spades)
            if card >= 0 and takes(card, best):
                return True
        other = other + 1 if other + 1 < seats else 0
    return False


@jit
def score_follow(p, before, seats, seat, place, friends, card):
    """The score of a card at ``place`` of the trick, counted from 0; ``before`` is the turn before it."""
    w = FOLLOW[place - 1]
    rank = card & 15
    suit = card >> 4
    ours = friends >> before.winner & 1
    beats = takes(card, before.top)
    score = -w[RANK] * rank
    if suit != p.lead >> 4:
        if suit == 3:
            score += w[RUFF]
        else:
            mine = lane(p.h[seat], suit)
            score += w[DISCARD_LENGTH] * popcount(mine)
            if top_run(mine, lane(p.all, suit)) >> U64(rank) & U64(1):
                score += w[DISCARD_WINNER]
    if not (ours or beats):
        return score
    risk = enemy_beats(p, seats, friends, seat, card if beats else before.top)
    if beats:
        if ours:
            return score + (w[OVERTAKE_RISK] if risk else w[OVERTAKE])
        return score + (w[BEAT_RISK] if risk else w[BEAT])
    return score + (w[LEAVE_RISK] if risk else w[LEAVE])


@jit
def place_of(p, seats, seat):
    """The place of a seat in the trick, counted from 0."""
    place = seat - p.leader
    return place if place >= 0 else place + seats


@jit
def score_nil(p, before, seats, seat, friends, nil, card):
    """The score of a card where the question is whether the seat in the set ``nil`` takes a trick."""
    rank = card & 15
    bidder = lowest(U64(nil))
    place = place_of(p, seats, seat)
    if seat == bidder:
        # The highest card under the best card of the trick, else a low card.
        return rank if place > 0 and not takes(card, before.top) else -20 - rank
    if friends & nil:
        return rank  # its partner covers
    if place <= place_of(p, seats, bidder):
        return -rank  # the bidder has yet to play
    if before.winner != bidder:
        return rank
    return -20 - rank if takes(card, before.top) else rank


@jit
def run_below(hand, card):
    """The touching cards below ``card`` in ``hand``."""
    below = lane_of(card) & (bit(card) - U64(1))
    gap = highest(below & ~hand)
    return below & (~U64(0) << U64(gap + 1)) if gap >= 0 else below


@jit
def open_turn(t, p, depth, seats, place, friends, nil):
    """List the moves of the seat at the turn at ``depth``, best score first, one card of each run of touching cards.

    ``nil`` is the set of the nil bidder, 0 if the question is not about a nil.
    """
    f = t.turns[depth]
    before = t.turns[max(depth - 1, 0)]
    seat = f.seat
    hand = p.h[seat]
    preferred = hand & lane_of(p.lead)
    if place == 0:
        preferred = hand if p.broken else hand & PLAIN
    options = preferred if preferred else hand
    options &= ~(options >> U64(1))  # the highest of each run: its answer holds for more positions
    single = options & (options - U64(1)) == U64(0)
    count = 0
    while options:
        card = lowest(options)
        options ^= bit(card)
        score = 0
        if not single:
            low = lowest(run_below(hand, card) | bit(card))
            if place == 0 and card == p.best:
                score = 1000
            elif nil:
                score = score_nil(p, before, seats, seat, friends, nil, low)
            elif place == 0:
                score = score_lead(p, seats, seat, friends, low)
            else:
                score = score_follow(p, before, seats, seat, place, friends, low)
        slot = count
        while slot > 0 and f.scores[slot - 1] < score:
            f.scores[slot] = f.scores[slot - 1]
            f.moves[slot] = f.moves[slot - 1]
            slot -= 1
        f.scores[slot] = score
        f.moves[slot] = card
        count += 1
    f.count = count
    f.next = 0
    f.relevant = U64(0)
    f.same = U64(0)
