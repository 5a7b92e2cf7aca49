"""Worlds weighted by the evidence: the draft, the bids and the plays of the other seats.

Worlds are drawn uniformly among those that agree with a view, or, after a draft, in proportion to the likelihood of the
other player's choices (:mod:`spades_agents.search.draft_belief`). Each is then weighted by comparing the bids and plays
with what the scripted player would have done with those hands, and worlds are drawn again by weight
(sampling-importance-resampling, Rubin 1987). All likelihoods are soft: an unexpected bid or play only makes a hand less
likely.
"""

import math

import numpy as np

from spades_agents.compiler import jit
from spades_agents.heuristic.bidding import choose_bid
from spades_agents.heuristic.scripted import advance, scripted_action
from spades_agents.search.draft_belief import redraw_draft
from spades_agents.search.workspace import OVERSAMPLE
from spades_env.engine.bidding import nth_bidder
from spades_env.engine.bits import popcount
from spades_env.engine.lots import draw_unit
from spades_env.engine.sample import sample_world
from spades_env.engine.state import BID, BLIND_BID, NO_BID, PLAY, UNKNOWN_CARD
from spades_env.engine.step import legal

# The likelihood of a bid: a normal density of this deviation around the scripted player's bid, plus a constant.
BID_SPREAD = 0.9
ANY_BID = 0.04
# The probability that a card is not the one that the scripted player would have played.
OTHER_CARD = 0.3
# The power of the likelihood in a weight. The other players are not the scripted player, and their deviations from it
# are not independent.
TRUST = 0.5
# The share of worlds that are drawn regardless of their weight, for variety (a defensive mixture, Hesterberg 1995).
EVEN = 0.1


@jit.apart
def draw_world(views, rules, observer, rng, worlds, row):
    """Draw a world that agrees with ``views[0]``, uniformly; see :func:`spades_env.engine.sample.sample_world`."""
    sample_world(views, 0, rules[0], observer, rng, worlds, row)


@jit
def bid_likelihood(bid, guess):
    """The likelihood of a bid where the scripted player bids ``guess``, up to a constant factor."""
    if (bid == 0) != (guess == 0):
        return ANY_BID
    away = (bid - guess) / BID_SPREAD
    return ANY_BID + math.exp(-0.5 * away * away)


@jit
def weigh_bids(worlds, row, r, observer, tables):
    """The likelihood of the other seats' bids at ``worlds[row]``; ``tables`` is scratch."""
    tables[0] = worlds[row]
    s = tables[0]
    s.phase = BID
    for seat in range(r.players):
        s.hands[seat] |= s.plays[seat]
        s.tricks[seat] = 0
    weight = 1.0
    for place in range(r.players - 1, -1, -1):
        seat = nth_bidder(s, r, place)
        bid = s.bids[seat]
        blind = s.blind[seat] == BLIND_BID
        if not (blind and r.draft):  # in a draft game a blind bid is known before all others
            s.bids[seat] = NO_BID
        if bid != NO_BID and not blind and seat != observer:
            s.seat = seat
            weight *= bid_likelihood(bid, choose_bid(s, r))
    return weight


@jit
def rewind(s, r):
    """Undo all plays of the hand."""
    for seat in range(4):
        s.hands[seat] |= s.plays[seat]
        s.plays[seat] = 0
        s.tricks[seat] = 0
        s.voids[seat] = 0
    for k in range(s.played):
        s.order[k] = UNKNOWN_CARD
    s.phase = PLAY
    s.leader = (s.opener + r.leads_first) % r.players
    s.seat = s.leader
    s.broken = 0
    s.in_trick = 0
    s.played = 0


@jit
def weigh_plays(worlds, row, rules, observer, scratch):
    """The likelihood of the other seats' plays at ``worlds[row]``."""
    r = rules[0]
    tables = scratch.tables
    tables[0] = worlds[row]
    s = tables[0]
    rewind(s, r)
    weight = 1.0
    for k in range(worlds[row].played):
        card = worlds[row].order[k]
        if s.seat != observer:
            options = popcount(legal(s, r)[0])
            if options > 1:
                same = scripted_action(tables, 0, rules, scratch) == card
                weight *= 1.0 - OTHER_CARD if same else OTHER_CARD / (options - 1)
        advance(tables, 0, rules, card)
    return weight


@jit.apart
def weigh(worlds, row, rules, observer, scratch):
    """The likelihood of the bids and plays seen at ``worlds[row]``, given its hands."""
    weight = weigh_bids(worlds, row, rules[0], observer, scratch.tables)
    if worlds[row].phase == PLAY and worlds[row].played > 0:
        weight *= weigh_plays(worlds, row, rules, observer, scratch)
    return weight


@jit
def others_have_bid(s, r, observer):
    """Whether a seat other than ``observer`` has bid."""
    for seat in range(r.players):
        if seat != observer and s.bids[seat] != NO_BID:
            return True
    return False


@jit.apart
def draw_worlds(work, rules, count):
    """Draw the worlds ``work.worlds[:count]`` given what the seat on turn has seen, which is in ``work.shown``.

    ``work`` is a :class:`~spades_agents.search.workspace.Workspace`.
    """
    observer = np.int64(work.shown[0].seat)
    pool, weights = work.pool, work.weights
    heard = others_have_bid(work.shown[0], rules[0], observer)
    drawn = count * OVERSAMPLE if heard else count
    total = 0.0
    for k in range(drawn):
        draw_world(work.shown, rules, observer, work.rng, pool, k)
        if work.plan[0].drafted:
            redraw_draft(work.drafts, work.shown, rules, observer, work.rng, pool, k)
        weights[k] = weigh(pool, k, rules, observer, work.scratch) ** TRUST if heard else 1.0
        total += weights[k]
    even = EVEN * total / drawn
    # Systematic resampling: each world is drawn in proportion to its weight, up to rounding.
    step = total / count
    reach = draw_unit(work.rng) * step
    row = 0
    passed = 0.0
    for k in range(drawn):
        passed += (1.0 - EVEN) * weights[k] + even
        while passed > reach and row < count:
            work.worlds[row] = pool[k]
            row += 1
            reach += step
    while row < count:  # rounding
        work.worlds[row] = pool[drawn - 1]
        row += 1
