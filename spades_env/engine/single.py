"""One table at a time, called from Python: each takes arrays of one record, since numba passes arrays fastest."""

from __future__ import annotations

from spades_env.engine.bits import stream_key
from spades_env.engine.conceal import conceal
from spades_env.engine.deal import deal, shuffle, start_hand, start_match
from spades_env.engine.jit import jit
from spades_env.engine.step import is_legal, legal, step

ILLEGAL = -1


@jit
def begin_match(states, rules, seed, table, match, opener):
    """Start match number ``match`` of the stream of (``seed``, ``table``)."""
    start_match(states[0], rules[0], stream_key(seed, table), match, opener)


@jit
def begin_hand(states, rules, opener):
    """Shuffle and deal the current hand anew (its number may have been set from outside)."""
    start_hand(states[0], rules[0], opener)


@jit
def deal_deck(states, rules, opener):
    """Begin the hand anew from the order in ``deck``."""
    deal(states[0], rules[0], opener)


@jit
def shuffle_deck(states, rules):
    """Set ``deck`` and ``rng`` as the current hand's shuffle does, and nothing else."""
    shuffle(states[0], rules[0])


@jit
def apply_action(states, rules, action):
    """Carry out an action: ILLEGAL with nothing changed, or what ``step`` returns."""
    s = states[0]
    r = rules[0]
    low, high = legal(s, r)
    if not is_legal(low, high, action):
        return ILLEGAL
    return step(s, r, action)


@jit
def legal_words(states, rules):
    """The two words of :func:`spades_env.engine.step.legal`."""
    return legal(states[0], rules[0])


@jit
def conceal_for(states, rules, seat, out):
    """Write what ``seat`` may know to ``out``."""
    conceal(states, 0, rules[0], seat, out, 0)
