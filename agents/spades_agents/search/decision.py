"""One decision of a search player, and many in a row, in compiled code.

A decision draws worlds that agree with what the seat on turn has seen, rates the actions worth a try in each of them,
and takes the one that did best on average. Nothing but a concealed record is looked at, also in a batch.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from spades_agents.compiler import jit
from spades_agents.heuristic.bidding import expected_tricks
from spades_agents.heuristic.notes import NOTES
from spades_agents.search.beliefs import OVERSAMPLE, draw_worlds
from spades_agents.search.draft_belief import DRAFT, prepare, tells
from spades_agents.search.rollout import draw_world, rate_by_rollout, scripted_action, trick_payoffs
from spades_agents.search.solving import rate_by_solving, rate_by_tricks, side_payoffs
from spades_agents.solvers.four_hand import new_table as new_trick_table
from spades_agents.solvers.two_hand import new_table
from spades_env.cards import BID_0, NUM_ACTIONS
from spades_env.engine.bits import U64, mix, popcount
from spades_env.engine.conceal import conceal
from spades_env.engine.state import BID, PLAY, STATE
from spades_env.engine.step import legal, nth_legal

__all__ = ["CHUNK", "MOST_ACTIONS", "SCRIPTED", "Workspace", "decide_rows", "new_workspace"]

CHUNK = 64  # worlds drawn at a time
MOST_ACTIONS = 18  # bids of a hand of 17 cards
BID_REACH = 3  # bids tried on either side of the expected tricks
# The default is left only for an action that did better by so many standard errors, and by more after few worlds: the
# best of many actions is best by luck, and the error itself is hardly known.
DOUBT = 1.0
FEW = 8.0
NO_CARDS = U64(0)
SCRIPTED = -1  # in place of a default
# Partnership games are solved from so many tricks before the end.
SOLVED_TRICKS = 8
# How a world is rated.
BY_ROLLOUT, BY_SOLVING, BY_TRICKS = range(3)

SETTINGS = np.dtype(
    [
        ("worlds", "i8"),  # looked at in a decision by exact solutions
        ("rollouts", "i8"),  # the same by rollouts
        ("solves", "i8"),  # whether play is solved exactly where that can be done
        ("beliefs", "i8"),  # whether worlds are weighed
        ("by_match", "i8"),  # whether the aim is the chance to win the match
    ]
)
# The decision in hand.
PLAN = np.dtype(
    [
        ("actions", "i8", MOST_ACTIONS),  # those worth a try
        ("count", "i8"),  # how many
        ("default", "i8"),  # the place among them of the one to take if no other is clearly better
        ("method", "i8"),  # of rating a world
        ("drafted", "i8"),  # whether the draft is weighed
        ("worlds", "i8"),  # how many are to be looked at
        ("looked", "i8"),  # how many have been
        ("sums", "f8", MOST_ACTIONS),  # of what each action brought
        ("gains", "f8", MOST_ACTIONS),  # of what it brought beyond the default
        ("squares", "f8", MOST_ACTIONS),  # of these gains' squares
        ("scores", "f8", MOST_ACTIONS),  # in the last world
    ]
)


class Workspace(NamedTuple):
    """The arrays that decisions are made in, allocated once."""

    settings: np.ndarray
    plan: np.ndarray
    shown: np.ndarray  # what the seat on turn knows
    rng: np.ndarray
    worlds: np.ndarray
    pool: np.ndarray
    weights: np.ndarray
    drafts: np.ndarray
    tables: np.ndarray
    spare: np.ndarray
    notes: np.ndarray
    solver: np.ndarray
    trick_solver: np.ndarray
    payoffs: np.ndarray
    found: np.ndarray


def new_workspace(worlds: int, rollouts: int, solves: bool, beliefs: bool, by_match: bool) -> Workspace:
    """A workspace with these :data:`SETTINGS`."""
    chunk = min(CHUNK, max(worlds, rollouts))
    return Workspace(
        settings=np.array([(worlds, rollouts, solves, beliefs, by_match)], SETTINGS),
        plan=np.zeros(1, PLAN),
        shown=np.zeros(1, STATE),
        rng=np.zeros(1, np.uint64),
        worlds=np.zeros(chunk, STATE),
        pool=np.zeros(chunk * OVERSAMPLE, STATE),
        weights=np.zeros(chunk * OVERSAMPLE),
        drafts=np.zeros(1, DRAFT),
        tables=np.zeros(1, STATE),
        spare=np.zeros(1, STATE),
        notes=np.zeros(1, NOTES),
        solver=new_table(),
        trick_solver=new_trick_table(),
        payoffs=np.zeros(18),
        found=np.zeros(NUM_ACTIONS),
    )


@jit
def list_actions(work, rules, default):
    """Fill the plan's actions, ascending, and the place of the default.

    ``default`` is what a policy does, taken as it is before the play, or SCRIPTED: what the scripted player does.
    """
    plan = work.plan[0]
    s = work.shown[0]
    r = rules[0]
    low, high = legal(s, r)
    count = popcount(low) + popcount(high)
    plan.count = 0
    plan.default = 0
    if count == 1 or (default != SCRIPTED and s.phase != PLAY):
        plan.count = 1
        plan.actions[0] = nth_legal(low, high, 0) if count == 1 else default
        return
    if default == SCRIPTED:
        default = np.int64(scripted_action(work.shown, 0, rules, work.spare, work.notes))
    fair = np.int64(expected_tricks(s, r)) if s.phase == BID else 0
    for n in range(count):
        action = nth_legal(low, high, n)
        if s.phase == BID and action != default and action != BID_0:
            bid = action - BID_0
            if bid < fair - BID_REACH or bid > fair + BID_REACH:
                continue
        if action == default:
            plan.default = plan.count
        plan.actions[plan.count] = action
        plan.count += 1


@jit
def seed_stream(work, seed):
    """Begin the decision's random stream: one for each seed and each view."""
    state = mix(seed)
    words = work.shown.view(np.uint64)
    for k in range(words.size):
        state = mix(state + words[k])
    work.rng[0] = state


