"""What one seat may know of a table: its state with everything else blanked out."""

from __future__ import annotations

from spades_env.engine.bits import U64, bit, blank, ones
from spades_env.engine.jit import jit
from spades_env.engine.state import BROKEN, DRAFT, HIDDEN, PUBLIC, UNASKED

_PAST_THE_DECK = U64(0xFFF << 52)


@jit
def sees_hand(s, seat):
    """Whether a seat may look at its own cards, which it may not before it has answered the blind nil question."""
    return s.blind[seat] != UNASKED


@jit
def sees_drawn(s, seat):
    """Whether ``seat`` has drawn a card, which only it may see."""
    return s.phase == DRAFT and s.seat == seat


@jit
def conceal(states, row, r, seat, outs, out_row):
    """Write what ``seat`` may know of ``states[row]`` to ``outs[out_row]``.

    Other hands, unseen discards, the stock, what others gave up or received, and the random stream are
    blank: cards of the deck are UNKNOWN_CARD, sets are empty. Nothing computed from the copy can leak them.
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
    blank(out.deck, _PAST_THE_DECK | (seen_in_draft(s, r, seat) if r.draft else U64(0)))


@jit
def every_fourth(word):
    """Move bits 0 to 12 of a word to bits 0, 4, 8, ... (Warren, Hacker's Delight, 7-2)."""
    word = (word | word << U64(24)) & U64(0x000000FF000000FF)
    word = (word | word << U64(12)) & U64(0x000F000F000F000F)
    word = (word | word << U64(6)) & U64(0x0303030303030303)
    return (word | word << U64(3)) & U64(0x1111111111111111)


@jit
def seen_in_draft(s, r, seat):
    """The positions in the deck that ``seat`` has seen in the draft, as bits.

    Draw k takes positions 2k and 2k + 1, and the opener decides draws 0, 2, 4, ... So the first cards of the opener's
    draws are at positions 0, 4, 8, ..., the second ones at 1, 5, 9, ..., and those of the other seat two places later.
    """
    own = 0 if seat == s.opener else 1
    decided = ones((s.draws + 1 - own) >> 1, 13)
    kept = U64(s.kept >> 13 * own & 0x1FFF)
    after_kept = kept if r.rejected != HIDDEN else U64(0)
    places = every_fourth(decided) << U64(2 * own)
    places |= every_fourth((decided & ~kept) | after_kept) << U64(2 * own + 1)
    if r.rejected == PUBLIC:
        decided = ones((s.draws + own) >> 1, 13)
        kept = U64(s.kept >> 13 * (1 - own) & 0x1FFF)
        places |= every_fourth(decided & ~kept) << U64(2 * (1 - own))
        places |= every_fourth(kept) << U64(2 * (1 - own) + 1)
    if sees_drawn(s, seat):
        places |= bit(2 * s.draws)
    return places
