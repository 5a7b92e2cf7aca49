"""Rating actions by rollouts: the scripted player finishes the hand at every seat, each seat seeing its own cards."""

import numpy as np

from spades_agents.compiler import jit
from spades_agents.contract import Standing, worth
from spades_agents.heuristic.scripted import advance, play_out
from spades_agents.match_chance import side_chance
from spades_env.cards import BID_0
from spades_env.engine.bits import popcount
from spades_env.engine.state import BID
from spades_env.engine.step import legal, nth_legal


@jit
def outcome(aim, before, after, r, side):
    """What a finished hand is worth to ``side``.

    Args:
        aim: an :class:`~spades_agents.search.workspace.Aim`.
        before: the state of the hand before it was scored.
        after: the state after it.
        r: the packed rules.
        side: the side.

    Returns:
        The weighted sum of the chance of winning the match and of the points gained minus the mean of the other
        sides', in hundreds, with each bag charged its share of the penalty.
    """
    chance = 0.0
    if aim.match > 0.0:
        chance = side_chance(aim.values, after, r, side, (before.opener + 1) % r.players)
    total = 0.0
    mine = 0.0
    for k in range(r.sides):
        gain = worth(r, Standing(after.scores[k], after.bags[k])) - worth(r, Standing(before.scores[k], before.bags[k]))
        total += gain
        if k == side:
            mine = gain
    return aim.match * chance + aim.points * 0.01 * (mine - (total - mine) / (r.sides - 1))


@jit.apart
def rate_by_rollout(worlds, row, rules, rater):
    """Set ``scores[k]`` of live candidates to the value of ``worlds[row]`` after ``actions[k]``, for who is on turn.

    ``rater`` is a :class:`~spades_agents.search.workspace.Rater`.
    """
    s = worlds[row]
    r = rules[0]
    plan = rater.plan[0]
    tables = rater.scratch.tables
    for k in range(plan.count):
        if not plan.live[k]:
            continue
        tables[0] = s
        if not advance(tables, 0, rules, plan.actions[k]):
            play_out(tables, 0, rules, rater.scratch)
        plan.scores[k] = outcome(rater.aim, s, tables[0], r, s.seat % r.sides)


@jit.apart
def rate_rows(states, rows, references, reach, rules, rater, found):
    """Rate the actions of the seats on turn in the deals as they are, hidden cards included.

    Args:
        states: the tables.
        rows: which of them.
        references: int64 of the length of ``rows``, an action for each.
        reach: bids other than nil that differ from the reference by more than this are not rated.
        rules: the packed rules.
        rater: see :func:`rate_by_rollout`.
        found: float64 of shape (rows, 75), set to the worth of the hand after each action, as :func:`outcome` returns
            it; NaN for illegal actions and for those that are not rated.
    """
    plan = rater.plan[0]
    for k in range(len(rows)):
        low, high = legal(states[rows[k]], rules[0])
        bids = states[rows[k]].phase == BID
        plan.count = 0
        for n in range(popcount(low) + popcount(high)):
            action = nth_legal(low, high, n)
            if bids and action != BID_0 and abs(action - references[k]) > reach:
                continue
            plan.actions[plan.count] = action
            plan.live[plan.count] = 1
            plan.count += 1
        rate_by_rollout(states, rows[k], rules, rater)
        found[k] = np.nan
        for n in range(plan.count):
            found[k, plan.actions[n]] = plan.scores[n]
