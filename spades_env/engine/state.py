"""The packed state of a table and its packed rules: everything that kernels read and write.

A table is one :data:`STATE`, a few hundred bytes without pointers: copying a game is copying bytes, saving it is
saving bytes, and N games are one array. Sets of cards are uint64 masks; all other numbers are signed, since numba
converts uint64 mixed with int64 to float.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from spades_env.cards import mask_of
from spades_env.rules import Rules


class Phase(IntEnum):
    """What the seat on turn decides now."""

    BLIND = 0
    DRAFT = 1
    EXCHANGE = 2
    BID = 3
    PLAY = 4
    OVER = 5


# Plain ints, which numba compiles to constants.
BLIND, DRAFT, EXCHANGE, BID, PLAY, OVER = map(int, Phase)
NO_BID = -1
UNASKED, LOOKED, BLIND_BID = range(3)
HIDDEN, DRAWER, PUBLIC = range(3)
IGNORE, ONE_BAG, ALL_BAGS, CONTRACT = range(4)
UNKNOWN_CARD = -1
BROKEN, BROKEN_UNSEEN = 1, 2  # bit 0: everybody has seen it

# The fields that every step of the play touches come first, to share as few cache lines as possible.
STATE = np.dtype(
    [
        ("hands", "u8", 4),  # cards held, by seat
        ("plays", "u8", 4),  # cards played in this hand, by seat
        ("phase", "i1"),
        ("seat", "i1"),  # whose turn it is
        ("opener", "i1"),
        ("leader", "i1"),  # seat that led, or leads, the current trick
        ("in_trick", "i1"),  # cards in the current trick
        ("played", "i1"),  # cards played in this hand
        ("best_seat", "i1"),  # seat that is winning the current trick
        ("best_card", "i1"),
        ("broken", "i1"),  # spades are broken: 0, BROKEN or BROKEN_UNSEEN
        ("draws", "i1"),  # draft: draws decided
        ("turn", "i1"),  # index in the bidding (or exchange) order
        ("winner", "i1"),  # side that won the match, -1 before
        ("bids", "i1", 4),  # NO_BID until the seat has bid
        ("blind", "i1", 4),  # UNASKED, LOOKED or BLIND_BID
        ("tricks", "i1", 4),  # tricks won in this hand, by seat
        ("voids", "i1", 4),  # by seat; bit s: it has shown a void in suit s
        ("order", "i1", 56),  # cards played in this hand, in order, then UNKNOWN_CARD; four more than needed
        ("kept", "i4"),  # draft: draws that were kept, see draft.was_kept
        ("ledger", "u8", 4),  # scores and bags as observations show them, by side; scoring.set_score sets all three
        ("scores", "i4", 4),  # by side
        ("bags", "i4", 4),  # by side
        ("exchanged", "i1", 2),  # number of cards given up, by seat
        ("spare", "i1", 6),  # always 0: numpy leaves padding undefined, and equal views would differ
        ("seen", "u8", 2),  # draft: discards seen, by seat
        ("given", "u8", 2),  # exchange: cards given up, by seat
        ("received", "u8", 2),  # exchange: cards received, by seat
        ("pile", "u8"),  # cards in the discard pile
        ("rng", "u8", 1),  # state of the hand's random stream
        ("key", "u8"),  # of the table's random stream; a deck depends only on (key, match, hand number)
        ("match", "i4"),  # matches finished at this table
        ("hand_number", "i4"),  # hands finished in this match
        ("deck", "i1", 52),  # in draw order (draft) or deal order; bits.blank needs 12 bytes after it
        ("points", "i4", 4),  # score change of the last finished hand, by side
        ("last_bids", "i1", 4),  # these three: of the last finished hand
        ("last_blind", "i1", 4),
        ("last_tricks", "i1", 4),
    ],
    align=True,
)

_BLOCK = np.dtype((np.void, STATE.itemsize))


def copy_state(states: np.ndarray) -> np.ndarray:
    """A copy of an array of :data:`STATE`, as blocks of bytes: numpy copies field by field, 20 times slower."""
    return np.ndarray(states.shape, STATE, states.view(_BLOCK).copy())


RULES = np.dtype(
    [
        ("deck", "u8"),  # the cards in play
        ("target", "i4"),
        ("loss", "i4"),
        ("nil", "i4"),
        ("blind_nil", "i4"),
        ("bag_limit", "i4"),
        ("bag_penalty", "i4"),
        ("players", "i1"),
        ("sides", "i1"),
        ("hand_size", "i1"),
        ("deck_size", "i1"),
        ("draft", "i1"),
        ("rejected", "i1"),
        ("bids_first", "i1"),
        ("leads_first", "i1"),
        ("spades_must_break", "i1"),
        ("exchange", "i1"),
        ("failed_nil", "i1"),
    ],
    align=True,
)
NO_LOSS = np.iinfo(np.int32).min


def rules_array(rules: Rules) -> np.ndarray:
    """``rules`` as an array of one :data:`RULES`, for the kernels."""
    packed = np.zeros(1, RULES)
    for name in ("target", "nil", "blind_nil", "bag_limit", "bag_penalty", "players", "sides", "hand_size"):
        packed[name] = getattr(rules, name)
    for name in ("draft", "bids_first", "leads_first", "spades_must_break", "exchange"):
        packed[name] = getattr(rules, name)
    packed["loss"] = NO_LOSS if rules.loss is None else rules.loss
    packed["deck"] = mask_of(rules.deck)
    packed["deck_size"] = len(rules.deck)
    packed["rejected"] = ("hidden", "drawer", "public").index(rules.rejected)
    packed["failed_nil"] = ("ignore", "one_bag", "bags", "contract").index(rules.failed_nil)
    return packed