@jit
def choose_method(s, r):
    """How worlds are rated in a decision of a player that solves."""
    if s.phase != PLAY:
        return BY_ROLLOUT
    if r.players == 2:
        return BY_SOLVING
    if r.sides != 2 or r.hand_size - s.played // 4 > SOLVED_TRICKS:
        return BY_ROLLOUT
    for seat in range(4):
        if s.bids[seat] == 0:  # the tricks of a side do not tell what a nil brings
            return BY_ROLLOUT
    return BY_TRICKS


@jit
def begin(work, rules, values, seed, default):
    """Plan the decision of the seat on turn, from what ``shown`` holds.

    Args:
        work: a :class:`Workspace`.
        rules: array of one RULES record.
        values: see :func:`spades_agents.match_value.match_table`.
        seed: of the worlds (uint64).
        default: see :func:`list_actions`.
    """
    plan = work.plan[0]
    settings = work.settings[0]
    s = work.shown[0]
    r = rules[0]
    list_actions(work, rules, default)
    plan.looked = 0
    plan.worlds = 0
    if plan.count == 1:
        return
    seed_stream(work, seed)
    for k in range(plan.count):
        plan.sums[k] = 0.0
        plan.gains[k] = 0.0
        plan.squares[k] = 0.0
    plan.method = choose_method(s, r) if settings.solves else BY_ROLLOUT
    plan.worlds = settings.worlds if plan.method == BY_SOLVING else settings.rollouts
    if plan.method == BY_SOLVING:
        trick_payoffs(values, s, r, work.tables, settings.by_match != 0, work.payoffs)
    elif plan.method == BY_TRICKS:
        side_payoffs(values, s, r, work.tables, settings.by_match != 0, work.payoffs)
    plan.drafted = 0
    if settings.beliefs and tells(s, r, s.seat):
        plan.drafted = 1
        prepare(work.drafts, work.shown, rules, s.seat, NO_CARDS, NO_CARDS, False)


