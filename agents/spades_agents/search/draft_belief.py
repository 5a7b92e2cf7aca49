"""The exact distribution of the other player's hand after a draft, if it keeps each card with a fixed probability.

In a draft every unknown place of the deck is of one of four kinds: a card that the other player drew and kept, one that
it was forced to take after a rejection, one that it rejected, or one that it never saw. If it keeps card c with
probability p(c) regardless of its other cards, the likelihood of an assignment of the unknown cards to these kinds is
the product of p(c) over the kept cards and of 1 - p(c) over the rejected ones. Sums over all assignments, and draws in
proportion to the likelihood, come from one array of partial sums over the cards. This is the generating function of
conditional Poisson sampling (Chen, Dempster and Liu 1994) in three variables.
"""

import math

import numpy as np

from spades_agents.compiler import jit
from spades_agents.heuristic.draft import CARD_GAIN
from spades_env.cards import ALL_CARDS
from spades_env.engine.bits import U64, bit, lowest, popcount
from spades_env.engine.conceal import sees_hand
from spades_env.engine.draft import was_kept
from spades_env.engine.lots import draw_card, draw_unit
from spades_env.engine.sample import led_from_only_spades, outside, settle_draft
from spades_env.engine.state import BLIND_BID, BROKEN_UNSEEN, UNKNOWN_CARD

# The probability that a card is kept: logistic in the tricks that it adds beyond those of an average card. The scripted
# player always keeps a spade, king or ace and nearly always a queen; the slope allows for players who do not.
MEAN_GAIN = -0.22
SLOPE = 10.0
LEAST = 0.02
KEEP_CHANCE = np.array([
    [
        min(max(1.0 / (1.0 + math.exp(-SLOPE * (CARD_GAIN[spade, rank] - MEAN_GAIN))), LEAST), 1.0 - LEAST)
        for rank in range(13)
    ]
    for spade in range(2)
])  # fmt: skip
# Partial sums for one card: (kept + 1) * (forced + 1) * (rejected + 1) of them, at most 5 * 10 * 10.
BLOCK = 512
# Partial sums, and what they depend on.
DRAFT = np.dtype(
    [
        ("sums", "f8", 53 * BLOCK),
        ("cards", "i8", 52),  # the unknown cards
        ("count", "i8"),  # number of unknown cards
        ("kept", "i8"),  # unknown places of kept cards
        ("rejected", "i8"),
        ("forced", "i8"),
        ("held", "u8"),  # cards that the other player must have taken
        ("not_held", "u8"),  # cards that it cannot have taken
        ("drawn", "u8", 4),  # by kind: the cards of a drawn assignment
    ],
    align=True,
)
TAKEN_KEPT, TAKEN_FORCED, REJECTED, UNSEEN = range(4)


@jit
def is_informative(s, r, observer):
    """Whether the draft gives information about the other hand that this model covers.

    It gives none before the observer looks at its cards, or after a blind nil, which changes the aim of the draft and
    adds an exchange.
    """
    if not r.draft or s.draws == 0 or not sees_hand(s, observer):
        return False
    return s.blind[0] != BLIND_BID and s.blind[1] != BLIND_BID


@jit
def kind_of(s, observer, place):
    """The kind of an unknown ``place`` of the deck."""
    k = place // 2
    if k >= s.draws or (s.opener + k) % 2 == observer:
        return UNSEEN
    if was_kept(s, k):
        return TAKEN_KEPT if place % 2 == 0 else UNSEEN
    return REJECTED if place % 2 == 0 else TAKEN_FORCED


@jit
def place_in(d, c, kept, rejected, forced):
    """The index of a partial sum."""
    return c * BLOCK + (kept * (d.rejected + 1) + rejected) * (d.forced + 1) + forced


@jit
def weight(d, c, kind, even):
    """The factor of card ``c`` in the likelihood at a place of the given kind; 0 if it cannot lie there."""
    card = d.cards[c]
    taken = kind in (TAKEN_KEPT, TAKEN_FORCED)
    if (d.not_held if taken else d.held) & bit(card):
        return 0.0
    if kind in (TAKEN_FORCED, UNSEEN):
        return 1.0
    chance = 0.5 if even else KEEP_CHANCE[1 if card >= 39 else 0, card % 13]
    return chance if kind == TAKEN_KEPT else 1.0 - chance


