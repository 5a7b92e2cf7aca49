"""Rollouts: the rest of a hand played by the scripted player at every seat, each seat seeing its own cards alone."""

from __future__ import annotations

import numpy as np

from spades_agents.compiler import jit
from spades_agents.heuristic.decide import decide
from spades_agents.match_value import side_chance, worth
from spades_env.cards import BID_0
from spades_env.engine.bits import popcount
from spades_env.engine.conceal import conceal
from spades_env.engine.sample import sample_world
from spades_env.engine.scoring import score_hand
from spades_env.engine.state import BID
from spades_env.engine.step import EXCHANGED, NOTHING, legal, nth_legal, step


@jit.apart
def scripted_action(states, row, rules, views, notes):
    """What the scripted player does for the seat on turn at ``states[row]``, from what that seat knows."""
    conceal(states, row, rules[0], states[row].seat, views, 0)
    return decide(views[0], rules[0], notes[0])


@jit.apart
def advance(states, row, rules, action):
    """:func:`step` of one table; whether the hand has ended."""
    event = step(states[row], rules[0], action)
    return event != NOTHING and event != EXCHANGED


@jit.apart
def draw_world(views, rules, observer, rng, worlds, row):
    """:func:`sample_world` of ``views[0]``."""
    sample_world(views, 0, rules[0], observer, rng, worlds, row)


@jit
def play_out(states, rules, views, notes):
    """Play the hand at ``states[0]``, not over yet, to its end."""
    while not advance(states, 0, rules, scripted_action(states, 0, rules, views, notes)):
        pass


@jit
def outcome(values, before, after, r, side, opener, by_match):
    """What a finished hand is worth to ``side``.

    Args:
        values: see :func:`spades_agents.match_value.match_table`.
        before: a record of the same hand before it was scored.
        after: the record after it.
        r: the record of the rules.
        side: the side.
        opener: who opens the next hand.
        by_match: whether the worth is the chance to win the match; else it is points gained less the mean of
            the other sides', in hundreds, bags at their share of the penalty.
    """
    if by_match:
        return side_chance(values, after, r, side, opener)
    total = 0.0
    mine = 0.0
    for k in range(r.sides):
        gain = worth(r, after.scores[k], after.bags[k]) - worth(r, before.scores[k], before.bags[k])
        total += gain
        if k == side:
            mine = gain
    return 0.01 * (mine - (total - mine) / (r.sides - 1))


@jit.apart
def rate_by_rollout(worlds, row, rules, tables, views, notes, values, by_match, plan):
    """Set the plan's ``scores[k]`` to what the hand at ``worlds[row]`` brings the seat on turn after ``actions[k]``.

    ``tables``, ``views`` and ``notes`` are scratch, one record each.
    """
    s = worlds[row]
    r = rules[0]
    side = s.seat % r.sides
    opener = (s.opener + 1) % r.players
    for k in range(plan.count):
        tables[0] = s
        if not advance(tables, 0, rules, plan.actions[k]):
            play_out(tables, rules, views, notes)
        plan.scores[k] = outcome(values, s, tables[0], r, side, opener, by_match)


@jit.apart
def rate_rows(states, rows, references, reach, rules, tables, views, notes, values, by_match, plan, found):
    """Set ``found[k, action]`` to what the hand at ``states[rows[k]]`` brings the seat on turn after each legal action.

    Rated is the deal as it is: one world, the true one. NaN for actions that are not legal, and for bids other than
    nil that are more than ``reach`` away from ``references[k]``, an action. The rest is as in :func:`rate_by_rollout`,
    ``plan`` an array of one.
    """
    for k in range(len(rows)):
        low, high = legal(states[rows[k]], rules[0])
        bids = states[rows[k]].phase == BID
        plan[0].count = 0
        for n in range(popcount(low) + popcount(high)):
            action = nth_legal(low, high, n)
            if bids and action != BID_0 and abs(action - references[k]) > reach:
                continue
            plan[0].actions[plan[0].count] = action
            plan[0].count += 1
        rate_by_rollout(states, rows[k], rules, tables, views, notes, values, by_match, plan[0])
        found[k] = np.nan
        for n in range(plan[0].count):
            found[k, plan[0].actions[n]] = plan[0].scores[n]


@jit
def trick_payoffs(values, s, r, scratch, by_match, payoffs):
    """Fill ``payoffs[k]`` with what the hand is worth to side 0, of two, if seat 0 of two wins ``k`` tricks.

    All seats have bid. Zero-sum: side 1 gets the rest of 1, or the negative.
    """
    opener = (s.opener + 1) % r.players
    for k in range(r.hand_size + 1):
        scratch[0] = s
        scratch[0].tricks[0] = k
        scratch[0].tricks[1] = r.hand_size - k
        score_hand(scratch[0], r)
        payoffs[k] = outcome(values, s, scratch[0], r, 0, opener, by_match)
