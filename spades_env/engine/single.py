"""Kernels for one table, called from Python with arrays of one STATE and one RULES: numba unboxes arrays fastest."""

from __future__ import annotations

from spades_env.engine.bits import U64, bit, stream_key
from spades_env.engine.conceal import conceal
from spades_env.engine.deal import deal, start_hand, start_match
from spades_env.engine.encode import encode, encode_for
from spades_env.engine.episode import book
from spades_env.engine.jit import jit
from spades_env.engine.sample import sample_world
from spades_env.engine.scoring import score_side
from spades_env.engine.state import DRAFT
from spades_env.engine.step import is_legal, legal, step

ILLEGAL = -1


@jit
def begin_match(states, rules, seed, table, match, opener):
    """Start match number ``match`` of the stream (``seed``, ``table``)."""
    start_match(states[0], rules[0], stream_key(seed, table), match, opener)


@jit
def begin_hand(states, rules, opener):
    """Shuffle and deal the current hand again, after its number has been changed."""
    start_hand(states[0], rules[0], opener)


@jit
def deal_deck(states, rules, opener):
    """Restart the hand from the order in ``deck``."""
    deal(states[0], rules[0], opener)


@jit
def apply_action(states, rules, action):
    """Carry out an action. Returns what ``step`` returns, or ILLEGAL with nothing changed."""
    s = states[0]
    r = rules[0]
    low, high = legal(s, r)
    if not is_legal(low, high, action):
        return ILLEGAL
    return step(s, r, action)


@jit
def legal_words(states, rules):
    """The set of legal actions as the two words of ``legal``."""
    return legal(states[0], rules[0])


@jit
def conceal_for(states, rules, seat, out):
    """Write what ``seat`` may know to ``out``."""
    conceal(states, 0, rules[0], seat, out, 0)


@jit
def observe(states, rules, seat, may_act, observation, mask):
    """Write the observation and the action mask of ``seat``; the mask is all 0 unless it is on turn and may act."""
    encode_for(states[0], rules[0], seat, observation, mask)
    if not may_act:
        mask[:] = 0


@jit
def book_event(states, rules, options, event, rewards):
    """:func:`book` what :func:`apply_action` returned; ``options`` is an array of one EPISODE."""
    return book(states[0], rules[0], options[0], event, rewards)


@jit
def full_state(states, rules, out):
    """Write to the int8 row ``out`` what seat 0 observes, then sets of cards: hands by seat, drawn card, discards."""
    s = states[0]
    encode(s, rules[0], 0, out[: len(out) - 6 * 52])
    for k in range(6):
        if k < 4:
            cards = s.hands[k]
        elif k == 5:
            cards = s.pile
        elif s.phase == DRAFT:
            cards = bit(s.deck[2 * s.draws])
        else:
            cards = U64(0)
        start = len(out) - (6 - k) * 52
        for card in range(52):
            out[start + card] = (cards >> U64(card)) & U64(1)


@jit
def sample_view(views, rules, observer, rng, out):
    """Write a world consistent with a view to ``out``; returns the seed of its random stream."""
    return sample_world(views, 0, rules[0], observer, rng, out, 0)


@jit
def bags_of_hand(states, rules, side):
    """The bags that a side took in the last finished hand."""
    return score_side(states[0], rules[0], side)[1]