@jit.apart
def prepare(drafts, views, rules, observer, held, not_held, even):
    """Fill ``drafts[0]`` with the partial sums.

    Args:
        drafts: array of one DRAFT.
        views: array of one STATE, what ``observer`` may know.
        rules: the packed rules.
        observer: the seat.
        held: cards that the other player is known to have taken, besides those that it has played.
        not_held: cards that it is known not to have taken, besides those of the suits in which it is void.
        even: whether every card is kept with probability 1/2, which makes all assignments equally likely.

    Returns:
        The sum of the likelihoods of all assignments.
    """
    d = drafts[0]
    s = views[0]
    other = 1 - observer
    unknown = U64(ALL_CARDS)
    d.kept = 0
    d.rejected = 0
    d.forced = 0
    for place in range(52):
        if s.deck[place] != UNKNOWN_CARD:
            unknown &= ~bit(s.deck[place])
            continue
        kind = kind_of(s, observer, place)
        d.kept += 1 if kind == TAKEN_KEPT else 0
        d.forced += 1 if kind == TAKEN_FORCED else 0
        d.rejected += 1 if kind == REJECTED else 0
    d.held = held | s.plays[other]
    d.not_held = not_held | (~outside(s.voids[other]) & ~d.held)
    d.count = popcount(unknown)
    for c in range(d.count):
        d.cards[c] = lowest(unknown)
        unknown &= unknown - U64(1)
    n = d.count
    for kept in range(d.kept + 1):
        for rejected in range(d.rejected + 1):
            for forced in range(d.forced + 1):
                d.sums[place_in(d, n, kept, rejected, forced)] = 1.0 if kept + rejected + forced == 0 else 0.0
    for c in range(n - 1, -1, -1):
        keep = weight(d, c, TAKEN_KEPT, even)
        force = weight(d, c, TAKEN_FORCED, even)
        reject = weight(d, c, REJECTED, even)
        leave = weight(d, c, UNSEEN, even)
        for kept in range(d.kept + 1):
            for rejected in range(d.rejected + 1):
                for forced in range(d.forced + 1):
                    total = 0.0
                    if kept + rejected + forced < n - c:
                        total += leave * d.sums[place_in(d, c + 1, kept, rejected, forced)]
                    if kept:
                        total += keep * d.sums[place_in(d, c + 1, kept - 1, rejected, forced)]
                    if rejected:
                        total += reject * d.sums[place_in(d, c + 1, kept, rejected - 1, forced)]
                    if forced:
                        total += force * d.sums[place_in(d, c + 1, kept, rejected, forced - 1)]
                    d.sums[place_in(d, c, kept, rejected, forced)] = total
    return d.sums[place_in(d, 0, d.kept, d.rejected, d.forced)]


@jit
def draw_kinds(d, rng):
    """Draw an assignment of the cards to the four kinds, ``d.drawn``."""
    kept, rejected, forced = d.kept, d.rejected, d.forced
    d.drawn[:] = 0
    for c in range(d.count):
        rest = draw_unit(rng) * d.sums[place_in(d, c, kept, rejected, forced)]
        kind = UNSEEN
        if kept:
            rest -= weight(d, c, TAKEN_KEPT, False) * d.sums[place_in(d, c + 1, kept - 1, rejected, forced)]
            kind = TAKEN_KEPT if rest < 0.0 else UNSEEN
        if kind == UNSEEN and forced:
            rest -= weight(d, c, TAKEN_FORCED, False) * d.sums[place_in(d, c + 1, kept, rejected, forced - 1)]
            kind = TAKEN_FORCED if rest < 0.0 else UNSEEN
        if kind == UNSEEN and rejected:
            rest -= weight(d, c, REJECTED, False) * d.sums[place_in(d, c + 1, kept, rejected - 1, forced)]
            kind = REJECTED if rest < 0.0 else UNSEEN
        kept -= kind == TAKEN_KEPT
        forced -= kind == TAKEN_FORCED
        rejected -= kind == REJECTED
        d.drawn[kind] |= bit(d.cards[c])


@jit.apart
def redraw_draft(drafts, views, rules, observer, rng, worlds, row):
    """Redraw the cards that the other player took and rejected at ``worlds[row]``, a world of ``views[0]``."""
    d = drafts[0]
    v = views[0]
    s = worlds[row]
    other = 1 - observer
    draw_kinds(d, rng)
    for place in range(52):
        if v.deck[place] == UNKNOWN_CARD:
            kind = kind_of(v, observer, place)
            s.deck[place] = draw_card(rng, d.drawn[kind])
            d.drawn[kind] ^= bit(s.deck[place])
    hand = U64(0)
    for k in range(s.draws):
        if (s.opener + k) % 2 == other:
            hand |= bit(s.deck[2 * k + 1 - was_kept(s, k)])
    s.hands[other] = hand & ~s.plays[other]
    settle_draft(s, rules[0])
    s.broken = v.broken
    if not rules[0].spades_must_break and not s.broken and led_from_only_spades(s, rules[0]):
        s.broken = BROKEN_UNSEEN
