"""The search bids what the hand is worth: double-dummy results of sampled worlds say how much that is."""

from __future__ import annotations

import math

import numpy as np
import pytest
from spades_agents import make_agent
from spades_agents.search import solve_two

from spades_env import View
from spades_env.cards import BID_0

# At these scores and bags, first to bid, the search used to bid up to six tricks too low: far behind and near the
# target its ratings were noise, or came from an opponent who never ducks.
STANDINGS = [
    ((184, 401), (0, 0)),
    ((-88, 413), (0, 0)),
    ((462, 276), (2, 0)),
    ((486, 428), (6, 0)),
    ((269, 425), (9, 0)),
]
HANDS = [
    "AS KS TS 2S AD 9D KH TH 7H 2H 8C 7C 5C",
    "KS QS JS 9S 6S AH QH 4H KD 8D 3D AC 6C",
    "QS 8S 5S AH KH JH AD TD 6D 2D KC 9C 3C",
]


def double_dummy(view: View, worlds: int = 100) -> float:
    """The mean tricks of the observer of a two-player game if both play for tricks with open cards."""
    rng = np.random.default_rng(0)
    hands = np.array([view.sample(rng).hands for _ in range(worlds)], np.uint64)
    leader = (view.opener + view.rules.leads_first) % 2
    tricks = float(solve_two(hands, leader, threads=1, every_card=False).values.mean())
    return tricks if view.observer == 0 else 13 - tricks


@pytest.mark.parametrize("scores, bags", STANDINGS)
def test_no_bid_is_far_from_double_dummy_unless_clearly_better(scores, bags):
    agent = make_agent("pimc:worlds=60")
    for hand in HANDS:
        view = View.of("two_player_dealt", 0, hand=hand, bids=["LOOK", None], scores=scores, bags=bags)
        expected = double_dummy(view)
        action = agent.act(view)
        if abs(action - BID_0 - expected) > 2:
            ratings = agent.rate(view)
            ours, usual = ratings[action], ratings[BID_0 + round(expected)]
            assert ours.value - usual.value > 3 * math.hypot(ours.error, usual.error), (hand, action - BID_0, expected)
