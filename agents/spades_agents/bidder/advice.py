"""The table of bids for one hand, for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from spades_agents.bidder.agent import REACH, blind_pays
from spades_agents.bidder.model import BiddingModel, game_name, shipped
from spades_agents.bidder.value import COLUMNS, MADE, POINTS, THEIR_POINTS, WIN, WORK, rate_bids, rate_blind
from spades_agents.compiler import jit
from spades_agents.heuristic.bidding import choose_bid
from spades_agents.match_value import match_table
from spades_env.cards import cards_in
from spades_env.engine.scoring import set_score
from spades_env.engine.state import BID, LOOKED, NO_BID, STATE, rules_array
from spades_env.rules import Rules

__all__ = ["Advice", "BidValue", "advise"]


@dataclass(frozen=True)
class BidValue:
    """What one bid is worth.

    Attributes:
        made: chance that the side makes its contract; of a nil, that it is made.
        points: points that the hand is expected to bring the own side, a bag at its share of the penalty.
        their_points: the same of the other side.
        win: chance to win the match.
    """

    made: float
    points: float
    their_points: float
    win: float


@dataclass(frozen=True)
class Advice:
    """What every bid with a hand is worth.

    Attributes:
        bids: by bid from 0, which is nil.
        best: the bid with the greatest chance to win, of those that the model has seen tried.
        tried: the bids that the model has seen tried with such hands; the others are extrapolated.
        scripted: what the scripted player bids.
        blind: a blind nil, had it been bid before a look at the cards; None if it is not offered.
        look: the chance to win before the hand.
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
def fill_table(states, rules, work, weights, blind, values, sides, table, blind_row):
    """Rate all bids and the blind nil.

    Returns the scripted player's bid, the chance to win before the hand, and whether the blind nil pays.
    """
    s = states[0]
    r = rules[0]
    for side in range(r.sides):
        set_score(s, r, side, sides[side, 0], sides[side, 1])
    rate_bids(work[0], s, r, weights, values, 0, r.hand_size, table)
    look = rate_blind(s, r, values, blind, blind_row)
    return choose_bid(s, r), look, blind_pays(blind_row[WIN], look)


def advise(
    hand: int,
    rules: Rules,
    scores: Sequence[int] = (0, 0),
    bags: Sequence[int] = (0, 0),
    heard: Sequence[int] = (),
    model: BiddingModel | None = None,
) -> Advice:
    """What every bid is worth with a hand.

    Args:
        hand: 13 cards, a set of 52 bits.
        rules: of two players or partners.
        scores: points of the own and the other side.
        bags: their bags.
        heard: the bids made so far, in order: so many seats bid before.
        model: another than the one that comes with the package.

    Raises:
        ValueError: if an argument makes no sense, or there is no model for the rules.
    """
    game = game_name(rules)
    model = model or shipped(game)
    if len(cards_in(hand)) != rules.hand_size:
        raise ValueError(f"a hand of {rules.name} has {rules.hand_size} cards, got {len(cards_in(hand))}")
    if len(heard) >= rules.players:
        raise ValueError(f"at most {rules.players - 1} bids come before one's own, got {len(heard)}")
    for bid in heard:
        if not 0 <= bid <= rules.hand_size:
            raise ValueError(f"a bid is 0 to {rules.hand_size}, got {bid}")
    for name, pair, low in (("scores", scores, None), ("bags", bags, 0)):
        if len(pair) != 2 or (low is not None and min(pair) < low):
            raise ValueError(f"{name} must be two numbers{'' if low is None else ' from 0 up'}, got {tuple(pair)}")
    jit.announce("the agents")
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
    table, row = np.zeros((18, COLUMNS)), np.zeros(COLUMNS)
    tools = rules_array(rules), np.zeros(1, WORK), model.weights, model.blind, match_table(rules)
    scripted, look, pays = fill_table(states, *tools, sides, table, row)
    base = max(int(scripted), 1)
    tried = (0, *range(max(base - REACH, 1), min(base + REACH, rules.hand_size) + 1))
    best = max(tried, key=lambda bid: table[bid, WIN])
    return Advice(
        bids=tuple(_value(table[bid]) for bid in range(rules.hand_size + 1)),
        best=best,
        tried=tried,
        scripted=int(scripted),
        blind=_value(row) if rules.blind_nil else None,
        look=float(look),
        blind_pays=bool(rules.blind_nil and pays),
    )


def _value(row: np.ndarray) -> BidValue:
    return BidValue(*(float(row[column]) for column in (MADE, POINTS, THEIR_POINTS, WIN)))
