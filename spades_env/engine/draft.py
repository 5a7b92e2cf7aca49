"""The draft of the two-player game: draw a card, and keep it or take the next one."""

from __future__ import annotations

from spades_env.cards import KEEP
from spades_env.engine.bits import U64, bit
from spades_env.engine.exchange import next_exchange
from spades_env.engine.jit import jit
from spades_env.engine.state import BLIND, DRAFT, HIDDEN, PUBLIC, UNASKED


@jit
def next_draw(s):
    """Let the seat on turn draw, or answer the blind nil question first if it has not been asked."""
    s.phase = BLIND if s.blind[s.seat] == UNASKED else DRAFT


@jit
def kept_bit(draw):
    """The bit of ``kept`` for a draw: first the opener's thirteen, draws 0, 2, 4, ..., then the other seat's."""
    return 13 * (draw & 1) + (draw >> 1)


@jit
def was_kept(s, draw):
    """1 if that draw was kept, else 0."""
    return (s.kept >> kept_bit(draw)) & 1


@jit
def draft(s, r, action):
    """KEEP or REJECT the drawn card; the other of the two cards goes to the discard pile."""
    seat = s.seat
    drawn = bit(s.deck[2 * s.draws])
    following = bit(s.deck[2 * s.draws + 1])
    if action == KEEP:
        s.hands[seat] |= drawn
        s.pile |= following
        s.kept |= 1 << kept_bit(s.draws)
        seen_by_drawer = following if r.rejected != HIDDEN else U64(0)
        seen_by_other = following if r.rejected == PUBLIC else U64(0)
    else:
        s.hands[seat] |= following
        s.pile |= drawn
        seen_by_drawer = drawn
        seen_by_other = drawn if r.rejected == PUBLIC else U64(0)
    s.seen[seat] |= seen_by_drawer
    s.seen[1 - seat] |= seen_by_other
    s.draws += 1
    if s.draws == 2 * r.hand_size:
        next_exchange(s, r)
    else:
        s.seat = 1 - seat
        next_draw(s)
