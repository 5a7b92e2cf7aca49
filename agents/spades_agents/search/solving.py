"""Rating the actions of a decision by exact solutions of the worlds.

``work`` is a :class:`~spades_agents.search.workspace.Workspace`.
"""

import numpy as np

from spades_agents.compiler import jit
from spades_agents.heuristic.scripted import advance, scripted_action
from spades_agents.search.rollout import outcome
from spades_agents.solvers.four_table import Question
from spades_agents.solvers.payoffs import Position, solve_cards, solve_state
from spades_agents.solvers.tricks import rate_state
from spades_agents.solvers.two_table import NO_CARD
from spades_env.engine.bits import U64
from spades_env.engine.scoring import score_hand
from spades_env.engine.state import PLAY

NO_CARDS = U64(0)


@jit
def payoff(work, s, r, side, tricks):
    """What a hand is worth to ``side``, of two, if it wins ``tricks``; partners did not bid nil.

    ``s`` is the state of the hand after the bids, not in ``work.scratch.views``, which is overwritten.
    """
    work.scratch.views[0] = s
    t = work.scratch.views[0]
    for seat in range(4):
        t.tricks[seat] = 0
    t.tricks[side] = tricks
    t.tricks[1 - side] = r.hand_size - tricks
    score_hand(t, r)
    return outcome(work.aim, s, t, r, side)


@jit
def trick_payoffs(work, s, r):
    """Fill ``payoffs[k]`` with the worth of the hand to seat 0, of two, if it wins ``k`` tricks.

    ``s`` is the state of the hand after the bids, see :func:`payoff`. Chances sum to 1 and points to 0, so the payoffs
    of seat 1 are the weight of the match minus these.
    """
    for k in range(r.hand_size + 1):
        work.payoffs[k] = payoff(work, s, r, 0, k)


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
        if s.seat == 1:
            value = work.aim.match - value
        plan.scores[k] = value


@jit.apart
def rate_bids_by_solving(work, rules, row):
    """Set the plan's ``scores[k]`` to the value, for the seat on turn, of ``worlds[row]`` after the bid ``actions[k]``.

    The scripted player bids for the other seat, if it has not bid. Then both of two seats play with open cards. The
    tricks of the seat if both play for tricks are added to the plan's ``tricks``.
    """
    plan = work.plan[0]
    r = rules[0]
    tables = work.scratch.tables
    seat = work.worlds[row].seat
    counted = False
    for k in range(plan.count):
        if not plan.live[k]:
            continue
        tables[0] = work.worlds[row]
        advance(tables, 0, rules, plan.actions[k])
        while tables[0].phase != PLAY:
            advance(tables, 0, rules, scripted_action(tables, 0, rules, work.scratch))
        s = tables[0]
        lead = np.int64(NO_CARD)
        broken = 1 if s.broken or not r.spades_must_break else 0
        start = Position(s.hands, s.seat, lead, broken, NO_CARDS)
        if not counted:
            counted = True
            for won in range(r.hand_size + 1):
                work.payoffs[won] = won
            tricks = solve_cards(work.solver[0], start, work.payoffs, work.found)
            plan.tricks += tricks if seat == 0 else r.hand_size - tricks
        trick_payoffs(work, s, r)
        value = solve_cards(work.solver[0], start, work.payoffs, work.found)
        plan.scores[k] = value if seat == 0 else work.aim.match - value


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
        payoffs[k] = payoff(work, s, r, side, k)
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
