"""The encoder: writes what a seat may know as the zeros and ones of ``spades_env.observation``."""

from __future__ import annotations

from spades_env.cards import NUM_ACTIONS
from spades_env.engine.bits import U64, bit, ones, spread, spread_nontemporal, stack_words
from spades_env.engine.conceal import sees_drawn, sees_hand
from spades_env.engine.jit import jit
from spades_env.engine.state import BROKEN, PLAY
from spades_env.engine.step import legal
from spades_env.observation import FIELDS, WORDS

# Plain ints, which numba compiles to constants.
_DRAWN, _GONE, _PLAYS, _TRICK, _BROKEN = (FIELDS[name].start for name in ("drawn", "gone", "plays", "trick", "broken"))
_PHASE, _LEADER, _OPENER, _TURN = (FIELDS[name].start for name in ("phase", "leader", "opener", "turn"))
_DRAWS, _SCORE = (FIELDS[name].start for name in ("draws", "score"))
_SEAT, _PILE, _SIDE = (FIELDS[name].stride for name in ("plays", "draws", "score"))


@jit
def put(words, start, width, value):
    """Write the low ``width`` bits of ``value`` (no others set) at bit ``start`` of the cleared ``words``."""
    word = start >> 6
    shift = start & 63
    words[word] |= value << U64(shift)
    if shift + width > 64:
        words[word + 1] |= value >> U64(64 - shift)


@jit
def bit_or_none(index):
    """A uint64 with only bit ``index`` set, or 0 if ``index`` is -1."""
    return bit(index + 1) >> U64(1)


@jit
def pack(s, r, seat, words):
    """Write the observation of ``seat`` as bits to ``words`` (WORDS uint64): only what ``conceal`` leaves visible."""
    for k in range(WORDS):
        words[k] = 0
    players = r.players
    if sees_hand(s, seat):
        words[0] = s.hands[seat]
    if r.draft:
        put_draft(s, r, seat, words)
    # Calls instead of loops over seats, sides and places: with constant positions a put takes two instructions.
    put_seat(s, players, seat, 0, words)
    put_seat(s, players, seat, 1, words)
    if players > 2:
        put_seat(s, players, seat, 2, words)
    if players > 3:
        put_seat(s, players, seat, 3, words)
    put_side(s, r.sides, seat, 0, words)
    put_side(s, r.sides, seat, 1, words)
    if r.sides > 2:
        put_side(s, r.sides, seat, 2, words)
    if r.sides > 3:
        put_side(s, r.sides, seat, 3, words)
    put_trick(s, 0, words)
    put_trick(s, 1, words)
    put_trick(s, 2, words)
    if players == 2:
        put(words, _GONE, 52, s.seen[seat] | s.given[seat])
        for relative in range(2):
            put(words, _DRAWS + _PILE * relative + 26, 4, U64(s.exchanged[seat ^ relative]))
    put(words, _BROKEN, 1, U64(s.broken & BROKEN))
    put(words, _BROKEN + 1, 1, U64(s.in_trick == 0 and s.phase == PLAY))
    put(words, _PHASE, 6, bit(s.phase))
    put(words, _LEADER, 4, bit(seat_from(s.leader, seat, players)))
    put(words, _OPENER, 4, bit(seat_from(s.opener, seat, players)))
    put(words, _TURN, 4, bit(seat_from(s.seat, seat, players)))


@jit
def seat_from(other, seat, players):
    """How many places clockwise from ``seat`` the seat ``other`` is."""
    places = other - seat
    return places if places >= 0 else places + players


@jit
def put_seat(s, players, seat, relative, words):
    """Write the block of the seat ``relative`` places clockwise from ``seat``."""
    other = seat + relative
    if other >= players:
        other -= players
    other = U64(other)  # unsigned, so that numba does not handle negative indices
    start = _PLAYS + _SEAT * relative
    put(words, start, 52, s.plays[other])
    shown = bit_or_none(s.bids[other])
    shown |= U64(s.blind[other]) << U64(18)  # UNASKED 0, LOOKED 1 and BLIND_BID 2 are the two bits of "answer"
    shown |= (bit(s.tricks[other]) - U64(1)) << U64(20)
    shown |= U64(s.voids[other]) << U64(37)
    put(words, start + 52, 41, shown)


@jit
def put_side(s, sides, seat, relative, words):
    """Write the block of the side ``relative`` places after that of ``seat``."""
    side = (seat & 1 if sides == 2 else seat) + relative
    if side >= sides:
        side -= sides
    put(words, _SCORE + _SIDE * relative, _SIDE, s.ledger[U64(side)])


@jit
def put_trick(s, place, words):
    """Write the card in one place of the current trick; an empty place holds UNKNOWN_CARD, -1."""
    put(words, _TRICK + 52 * place, 52, bit_or_none(s.order[U64(s.played - s.in_trick + place)]))


@jit
def put_draft(s, r, seat, words):
    """Write the slices that only a draft uses."""
    if sees_drawn(s, seat):
        put(words, _DRAWN, 52, bit(s.deck[2 * s.draws]))
    # The opener decides draws 0, 2, 4, ..., the other seat the rest.
    opens = seat != s.opener
    for relative in range(2):
        parity = opens ^ relative
        start = _DRAWS + _PILE * relative
        put(words, start, 13, ones((s.draws + 1 - parity) >> 1, 13))
        put(words, start + 13, 13, U64(s.kept >> 13 * parity & 0x1FFF))


_words = stack_words(WORDS)


@jit
def encode(s, r, seat, observation, nontemporal=False):
    """Write the observation of ``seat`` to a row of int8, optionally with non-temporal stores."""
    words = _words()
    pack(s, r, seat, words)
    if nontemporal:
        for k in range(WORDS):
            spread_nontemporal(observation, 64 * k, words[k])
    else:
        for k in range(WORDS):
            spread(observation, 64 * k, words[k])


@jit
def encode_mask(low, high, mask):
    """Write the two words that ``legal`` returns to a row of 75 int8."""
    spread(mask, 0, low)
    spread(mask, NUM_ACTIONS - 64, (low >> U64(NUM_ACTIONS - 64)) | (high << U64(128 - NUM_ACTIONS)))


@jit
def encode_for(s, r, seat, observation, mask, nontemporal=False):
    """Write the observation and the action mask of ``seat``; the mask is all 0 unless the seat is on turn."""
    encode(s, r, seat, observation, nontemporal)
    if seat == s.seat:
        low, high = legal(s, r)
        encode_mask(low, high, mask)
    else:
        encode_mask(U64(0), U64(0), mask)
