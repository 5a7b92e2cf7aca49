"""How many tricks to bid, and when to bid nil or blind nil."""

import math

import numpy as np

from spades_agents.compiler import jit
from spades_agents.heuristic.evaluate import bag_cost, nil_points
from spades_agents.heuristic.hand import game_of, hand_tricks, nil_chance, nil_log_odds
from spades_env.engine.bits import bit, popcount, suit_mask
from spades_env.engine.state import NO_BID

# By game: added to the expected tricks before rounding down. This and the constants below were tuned by matches between
# players that differ in one of them.
OFFSET = np.array([-0.7, -0.6, -0.1, -0.1])
# By game: the share of the tricks left over (or missing) after the bids heard that a bidder counts as its own.
TRUST = np.array([0.4, 0.12, 0.15, 0.15])
# By game: points that an expected trick is worth (not 10, since not every bid is made).
POINTS = np.array([14.0, 7.0, 7.0, 8.0])
# With two players: added to the log odds of a nil if the other seat leads first, else subtracted; a leader is easier to
# set.
LEADER_ODDS = 0.4
# Points by which a second nil on a side must look better than a bid.
DOUBLE_NIL = 60.0


@jit
def expected_tricks(s, r):
    """Expected tricks of the seat on turn, from its hand and the bids so far."""
    me = s.seat
    game = game_of(r)
    tricks = hand_tricks(s.hands[me], game)
    share = r.hand_size / r.players
    left = r.hand_size - tricks
    heard = 0
    for seat in range(r.players):
        if seat != me:
            if s.bids[seat] == NO_BID:
                left -= share
            else:
                left -= s.bids[seat]
                heard += 1
    return tricks + TRUST[game] * left * heard / (r.players - 1)


@jit
def nil_advantage(s, r, tricks):
    """Expected points of a nil minus those of a bid of ``tricks``."""
    me = s.seat
    game = game_of(r)
    odds = nil_log_odds(s.hands[me], game)
    if r.players == 2:
        leads = me == (s.opener + r.leads_first) % 2
        odds += -LEADER_ODDS if leads else LEADER_ODDS
    chance = nil_chance(odds)
    nil = (2.0 * chance - 1.0) * r.nil
    if r.players > 2:
        return nil - POINTS[game] * tricks
    # With two players the other seat wins every trick that a nil bidder avoids; if it has bid already, they are bags.
    other = s.bids[1 - me]
    if other == NO_BID:
        theirs = 9.0 * r.hand_size - 20.0
    else:
        theirs = 10.0 * other - bag_cost(r) * (r.hand_size - other) * chance
    return nil - theirs - POINTS[game] * (tricks - 0.5 * r.hand_size)


@jit
def sure_tricks(hand):
    """Spade tricks that cannot be lost: the run from the ace down, or the spades in excess of all other hands'."""
    spades = hand & suit_mask(3)
    run = 0
    while spades & bit(51 - run):
        run += 1
    return max(run, 2 * popcount(spades) - 13)


@jit
def enough_to_win(s, r):
    """The lowest bid that wins the match for the side on turn; above ``hand_size`` if another side may end it too."""
    mine = s.seat % r.sides
    share = r.hand_size / r.sides
    for side in range(r.sides):
        if side == mine:
            continue
        bids = 0.0
        for seat in range(side, r.players, r.sides):
            if s.bids[seat] == NO_BID:
                bids += share * r.sides / r.players
            elif s.bids[seat] == 0:
                bids += 0.1 * nil_points(s, r, seat)
            else:
                bids += s.bids[seat]
        if s.scores[side] + 10.0 * bids >= r.target - 10:
            return r.hand_size + 1
    missing = r.target - s.scores[mine]
    for seat in range(mine, r.players, r.sides):
        if seat != s.seat and s.bids[seat] > 0:
            missing -= 10 * s.bids[seat]
    return max(1, (missing + 9) // 10)


@jit
def partner_bid_nil(s, r):
    """Whether the partner of the seat on turn has bid nil."""
    return r.sides < r.players and s.bids[(s.seat + 2) % 4] == 0


@jit
def choose_bid(s, r):
    """The bid of the seat on turn."""
    tricks = expected_tricks(s, r)
    # With two nils on a side, neither has a partner to cover it.
    wanted = DOUBLE_NIL if partner_bid_nil(s, r) else 0.0
    if nil_advantage(s, r, tricks) > wanted:
        return 0
    bid = max(int(math.floor(tricks + OFFSET[game_of(r)])), sure_tricks(s.hands[s.seat]))
    return max(1, min(bid, enough_to_win(s, r), r.hand_size))


@jit
def bids_blind(s, r):
    """Whether to bid blind nil: only when the match is nearly lost and making it would turn the match.

    About one blind nil in ten is made. So another side must be about to win, the own side must be too far behind to
    catch up with a bid, and the points of a blind nil must close the gap.
    """
    mine = s.seat % r.sides
    best = -100000
    for side in range(r.sides):
        if side != mine:
            best = max(best, s.scores[side])
    share = 10 * r.hand_size // r.sides
    behind = best - s.scores[mine]
    return best + share >= r.target and behind > 2 * share and r.blind_nil >= behind - share
