"""Determinization: a world consistent with everything that one seat knows, drawn uniformly.

A world is a full order of the deck, with the cards that the other seat gave up and received in an exchange. It is
consistent with a view if every card seen is where it was seen and every past play was legal, which is the case if and
only if no hidden hand holds a suit of its ``voids``. All consistent worlds are equally likely, up to rounding to 53
bits. Where voids or an exchange constrain the hidden cards, counting decides how many cards of each kind go where;
then the cards are drawn, then their order. There is no rejection and no allocation.
"""

from __future__ import annotations

import numpy as np

from spades_env.cards import ALL_CARDS, SPADES, SPADES_MASK
from spades_env.engine.bits import U64, bit, popcount, random_word, stream_key, suit_mask
from spades_env.engine.conceal import sees_hand
from spades_env.engine.deal import stream_after
from spades_env.engine.draft import was_kept
from spades_env.engine.history import cards_replaced
from spades_env.engine.jit import jit
from spades_env.engine.lots import BINOMIAL, draw_card, draw_set, draw_unit, split_hands
from spades_env.engine.state import BROKEN_UNSEEN, HIDDEN, OVER, PUBLIC, UNKNOWN_CARD
from spades_env.engine.undealt import sample_undealt

_ALL = U64(ALL_CARDS)
_SPADES = U64(SPADES_MASK)
_NONE = U64(0)


@jit
def outside(voids):
    """The set of cards that a hand with these voids may hold."""
    cards = _NONE
    for suit in range(4):
        if not (voids >> suit) & 1:
            cards |= suit_mask(suit)
    return cards


@jit
def sample_world(views, row, r, observer, rng, outs, out_row):
    """Write a random world consistent with ``views[row]`` to ``outs[out_row]``.

    Args:
        views: array of STATE, as ``conceal`` writes them.
        row: index of the view.
        r: the RULES.
        observer: the seat whose view it is.
        rng: uint64 of shape (1,), the random stream.
        outs: array of STATE.
        out_row: index to write to.

    Returns:
        The seed of the world's own random stream: later hands are those of ``Game(seed=seed)``.
    """
    outs[out_row] = views[row]
    s = outs[out_row]
    seed = random_word(rng) >> U64(16)
    s.key = stream_key(seed, 0)
    s.match = 0
    replaced = cards_replaced(s, 0) + cards_replaced(s, 1) if r.players == 2 else 0
    finished = 1 if s.phase == OVER else 0  # the last hand of a match is already counted
    s.rng[0] = stream_after(s, r, s.hand_number - finished, replaced)
    if not sees_hand(s, observer) or (r.draft and s.draws < 2 * r.hand_size):
        place_anywhere(s, r, rng)
        if r.players == 2 and not r.draft:
            sample_blind_exchange(s, 1 - observer, rng)
    elif r.players == 2:
        sample_opponent(s, r, 1 - observer, rng)
        place_cards(s, r, rng)
    else:
        sample_hands(s, r, observer, rng)
        place_cards(s, r, rng)
    if r.draft:
        settle_draft(s, r)
    if not r.spades_must_break and not s.broken and led_from_only_spades(s, r):
        s.broken = BROKEN_UNSEEN
    return seed


@jit
def first_hand(s, seat):
    """The set of cards that a seat held before any exchange and any trick."""
    cards = s.hands[seat] | s.plays[seat]
    if seat < 2:
        cards = (cards | s.given[seat]) & ~s.received[seat]
    return cards


@jit
def place_anywhere(s, r, rng):
    """Nothing constrains the hidden cards: put them in the unknown places of the deck, and deal the hands from it."""
    rest = r.deck
    for k in range(r.deck_size):
        if s.deck[k] != UNKNOWN_CARD:
            rest ^= bit(s.deck[k])
    for k in range(r.deck_size):
        if s.deck[k] == UNKNOWN_CARD:
            s.deck[k] = draw_card(rng, rest)
            rest ^= bit(s.deck[k])
    for seat in range(r.players):
        s.hands[seat] = 0
    if r.draft:
        for k in range(s.draws):
            s.hands[(s.opener + k) % 2] |= bit(s.deck[2 * k + 1 - was_kept(s, k)])
        return
    dealt = r.players * r.hand_size
    for k in range(dealt):
        s.hands[(s.opener + k) % r.players] |= bit(s.deck[k])
    s.pile = 0
    for k in range(dealt, r.deck_size):
        s.pile |= bit(s.deck[k])
    for k in range(r.deck_size, 52):
        s.deck[k] = 0


