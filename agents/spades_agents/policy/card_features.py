"""Card features: what a player infers from an observation at a glance, such as master cards and tricks needed.

They are functions of the observation. A fully connected network could compute them itself, but learns to do so slowly
from single cards.
"""

from __future__ import annotations

from dataclasses import dataclass

from spades_agents.compiler import jit
from spades_env.cards import SPADES
from spades_env.engine.bits import U64, bit, highest, lowest, popcount, suit_mask
from spades_env.engine.conceal import sees_hand
from spades_env.engine.play import led_suit, playable
from spades_env.engine.state import NO_BID, PLAY
from spades_env.observation import Field, laid_out


@dataclass(frozen=True)
class Feature(Field):
    """A named part of the features: like a field of the observation, but with an offset and a step for numbers.

    Attributes:
        first: the value of the first bit with the code ``"one-hot"``; the value without a bit with ``"count"``.
        step: the increase from one bit to the next.
    """

    first: int = 0
    step: int = 1


LAYOUT: tuple[Feature, ...] = tuple(
    laid_out(
        (Feature("legal", 1, 52, "set", "legal cards; none before the play and out of turn"),),
        (Feature("taking", 1, 52, "set", "legal cards that would take the trick from its best card; all on a lead"),),
        (Feature("masters", 1, 52, "set", "own cards above all hidden cards of their suit"),),
        (Feature("lowest", 1, 52, "set", "the lowest own card of each suit"),),
        (Feature("highest", 1, 52, "set", "the highest own card of each suit"),),
        (Feature("cheapest", 1, 52, "set", "the lowest card of each suit that would take the trick"),),
        (  # a block for each suit
            Feature("own", 4, 14, "one-hot", "own cards of the suit"),
            Feature("hidden", 4, 14, "one-hot", "cards of the suit that the seat has not seen"),
            Feature("mastered", 4, 6, "count", "masters in the suit"),
            Feature("above", 4, 5, "one-hot", "hidden cards above the highest own card; none without own cards"),
        ),
        (Feature("in_trick", 1, 4, "one-hot", "cards in the current trick"),),
        (Feature("holder", 1, 4, "one-hot", "seat that is winning the trick; none on a lead"),),
        (Feature("led", 1, 4, "one-hot", "suit led; none on a lead"),),
        (Feature("cards", 1, 14, "one-hot", "own cards"),),
        (  # a block for each seat
            Feature("need", 4, 12, "one-hot", "tricks that the seat needs for its bid; none before the bid", first=-3),
            Feature("nil", 4, 1, "flag", "the seat bid nil"),
        ),
        (Feature("side_need", 2, 15, "one-hot", "sum of these without nil bids: own side, all others", first=-4),),
        (Feature("bids", 1, 18, "one-hot", "sum of the bids made"),),
        (Feature("bids_made", 1, 5, "one-hot", "number of bids made"),),
        (Feature("score", 2, 15, "count", "points: own side, best other side", first=-200, step=50),),
        (Feature("lead", 1, 13, "count", "points of the own side minus the best other side's", first=-300, step=50),),
    )
)
FIELDS: dict[str, Feature] = {field.name: field for field in LAYOUT}
FEATURES = max(part.stop for field in LAYOUT for part in field.slices)


def _place(name: str) -> tuple[int, int, int, int, int]:
    """A field as a tuple for the kernels: start, width, stride, first, step."""
    field = FIELDS[name]
    return field.start, field.width, field.stride, field.first, field.step


LEGAL, TAKING, MASTERS = _place("legal"), _place("taking"), _place("masters")
LOWEST, HIGHEST, CHEAPEST = _place("lowest"), _place("highest"), _place("cheapest")
OWN, HIDDEN, MASTERED, ABOVE = _place("own"), _place("hidden"), _place("mastered"), _place("above")
IN_TRICK, HOLDER, LED, CARDS = _place("in_trick"), _place("holder"), _place("led"), _place("cards")
NEED, NIL, SIDE_NEED = _place("need"), _place("nil"), _place("side_need")
BIDS, BIDS_MADE, SCORE, LEAD = _place("bids"), _place("bids_made"), _place("score"), _place("lead")


@jit
def one_hot(out, place, row, value):
    """Set the bit for ``value``, clipped at both ends, in slice ``row`` of a field."""
    start, width, stride, first, _ = place
    out[start + stride * row + min(max(value - first, 0), width - 1)] = 1


@jit
def count(out, place, row, value):
    """Set the bits for ``value`` in slice ``row`` of a field, counted from the left."""
    start, width, stride, first, step = place
    for k in range(min((value - first) // step, width)):
        out[start + stride * row + k] = 1


@jit
def put_cards(out, place, cards):
    """Set the bits of the cards in a set."""
    rest = cards
    while rest:
        card = lowest(rest)
        rest &= rest - U64(1)
        out[place[0] + card] = 1


@jit
def winners(s, cards):
    """The cards in ``cards`` that would take the current trick from its best card; all on a lead."""
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
    """Write the features of ``seat`` to ``out``, int8[FEATURES]."""
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
    hidden = r.deck & ~known
    legal = playable(s, r) if s.phase == PLAY and s.seat == seat else U64(0)
    taking = winners(s, legal)
    put_cards(out, LEGAL, legal)
    put_cards(out, TAKING, taking)
    for suit in range(4):
        own = hand & suit_mask(suit)
        others = hidden & suit_mask(suit)
        top = bit(highest(others)) if others else U64(0)
        masters = own & ~(top | (top - U64(1))) if others else own
        put_cards(out, MASTERS, masters)
        one_hot(out, OWN, suit, popcount(own))
        one_hot(out, HIDDEN, suit, popcount(others))
        count(out, MASTERED, suit, popcount(masters))
        if own:
            best = bit(highest(own))
            put_cards(out, LOWEST, bit(lowest(own)))
            put_cards(out, HIGHEST, best)
            one_hot(out, ABOVE, suit, popcount(others & ~(best - U64(1))))
        if taking & suit_mask(suit):
            put_cards(out, CHEAPEST, bit(lowest(taking & suit_mask(suit))))
    one_hot(out, IN_TRICK, 0, s.in_trick)
    if s.in_trick > 0:
        one_hot(out, HOLDER, 0, (s.best_seat - seat + players) % players)
        one_hot(out, LED, 0, led_suit(s))
    one_hot(out, CARDS, 0, popcount(hand))
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
        one_hot(out, NEED, k, bid - s.tricks[other])
        if bid == 0:
            one_hot(out, NIL, k, 0)
        elif other % sides == seat % sides:
            need_own += bid - s.tricks[other]
        else:
            need_others += bid - s.tricks[other]
    one_hot(out, SIDE_NEED, 0, need_own)
    one_hot(out, SIDE_NEED, 1, need_others)
    one_hot(out, BIDS, 0, bids)
    one_hot(out, BIDS_MADE, 0, made)
    side = seat % sides
    best_other = -(1 << 30)
    for k in range(sides):
        if k != side:
            best_other = max(best_other, s.scores[k])
    count(out, SCORE, 0, s.scores[side])
    count(out, SCORE, 1, best_other)
    count(out, LEAD, 0, s.scores[side] - best_other)
