"""Rating the actions of a decision by exact solutions of the worlds."""

from __future__ import annotations

import numpy as np

from spades_agents.compiler import jit
from spades_agents.search.rollout import outcome
from spades_agents.solvers.payoffs import solve_state
from spades_agents.solvers.tricks import rate_state
from spades_env.engine.scoring import score_hand


@jit.apart
def rate_by_solving(solver, worlds, row, rules, payoffs, found, by_match, plan):
    """Set the plan's ``scores[k]`` to what the hand at ``worlds[row]`` brings the seat on turn after ``actions[k]``.

    Two seats; both play on with open cards. ``payoffs`` are what
    :func:`~spades_agents.search.rollout.trick_payoffs` fills.
    """
    s = worlds[row]
    solve_state(solver[0], s, rules[0], payoffs, found)
    for k in range(plan.count):
        value = found[plan.actions[k]]
        if s.seat == 1:  # chances sum to 1, points to 0
            value = (1.0 if by_match else 0.0) - value
        plan.scores[k] = value


@jit
def side_payoffs(values, s, r, scratch, by_match, payoffs):
    """Fill ``payoffs[k]`` with what it is worth to the side on turn, of two pairs, that it can force ``k`` tricks.

    Nobody has bid nil. The solver of four hands knows tricks alone, but overtricks are unwelcome. So each side is
    supposed to be able to lose tricks if it likes: the side on turn down from ``k``, the other side in its favour up,
    and the middle of the two is taken.
    """
    side = s.seat % 2
    opener = (s.opener + 1) % 4
    won = s.tricks[side] + s.tricks[side + 2]
    most = r.hand_size - s.tricks[1 - side] - s.tricks[3 - side]
    for k in range(won, most + 1):
        scratch[0] = s
        t = scratch[0]
        t.tricks[side] = k
        t.tricks[side + 2] = 0
        t.tricks[1 - side] = r.hand_size - k
        t.tricks[3 - side] = 0
        score_hand(t, r)
        payoffs[k] = outcome(values, s, t, r, side, opener, by_match)
    worst = payoffs[most]
    for k in range(most, won - 1, -1):  # those below k are still what the tricks bring
        worst = min(worst, payoffs[k])
        best = payoffs[won]
        for fewer in range(won, k + 1):
            best = max(best, payoffs[fewer])
        payoffs[k] = 0.5 * (best + worst)


@jit.apart
def rate_by_tricks(solver, worlds, row, rules, payoffs, found, plan):
    """Set the plan's ``scores[k]`` as :func:`rate_by_solving` does, from the tricks that the side on turn can force.

    Two partnerships; ``payoffs`` are those of :func:`side_payoffs`.
    """
    s = worlds[row]
    r = rules[0]
    side = s.seat % 2
    won = s.tricks[side] + s.tricks[side + 2]
    rate_state(solver[0], s, r, 5 << side, 5 << side, r.hand_size, found)
    for k in range(plan.count):
        plan.scores[k] = payoffs[won + np.int64(found[plan.actions[k]])]
