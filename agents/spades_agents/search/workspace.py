"""The arrays of a search player, allocated once."""

from typing import NamedTuple

import numpy as np

from spades_agents.heuristic.scripted import Scratch, new_scratch
from spades_agents.search.draft_belief import DRAFT
from spades_agents.solvers.four_table import new_table as new_trick_table
from spades_agents.solvers.two_table import new_table
from spades_env.cards import NUM_ACTIONS
from spades_env.engine.state import STATE

CHUNK = 64  # worlds drawn at a time
OVERSAMPLE = 8  # worlds weighted for each one drawn
MOST_ACTIONS = 18  # bids of a hand of 17 cards
# What 100 points count beside the chance of winning the match. Where that chance hardly depends on the action, or its
# differences are smaller than the noise of the worlds, the points decide.
POINTS_SHARE = 0.1

SETTINGS = np.dtype(
    [
        ("worlds", "i8"),  # worlds of a decision by exact solutions
        ("rollouts", "i8"),  # worlds of a decision by rollouts
        ("solves", "i8"),  # whether play is solved exactly where possible
        ("beliefs", "i8"),  # whether worlds are weighted
    ]
)
# The current decision.
PLAN = np.dtype(
    [
        ("actions", "i8", MOST_ACTIONS),  # candidates
        ("count", "i8"),  # number of candidates
        ("default", "i8"),  # index of the candidate to choose unless another is clearly better
        ("races", "i8"),  # whether candidates that are clearly worse are dropped
        ("method", "i8"),  # how worlds are rated
        ("drafted", "i8"),  # whether the draft is weighted
        ("worlds", "i8"),  # worlds to look at
        ("looked", "i8"),  # worlds looked at so far
        ("live", "i8", MOST_ACTIONS),  # whether the candidate is still rated
        ("rated", "i8", MOST_ACTIONS),  # worlds in which it was rated
        ("sums", "f8", MOST_ACTIONS),  # sums of the scores
        ("gains", "f8", MOST_ACTIONS),  # sums of the gains on the default
        ("squares", "f8", MOST_ACTIONS),  # sums of the squared gains
        ("squared_scores", "f8", MOST_ACTIONS),  # sums of the squared scores
        ("scores", "f8", MOST_ACTIONS),  # scores in the last world
        ("tricks", "f8"),  # sum of the double-dummy tricks of the seat, if bids are rated by solving
    ]
)


class Aim(NamedTuple):
    """What a player maximises: a weighted sum of the chance of winning the match and of points."""

    values: np.ndarray  # see match_table
    match: float  # weight of the chance of winning the match
    points: float  # weight of 100 points


def new_aim(by_match: bool, values: np.ndarray | None = None) -> Aim:
    """The aim at the match, with points as a smooth tie-breaker, or at points.

    Args:
        by_match: whether the chance of winning counts.
        values: see :func:`spades_agents.match_value.match_table`; by default an empty table.
    """
    table = np.zeros((0, 0, 0, 0), np.float32) if values is None else values
    return Aim(table, 1.0, POINTS_SHARE) if by_match else Aim(table, 0.0, 1.0)


class Rater(NamedTuple):
    """What rating actions by rollouts needs: one PLAN, work arrays and the aim."""

    plan: np.ndarray
    scratch: Scratch
    aim: Aim


class Workspace(NamedTuple):
    """All arrays of a search player."""

    settings: np.ndarray
    aim: Aim
    plan: np.ndarray
    shown: np.ndarray  # what the seat on turn may know
    rng: np.ndarray
    worlds: np.ndarray
    pool: np.ndarray
    weights: np.ndarray
    drafts: np.ndarray
    scratch: Scratch
    solver: np.ndarray
    trick_solver: np.ndarray
    payoffs: np.ndarray
    found: np.ndarray


def new_workspace(worlds: int, rollouts: int, solves: bool, beliefs: bool, by_match: bool) -> Workspace:
    """A workspace with these :data:`SETTINGS`; the values of its aim depend on the rules and are empty."""
    chunk = min(CHUNK, 2 * max(worlds, rollouts))  # a bid has more worlds
    return Workspace(
        settings=np.array([(worlds, rollouts, solves, beliefs)], SETTINGS),
        aim=new_aim(by_match),
        plan=np.zeros(1, PLAN),
        shown=np.zeros(1, STATE),
        rng=np.zeros(1, np.uint64),
        worlds=np.zeros(chunk, STATE),
        pool=np.zeros(chunk * OVERSAMPLE, STATE),
        weights=np.zeros(chunk * OVERSAMPLE),
        drafts=np.zeros(1, DRAFT),
        scratch=new_scratch(),
        solver=new_table(),
        trick_solver=new_trick_table(),
        payoffs=np.zeros(18),
        found=np.zeros(NUM_ACTIONS),
    )
