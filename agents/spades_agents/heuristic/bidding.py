"""How many tricks to bid, and when to bid nil or blind nil."""

import numpy as np

from spades_agents.certain import bid_range, sure_tricks
from spades_agents.compiler import jit
from spades_agents.heuristic.hand import hand_game, hand_tricks, nil_chance, nil_log_odds
from spades_agents.heuristic.outlook import chance_with, look_around
from spades_env.engine.state import NO_BID

# By game, the last for dealt hands of two players: the share of the tricks left over after the bids heard that a bidder
# counts as its own. This and the constants below were tuned by matches between players that differ in one of them.
TRUST = np.array([0.4, 0.12, 0.15, 0.15, 0.4])
# The same for tricks that are missing. In dealt hands a high bid says more than a low one, which may be a cautious one.
DOUBT = np.array([0.4, 0.12, 0.15, 0.15, 0.7])
# With two players: added to the log odds of a nil if the other seat leads first, else subtracted; a leader is easier to
# set.
LEADER_ODDS = 0.4
# Subtracted from the log odds of a nil beside the partner's nil: neither has a partner to cover it.
DOUBLE_ODDS = 2.0


@jit
def expected_tricks(s, r):
    """Expected tricks of the seat on turn, from its hand and the bids so far."""
    me = s.seat
    game = hand_game(r)
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
    weight = DOUBT[game] if left < 0.0 else TRUST[game]
    tricks += weight * left * heard / (r.players - 1)
    return min(max(tricks, sure_tricks(s.hands[me])), r.hand_size)


@jit
def made_nil(s, r):
    """The chance that the seat on turn makes a nil."""
    odds = nil_log_odds(s.hands[s.seat], hand_game(r))
    if r.players == 2:
        leads = s.seat == (s.opener + r.leads_first) % 2
        odds += -LEADER_ODDS if leads else LEADER_ODDS
    elif r.sides < r.players and s.bids[s.seat ^ 2] == 0:
        odds -= DOUBLE_ODDS
    return nil_chance(odds)


@jit
def choose_bid(s, r):
    """The bid of the seat on turn: the one with the highest chance of winning the match.

    It climbs from the expected tricks down or up as long as the chance increases. Of equally good bids below them it
    makes the lowest.
    """
    least, most = bid_range(s, r)
    if least == most:
        return np.int64(least)
    tricks = expected_tricks(s, r)
    sure = sure_tricks(s.hands[s.seat])
    outlook = look_around(s, r)
    base = min(max(np.int64(tricks), max(least, 1)), most)
    best = base
    top = chance_with(r, outlook, base, tricks, sure, 0.0)
    for step in (-1, 1):
        bid = base + step
        while max(least, 1) <= bid <= most:
            chance = chance_with(r, outlook, bid, tricks, sure, 0.0)
            if chance < top or (step > 0 and chance == top):
                break
            best = bid
            top = chance
            bid += step
        if best != base:
            break
    if least == 0 and chance_with(r, outlook, 0, 0.0, 0, made_nil(s, r)) > top:
        return np.int64(0)
    return np.int64(best)


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
