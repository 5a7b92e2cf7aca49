"""Rating the actions of a decision by exact solutions of the worlds."""

from __future__ import annotations

from spades_agents.compiler import jit
from spades_agents.search.payoffs import solve_state


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
