"""Rating the actions of a decision by exact solutions of the worlds.

``work`` is a :class:`~spades_agents.search.workspace.Workspace`.
"""

import numpy as np

from spades_agents.compiler import jit
from spades_agents.search.rollout import outcome
from spades_agents.solvers.four_table import Question
from spades_agents.solvers.payoffs import solve_state
from spades_agents.solvers.tricks import rate_state
from spades_env.engine.scoring import score_hand


@jit
def payoff(work, r, side, tricks):
    """What the hand in ``work.shown`` is worth to ``side``, of two, if it wins ``tricks``; partners did not bid nil."""
    s = work.shown[0]
    work.scratch.tables[0] = s
    t = work.scratch.tables[0]
    for seat in range(4):
        t.tricks[seat] = 0
    t.tricks[side] = tricks
    t.tricks[1 - side] = r.hand_size - tricks
    score_hand(t, r)
    return outcome(work.aim, s, t, r, side)


@jit
def trick_payoffs(work, r):
    """Fill ``payoffs[k]`` with the worth of the hand to seat 0, of two, if it wins ``k`` tricks.

    All seats have bid. The payoffs of seat 1 are 1 minus these, or the negative.
    """
    for k in range(r.hand_size + 1):
        work.payoffs[k] = payoff(work, r, 0, k)


@jit.apart
def rate_by_solving(work, rules, row):
    """Set the plan's ``scores[k]`` to the value, for the seat on turn, of ``worlds[row]`` after ``actions[k]``.

    Both of two seats play with open cards; ``payoffs`` are those of :func:`trick_payoffs`.
    """
    plan = work.plan[0]
    s = work.worlds[row]
    solve_state(work.solver[0], s, rules[0], work.payoffs, work.found)
    for k in range(plan.count):
        value = work.found[plan.actions[k]]
        if s.seat == 1:  # chances sum to 1, points to 0
            value = (1.0 if work.aim.by_match else 0.0) - value
        plan.scores[k] = value


@jit
def side_payoffs(work, r):
    """Fill ``payoffs[k]`` with what the hand is worth to the side on turn, of two, if it can force ``k`` tricks.

    No seat has bid nil. The solver of four hands maximises tricks, but overtricks are unwelcome. So each side is
    assumed to be able to lose tricks at will: the side on turn for its best payoff up to ``k``, the other side for the
    worst payoff from ``k``. The mean of the two is taken.
    """
    s = work.shown[0]
    payoffs = work.payoffs
    side = s.seat % 2
    won = s.tricks[side] + s.tricks[side + 2]
    most = r.hand_size - s.tricks[1 - side] - s.tricks[3 - side]
    for k in range(won, most + 1):
        payoffs[k] = payoff(work, r, side, k)
    worst = payoffs[most]
    for k in range(most, won - 1, -1):  # entries below k still hold the payoffs of the tricks
        worst = min(worst, payoffs[k])
        best = payoffs[won]
        for fewer in range(won, k + 1):
            best = max(best, payoffs[fewer])
        payoffs[k] = 0.5 * (best + worst)


@jit.apart
def rate_by_tricks(work, rules, row):
    """Set the plan's ``scores[k]`` as :func:`rate_by_solving` does, from the tricks that the side on turn can force.

    Two partnerships; ``payoffs`` are those of :func:`side_payoffs`.
    """
    plan = work.plan[0]
    s = work.worlds[row]
    r = rules[0]
    side = s.seat % 2
    won = s.tricks[side] + s.tricks[side + 2]
    seats = np.int64(5) << side
    ask = Question(np.int64(4), seats, seats, np.int64(r.hand_size))
    rate_state(work.trick_solver[0], s, r, ask, work.found)
    for k in range(plan.count):
        plan.scores[k] = work.payoffs[won + np.int64(work.found[plan.actions[k]])]