@jit
def sample_blind_exchange(s, other, rng):
    """Sample the other seat's exchange for an observer that has not seen a card: it may have exchanged any cards."""
    given = draw_set(rng, s.hands[other], s.exchanged[other])
    received = draw_set(rng, s.pile, cards_replaced(s, other))
    s.given[other] = given
    s.received[other] = received
    s.hands[other] = (s.hands[other] ^ given) | received
    s.pile ^= received


@jit
def sample_opponent(s, r, other, rng):
    """Two players, draft or deal over: sample the other hand, and what it gave up and received in an exchange.

    The other seat's first hand was of the ``hidden`` cards, those that the observer has not seen elsewhere. It kept
    some and gave up the others, which may be of any suit. It received cards from the discards that the observer
    saw (``seen``) or from the hidden cards. The cards kept and received include all that it played, and none
    of its void suits. Every (kept, given, received) has the same number of deck orders.
    """
    observer = 1 - other
    own = first_hand(s, observer)
    elsewhere = own | s.received[observer]
    seen = s.seen[observer] & ~elsewhere
    hidden = r.deck & ~(elsewhere | seen)
    plays = s.plays[other]
    allowed = outside(s.voids[other]) & ~plays
    given_count = np.int64(s.exchanged[other])
    received_count = np.int64(cards_replaced(s, other))
    played_hidden = plays & hidden
    from_seen = plays & seen  # played, hence received
    free_seen = seen & allowed
    free = hidden & allowed
    to_receive = received_count - popcount(from_seen)
    to_keep = r.hand_size - given_count
    spare = popcount(hidden) - popcount(played_hidden)

    replayed, from_free_seen = 0, 0
    if received_count > 0:
        counts = (popcount(played_hidden), popcount(free_seen), popcount(free))
        total, _, _ = split_exchange(counts, spare, to_keep, to_receive, given_count, np.inf)
        _, replayed, from_free_seen = split_exchange(
            counts, spare, to_keep, to_receive, given_count, total * draw_unit(rng)
        )
    received_played = draw_set(rng, played_hidden, replayed)
    received = from_seen | received_played | draw_set(rng, free_seen, from_free_seen)
    kept = played_hidden ^ received_played
    kept |= draw_set(rng, free, to_keep - popcount(kept))
    received |= draw_set(rng, free & ~kept, received_count - popcount(received))
    given = draw_set(rng, hidden & ~(plays | kept | received), given_count)
    s.hands[other] = (kept | received) & ~plays
    s.given[other] = given
    s.received[other] = received


@jit
def split_exchange(counts, spare, to_keep, to_receive, given_count, threshold):
    """Count the exchanges that are consistent with what the other seat has played, split by split.

    Args:
        counts: numbers of hidden cards it has played, and of seen and of hidden cards it may still hold.
        spare: number of hidden cards it has not played.
        to_keep: number of cards of its first hand that it kept.
        to_receive: number of cards it received, without the seen ones that it has played.
        given_count: number of cards it gave up.
        threshold: stop at the split with which the running count exceeds this.

    Returns:
        (count so far, played hidden cards among those received, unplayed seen cards among those received)
    """
    played, free_seen, free = counts
    ways = 0.0
    last_replayed, last_seen = 0, 0
    for replayed in range(min(played, to_receive) + 1):
        keep_free = to_keep - (played - replayed)
        if keep_free < 0 or keep_free > free:
            continue
        for from_seen in range(min(free_seen, to_receive - replayed) + 1):
            receive_free = to_receive - replayed - from_seen
            if receive_free > free - keep_free:
                continue
            rest = spare - keep_free - receive_free
            here = BINOMIAL[played, replayed] * BINOMIAL[free_seen, from_seen] * BINOMIAL[free, keep_free]
            here *= BINOMIAL[free - keep_free, receive_free] * BINOMIAL[rest, given_count]
            if here == 0.0:
                continue
            ways += here
            last_replayed, last_seen = replayed, from_seen
            if ways > threshold:
                return ways, last_replayed, last_seen
    return ways, last_replayed, last_seen


