"""What a hand and the bids make certain under the rules, whatever the other seats hold and play."""

from spades_agents.compiler import jit
from spades_env.engine.bits import bit, suit_mask


@jit
def sure_tricks(hand):
    """The tricks that a full hand takes however it is played.

    Every spade is played to some trick, and it wins the trick unless a higher spade of another seat is played to it.
    Each of those beats at most one card. So count the own spades from the ace down that have no higher spade left to
    beat them.
    """
    spades = hand & suit_mask(3)
    sure = 0
    higher = 0
    for k in range(13):
        if not spades & bit(51 - k):
            higher += 1
        elif higher > 0:
            higher -= 1
        else:
            sure += 1
    return sure


@jit
def bid_range(s, r):
    """The lowest and the highest bid of the seat on turn that make sense, from its hand and the bids heard.

    Left out are bids that another one beats for certain:

    * contracts of more tricks than the hand has;
    * a nil with a sure trick, and one that scores nothing;
    * without a partner, bids below the sure tricks.
    """
    sure = sure_tricks(s.hands[s.seat])
    most = r.hand_size
    if r.sides < r.players:
        most -= max(s.bids[s.seat ^ 2], 0)
        if most < 1:  # only beside a nil can the partner's bid still be made
            return (0, 0) if sure == 0 else (1, 1)
        least = 1
    else:
        least = max(sure, 1)
    return (0 if sure == 0 and r.nil > 0 else least), most
