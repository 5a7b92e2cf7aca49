"""The decisions of a search player, in compiled code.

A decision draws worlds that agree with what the seat on turn has seen, rates the candidate actions in each of them, and
takes the one that did best on average. It reads only a concealed state, even in a batch. ``work`` is a
:class:`~spades_agents.search.workspace.Workspace`.
"""

import math
from typing import NamedTuple

import numpy as np

from spades_agents.certain import bid_range
from spades_agents.compiler import jit
from spades_agents.heuristic.bidding import expected_tricks
from spades_agents.heuristic.scripted import scripted_action
from spades_agents.search.beliefs import draw_world, draw_worlds
from spades_agents.search.draft_belief import is_informative, prepare
from spades_agents.search.rollout import rate_by_rollout
from spades_agents.search.solving import (
    rate_bids_by_solving,
    rate_by_solving,
    rate_by_tricks,
    side_payoffs,
    trick_payoffs,
)
from spades_agents.search.workspace import CHUNK, Rater
from spades_env.cards import BID_0
from spades_env.engine.bits import U64, mix, popcount
from spades_env.engine.conceal import conceal
from spades_env.engine.state import BID, PLAY
from spades_env.engine.step import legal, nth_legal

BID_REACH = 3  # bids rated on either side of the expected tricks
# Another action replaces the default only if it is better by this many standard errors, and by more after few worlds:
# the best of many actions is partly lucky, and the standard error is itself uncertain.
DOUBT = 1.0
FEW = 8.0
NO_CARDS = U64(0)
# As a default: the scripted player's action; the same, but every legal action is rated.
SCRIPTED = -1
EVERY = -2
SOLVED_TRICKS = 8  # partnership games are solved when at most this many tricks are left
# How a world is rated.
BY_ROLLOUT, BY_SOLVING, BY_TRICKS, BIDS_BY_SOLVING = range(4)
# Worlds of a bid relative to those of a play: a hand has one bid and many plays.
BID_WORLDS = 1.5
# After every RACE worlds, drop the candidates that are worse than the best one by more than HOPELESS standard errors.
RACE = 8
# A bid that differs from the mean double-dummy tricks by more than NEAR must be better than the best of the others by
# FAR_DOUBT standard errors: with open cards a low contract seems too easy to make without bags.
NEAR = 2.0
FAR_DOUBT = 3.0
HOPELESS = 2.5


class Decisions(NamedTuple):
    """The decisions of one call, an entry for each."""

    rows: np.ndarray  # int64[n], the tables
    defaults: np.ndarray  # int64[n], see list_actions
    seeds: np.ndarray  # uint64[tables, 4], the seed of the worlds of each seat
    actions: np.ndarray  # int64[n], filled with the decisions
    means: np.ndarray  # float64[n, 75], filled with the mean score of each rated action, else NaN; or of shape (0, 75)
    errors: np.ndarray  # the same for the standard errors of the means


@jit
def list_actions(work, rules, default):
    """Fill the plan's candidates, ascending, and the index of the default.

    ``default`` is the action of a policy, which is taken without a search before the play; or SCRIPTED or EVERY, for
    the action of the scripted player.
    """
    plan = work.plan[0]
    s = work.shown[0]
    r = rules[0]
    low, high = legal(s, r)
    count = popcount(low) + popcount(high)
    plan.count = 0
    plan.default = 0
    every = default == EVERY
    if not every and (count == 1 or (default != SCRIPTED and s.phase != PLAY)):
        plan.count = 1
        plan.actions[0] = nth_legal(low, high, 0) if count == 1 else default
        return
    if default < 0:
        default = scripted_action(work.shown, 0, rules, work.scratch)
    fair = np.int64(expected_tricks(s, r)) if s.phase == BID else 0
    least, most = bid_range(s, r) if s.phase == BID else (0, 0)
    for n in range(count):
        action = nth_legal(low, high, n)
        if s.phase == BID and action != default and not every:
            bid = action - BID_0
            if not least <= bid <= most or (bid > 0 and abs(bid - fair) > BID_REACH):
                continue
        if action == default:
            plan.default = plan.count
        plan.actions[plan.count] = action
        plan.count += 1


@jit
def seed_stream(work, seed):
    """Start the decision's random stream, one for each seed and view."""
    state = mix(seed)
    words = work.shown.view(np.uint64)
    for k in range(words.size):
        state = mix(state + words[k])
    work.rng[0] = state


