"""The start of a match and of a hand: the shuffle, the deal, the first seat to act."""

from __future__ import annotations

from spades_env.engine.bidding import next_bidder
from spades_env.engine.bits import GOLDEN, U64, bit, lowest, mix, random_word, scaled
from spades_env.engine.draft import next_draw
from spades_env.engine.jit import jit
from spades_env.engine.scoring import set_score
from spades_env.engine.state import LOOKED, NO_BID, UNASKED, UNKNOWN_CARD


@jit
def start_match(s, r, key, match, opener):
    """Set the scores to zero and the random stream to ``(key, match)``, and start the first hand."""
    s.key = key
    s.match = match
    s.hand_number = 0
    s.winner = -1
    for side in range(4):
        set_score(s, r, side, 0, 0)
        s.points[side] = 0
        s.last_bids[side] = NO_BID
        s.last_blind[side] = UNASKED
        s.last_tricks[side] = 0
    start_hand(s, r, opener)


@jit
def start_hand(s, r, opener):
    """Shuffle for the current hand number and deal."""
    shuffle(s, r)
    deal(s, r, opener)


@jit
def hand_stream(s, hand):
    """The initial state of a hand's random stream; ``hand`` is the number of hands finished before it."""
    return mix(mix(s.key + U64(s.match) * GOLDEN) + U64(hand) * GOLDEN)


@jit
def stream_after(s, r, hand, draws):
    """The state of the stream after the shuffle, which uses a word for every two cards, and ``draws`` more words."""
    return hand_stream(s, hand) + U64(r.deck_size // 2 + draws) * GOLDEN


@jit
def shuffle(s, r):
    """Shuffle the deck (Fisher-Yates). The order depends only on (key, match, hand number), not on earlier play:
    a match repeated with other players has the same decks.
    """
    s.rng[0] = hand_stream(s, s.hand_number)
    size = r.deck_size
    if size == 52:
        for i in range(52):
            s.deck[i] = i
    else:
        cards = r.deck
        for i in range(size):
            s.deck[i] = lowest(cards)
            cards &= cards - U64(1)
    i = size - 1
    while i > 0:
        word = random_word(s.rng)
        j = scaled(word, i + 1)
        s.deck[i], s.deck[j] = s.deck[j], s.deck[i]
        i -= 1
        if i > 0:  # the low half of the word is used for a second draw
            j = scaled(word << U64(32), i + 1)
            s.deck[i], s.deck[j] = s.deck[j], s.deck[i]
            i -= 1


@jit
def deal(s, r, opener):
    """Start a hand from the order in ``s.deck``: clear the last hand, and deal unless there is a draft."""
    s.opener = opener
    s.pile = 0
    s.kept = 0
    asked = UNASKED if r.blind_nil > 0 else LOOKED
    for seat in range(4):
        s.hands[seat] = 0
        s.plays[seat] = 0
        s.bids[seat] = NO_BID
        s.blind[seat] = asked
        s.tricks[seat] = 0
        s.voids[seat] = 0
    for seat in range(2):
        s.seen[seat] = 0
        s.given[seat] = 0
        s.received[seat] = 0
        s.exchanged[seat] = 0
    for k in range(56):
        s.order[k] = UNKNOWN_CARD
    s.leader = (opener + r.leads_first) % r.players
    s.best_seat = 0
    s.best_card = 0
    s.in_trick = 0
    s.played = 0
    s.draws = 0
    s.turn = 0
    s.broken = 0
    if r.draft:
        s.seat = opener
        next_draw(s)
    else:
        seat = opener
        dealt = r.players * r.hand_size
        for k in range(dealt):
            s.hands[seat] |= bit(s.deck[k])
            seat = seat + 1 if seat + 1 < r.players else 0
        for k in range(dealt, r.deck_size):
            s.pile |= bit(s.deck[k])
        next_bidder(s, r)
