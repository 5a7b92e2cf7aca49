"""One learner's seat at each of many tables: what happens between two decisions of a learner.

In the kernels ``tables`` is the tuple (states, rules, options, agent_rng, turns): arrays of STATE, of one RULES and
one OPTIONS, of uint64, and of TURN. ``table`` is (state, rules, options, turn) of one of them. ``buffers`` is the tuple
(decks, finals, paid): the caller's decks, the last observations of episodes, and room for one reward for each seat.
"""

from __future__ import annotations

import numpy as np

from spades_env.engine.batch import fetch, skips_cache
from spades_env.engine.bits import fence, stream_key
from spades_env.engine.deal import deal
from spades_env.engine.encode import encode, encode_for
from spades_env.engine.episode import EPISODE, book, next_match
from spades_env.engine.jit import jit
from spades_env.engine.scoring import set_score
from spades_env.engine.step import EXCHANGED, NOTHING, is_legal, legal, step

TURN = np.dtype(
    [
        ("reward", "f8"),  # of the learner, since its last decision
        ("scores", "i4", 4),  # of the last episode that ended, by side, the learner's first
        ("hands", "i4"),  # hands finished in that episode's match
        ("decks", "i4"),  # number of decks that the caller gave for this match
        ("learner", "i1"),  # its seat
        ("terminated", "?"),
        ("truncated", "?"),
        ("illegal", "?"),  # the learner's last action was illegal and ended the episode
        ("ended", "?"),  # the episode is over and waits for a reset
        ("started", "?"),  # a new episode has started since the last decision
    ],
    align=True,
)

OPTIONS = np.dtype([("episode", EPISODE), ("seat", "i1")], align=True)  # seat of the learner; -1: a new one every match


@jit
def rekey(states, rows, seeds):
    """Set the tables ``rows`` to the position before match 0 of the streams named by ``seeds``."""
    for k in range(len(rows)):
        states[rows[k]].key = stream_key(seeds[k], 0)
        states[rows[k]].match = -1


@jit
def begin(table, streams, opener):
    """Start the next match at a table and seat its learner."""
    s, r, o, t = table
    next_match(s, r, streams, opener)
    t.learner = s.match % r.players if o.seat < 0 else o.seat
    t.decks = 0
    t.ended = False
    t.started = True


@jit
def begin_rows(tables, decks, rows, start, given, pending):
    """Start the next match at ``rows`` from ``start``, (opener, scores, bags), and the first ``given`` of their decks.

    Returns how many tables wait for an opponent; ``pending`` lists them.
    """
    states, rules, options, agent_rng, turns = tables
    opener, scores, bags = start
    r = rules[0]
    count = 0
    for row in rows:
        s = states[row]
        t = turns[row]
        begin((s, r, options[0], t), agent_rng[row], opener)
        t.reward = 0
        t.terminated = t.truncated = t.illegal = False
        for side in range(r.sides):
            set_score(s, r, side, scores[side], bags[side])
        t.decks = given
        deal_given(s, r, t, decks[row])
        if s.seat != t.learner:
            pending[count] = row
            count += 1
    return count


@jit
def deal_given(s, r, t, decks):
    """Deal the hand from the caller's deck, if ``decks`` (a row for each hand) holds one for it."""
    if s.hand_number < t.decks:
        for k in range(r.deck_size):
            s.deck[k] = decks[s.hand_number, k]
        deal(s, r, s.opener)


@jit
def close(table, streams, finals, row, terminated, truncated):
    """End the episode at table ``row``: keep its result, and with auto-reset start the next match."""
    s, r, o, t = table
    t.terminated = terminated
    t.truncated = truncated
    t.hands = s.hand_number
    for relative in range(r.sides):
        t.scores[relative] = s.scores[(t.learner + relative) % r.sides]
    if o.episode.auto_reset:
        encode(s, r, t.learner, finals[row])
        begin(table, streams, 0)
    else:
        t.ended = True


@jit
def carry_out(table, streams, buffers, row, action):
    """Carry out a legal action at table ``row`` and add up the learner's reward.

    Returns whether the table now waits for an opponent.
    """
    s, r, o, t = table
    decks, finals, paid = buffers
    event = step(s, r, action)
    if event != NOTHING and event != EXCHANGED:
        # No hand can end between the start of a match and the learner's first decision, since every seat bids in
        # every hand. So this reward always belongs to the episode that this step reports.
        terminated, truncated = book(s, r, o.episode, event, paid)
        t.reward += paid[t.learner]
        if terminated or truncated:
            close(table, streams, finals, row, terminated, truncated)
        else:
            deal_given(s, r, t, decks[row])
    return not t.ended and s.seat != t.learner


@jit
def learners_act(tables, buffers, actions, pending):
    """Carry out every learner's action, or start the next match where the last one is over.

    Returns how many tables wait for an opponent; ``pending`` lists them.
    """
    states, rules, options, agent_rng, turns = tables
    r = rules[0]
    o = options[0]
    count = 0
    for row in range(len(actions)):
        s = states[row]
        t = turns[row]
        table = (s, r, o, t)
        t.reward = 0
        t.terminated = t.truncated = t.illegal = t.started = False
        if t.ended:
            begin(table, agent_rng[row], 0)
            waits = s.seat != t.learner
        else:
            low, high = legal(s, r)
            if is_legal(low, high, actions[row]):
                waits = carry_out(table, agent_rng[row], buffers, row, actions[row])
            else:
                t.illegal = True
                t.reward = o.episode.illegal_reward
                close(table, agent_rng[row], buffers[1], row, True, False)
                waits = not t.ended and s.seat != t.learner
        if waits:
            pending[count] = row
            count += 1
    return count


@jit
def opponents_act(tables, buffers, actions, pending):
    """Carry out ``actions[k]`` of the opponent on turn at table ``pending[k]``.

    Returns how many of the tables still wait for an opponent, which are then the first in ``pending``; or
    -1 - k with nothing changed if ``actions[k]`` is illegal.
    """
    states, rules, options, agent_rng, turns = tables
    r = rules[0]
    for k in range(len(pending)):
        low, high = legal(states[pending[k]], r)
        if not is_legal(low, high, actions[k]):
            return -1 - k
    count = 0
    for k in range(len(pending)):
        row = pending[k]
        table = (states[row], r, options[0], turns[row])
        if carry_out(table, agent_rng[row], buffers, row, actions[k]):
            pending[count] = row
            count += 1
    return count


@jit
def report(states, rules, turns, results):
    """Write what every learner observes, and its reward; after the end of an episode no action is legal.

    ``results`` are the arrays observations, masks, rewards, terminated, truncated.
    """
    observations, masks, rewards, terminated, truncated = results
    nontemporal = skips_cache(observations)
    for row in range(len(observations)):
        fetch(states, observations, row, nontemporal)
        t = turns[row]
        encode_for(states[row], rules[0], t.learner, observations[row], masks[row], nontemporal)
        if t.ended:
            masks[row] = 0
        rewards[row] = t.reward
        terminated[row] = t.terminated
        truncated[row] = t.truncated
    fence()
