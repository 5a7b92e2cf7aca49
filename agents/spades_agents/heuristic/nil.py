"""The cards of a hand in which a nil is alive: covered by its partner, attacked by its opponents."""

from spades_agents.compiler import jit
from spades_agents.heuristic.evaluate import nil_alive
from spades_agents.heuristic.notes import above, chance_of_none, expected_count
from spades_agents.heuristic.strength import NIL_LATER
from spades_agents.heuristic.trick import chance_of_none_above, chance_to_beat, suit_to_follow, takes_trick
from spades_agents.heuristic.worth import AT_MOST, foe
from spades_env.engine.bits import U64, bit, lowest, suit_mask

# A nil bidder yet to play may have to win with a card that is higher than the best so far by an unknown margin: the
# share of the chance to beat the latter by which its opponents have to beat that card, and its partner can. These and
# the constants below were tuned by matches between players that differ in one of them.
FOE_ABOVE = 0.2
PARTNER_ABOVE = 0.45
# The share of a partner's higher cards of a suit that are there when they are needed, and the share of the dangers that
# the opponents carry out.
COVERED = 0.7
CARRIED_OUT = 0.8


@jit
def living_nils(s, r):
    """The seats whose nils are alive, as a bit set."""
    seats = 0
    for seat in range(r.players):
        if nil_alive(s, seat):
            seats |= 1 << seat
    return seats


@jit
def nil_in_mind(s, r, nils):
    """The nil that a seat without one thinks of: the partner's, else the next on its left."""
    me = s.seat
    if r.sides < r.players and nils >> (me ^ 2) & 1:
        return me ^ 2
    seat = (me + 1) % r.players
    while nils >> seat & 1 == 0:
        seat = (seat + 1) % r.players
    return seat


@jit
def forced_to_beat(w, seat, led, best, clear):
    """The chance that ``seat``, who would rather not, has to take the trick from ``best``: it holds no lower card."""
    if best // 13 != led:
        return 0.0
    out = w.out & suit_mask(led)
    return chance_of_none(w, seat, led, out ^ above(out, best)) * (1.0 - clear)


@jit
def move_from_nils(r, w, nils, seat, holder, forced, able):
    """Reduce ``w.risk`` by the chance that ``seat`` takes the trick from a nil bidder, which is returned.

    Args:
        r: the packed rules.
        w: the notes.
        nils: as from :func:`living_nils`.
        seat: the seat on turn in the trick.
        holder: the seat of the best card; the card of any other nil bidder is not known yet.
        forced: the chance that the seat must beat the best card.
        able: the chance that it can.
    """
    moved = 0.0
    for other in range(r.players):
        if nils >> other & 1 and w.risk[other] > 0.0:
            if foe(r, other, seat):
                chance = forced if other == holder else FOE_ABOVE * forced
            else:
                chance = able if other == holder else PARTNER_ABOVE * able
            moved += w.risk[other] * chance
            w.risk[other] *= 1.0 - chance
    return moved


@jit
def trick_beside_nils(s, r, w, nils, card):
    """As :func:`~spades_agents.heuristic.trick.trick_value` while the seats ``nils`` have a living nil.

    A nil bidder and its opponents stay below the other's cards if they can; its partner goes above it. Fills
    ``w.risk``.
    """
    me = s.seat
    led = suit_to_follow(s, card)
    wins = takes_trick(s, card)
    best = card if wins else s.best_card
    holder = me if wins else s.best_seat
    for seat in range(r.players):
        w.risk[seat] = 0.0
    value = w.value[holder]  # of the trick if it goes to a seat without a living nil,
    chance = 1.0  # and the chance of that
    if nils >> holder & 1:
        w.risk[holder] = 1.0
        chance = 0.0
    raised = 0.0  # the chance that a card above `best` has been played before the turn of a nil bidder
    ahead = r.players - 1 - s.in_trick  # seats yet to play
    seat = me
    while ahead > 0:
        ahead -= 1
        seat = seat + 1 if seat + 1 < r.players else 0
        clear = chance_of_none_above(w, seat, best, wins)
        forced = forced_to_beat(w, seat, led, best, clear)
        if nils >> seat & 1:
            forced *= 1.0 - raised
            for other in range(r.players):
                w.risk[other] *= 1.0 - forced
            chance *= 1.0 - forced
            w.risk[seat] = forced
            continue
        takes = chance_to_beat(w, seat, led, best, clear)
        moved = move_from_nils(r, w, nils, seat, holder, forced, takes)
        other = seat
        for _ in range(ahead):
            other = other + 1 if other + 1 < r.players else 0
            if nils >> other & 1:
                if foe(r, other, seat):
                    takes = forced
                raised += (1.0 - raised) * takes
        value += takes * (w.value[seat] - value)
        if moved > 0.0:
            value = (chance * value + moved * w.value[seat]) / (chance + moved)
            chance += moved
    total = chance * value
    for other in range(r.players):
        total += w.risk[other] * w.value[other]
    return total


@jit
def suit_danger(s, r, w, suit, mine):
    """The chance that a nil bidder is forced to win with one of ``mine``, its cards of the suit.

    The card with i own lower cards must win if every opponent holds more than i lower cards and the partner no higher
    one.
    """
    me = s.seat
    out = w.out & suit_mask(suit)
    i = 0
    most = 0.0
    while mine:
        card = lowest(mine)
        mine &= mine - U64(1)
        lower = out & (bit(card) - U64(1))
        danger = 1.0
        for seat in range(r.players):
            if seat == me:
                continue
            if foe(r, me, seat):
                danger *= 1.0 - AT_MOST[i, int(4.0 * expected_count(w, seat, suit, lower))]
            else:
                danger *= 1.0 - COVERED * (1.0 - chance_of_none(w, seat, suit, out ^ lower))
        most = max(most, danger)
        i += 1
    return CARRIED_OUT * most


@jit
def survival(s, r, w, hand):
    """The chance that the nil of the seat on turn survives the later tricks with ``hand``."""
    chance = 1.0
    for suit in range(4):
        mine = hand & suit_mask(suit)
        if mine:
            chance *= 1.0 - suit_danger(s, r, w, suit, mine)
    return chance


@jit
def with_later_tricks(s, w, target, card, score):
    """The ``score`` of a card with what it does for or against the nil of ``target`` in later tricks.

    For partners only, see ``NIL_LATER``; needs the ``w.risk`` of the card.
    """
    suit = card // 13
    out = w.out & suit_mask(suit)
    higher = above(out, card)
    relation = (target - s.seat) & 3
    k = NIL_LATER[0 if relation == 2 else 1 if relation == 1 else 2, 1 if s.in_trick == 0 else 0]
    rank = (card % 13) / 12.0
    later = k[2] * rank + k[3] if suit == 3 else k[1] * rank
    later += k[4] * w.worth[card] + k[7] * w.risk[target]
    later += k[5] * expected_count(w, target, suit, out ^ higher) + k[6] * expected_count(w, target, suit, higher)
    return k[0] * score + later * w.left[s.seat] / 13.0 * abs(w.value[target]) / 200.0
