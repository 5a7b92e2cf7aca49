"""Many tables at a time: the loops behind ``spades_env.tables``.

Kernels that take ``rows`` touch only these rows of the arrays; the others process every row. ``tables`` is the tuple
(states, rules, options, agent_rng): arrays of STATE, of one RULES and one EPISODE, and of uint64.
"""

from __future__ import annotations

from spades_env.engine.bits import LINE, below, fence, popcount, prefetch, stream_key
from spades_env.engine.deal import start_match
from spades_env.engine.encode import encode, encode_for, encode_mask
from spades_env.engine.episode import book, next_match, seed_agents
from spades_env.engine.jit import jit
from spades_env.engine.scoring import set_score
from spades_env.engine.step import is_legal, legal, nth_legal, step
from spades_env.observation import SIZE

HOT = 256  # leading bytes of a state, which most steps touch
AHEAD = 3  # tables; with 65,536 of them a decision took 128 ns without prefetching, and 91, 75, 67, 69 with 1 to 4
# With this many tables (16 MB) or more, observations are written with non-temporal stores: no cache would hold them
# until they are read, and would first fetch the lines to overwrite. With 65,536 tables a decision took 60 ns, not 90.
MANY = 16_384


@jit
def reset_rows(states, rules, rows, opener, agent_rng):
    """Start the next match at each of ``rows``."""
    for row in rows:
        next_match(states[row], rules[0], agent_rng[row], opener)


@jit
def seed_rows(states, rules, seeds, tables, opener, agent_rng):
    """Start match 0 of stream (seeds[row], tables[row]) at every table, and seed the players' streams."""
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
def advance(s, r, episode, action, streams, rewards):
    """Carry out a legal action at one table and write ``rewards``; with auto-reset, start the next match at the end.

    Returns (terminated, truncated).
    """
    terminated, truncated = book(s, r, episode, step(s, r, action), rewards)
    if episode.auto_reset and (terminated or truncated):
        next_match(s, r, streams, 0)
    return terminated, truncated


@jit
def advance_rows(tables, rows, actions, ends):
    """Carry out ``actions[k]`` at row ``rows[k]``; ``ends`` are the arrays rewards, terminated, truncated."""
    states, rules, options, agent_rng = tables
    rewards, terminated, truncated = ends
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
def skips_cache(observations):
    """Whether to write ``observations`` with non-temporal stores, which needs many rows that start at a cache line."""
    return len(observations) >= MANY and observations.ctypes.data % LINE == 0


@jit
def fetch(states, observations, row, nontemporal):
    """Prefetch the state and the observation of the tables after ``row``.

    The processor's own prefetching does not look far enough ahead: with more tables than its caches can hold, every
    step would wait for memory.
    """
    for line in range(0, HOT, LINE):
        prefetch(states, row + AHEAD, line)
    if not nontemporal:
        for line in range(0, SIZE, LINE):
            prefetch(observations, row + AHEAD - 1, line)  # written after the state has been read


@jit
def step_all(tables, actions, results):
    """Carry out an action at every table, and write what the seat on turn observes while the table is in the cache.

    ``results`` are the arrays observations, masks, rewards, terminated, truncated.
    """
    states, rules, options, agent_rng = tables
    observations, masks, rewards, terminated, truncated = results
    r = rules[0]
    nontemporal = skips_cache(observations)
    for row in range(len(states)):
        fetch(states, observations, row, nontemporal)
        s = states[row]
        terminated[row], truncated[row] = advance(s, r, options[0], actions[row], agent_rng[row], rewards[row])
        low, high = legal(s, r)
        encode(s, r, s.seat, observations[row], nontemporal)
        encode_mask(low, high, masks[row])
    fence()


@jit
def step_random(tables, results, steps):
    """Call :func:`step_all` ``steps`` times with uniform legal actions from the streams of the players on turn."""
    states, rules, options, agent_rng = tables
    observations, masks, rewards, terminated, truncated = results
    r = rules[0]
    nontemporal = skips_cache(observations)
    for _ in range(steps):
        for row in range(len(states)):
            fetch(states, observations, row, nontemporal)
            s = states[row]
            low, high = legal(s, r)
            streams = agent_rng[row]
            action = nth_legal(low, high, below(streams[s.seat : s.seat + 1], popcount(low) + popcount(high)))
            terminated[row], truncated[row] = advance(s, r, options[0], action, streams, rewards[row])
            low, high = legal(s, r)
            encode(s, r, s.seat, observations[row], nontemporal)
            encode_mask(low, high, masks[row])
    fence()


@jit
def choose_random(states, rules, rows, agent_rng, actions):
    """Write a uniform legal action for each of ``rows``, drawn from the stream of the player on turn there."""
    for k in range(len(rows)):
        s = states[rows[k]]
        low, high = legal(s, rules[0])
        stream = agent_rng[rows[k]][s.seat : s.seat + 1]
        actions[k] = nth_legal(low, high, below(stream, popcount(low) + popcount(high)))
