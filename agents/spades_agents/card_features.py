"""What a player works out from an observation before it thinks: which cards are masters, who still needs what.

Nothing here is more than the observation tells. A fully connected network could work it out as well, but learns it
slowly from single cards.
"""

from __future__ import annotations

from spades_agents.compiler import jit
from spades_env.cards import NUM_CARDS, SPADES
from spades_env.engine.bits import U64, bit, highest, lowest, popcount, suit_mask
from spades_env.engine.conceal import sees_hand
from spades_env.engine.play import led_suit, playable
from spades_env.engine.state import NO_BID, PLAY

__all__ = ["FEATURES", "SETS", "SUIT", "SUITS_AT", "TRICK_SUIT_AT", "write_features"]

# Six sets of cards, the lengths of suits, the trick, what seats and sides still need, scores.
SETS = 6
SUIT = 14 + 14 + 6 + 5
NEED, LEAST_NEED = 12, -3  # tricks that a seat needs for its bid
SIDE_NEED, LEAST_SIDE_NEED = 15, -4
SCORE, LEAST_SCORE, SCORE_STEP = 15, -200, 50
LEAD, LEAST_LEAD = 13, -300
SUITS_AT = SETS * NUM_CARDS
_TRICK = SUITS_AT + 4 * SUIT
TRICK_SUIT_AT = _TRICK + 8
_SEATS = _TRICK + 4 + 4 + 4 + 14
_SIDES = _SEATS + 4 * (NEED + 1)
_BIDS = _SIDES + 2 * SIDE_NEED
_SCORES = _BIDS + 18 + 5
FEATURES = _SCORES + 2 * SCORE + LEAD


@jit
def one_hot(out, start, width, value):
    """Set the bit for ``value``, cut off at both ends."""
    out[start + min(max(value, 0), width - 1)] = 1


@jit
def up_to(out, start, width, value):
    """Set the first ``value`` bits."""
    for k in range(min(value, width)):
        out[start + k] = 1


@jit
def put_cards(out, place, cards):
    """Set the bits of a set of cards."""
    rest = cards
    while rest:
        card = lowest(rest)
        rest &= rest - U64(1)
        out[NUM_CARDS * place + card] = 1


@jit
def winners(s, cards):
    """Those of ``cards`` that would take the current trick from the card that holds it; all on a lead."""
    if s.in_trick == 0:
        return cards
    best = s.best_card
    suit = best // 13
    higher = suit_mask(suit) & ~((bit(best) << U64(1)) - U64(1))
    found = cards & higher
    if suit != SPADES:
        found |= cards & suit_mask(SPADES)
    return found


@jit
def write_features(s, r, seat, out):
    """Write the features of ``seat`` to a row of :data:`FEATURES` int8."""
    for k in range(FEATURES):
        out[k] = 0
    players = r.players
    sides = r.sides
    hand = s.hands[seat] if sees_hand(s, seat) else U64(0)
    known = hand
    for k in range(players):
        known |= s.plays[k]
    if players == 2:
        known |= s.seen[seat] | s.given[seat]
    hidden = ((U64(1) << U64(52)) - U64(1)) & ~known
    if players == 3:
        hidden &= ~U64(1)  # the 2 of clubs is not in play
    legal = playable(s, r) if s.phase == PLAY and s.seat == seat else U64(0)
    taking = winners(s, legal)
    put_cards(out, 0, legal)
    put_cards(out, 1, taking)
    for suit in range(4):
        own = hand & suit_mask(suit)
        others = hidden & suit_mask(suit)
        top = bit(highest(others)) if others else U64(0)
        masters = own & ~(top | (top - U64(1))) if others else own
        put_cards(out, 2, masters)
        start = SUITS_AT + SUIT * suit
        one_hot(out, start, 14, popcount(own))
        one_hot(out, start + 14, 14, popcount(others))
        up_to(out, start + 28, 6, popcount(masters))
        if own:
            best = bit(highest(own))
            put_cards(out, 3, bit(lowest(own)))
            put_cards(out, 4, best)
            one_hot(out, start + 34, 5, popcount(others & ~(best - U64(1))))
        if taking & suit_mask(suit):
            put_cards(out, 5, bit(lowest(taking & suit_mask(suit))))
    one_hot(out, _TRICK, 4, s.in_trick)
    if s.in_trick > 0:
        out[_TRICK + 4 + (s.best_seat - seat + players) % players] = 1
        out[TRICK_SUIT_AT + led_suit(s)] = 1
    one_hot(out, _TRICK + 12, 14, popcount(hand))
    bids = 0
    made = 0
    need_own = 0
    need_others = 0
    for k in range(players):
        other = (seat + k) % players
        bid = s.bids[other]
        if bid == NO_BID:
            continue
        made += 1
        bids += bid
        start = _SEATS + (NEED + 1) * k
        one_hot(out, start, NEED, bid - s.tricks[other] - LEAST_NEED)
        out[start + NEED] = bid == 0
        if bid > 0:
            if other % sides == seat % sides:
                need_own += bid - s.tricks[other]
            else:
                need_others += bid - s.tricks[other]
    one_hot(out, _SIDES, SIDE_NEED, need_own - LEAST_SIDE_NEED)
    one_hot(out, _SIDES + SIDE_NEED, SIDE_NEED, need_others - LEAST_SIDE_NEED)
    one_hot(out, _BIDS, 18, bids)
    one_hot(out, _BIDS + 18, 5, made)
    side = seat % sides
    best_other = -(1 << 30)
    for k in range(sides):
        if k != side:
            best_other = max(best_other, s.scores[k])
    up_to(out, _SCORES, SCORE, (s.scores[side] - LEAST_SCORE) // SCORE_STEP)
    up_to(out, _SCORES + SCORE, SCORE, (best_other - LEAST_SCORE) // SCORE_STEP)
    up_to(out, _SCORES + 2 * SCORE, LEAD, (s.scores[side] - best_other - LEAST_LEAD) // SCORE_STEP)
