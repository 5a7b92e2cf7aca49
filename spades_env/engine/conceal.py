"""What one seat may know of a table: the record with everything else blanked out."""

from __future__ import annotations

from spades_env.engine.draft import was_kept
from spades_env.engine.jit import jit
from spades_env.engine.state import BROKEN, DRAFT, HIDDEN, PUBLIC, UNASKED, UNKNOWN_CARD


@jit
def sees_hand(s, seat):
    """Whether a seat may look at its own cards: not before it has answered the blind question."""
    return s.blind[seat] != UNASKED


@jit
def sees_drawn(s, seat):
    """Whether there is a drawn card that only ``seat`` may look at now."""
    return s.phase == DRAFT and s.seat == seat


@jit
def conceal(states, row, r, seat, outs, out_row):
    """Write to ``outs[out_row]`` the record ``states[row]`` as ``seat`` may know it.

    Other hands, unseen discards, the stock, what others gave up or received and the random stream are
    blank: cards of the deck are UNKNOWN_CARD, sets are empty. Anything computed from the copy cannot leak.
    """
    outs[out_row] = states[row]
    s = states[row]
    out = outs[out_row]
    out.key = 0
    out.match = 0
    out.rng[0] = 0
    out.pile = 0
    out.broken &= BROKEN
    for other in range(4):
        if other != seat or not sees_hand(s, seat):
            out.hands[other] = 0
    for other in range(2):
        if other != seat:
            out.seen[other] = 0
            out.given[other] = 0
            out.received[other] = 0
    for k in range(52):
        out.deck[k] = UNKNOWN_CARD
    if r.draft:
        conceal_draft(s, r, seat, out)


@jit
def conceal_draft(s, r, seat, out):
    """Show the cards of the draft that ``seat`` has seen, at their places in the deck."""
    public = r.rejected == PUBLIC
    for k in range(s.draws):
        drawer = (s.opener + k) % 2
        kept = was_kept(s, k)
        # place of the card that went to the hand, then of the one that went to the pile
        taken = 2 * k + 1 - kept
        discarded = 2 * k + kept
        if drawer == seat:
            out.deck[taken] = s.deck[taken]
        if public or (drawer == seat and (not kept or r.rejected != HIDDEN)):
            out.deck[discarded] = s.deck[discarded]
    if sees_drawn(s, seat):
        out.deck[2 * s.draws] = s.deck[2 * s.draws]
