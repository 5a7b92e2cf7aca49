"""The decisions of the scripted player at a table, and hands played out by it."""

from typing import NamedTuple

import numpy as np

from spades_agents.compiler import jit
from spades_agents.heuristic.bidding import bids_blind, choose_bid
from spades_agents.heuristic.draft import choose_exchange, keeps
from spades_agents.heuristic.notes import NOTES
from spades_agents.heuristic.play import choose_card
from spades_env.cards import BID_0, BLIND_NIL, KEEP, LOOK, REJECT
from spades_env.engine.bits import U64, lowest
from spades_env.engine.conceal import conceal
from spades_env.engine.play import playable
from spades_env.engine.state import BID, BLIND, DRAFT, PLAY, STATE
from spades_env.engine.step import EXCHANGED, NOTHING, step


class Scratch(NamedTuple):
    """Work arrays of one element each, allocated once by the caller."""

    tables: np.ndarray  # STATE, a table to play a hand on
    views: np.ndarray  # STATE, what the seat on turn may know
    notes: np.ndarray  # NOTES


def new_scratch() -> Scratch:
    """Empty work arrays."""
    return Scratch(np.zeros(1, STATE), np.zeros(1, STATE), np.zeros(1, NOTES))


@jit
def decide(s, r, w):
    """The action of the seat on turn, from a state that holds only what it may know; ``w`` is scratch, one NOTES."""
    phase = s.phase
    if phase == PLAY:
        return choose_card(s, r, w)
    if phase == DRAFT:
        return KEEP if keeps(s, r) else REJECT
    if phase == BID:
        return BID_0 + choose_bid(s, r)
    if phase == BLIND:
        return BLIND_NIL if bids_blind(s, r) else LOOK
    return choose_exchange(s, r)


@jit
def scripted_inlined(states, row, rules, scratch):
    """:func:`scripted_action`, inlined where called."""
    s = states[row]
    if s.phase == PLAY:
        cards = playable(s, rules[0])  # depends on the seat's own hand and on public information only
        if cards & (cards - U64(1)) == U64(0):
            return np.int64(lowest(cards))
    conceal(states, row, rules[0], s.seat, scratch.views, 0)
    return np.int64(decide(scratch.views[0], rules[0], scratch.notes[0]))


@jit.apart
def scripted_action(states, row, rules, scratch):
    """The scripted player's action for the seat on turn at ``states[row]``, from what that seat may know."""
    return scripted_inlined(states, row, rules, scratch)


@jit.apart
def advance(states, row, rules, action):
    """Step one table; returns whether the hand has ended."""
    event = step(states[row], rules[0], action)
    return event != NOTHING and event != EXCHANGED


@jit
def play_out(states, row, rules, scratch):
    """Play the unfinished hand at ``states[row]`` to its end, the scripted player at every seat."""
    while not advance(states, row, rules, scripted_action(states, row, rules, scratch)):
        pass
