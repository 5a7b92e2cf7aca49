"""The actions of the current hand, read back from the state of the table."""

from __future__ import annotations

from spades_env.cards import BID_0, BLIND_NIL, DONE, KEEP, LOOK, REJECT
from spades_env.engine.bidding import nth_bidder
from spades_env.engine.bits import bit, lowest
from spades_env.engine.draft import was_kept
from spades_env.engine.jit import jit
from spades_env.engine.state import BLIND_BID, EXCHANGE, UNASKED

LONGEST_HAND = 96  # actions: two players, draft, both blind with exchange=13 make 2 + 26 + 26 + 26


@jit
def cards_replaced(s, seat):
    """How many replacements a seat of a two-player game has received for the cards it gave up."""
    return 0 if s.phase == EXCHANGE and s.seat == seat else s.exchanged[seat]


@jit
def exchange_is_over(s, r, place):
    """Whether the seat at index ``place`` of the bidding order has bid blind nil and received its replacements."""
    seat = nth_bidder(s, r, place)
    if r.exchange == 0 or s.blind[seat] != BLIND_BID or (s.phase == EXCHANGE and s.seat == seat):
        return False
    if r.draft:  # the exchanges follow the draft, and `turn` counts them
        return s.phase > EXCHANGE or (s.phase == EXCHANGE and place < s.turn)
    return True


@jit
def put_blind(s, r, seat, actions, n):
    """Append a seat's answer to the blind nil question, if it has given one; returns the new length."""
    if r.blind_nil > 0 and s.blind[seat] != UNASKED:
        actions[n] = BLIND_NIL if s.blind[seat] == BLIND_BID else LOOK
        n += 1
    return n


@jit
def put_exchange(s, r, place, actions, n):
    """Append what the seat at index ``place`` of the bidding order did in its exchange; returns the new length."""
    seat = nth_bidder(s, r, place)
    rest = s.given[seat]
    while rest:
        actions[n] = lowest(rest)
        rest ^= bit(actions[n])
        n += 1
    if exchange_is_over(s, r, place) and s.exchanged[seat] < r.exchange:
        actions[n] = DONE
        n += 1
    return n


@jit
def history(states, rules, actions):
    """Write the actions that lead from the deal to the state of a table; cards given up are in ascending order.

    Args:
        states: array of one STATE, with all its cards.
        rules: array of one RULES.
        actions: int8 of shape (LONGEST_HAND,).

    Returns:
        The number of actions, and whether an exchange is over.
    """
    s = states[0]
    r = rules[0]
    n = 0
    if r.draft:
        for k in range(s.draws + 1):
            if k < 2:
                n = put_blind(s, r, (s.opener + k) % 2, actions, n)
            if k < s.draws:
                actions[n] = KEEP if was_kept(s, k) else REJECT
                n += 1
    over = False
    if r.players == 2:
        for place in range(2):
            over |= exchange_is_over(s, r, place)
            if r.draft:
                n = put_exchange(s, r, place, actions, n)
    for place in range(r.players):
        seat = nth_bidder(s, r, place)
        if not r.draft:
            n = put_blind(s, r, seat, actions, n)
            if r.players == 2:
                n = put_exchange(s, r, place, actions, n)
        if s.blind[seat] != BLIND_BID and s.bids[seat] >= 0:
            actions[n] = BID_0 + s.bids[seat]
            n += 1
    for k in range(s.played):
        actions[n] = s.order[k]
        n += 1
    return n, over