@jit
def fill_worlds(work, rules, count):
    """Draw the next ``count`` worlds."""
    seat = np.int64(work.shown[0].seat)
    if work.settings[0].beliefs:
        draw_worlds(
            work.shown,
            rules,
            seat,
            work.rng,
            work.drafts,
            work.plan[0].drafted != 0,
            work.pool,
            work.weights,
            work.tables,
            work.spare,
            work.notes,
            work.worlds,
            0,
            count,
        )
        return
    for row in range(count):
        draw_world(work.shown, rules, seat, work.rng, work.worlds, row)


@jit
def look_at(work, rules, values, count):
    """Rate the actions in ``count`` more worlds, or in those that are left of the plan."""
    plan = work.plan[0]
    by_match = work.settings[0].by_match != 0
    for _ in range(min(count, plan.worlds - plan.looked)):
        row = plan.looked % CHUNK
        if row == 0:
            fill_worlds(work, rules, min(CHUNK, plan.worlds - plan.looked))
        if plan.method == BY_SOLVING:
            rate_by_solving(work.solver, work.worlds, row, rules, work.payoffs, work.found, by_match, plan)
        elif plan.method == BY_TRICKS:
            rate_by_tricks(work.trick_solver, work.worlds, row, rules, work.payoffs, work.found, plan)
        else:
            rate_by_rollout(work.worlds, row, rules, work.tables, work.spare, work.notes, values, by_match, plan)
        plan.looked += 1
        for k in range(plan.count):
            gain = plan.scores[k] - plan.scores[plan.default]
            plan.sums[k] += plan.scores[k]
            plan.gains[k] += gain
            plan.squares[k] += gain * gain


@jit
def choose(work):
    """The action that brought most on average, or the default if that is as good or nearly so."""
    plan = work.plan[0]
    best = plan.default
    for k in range(plan.count):
        if plan.gains[k] > plan.gains[best]:
            best = k
    if plan.looked > 0:
        mean = plan.gains[best] / plan.looked
        spread = math.sqrt(max(plan.squares[best] / plan.looked - mean * mean, 0.0))
        errors = 0.0 if plan.method == BY_SOLVING else DOUBT * (1.0 + FEW / plan.looked)
        doubt = errors * spread / math.sqrt(plan.looked)
        if mean <= max(doubt, 1e-9):
            best = plan.default
    return plan.actions[best]


@jit.apart
def decide_rows(work, rules, values, states, rows, defaults, seeds, actions, means, most, goes_on):
    """The decisions of the seats on turn at the tables ``rows``, each from what that seat may know.

    The only kernel that is called from Python: each such takes long to compile, since all that it calls goes into it.

    Args:
        work: a :class:`Workspace`.
        rules: array of one RULES record.
        values: see :func:`spades_agents.match_value.match_table`.
        states: the tables.
        rows: which of them.
        defaults: int64 of the length of ``rows``, see :func:`list_actions`.
        seeds: uint64 of shape (tables, 4), the seed of the worlds of each seat.
        actions: int64 of the length of ``rows``, for the decisions.
        means: float64 of shape (rows, 75), for what each action brought on average, NaN if it was not tried; or
            of shape (0, 75).
        most: look at no more worlds than this before a decision.
        goes_on: whether to look at so many more worlds for the decision made last, in place of a new one.
    """
    plan = work.plan[0]
    for k in range(rows.size):
        row = rows[k]
        seat = np.int64(states[row].seat)
        if not goes_on:
            conceal(states, row, rules[0], seat, work.shown, 0)
            begin(work, rules, values, seeds[row, seat], defaults[k])
        look_at(work, rules, values, most)
        actions[k] = choose(work)
        if means.shape[0]:
            means[k] = np.nan
            if plan.looked:
                for n in range(plan.count):
                    means[k, plan.actions[n]] = plan.sums[n] / plan.looked