@jit
def sample_hands(s, r, observer, rng):
    """Three or four players: sample the hidden hands, grouping cards by the seats that may hold them."""
    players = r.players
    a, b, c = (observer + 1) % players, (observer + 2) % players, (observer + 3) % players
    hidden = r.deck & ~s.hands[observer]
    for seat in range(players):
        hidden &= ~s.plays[seat]
    for_a = hidden & outside(s.voids[a])
    for_b = hidden & outside(s.voids[b])
    for_c = hidden & outside(s.voids[c])
    size_a = r.hand_size - popcount(s.plays[a])
    size_b = r.hand_size - popcount(s.plays[b])
    size_c = r.hand_size - popcount(s.plays[c])
    if players == 3:  # c is the observer
        for_c = _NONE
        size_c = 0
    undealt = r.deck_size - players * r.hand_size
    if undealt > 0:
        dealt = ~sample_undealt(hidden, (for_a, for_b, for_c), (size_a, size_b, size_c), undealt, rng)
        for_a &= dealt
        for_b &= dealt
        for_c &= dealt
    hand_a = for_a & ~(for_b | for_c)
    hand_b = for_b & ~(for_a | for_c)
    hand_c = for_c & ~(for_a | for_b)
    ab = for_a & for_b & ~for_c
    ac = for_a & for_c & ~for_b
    bc = for_b & for_c & ~for_a
    anyone = for_a & for_b & for_c
    sizes = (size_a - popcount(hand_a), size_b - popcount(hand_b), size_c - popcount(hand_c))
    counts = (popcount(ab), popcount(ac), popcount(bc), popcount(anyone))
    ab_to_a, ac_to_a, bc_to_b = 0, 0, 0
    if ab | ac | bc:
        total, _, _, _ = split_hands(counts, sizes, np.inf)
        _, ab_to_a, ac_to_a, bc_to_b = split_hands(counts, sizes, total * draw_unit(rng))
    ab_a = draw_set(rng, ab, ab_to_a)
    ac_a = draw_set(rng, ac, ac_to_a)
    bc_b = draw_set(rng, bc, bc_to_b)
    hand_a |= ab_a | ac_a
    hand_b |= (ab ^ ab_a) | bc_b
    hand_c |= (ac ^ ac_a) | (bc ^ bc_b)
    any_a = draw_set(rng, anyone, size_a - popcount(hand_a))
    any_b = draw_set(rng, anyone ^ any_a, size_b - popcount(hand_b))
    s.hands[a] = hand_a | any_a
    s.hands[b] = hand_b | any_b
    if players == 4:
        s.hands[c] = hand_c | (anyone ^ any_a ^ any_b)


@jit
def place_cards(s, r, rng):
    """Fill the deck once all hands are known: shuffle each hand, and the rest, over its places."""
    rest = r.deck
    for seat in range(r.players):
        rest ^= first_hand(s, seat)
    if r.draft:
        place_draft(s, rest, rng)
        return
    dealt = r.players * r.hand_size
    for seat in range(r.players):
        cards = first_hand(s, seat)
        for k in range((seat - s.opener) % r.players, dealt, r.players):
            s.deck[k] = draw_card(rng, cards)
            cards ^= bit(s.deck[k])
    s.pile = rest
    if r.players == 2:
        s.pile &= ~(s.received[0] | s.received[1])
    for k in range(dealt, r.deck_size):
        s.deck[k] = draw_card(rng, rest)
        rest ^= bit(s.deck[k])
    for k in range(r.deck_size, 52):
        s.deck[k] = 0


@jit
def place_draft(s, discards, rng):
    """:func:`place_cards` after a draft, where the observer knows some of the places."""
    held = _ALL ^ discards
    for k in range(52):
        if s.deck[k] != UNKNOWN_CARD:
            held &= ~bit(s.deck[k])
            discards &= ~bit(s.deck[k])
    for k in range(26):
        discarded = 2 * k + was_kept(s, k)
        taken = 4 * k + 1 - discarded
        if s.deck[taken] == UNKNOWN_CARD:
            s.deck[taken] = draw_card(rng, held)
            held ^= bit(s.deck[taken])
        if s.deck[discarded] == UNKNOWN_CARD:
            s.deck[discarded] = draw_card(rng, discards)
            discards ^= bit(s.deck[discarded])


@jit
def settle_draft(s, r):
    """Set the discard pile and the discards that each seat has seen, from the order of the deck."""
    pile = _NONE
    for seat in range(2):
        s.seen[seat] = 0
    for k in range(s.draws):
        drawer = (s.opener + k) % 2
        kept = was_kept(s, k)
        card = bit(s.deck[2 * k + kept])
        pile |= card
        if not kept or r.rejected != HIDDEN:
            s.seen[drawer] |= card
        if r.rejected == PUBLIC:
            s.seen[1 - drawer] |= card
    s.pile = pile & ~(s.received[0] | s.received[1])


@jit
def led_from_only_spades(s, r):
    """Whether any trick was led with a spade from a hand of only spades."""
    earlier = _NONE
    for n in range(s.played):
        card = s.order[n]
        if n % r.players == 0 and card // 13 == SPADES:
            for seat in range(r.players):
                if s.plays[seat] & bit(card) and (s.hands[seat] | (s.plays[seat] & ~earlier)) & ~_SPADES == 0:
                    return True
        earlier |= bit(card)
    return False
