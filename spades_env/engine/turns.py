"""One learner's seat at each of many tables: what happens from one decision of a learner to its next."""

from __future__ import annotations

import numpy as np

from spades_env.engine.batch import fetch, is_streamed
from spades_env.engine.bits import fence, stream_key
from spades_env.engine.deal import deal
from spades_env.engine.encode import encode, encode_for
from spades_env.engine.episode import episode_end, next_match, seat_reward
from spades_env.engine.jit import jit
from spades_env.engine.scoring import set_score
from spades_env.engine.step import EXCHANGED, HAND_ENDED, NOTHING, is_legal, legal, step

TURN = np.dtype(
    [
        ("reward", "f8"),  # what fell to the learner since its last decision
        ("scores", "i4", 4),  # of the last episode that ended, by side from the learner's on
        ("hands", "i4"),  # hands finished in that episode's match
        ("decks", "i4"),  # so many decks of this match were given by the caller
        ("learner", "i1"),  # its seat
        ("terminated", "?"),
        ("truncated", "?"),
        ("illegal", "?"),  # the learner's last action was illegal and ended the episode
        ("ended", "?"),  # the episode is over and waits for a reset
        ("started", "?"),  # a new episode began since the last decision
    ],
    align=True,
)

OPTIONS = np.dtype(
    [
        ("illegal_reward", "f8"),
        ("max_hands", "i4"),
        ("seat", "i1"),  # of the learner, -1 for one that moves on every match
        ("by_score", "?"),
        ("by_hand", "?"),
        ("same_step", "?"),  # begin the next match in the step that ends an episode
    ],
    align=True,
)


@jit
def rekey(states, rows, seeds):
    """Set the tables ``rows`` before match 0 of the streams named by ``seeds``."""
    for k in range(len(rows)):
        states[rows[k]].key = stream_key(seeds[k], 0)
        states[rows[k]].match = -1


@jit
def begin(states, rules, turns, options, agent_rng, row, opener):
    """Begin the next match at table ``row`` and seat its learner."""
    s = states[row]
    t = turns[row]
    r = rules[0]
    next_match(s, r, agent_rng[row], opener)
    t.learner = s.match % r.players if options[0].seat < 0 else options[0].seat
    t.decks = 0
    t.ended = False
    t.started = True


@jit
def begin_rows(states, rules, turns, options, agent_rng, rows, opener, scores, bags, decks, given, pending):
    """Begin the next match at ``rows`` from what the caller has given, ``given`` of ``decks[row]`` among it.

    Returns how many of them wait for an opponent; ``pending`` lists those.
    """
    count = 0
    for row in rows:
        begin(states, rules, turns, options, agent_rng, row, opener)
        s = states[row]
        t = turns[row]
        t.reward = 0
        t.terminated = t.truncated = t.illegal = False
        for side in range(rules[0].sides):
            set_score(s, rules[0], side, scores[side], bags[side])
        t.decks = given
        deal_given(s, rules[0], t, decks[row])
        if s.seat != t.learner:
            pending[count] = row
            count += 1
    return count


@jit
def deal_given(s, r, t, decks):
    """Deal the hand from the caller's deck, if there is one for it in ``decks`` (one row for each hand)."""
    if s.hand_number < t.decks:
        for k in range(r.deck_size):
            s.deck[k] = decks[s.hand_number, k]
        deal(s, r, s.opener)


@jit
def close(states, rules, turns, options, agent_rng, finals, row, terminated, truncated):
    """The episode at table ``row`` is over: keep its result, and begin the next match if that is to be at once."""
    s = states[row]
    t = turns[row]
    r = rules[0]
    t.terminated = terminated
    t.truncated = truncated
    t.hands = s.hand_number
    for relative in range(r.sides):
        t.scores[relative] = s.scores[(t.learner + relative) % r.sides]
    if options[0].same_step:
        encode(s, r, t.learner, finals[row])
        begin(states, rules, turns, options, agent_rng, row, 0)
    else:
        t.ended = True


@jit
def carry_out(states, rules, turns, options, agent_rng, decks, finals, row, action):
    """Carry out a legal action at table ``row`` and book what it brings the learner.

    Returns whether the table now waits for an opponent.
    """
    s = states[row]
    t = turns[row]
    r = rules[0]
    o = options[0]
    event = step(s, r, action)
    if event != NOTHING and event != EXCHANGED:
        # No hand ends between the begin of a match and the learner's first decision, since every seat bids in
        # every hand: so this is never the reward of the episode after the one that this step reports.
        t.reward += seat_reward(s, r, o.by_score, event, t.learner)
        terminated, truncated = episode_end(s, o.by_hand, o.max_hands, event)
        if terminated or truncated:
            close(states, rules, turns, options, agent_rng, finals, row, terminated, truncated)
        elif event == HAND_ENDED:
            deal_given(s, r, t, decks[row])
    return not t.ended and s.seat != t.learner


@jit
def first_wrong(states, rules, turns, actions):
    """The first table whose learner's action is not legal, or -1; tables that wait for a reset do not count."""
    for row in range(len(actions)):
        low, high = legal(states[row], rules[0])
        if not turns[row].ended and not is_legal(low, high, actions[row]):
            return row
    return -1


@jit
def learners_act(states, rules, turns, options, agent_rng, decks, finals, actions, pending):
    """Every learner acts, or its table begins the next match if the last one is over.

    Returns how many tables wait for an opponent; ``pending`` lists them.
    """
    count = 0
    for row in range(len(actions)):
        s = states[row]
        t = turns[row]
        t.reward = 0
        t.terminated = t.truncated = t.illegal = t.started = False
        if t.ended:
            begin(states, rules, turns, options, agent_rng, row, 0)
            waits = s.seat != t.learner
        else:
            low, high = legal(s, rules[0])
            if is_legal(low, high, actions[row]):
                waits = carry_out(states, rules, turns, options, agent_rng, decks, finals, row, actions[row])
            else:
                t.illegal = True
                t.reward = options[0].illegal_reward
                close(states, rules, turns, options, agent_rng, finals, row, True, False)
                waits = not t.ended and s.seat != t.learner
        if waits:
            pending[count] = row
            count += 1
    return count


@jit
def opponents_act(states, rules, turns, options, agent_rng, decks, finals, actions, pending):
    """The opponents on turn at the tables ``pending`` act: ``actions[k]`` at table ``pending[k]``.

    Returns how many of the tables still wait for an opponent, which are then the first in ``pending``; or
    -1 - k with nothing changed if ``actions[k]`` is not legal.
    """
    for k in range(len(pending)):
        low, high = legal(states[pending[k]], rules[0])
        if not is_legal(low, high, actions[k]):
            return -1 - k
    count = 0
    for k in range(len(pending)):
        row = pending[k]
        if carry_out(states, rules, turns, options, agent_rng, decks, finals, row, actions[k]):
            pending[count] = row
            count += 1
    return count


@jit
def report(states, rules, turns, observations, masks, rewards, terminated, truncated):
    """Write what every learner sees and what fell to it; after the end of an episode no action is legal."""
    r = rules[0]
    streamed = is_streamed(observations)
    for row in range(len(observations)):
        fetch(states, observations, row, streamed)
        s = states[row]
        t = turns[row]
        encode_for(s, r, t.learner, observations[row], masks[row], streamed)
        if t.ended:
            masks[row] = 0
        rewards[row] = t.reward
        terminated[row] = t.terminated
        truncated[row] = t.truncated
    fence()
