"""What a caller makes of a match: rewards, where an episode ends, the random streams of the players."""

from __future__ import annotations

from spades_env.engine.bits import GOLDEN, U64, stream_key
from spades_env.engine.deal import start_match
from spades_env.engine.jit import jit
from spades_env.engine.step import HAND_ENDED, MATCH_ENDED

AGENT_STREAM = 1 << 32  # stream indices of the agents' own randomness start here, far from any table's


@jit
def seat_reward(s, r, by_score, event, seat):
    """The reward of ``seat`` for what ``step`` returned.

    By score: its side's score change less the mean of the other sides', in hundreds of points, when a hand
    ends. By win: 1 for the seats of the side that has won the match, -1 for the others.
    """
    side = seat % r.sides
    if not by_score:
        if event != MATCH_ENDED:
            return 0.0
        return 1.0 if side == s.winner else -1.0
    if event != HAND_ENDED and event != MATCH_ENDED:
        return 0.0
    others = 0
    for other in range(r.sides):
        if other != side:
            others += s.points[other]
    return (s.points[side] - others / (r.sides - 1)) / 100


@jit
def hand_rewards(s, r, by_score, event, rewards):
    """Write every seat's :func:`seat_reward` to ``rewards`` (floats, one for each seat)."""
    if event in (HAND_ENDED, MATCH_ENDED):
        for seat in range(r.players):
            rewards[seat] = seat_reward(s, r, by_score, event, seat)
    else:
        for seat in range(r.players):
            rewards[seat] = 0


@jit
def episode_end(s, by_hand, max_hands, event):
    """(terminated, truncated) after what ``step`` returned."""
    if event == MATCH_ENDED or (by_hand and event == HAND_ENDED):
        return True, False
    return False, event == HAND_ENDED and s.hand_number >= max_hands


@jit
def agent_stream(key, match, seat):
    """Start of the random stream of the player at ``seat`` in one match of the table with that ``key``."""
    return stream_key(key + U64(match) * GOLDEN, AGENT_STREAM + seat)


@jit
def seed_agents(s, streams):
    """Begin the streams of the players at a table (uint64 of shape (4,)) for its current match."""
    for seat in range(4):
        streams[seat] = agent_stream(s.key, s.match, seat)


@jit
def next_match(s, r, streams, opener):
    """Begin the next match of a table, and the streams of its players."""
    start_match(s, r, s.key, s.match + 1, opener)
    seed_agents(s, streams)
