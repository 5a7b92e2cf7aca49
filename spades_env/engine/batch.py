"""Many tables at a time: the loops under ``spades_env.tables``.

Loops that take ``rows`` touch these rows of all arrays; the others go through the arrays from end to end.
"""

from __future__ import annotations

import numpy as np

from spades_env.engine.bits import LINE, below, fence, popcount, prefetch, stream_key
from spades_env.engine.deal import start_match
from spades_env.engine.encode import encode, encode_for, encode_mask
from spades_env.engine.episode import episode_end, hand_rewards, next_match, seed_agents
from spades_env.engine.jit import jit
from spades_env.engine.scoring import set_score
from spades_env.engine.step import is_legal, legal, nth_legal, step
from spades_env.observation import SIZE

OFTEN = 256  # bytes of a record: those that most steps touch come first
AHEAD = 3  # tables; 65,536 of them took 128 ns for a decision without, and 91, 75, 67 and 69 with 1, 2, 3 and 4
# From so many tables on (16 MB) observations are streamed to memory: no cache would keep them until they are read, and
# a cache would first have to fetch what is overwritten anyway. At 65,536 a decision took 60 ns instead of 90.
MANY = 16_384

OPTIONS = np.dtype(
    [
        ("max_hands", "i4"),
        ("by_score", "?"),
        ("by_hand", "?"),
        ("auto_reset", "?"),
    ],
    align=True,
)


@jit
def reset_rows(states, rules, rows, opener, agent_rng):
    """Begin the next match at each of ``rows``."""
    for row in rows:
        next_match(states[row], rules[0], agent_rng[row], opener)


@jit
def seed_rows(states, rules, seeds, tables, opener, agent_rng):
    """Begin match 0 of stream (seeds[row], tables[row]) at every table, and the players' streams."""
    for row in range(len(states)):
        start_match(states[row], rules[0], stream_key(seeds[row], tables[row]), 0, opener)
        seed_agents(states[row], agent_rng[row])


@jit
def set_scores(states, rules, rows, scores, bags):
    """Set points and bags of every side at row rows[k] to scores[k] and bags[k]."""
    for k in range(len(rows)):
        for side in range(rules[0].sides):
            set_score(states[rows[k]], rules[0], side, scores[k, side], bags[k, side])


@jit
def first_illegal(states, rules, rows, actions):
    """The first k for which actions[k] is not legal at row rows[k], or -1."""
    for k in range(len(rows)):
        low, high = legal(states[rows[k]], rules[0])
        if not is_legal(low, high, actions[k]):
            return k
    return -1


@jit
def advance(s, r, options, action, streams, rewards):
    """Carry out a legal action at one table: set ``rewards``, begin the next match if the episode has ended.

    Returns (terminated, truncated).
    """
    event = step(s, r, action)
    hand_rewards(s, r, options.by_score, event, rewards)
    terminated, truncated = episode_end(s, options.by_hand, options.max_hands, event)
    if options.auto_reset and (terminated or truncated):
        next_match(s, r, streams, 0)
    return terminated, truncated


@jit
def advance_rows(states, rules, options, rows, actions, agent_rng, rewards, terminated, truncated):
    """:func:`advance` with ``actions[k]`` at row ``rows[k]``."""
    for k in range(len(rows)):
        row = rows[k]
        terminated[row], truncated[row] = advance(
            states[row], rules[0], options[0], actions[k], agent_rng[row], rewards[row]
        )


@jit
def observe_rows(states, rules, rows, seats, observations, masks):
    """Write what ``seats[k]`` (-1: the seat on turn) observes at row rows[k] to that row."""
    for k in range(len(rows)):
        row = rows[k]
        s = states[row]
        encode_for(s, rules[0], s.seat if seats[k] < 0 else seats[k], observations[row], masks[row])


@jit
def is_streamed(observations):
    """Whether to stream them; rows that no :func:`spades_env.observation.observation_rows` made are not."""
    return len(observations) >= MANY and observations.ctypes.data % LINE == 0


@jit
def fetch(states, observations, row, streamed):
    """Have the records and observations that follow table ``row`` in the cache by the time that their turn comes.

    The processor sees by itself that a loop goes from row to row, but it does not look far enough ahead: where there
    are too many tables for its caches, each would wait for memory.
    """
    for line in range(0, OFTEN, LINE):
        prefetch(states, row + AHEAD, line)
    if not streamed:
        for line in range(0, SIZE, LINE):
            prefetch(observations, row + AHEAD - 1, line)  # written after the record was read


@jit
def step_all(states, rules, options, actions, agent_rng, observations, masks, rewards, terminated, truncated):
    """:func:`advance` at every table, and at once, while the table is at hand, what the seat on turn observes."""
    r = rules[0]
    streamed = is_streamed(observations)
    for row in range(len(states)):
        fetch(states, observations, row, streamed)
        s = states[row]
        terminated[row], truncated[row] = advance(s, r, options[0], actions[row], agent_rng[row], rewards[row])
        low, high = legal(s, r)
        encode(s, r, s.seat, observations[row], streamed)
        encode_mask(low, high, masks[row])
    fence()


@jit
def step_random(states, rules, options, agent_rng, observations, masks, rewards, terminated, truncated, steps):
    """``steps`` times the same with a uniform legal action at every table, from the stream of the player on turn."""
    r = rules[0]
    streamed = is_streamed(observations)
    for _ in range(steps):
        for row in range(len(states)):
            fetch(states, observations, row, streamed)
            s = states[row]
            low, high = legal(s, r)
            streams = agent_rng[row]
            action = nth_legal(low, high, below(streams[s.seat : s.seat + 1], popcount(low) + popcount(high)))
            terminated[row], truncated[row] = advance(s, r, options[0], action, streams, rewards[row])
            low, high = legal(s, r)
            encode(s, r, s.seat, observations[row], streamed)
            encode_mask(low, high, masks[row])
    fence()


@jit
def choose_random(states, rules, rows, agent_rng, actions):
    """Write a uniform legal action for each of ``rows``, from the stream of the player on turn there."""
    for k in range(len(rows)):
        s = states[rows[k]]
        low, high = legal(s, rules[0])
        stream = agent_rng[rows[k]][s.seat : s.seat + 1]
        actions[k] = nth_legal(low, high, below(stream, popcount(low) + popcount(high)))