@jit
def choose_method(s, r):
    """How a player that solves worlds rates them in this decision."""
    if s.phase == BID and r.players == 2:
        return BIDS_BY_SOLVING
    if s.phase != PLAY:
        return BY_ROLLOUT
    if r.players == 2:
        return BY_SOLVING
    if r.sides != 2 or r.hand_size - s.played // 4 > SOLVED_TRICKS:
        return BY_ROLLOUT
    for seat in range(4):
        if s.bids[seat] == 0:  # the tricks of a side do not determine the points of a nil
            return BY_ROLLOUT
    return BY_TRICKS


@jit
def plan_decision(work, rules, seed, default):
    """Plan the decision of the seat on turn, from ``work.shown``; for ``default`` see :func:`list_actions`."""
    plan = work.plan[0]
    settings = work.settings[0]
    s = work.shown[0]
    r = rules[0]
    list_actions(work, rules, default)
    plan.looked = 0
    plan.worlds = 0
    if plan.count == 1 and default != EVERY:
        return
    seed_stream(work, seed)
    for k in range(plan.count):
        plan.sums[k] = 0.0
        plan.gains[k] = 0.0
        plan.squares[k] = 0.0
        plan.squared_scores[k] = 0.0
        plan.live[k] = 1
        plan.rated[k] = 0
    plan.tricks = 0.0
    plan.races = 0 if default == EVERY else 1
    plan.method = choose_method(s, r) if settings.solves else BY_ROLLOUT
    exact = plan.method == BY_SOLVING or plan.method == BIDS_BY_SOLVING
    plan.worlds = settings.worlds if exact else settings.rollouts
    if s.phase == BID:
        plan.worlds = np.int64(BID_WORLDS * plan.worlds)
    if plan.method == BY_SOLVING:
        trick_payoffs(work, s, r)
    elif plan.method == BY_TRICKS:
        side_payoffs(work, r)
    plan.drafted = 0
    if settings.beliefs and is_informative(s, r, s.seat):
        plan.drafted = 1
        prepare(work.drafts, work.shown, rules, s.seat, NO_CARDS, NO_CARDS, False)


@jit
def fill_worlds(work, rules, count):
    """Draw the next ``count`` worlds."""
    if work.settings[0].beliefs:
        draw_worlds(work, rules, count)
        return
    for row in range(count):
        draw_world(work.shown, rules, np.int64(work.shown[0].seat), work.rng, work.worlds, row)


@jit
def look_at(work, rules, count):
    """Rate the candidates in ``count`` more worlds, or in the remaining worlds of the plan."""
    plan = work.plan[0]
    for _ in range(min(count, plan.worlds - plan.looked)):
        row = plan.looked % CHUNK
        if row == 0:
            fill_worlds(work, rules, min(CHUNK, plan.worlds - plan.looked))
        if plan.method == BY_SOLVING:
            rate_by_solving(work, rules, row)
        elif plan.method == BIDS_BY_SOLVING:
            rate_bids_by_solving(work, rules, row)
        elif plan.method == BY_TRICKS:
            rate_by_tricks(work, rules, row)
        else:
            rate_by_rollout(work.worlds, row, rules, Rater(work.plan, work.scratch, work.aim))
        plan.looked += 1
        for k in range(plan.count):
            if not plan.live[k]:
                continue
            plan.rated[k] += 1
            gain = plan.scores[k] - plan.scores[plan.default]
            plan.sums[k] += plan.scores[k]
            plan.gains[k] += gain
            plan.squares[k] += gain * gain
            plan.squared_scores[k] += plan.scores[k] * plan.scores[k]
        if plan.races and plan.looked % RACE == 0:
            drop_hopeless(plan)


@jit
def gain_error(plan, k):
    """The standard error of the mean gain of candidate ``k`` on the default."""
    mean = plan.gains[k] / plan.rated[k]
    return math.sqrt(max(plan.squares[k] / plan.rated[k] - mean * mean, 0.0) / plan.rated[k])


@jit
def drop_hopeless(plan):
    """Stop rating the candidates that are clearly worse than the best one; the default is always rated.

    All are judged by the largest standard error, since the own error of a candidate is too small before its rare bad
    worlds have come up.
    """
    best = best_candidate(plan)
    rival = best_near(plan) if plan.method == BIDS_BY_SOLVING else best
    error = 0.0
    for k in range(plan.count):
        if plan.live[k]:
            error = max(error, gain_error(plan, k))
    for k in range(plan.count):
        if plan.live[k] and k != plan.default:
            ahead = rival if plan.method == BIDS_BY_SOLVING and is_near(plan, k) else best
            behind = (plan.gains[ahead] - plan.gains[k]) / plan.looked
            if behind > HOPELESS * error:
                plan.live[k] = 0


