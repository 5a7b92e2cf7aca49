"""Tricks that a side can take without search, each bound with the cards that it depends on.

They correspond to the quick tricks and later tricks of double-dummy solvers; see Haglund and Hein, "Search Algorithms
for a Bridge Double Dummy Solver" (2014).
"""

from spades_agents.compiler import jit
from spades_agents.solvers.lanes import LANE, PLAIN, SPADE_LANE, lane_of, takes
from spades_env.engine.bits import U64, bit, highest, lowest, popcount


@jit
def lane(word, suit):
    """One lane of ``word``, shifted to the bottom."""
    return word >> U64(16 * suit) & LANE


@jit
def top_run(mine, play):
    """The cards in ``mine`` above all others in ``play``; both are single lanes."""
    others = play & ~mine
    return mine & (~U64(0) << U64(highest(others) + 1))


@jit
def trim(cards, count):
    """The highest ``count`` cards of a set."""
    while popcount(cards) > count:
        cards &= cards - U64(1)
    return cards


@jit
def quick_tricks(p, seats, seat, friends, need):
    """Tricks that a side can cash with ``seat`` on lead, and the cards that this depends on.

    Args:
        p: the position, one TRICK.
        seats: number of seats.
        seat: the seat on lead.
        friends: set of the seats of its side.
        need: number of tricks that are useful.
    """
    hand = p.h[seat]
    spades = lane(hand, 3)
    run = top_run(spades, lane(p.all, 3))
    trumps = popcount(run)
    ruffers = 0
    longest = 0
    room = 99
    other_run = U64(0)
    for other in range(seats):
        held = popcount(lane(p.h[other], 3))
        if friends >> other & 1 == 0:
            if held > 0:
                ruffers |= 1 << other
                longest = max(longest, held)
        elif other != seat:
            theirs = top_run(lane(p.h[other], 3), lane(p.all, 3))
            if popcount(theirs) > popcount(other_run):
                other_run = theirs
            if held > 0:
                # A partner with nothing but spades must ruff, and takes over the lead.
                room = min(room, popcount(p.h[other] & PLAIN) + 1)
    drawn = (p.broken or hand & PLAIN == U64(0)) and trumps >= longest
    if drawn:
        ruffers = 0
    drawing = drawn and longest > 0
    cash = 0
    relevant = run << U64(SPADE_LANE) if drawing else U64(0)
    got = trumps if drawing else 0
    for suit in range(3):
        mine = lane(hand, suit)
        if mine == U64(0):
            continue
        winners = top_run(mine, lane(p.all, suit))
        count = popcount(winners)
        if count == 0:
            continue
        follow = 0
        for other in range(seats):
            if other != seat:
                length = popcount(lane(p.h[other], suit))
                follow = max(follow, length)
                if ruffers >> other & 1:
                    count = min(count, length)
        missing = max(min(need, room) - got - cash, 0)
        if ruffers == 0 and count >= follow:
            cash += popcount(mine)
            count = follow
        else:
            cash += count
        relevant |= trim(winners, min(count, missing)) << U64(16 * suit)
    own = min(cash, room) + trumps
    shared = min(cash, room - 1) + popcount(other_run)
    if drawing:
        return own, relevant
    if own >= need or own >= shared:
        return own, relevant | trim(run, max(need - min(cash, room), 0)) << U64(SPADE_LANE)
    return shared, relevant | trim(other_run, max(need - min(cash, room - 1), 0)) << U64(SPADE_LANE)


