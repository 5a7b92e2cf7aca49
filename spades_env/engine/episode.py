"""Rewards, the end of an episode, and the players' random streams."""

from __future__ import annotations

import numpy as np

from spades_env.engine.bits import GOLDEN, U64, stream_key
from spades_env.engine.deal import start_match
from spades_env.engine.jit import jit
from spades_env.engine.step import HAND_ENDED, MATCH_ENDED
from spades_env.episodes import Episode, Reward

AGENT_STREAM = 1 << 32  # the players' stream indices start here, far above any table's
_WIN = Reward.WIN.code

EPISODE = np.dtype(
    [
        ("illegal_reward", "f8"),
        ("max_hands", "i4"),
        ("reward", "i1"),  # Reward.code
        ("by_hand", "?"),  # an episode is one hand
        ("auto_reset", "?"),  # the step that ends an episode starts the next match
    ],
    align=True,
)


def episode_array(episode: Episode, reward: Reward, max_hands: int, auto_reset: bool = False) -> np.ndarray:
    """The options of an episode as an array of one :data:`EPISODE`, for the kernels."""
    return np.array([(reward.illegal, max_hands, reward.code, episode == "hand", auto_reset)], EPISODE)


@jit
def seat_reward(s, r, reward, seat):
    """The reward of ``seat`` for the hand that has just ended; see :class:`spades_env.episodes.Reward`."""
    side = seat % r.sides
    if reward == _WIN:
        if s.winner < 0:
            return 0.0
        return 1.0 if side == s.winner else -1.0
    others = 0
    for other in range(r.sides):
        if other != side:
            others += s.points[other]
    return (s.points[side] - others / (r.sides - 1)) / 100


@jit
def book(s, r, episode, event, rewards):
    """Write every seat's reward for what ``step`` returned, and return (terminated, truncated).

    Args:
        s: the state after the step.
        r: the rules.
        episode: an :data:`EPISODE`.
        event: what ``step`` returned.
        rewards: floats, one for each seat; 0 unless a hand has ended.
    """
    if event != HAND_ENDED and event != MATCH_ENDED:
        for seat in range(r.players):
            rewards[seat] = 0
        return False, False
    for seat in range(r.players):
        rewards[seat] = seat_reward(s, r, episode.reward, seat)
    if event == MATCH_ENDED or episode.by_hand:
        return True, False
    return False, s.hand_number >= episode.max_hands


@jit
def agent_stream(key, match, seat):
    """Initial state of the random stream of the player at ``seat``, in one match of the table with that ``key``."""
    return stream_key(key + U64(match) * GOLDEN, AGENT_STREAM + seat)


@jit
def seed_agents(s, streams):
    """Seed the streams of the players at a table (uint64 of shape (4,)) for its current match."""
    for seat in range(4):
        streams[seat] = agent_stream(s.key, s.match, seat)


@jit
def next_match(s, r, streams, opener):
    """Start the next match at a table, and seed the streams of its players."""
    start_match(s, r, s.key, s.match + 1, opener)
    seed_agents(s, streams)
