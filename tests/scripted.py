"""Two short matches worked out by hand, and the player that plays them: what every interface must pay out."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from tabletop import BLIND, Hand, deal, plan

from spades_env.cards import BID_0, BLIND_NIL, DONE, KEEP, LOOK
from spades_env.game import Phase
from spades_env.rules import Rules, as_rules


def endless(name):
    """The rules of a preset, but nobody wins: for matches of a number of hands that the test chooses."""
    return Rules.preset(name, target=10_000, loss=None)


@dataclass
class Match:
    """Hands to be played from given scores and bags, and for each hand the rewards of the seats in points."""

    rules: Rules
    hands: list[Hand]
    scores: list[int]
    bags: list[int]
    points: list[list[float]]
    winners: set[int]
    plans: list = field(default_factory=list)

    def __post_init__(self):
        self.plans = [plan(self.rules, hand.won) for hand in self.hands]

    @property
    def options(self):
        """For `reset`."""
        decks = [deal(self.rules, cards, k % self.rules.players) for k, cards in enumerate(self.plans)]
        return {"decks": decks, "scores": self.scores, "bags": self.bags}

    def rewards(self, seat, kind):
        """All rewards that are not 0, in order."""
        if kind == "win":
            return [1.0 if seat in self.winners else -1.0]
        return pytest.approx([hand[seat] / 100 for hand in self.points])


class Scripted:
    """Plays a match as it was worked out; it can only `act`, one view at a time."""

    name = "scripted"

    def __init__(self, match):
        self.match = match

    def reset(self, seed=None):
        pass

    def act(self, view):
        bid = self.match.hands[view.hand_number].bids[view.seat]
        if view.phase == Phase.PLAY:
            return self.match.plans[view.hand_number][view.seat][sum(view.tricks)]
        if view.phase == Phase.BID:
            return BID_0 + bid
        if view.phase == Phase.BLIND:
            return BLIND_NIL if bid == BLIND else LOOK
        return {Phase.DRAFT: KEEP, Phase.EXCHANGE: DONE}[view.phase]


MATCHES = {
    # Seat 0 makes 5 bid 5: 480 + 50 = 530, over the target. Seat 1 misses 9 with 8: -90, so 300 - 90 = 210.
    # Seat 0 gets 50 less -90.
    "two_player": Match(
        as_rules("two_player"),
        [Hand(bids=(5, 9), won=(5, 8))],
        scores=[480, 300],
        bags=[0, 0],
        points=[[140, -140]],
        winners={0},
    ),
    # Hand 1. Seats 0 and 2 bid 4 + 2 and win 4 + 1: missed, -60: 470 - 60 = 410. Seats 1 and 3 bid 3 + 3 and win
    # 3 + 5: 60 + 2, and the 2 bags make 8 + 2 = 10, which cost 100: -38, so 395 - 38 = 357. Nobody has 500. The
    # difference is -60 less -38 = -22.
    # Hand 2. Seats 0 and 2 bid 5 + 5 and win 6 + 4: 100, so 510: over. Seat 1 makes nil: 100; seat 3 misses 4 with 3:
    # -40; together 60, so 417. The difference is 100 less 60 = 40.
    "partnership": Match(
        as_rules("partnership"),
        [Hand(bids=(4, 3, 2, 3), won=(4, 3, 1, 5)), Hand(bids=(5, 0, 5, 4), won=(6, 0, 4, 3))],
        scores=[470, 395],
        bags=[0, 8],
        points=[[-22, 22, -22, 22], [40, -40, 40, -40]],
        winners={0, 2},
    ),
    # Seat 0 bids blind nil and makes it: 200, so 400. Seat 1 bids 9 and wins 11: 92 and 2 bags: 492. Seat 2 bids 5 and
    # wins 6: 51 and 1 bag, so 501: over. Others' means: (92 + 51) / 2 = 71.5; (200 + 51) / 2 = 125.5;
    # (200 + 92) / 2 = 146.
    "cutthroat": Match(
        as_rules("cutthroat"),
        [Hand(bids=(BLIND, 9, 5), won=(0, 11, 6))],
        scores=[200, 400, 450],
        bags=[0, 0, 0],
        points=[[128.5, -33.5, -95]],
        winners={2},
    ),
}
matches = pytest.mark.parametrize("match", MATCHES.values(), ids=MATCHES)
reward_kinds = pytest.mark.parametrize("kind", ["score", "win"])
