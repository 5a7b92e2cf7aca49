"""Worlds weighed by what was seen: the draft, the bids and the plays of the others.

Worlds are drawn uniformly among those that agree with a view, or, after a draft, in proportion to how likely the
choices of the other player were (:mod:`spades_agents.search.draft_belief`). Each is then weighed by the bids and
plays seen, compared with what the scripted player would have done with those hands, and worlds are drawn again
by weight (sampling-importance-resampling, Rubin 1987). All likelihoods are soft: whoever plays otherwise is only
believed to be a bit less likely to hold such a hand.
"""

from __future__ import annotations

import math

from spades_agents.compiler import jit
from spades_agents.heuristic.bidding import choose_bid
from spades_agents.search.draft_belief import redraw_draft, tells
from spades_agents.search.rollout import advance, draw_world, scripted_action
from spades_env.engine.bidding import nth_bidder
from spades_env.engine.bits import popcount
from spades_env.engine.sample import draw_unit
from spades_env.engine.state import BID, BLIND_BID, NO_BID, OVER, PLAY, UNKNOWN_CARD
from spades_env.engine.step import legal

# How a bid is spread about that of the scripted player: a normal of this deviation, and any other bid besides.
BID_SPREAD = 0.9
ANY_BID = 0.04
# The chance that a card is not the one that the scripted player would have played.
OTHER_CARD = 0.3
# The others are not the scripted player, and who differs from it once will differ again: the logarithm of a likelihood
# counts for half. And some worlds are drawn whatever they weigh, lest all be alike (a defensive mixture, Hesterberg
# 1995).
TRUST = 0.5
EVEN = 0.1
OVERSAMPLE = 8  # worlds weighed for each one drawn


@jit
def bid_likelihood(bid, guess):
    """How likely a bid is where the scripted player bids ``guess``; to a factor that is the same for all guesses."""
    if (bid == 0) != (guess == 0):
        return ANY_BID
    away = (bid - guess) / BID_SPREAD
    return ANY_BID + math.exp(-0.5 * away * away)


@jit
def weigh_bids(worlds, row, r, observer, tables):
    """The likelihood of the bids that the others have made at ``worlds[row]``."""
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
        if not (blind and r.draft):  # there a blind bid is known before all others
            s.bids[seat] = NO_BID
        if bid != NO_BID and not blind and seat != observer:
            s.seat = seat
            weight *= bid_likelihood(bid, choose_bid(s, r))
    return weight


@jit
def rewind(s, r):
    """Take back all that was played in the hand."""
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
def weigh_plays(worlds, row, rules, observer, tables, views, notes):
    """The likelihood of the cards that the others have played at ``worlds[row]``."""
    r = rules[0]
    tables[0] = worlds[row]
    s = tables[0]
    rewind(s, r)
    weight = 1.0
    for k in range(worlds[row].played):
        card = worlds[row].order[k]
        if s.seat != observer:
            options = popcount(legal(s, r)[0])
            if options > 1:
                same = scripted_action(tables, 0, rules, views, notes) == card
                weight *= 1.0 - OTHER_CARD if same else OTHER_CARD / (options - 1)
        advance(tables, 0, rules, card)
    return weight


@jit.apart
def weigh(worlds, row, rules, observer, tables, views, notes):
    """The likelihood of the bids and plays seen at ``worlds[row]``, if its hands were the true ones."""
    weight = weigh_bids(worlds, row, rules[0], observer, tables)
    if worlds[row].phase == PLAY and worlds[row].played > 0:
        weight *= weigh_plays(worlds, row, rules, observer, tables, views, notes)
    return weight


@jit
def something_bid(s, r, observer):
    """Whether another seat has bid."""
    if s.phase == OVER:
        return False
    for seat in range(r.players):
        if seat != observer and s.bids[seat] != NO_BID:
            return True
    return False


@jit.apart
def draw_worlds(
    views,
    rules,
    observer,
    rng,
    drafts,
    drafted,
    pool,
    weights,
    tables,
    scratch,
    notes,
    worlds,
    start,
    stop,
):
    """Draw worlds by what was seen, to ``worlds[start:stop]``.

    Args:
        views: array of one STATE record, what ``observer`` knows.
        rules: array of its RULES record.
        observer: the seat.
        rng: the random stream.
        drafts: array of one DRAFT record, as ``prepare`` left it if ``drafted``.
        drafted: whether the draft is weighed.
        pool: STATE records, at least OVERSAMPLE times ``stop - start``.
        weights: as many floats.
        tables: scratch, one STATE record.
        scratch: scratch, another.
        notes: scratch, one NOTES record.
        worlds: array of STATE records.
        start: first row to fill.
        stop: the row after the last.
    """
    heard = something_bid(views[0], rules[0], observer)
    count = (stop - start) * OVERSAMPLE if heard else stop - start
    total = 0.0
    for k in range(count):
        draw_world(views, rules, observer, rng, pool, k)
        if drafted:
            redraw_draft(drafts, views, rules, observer, rng, pool, k)
        weights[k] = weigh(pool, k, rules, observer, tables, scratch, notes) ** TRUST if heard else 1.0
        total += weights[k]
    even = EVEN * total / count
    # Systematic resampling: every world as often as its share of the weight says, up to a rounding.
    step = total / (stop - start)
    reach = draw_unit(rng) * step
    row = start
    passed = 0.0
    for k in range(count):
        passed += (1.0 - EVEN) * weights[k] + even
        while passed > reach and row < stop:
            worlds[row] = pool[k]
            row += 1
            reach += step
    while row < stop:  # rounding
        worlds[row] = pool[count - 1]
        row += 1


@jit
def draft_tells(views, rules, observer):
    """:func:`tells` for one record."""
    return tells(views[0], rules[0], observer)