@jit
def shared_tricks(p, seats, seat, partner, friends, need):
    """Tricks that ``seat`` on lead and then its partner can cash, and the cards that this depends on.

    The leader cashes its winners and gives the lead to its partner in a suit whose highest remaining card the partner
    holds. Then the partner cashes its winners.
    """
    mine = p.h[seat]
    theirs = p.h[partner]
    ruffers = 0
    for other in range(seats):
        if friends >> other & 1 == 0 and lane(p.h[other], 3):
            ruffers |= 1 << other
    may_lead = p.broken or mine & PLAIN == U64(0)
    first = 0  # tricks of the leader
    plain_first = 0
    then = 0  # tricks of its partner
    discards = 0  # of the partner on the leader's winners
    spare = 0  # cards that the partner can discard
    entry = -1
    own = 0  # the leader's winners by suit, four bits each
    far = 0  # the partner's winners
    for suit in range(4):
        play = lane(p.all, suit)
        if play == U64(0):
            continue
        a = lane(mine, suit)
        b = lane(theirs, suit)
        length = popcount(b)
        winners = top_run(a, play)
        k = popcount(winners)
        m = popcount(top_run(b, play & ~winners))
        if suit < 3:
            for other in range(seats):
                if ruffers >> other & 1:
                    limit = popcount(lane(p.h[other], suit))
                    if limit < k:
                        k = limit
                        m = 0
                    m = min(m, limit - k)
            m = min(m, max(length - k, 0))
            discards += max(k - length, 0)
            spare += max(length - k, 0) - m
            plain_first += k
        elif not may_lead:
            m = 0  # the leader's highest spades win whenever they are played
        else:
            m = min(m, max(length - k, 0)) if p.broken else 0
            discards += max(k - length, 0)
        if m > 0 and popcount(a) > k:
            entry = suit
        first += k
        then += m
        own |= k << 4 * suit
        far |= m << 4 * suit
    if entry < 0 or discards > spare:
        return 0, U64(0)
    total = first + min(then, popcount(mine & PLAIN) - plain_first + 1)
    # Winners beyond those needed do not matter.
    surplus = first + then - need if total == first + then else 0
    relevant = U64(0)
    for suit in range(4):
        k = own >> 4 * suit & 15
        m = far >> 4 * suit & 15
        keep = 1 if suit == entry else 0
        cut = min(max(surplus, 0), max(m - keep, 0))
        m -= cut
        surplus -= cut
        if m == 0:
            cut = min(max(surplus, 0), k)
            k -= cut
            surplus -= cut
        if k + m > 0:
            relevant |= bit(highest(lane(p.all, suit)) - (k + m) + 1 + 16 * suit)
    return total, relevant


@jit
def reaches(p, seats, seat, partner, friends):
    """Whether ``seat`` on lead can give its partner the lead in this trick, to one of the partner's winners."""
    for suit in range(4):
        mine = lane(p.h[seat], suit)
        theirs = lane(p.h[partner], suit)
        if mine == U64(0) or theirs == U64(0):
            continue
        if suit == 3 and not (p.broken or p.h[seat] & PLAIN == U64(0)):
            continue
        if top_run(theirs, lane(p.all, suit)) == U64(0):
            continue
        safe = True
        for other in range(seats):
            ruffs = suit < 3 and lane(p.h[other], suit) == U64(0) and lane(p.h[other], 3) != U64(0)
            if ruffs and friends >> other & 1 == 0:
                safe = False
        if safe:
            return True
    return False


@jit
def sure_tricks(p, seats, friends, need):
    """Tricks that the spades of one hand of a side win in any line of play, and the spades that this depends on.

    A spade loses only to an opponent's higher spade in the same trick, and each of those can beat only one.
    """
    enemies = U64(0)
    for seat in range(seats):
        if friends >> seat & 1 == 0:
            enemies |= lane(p.h[seat], 3)
    best = 0
    relevant = U64(0)
    for seat in range(seats):
        mine = lane(p.h[seat], 3)
        if friends >> seat & 1 == 0 or popcount(mine) <= best:
            continue
        sure = 0
        used = 0
        while mine and sure < need:
            card = highest(mine)
            mine ^= bit(card)
            if popcount(enemies >> U64(card)) > used:
                used += 1
            else:
                sure += 1
                if sure > best:
                    best = sure
                    relevant = bit(card)
    return best, relevant << U64(SPADE_LANE)


@jit
def last_trick(p, seats):
    """The winner of the last trick, and the card that this depends on."""
    seat = p.leader
    winner = seat
    top = lowest(p.h[seat])
    for _ in range(seats - 1):
        seat = seat + 1 if seat + 1 < seats else 0
        card = lowest(p.h[seat])
        if takes(card, top):
            top = card
            winner = seat
    relevant = U64(0)
    if p.all & lane_of(top) & ~bit(top):
        relevant = bit(top)
    return winner, relevant