@jit
def best_candidate(plan):
    """The index of the candidate with the best mean score among those still rated; of equal ones the default."""
    best = plan.default
    for k in range(plan.count):
        if plan.live[k] and plan.gains[k] > plan.gains[best]:
            best = k
    return best


@jit
def is_near(plan, k):
    """Whether a bid is near the mean double-dummy tricks."""
    return abs(plan.actions[k] - BID_0 - plan.tricks / plan.looked) <= NEAR


@jit
def best_near(plan):
    """The index of the best bid near the mean double-dummy tricks; if there is none, of the best one."""
    best = -1
    for k in range(plan.count):
        if plan.live[k] and is_near(plan, k) and (best < 0 or plan.gains[k] > plan.gains[best]):
            best = k
    return best_candidate(plan) if best < 0 else best


@jit
def score_error(plan, k):
    """The standard error of the mean score of candidate ``k``, rated in at least two worlds."""
    mean = plan.sums[k] / plan.rated[k]
    return math.sqrt(max(plan.squared_scores[k] / plan.rated[k] - mean * mean, 0.0) / (plan.rated[k] - 1))


@jit
def choose_solved_bid(plan):
    """The best bid near the mean double-dummy tricks, unless one further away is better beyond doubt."""
    near = best_near(plan)
    best = best_candidate(plan)
    if best == near or plan.looked < 2:
        return near
    doubt = FAR_DOUBT * math.hypot(score_error(plan, best), score_error(plan, near))
    return best if (plan.gains[best] - plan.gains[near]) / plan.looked > doubt else near


@jit
def choose(work):
    """The candidate with the best mean score, or the default unless that is clearly better."""
    plan = work.plan[0]
    best = plan.default
    if plan.looked > 0 and plan.method == BIDS_BY_SOLVING:
        return plan.actions[choose_solved_bid(plan)]
    if plan.looked > 0:
        best = best_candidate(plan)
        mean = plan.gains[best] / plan.looked
        spread = math.sqrt(max(plan.squares[best] / plan.looked - mean * mean, 0.0))
        errors = 0.0 if plan.method == BY_SOLVING else DOUBT * (1.0 + FEW / plan.looked)
        doubt = errors * spread / math.sqrt(plan.looked)
        if mean <= max(doubt, 1e-9):
            best = plan.default
    return plan.actions[best]


@jit
def write_ratings(plan, means, errors):
    """Write the mean score of each rated action and its standard error; NaN where there is none.

    For a candidate that was dropped, it is the mean score of the default plus the mean gain on it while it was rated.
    """
    means[:] = np.nan
    errors[:] = np.nan
    if plan.looked == 0:
        return
    for n in range(plan.count):
        rated = plan.rated[n]
        mean = plan.sums[n] / rated
        means[plan.actions[n]] = mean
        if rated < plan.looked:
            means[plan.actions[n]] = plan.sums[plan.default] / plan.looked + plan.gains[n] / rated
        if rated > 1:
            errors[plan.actions[n]] = score_error(plan, n)


@jit.apart
def decide_rows(work, rules, states, decisions, most, resume):
    """Make the decisions of the seats on turn, each from what that seat may know.

    This is the only kernel of the search that Python calls: each such kernel takes long to compile, since everything it
    calls is compiled into it.

    Args:
        work: the workspace.
        rules: the packed rules.
        states: the tables.
        decisions: the :class:`Decisions`.
        most: maximum number of worlds to look at in this call, for each decision.
        resume: whether to continue the last decision with more worlds instead of starting a new one.
    """
    plan = work.plan[0]
    for k in range(decisions.rows.size):
        row = decisions.rows[k]
        seat = np.int64(states[row].seat)
        if not resume:
            conceal(states, row, rules[0], seat, work.shown, 0)
            plan_decision(work, rules, decisions.seeds[row, seat], decisions.defaults[k])
        look_at(work, rules, most)
        decisions.actions[k] = choose(work)
        if decisions.means.shape[0]:
            write_ratings(plan, decisions.means[k], decisions.errors[k])
