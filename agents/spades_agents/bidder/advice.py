"""What every bid with a hand is worth, for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from spades_agents.bidder.agent import REACH, blind_pays, usual_bid
from spades_agents.bidder.model import BiddingModel, game_name, shipped
from spades_agents.bidder.value import MADE, POINTS, THEIR_POINTS, WIN, new_workspace, rate_bids, rate_blind
from spades_agents.certain import bid_range
from spades_agents.compiler import jit
from spades_agents.heuristic.bidding import choose_bid
from spades_env.cards import cards_in
from spades_env.engine.scoring import set_score
from spades_env.engine.state import BID, LOOKED, NO_BID, STATE, rules_array
from spades_env.rules import Rules


@dataclass(frozen=True)
class BidValue:
    """What one bid is worth.

    Attributes:
        made: probability that the side makes its contract, or the seat its nil.
        points: expected points of the bidder's side in the hand, minus each bag's share of the penalty.
        their_points: expected points of the other side in the hand, minus each bag's share of the penalty.
        win: probability of winning the match.
    """

    made: float
    points: float
    their_points: float
    win: float


@dataclass(frozen=True)
class Advice:
    """What every bid with a hand is worth.

    Attributes:
        bids: the value of each bid, from 0, which is nil.
        best: the bid in ``tried`` with the highest chance of winning.
        tried: the bids that occur with such hands in the data of the model, without those that another bid beats for
            certain, as :func:`spades_agents.certain.bid_range` says; the ratings of the others are extrapolated.
        scripted: the bid of the scripted player.
        blind: the value of a blind nil, had it been bid before looking at the cards; None if the rules have none.
        look: the chance of winning before the hand.
        blind_pays: whether the player ``bidder`` would bid blind nil.
    """

    bids: tuple[BidValue, ...]
    best: int
    tried: tuple[int, ...]
    scripted: int
    blind: BidValue | None
    look: float
    blind_pays: bool


@jit.apart
def rate_hand(states, rules, sides, work):
    """Rate all bids and the blind nil of the seat on turn; ``sides[side]`` holds the score and the bags of a side.

    The rating of the blind nil is in ``work.situation`` afterwards. Returns the scripted player's bid, the usual one,
    the range of bids that make sense, the chance of winning before the hand, and whether the blind nil pays.
    """
    s = states[0]
    r = rules[0]
    for side in range(r.sides):
        set_score(s, r, side, sides[side, 0], sides[side, 1])
    rate_bids(work, s, r, 0, r.hand_size)
    look = rate_blind(work, s, r)
    return choose_bid(s, r), usual_bid(s, r), bid_range(s, r), look, blind_pays(work.situation[0].rating[WIN], look)


def advise(
    hand: int,
    rules: Rules,
    scores: Sequence[int] = (0, 0),
    bags: Sequence[int] = (0, 0),
    heard: Sequence[int] = (),
    model: BiddingModel | None = None,
) -> Advice:
    """What every bid with a hand is worth.

    Args:
        hand: 13 cards as a 52-bit set.
        rules: rules for two players or for partnerships.
        scores: points of the bidder's side and of the other side.
        bags: bag counters of the bidder's side and of the other side.
        heard: the bids made before this one, in order.
        model: a model to use in place of the shipped one.

    Raises:
        ValueError: if an argument is invalid, or there is no model for the rules.
    """
    game = game_name(rules)
    model = model or shipped(game)
    if len(cards_in(hand)) != rules.hand_size:
        raise ValueError(f"a hand of {rules.name} has {rules.hand_size} cards, got {len(cards_in(hand))}")
    if len(heard) >= rules.players:
        raise ValueError(f"at most {rules.players - 1} bids can come before this one, got {len(heard)}")
    for bid in heard:
        if not 0 <= bid <= rules.hand_size:
            raise ValueError(f"a bid must be in 0..{rules.hand_size}, got {bid}")
    for name, pair, low in (("scores", scores, None), ("bags", bags, 0)):
        if len(pair) != 2 or (low is not None and min(pair) < low):
            raise ValueError(f"{name} must be two numbers{'' if low is None else ' of at least 0'}, got {tuple(pair)}")
    states = np.zeros(1, STATE)
    s = states[0]
    me = (rules.bids_first + len(heard)) % rules.players
    s["phase"], s["seat"] = BID, me
    s["hands"][me] = hand
    s["bids"], s["blind"] = NO_BID, LOOKED
    for place, bid in enumerate(heard):
        s["bids"][(rules.bids_first + place) % rules.players] = bid
    sides = np.array([scores, bags], np.int64).T
    sides = np.ascontiguousarray(sides if me % 2 == 0 else sides[::-1])
    work = new_workspace(model, rules)
    scripted, base, (least, most), look, pays = rate_hand(states, rules_array(rules), sides, work)
    near = range(max(int(base) - REACH, least, 1), min(int(base) + REACH, most) + 1)
    tried = (0, *near) if least == 0 else tuple(near)
    best = max(tried, key=lambda bid: work.ratings[bid, WIN])
    return Advice(
        bids=tuple(_value(work.ratings[bid]) for bid in range(rules.hand_size + 1)),
        best=best,
        tried=tried,
        scripted=int(scripted),
        blind=_value(work.situation["rating"][0]) if rules.blind_nil else None,
        look=float(look),
        blind_pays=bool(rules.blind_nil and pays),
    )


def _value(row: np.ndarray) -> BidValue:
    return BidValue(*(float(row[column]) for column in (MADE, POINTS, THEIR_POINTS, WIN)))
