"""Random rules, starts and players for tests, steered towards what seldom happens in play.

A match of even chances hardly ever sees a tie above the target or two exchanges in one hand. So start scores lie
close to where a match ends, and every match has a mood: how often its players bid nil, blind nil, exchange.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

from spades_env.cards import BID_0, BLIND_NIL, DONE, KEEP, LOOK, REJECT
from spades_env.reference import Reference
from spades_env.rules import PRESETS, Rules

FAILED_NIL = ("ignore", "one_bag", "bags", "contract")
REJECTED = ("hidden", "drawer", "public")

# Rules for tests that cannot go through many: the presets and mixes that together touch every branch.
MIXES: dict[str, Rules] = {
    **PRESETS,
    "drawer": Rules.preset("two_player", rejected="drawer", failed_nil="bags", loss=-300, bag_limit=5),
    "public": Rules.preset("two_player", rejected="public", bids_first=0, exchange=13, failed_nil="contract"),
    "draft, no blind": Rules.preset("two_player", blind_nil=0, exchange=0, leads_first=0, spades_must_break=False),
    "dealt pair": Rules(players=2, exchange=2, bids_first=1, failed_nil="one_bag", bag_limit=0, target=300),
    "partners, contract": Rules(partners=True, failed_nil="contract", bids_first=2, leads_first=3, loss=None),
    "three, no blind": Rules(players=3, blind_nil=0, failed_nil="bags", leads_first=2, bag_limit=3, bag_penalty=50),
    "fifty cards": Rules(partners=True, removed=("2C", "2D")),
    "three, 50 cards": Rules(players=3, removed=("AS", "7H"), spades_must_break=False),
    "pair, 45 cards": Rules(players=2, removed=("2C", "3C", "2D", "2H", "2S", "KS", "TD"), exchange=3),
}


def random_rules(rng: Random) -> Rules:
    """Any mix that makes sense; a preset one time in eight. The match is short: target and loss are near."""
    if rng.random() < 1 / 8:
        return Rules.preset(rng.choice(list(PRESETS)), target=rng.choice([100, 300, 500]))
    players = rng.choice([2, 2, 2, 3, 3, 4, 4, 4])
    draft = players == 2 and rng.random() < 0.7
    removed = () if draft or rng.random() < 0.6 else tuple(rng.sample(range(52), rng.randrange(1, 13)))
    most = 13 if draft else (26 - len(removed)) // 2  # both players may exchange as many
    return Rules(
        players=players,
        partners=players == 4 and rng.random() < 0.6,
        draft=draft,
        rejected=rng.choice(REJECTED) if draft else "hidden",
        bids_first=rng.randrange(players),
        leads_first=rng.randrange(players),
        spades_must_break=rng.random() < 0.7,
        target=rng.choice([1, 50, 100, 200, 500, 10_000]),
        loss=rng.choice([None, -1, -100, -200, -500]),
        nil=rng.choice([0, 50, 100, 137]),
        blind_nil=rng.choice([0, 100, 150, 200]),
        exchange=rng.choice([0, 1, 2, 3, most]) if players == 2 else 0,
        failed_nil=rng.choice(FAILED_NIL),
        bag_limit=rng.choice([0, 1, 2, 5, 7, 10, 100]),
        bag_penalty=rng.choice([0, 50, 100, 99]),
        removed=removed,
    )


def random_start(rng: Random, rules: Rules) -> dict[str, Any]:
    """Scores, bags and opener: half the time near the end of the match, a third of the time level."""
    near = [rules.target, rules.loss or 0]
    middle = rng.choice([*near, 0, rng.randrange(-500, 500)])
    scores = [middle + rng.randrange(-120, 120) for _ in range(rules.sides)]
    if rng.random() < 1 / 2:
        scores = [10 * (score // 10) for score in scores]  # so that a score comes to lie on the target or the loss
    if rng.random() < 1 / 3:
        scores = [scores[0]] * rules.sides
    most_bags = rules.bag_limit or 40
    return {
        "scores": scores,
        "bags": [rng.randrange(most_bags) for _ in range(rules.sides)],
        "opener": rng.randrange(rules.players),
    }


@dataclass(frozen=True)
class Player:
    """Chances of what all seats of a match do.

    Attributes:
        blind: to bid blind nil.
        nil: to bid nil.
        wild: to bid any number instead of about a fair share.
        stop: to end an exchange before it is full.
        spade: to play a spade where other cards are legal too.
    """

    blind: float
    nil: float
    wild: float
    stop: float
    spade: float

    @classmethod
    def random(cls, rng: Random) -> Player:
        """A mood for one match."""
        often = [0.0, 0.1, 0.5, 1.0]
        return cls(rng.choice(often), rng.choice(often), rng.choice([0.0, 0.3]), rng.choice([0.1, 0.5]), rng.random())

    def choose(self, rng: Random, game: Reference, legal: list[int]) -> int:
        """A legal action of the seat on turn."""
        phase = game.phase
        if phase == "play":
            if rng.random() < 0.3:
                return legal[-1] if rng.random() < self.spade else legal[0]
            return rng.choice(legal)
        if phase == "draft":
            return KEEP if rng.random() < 0.5 else REJECT
        if phase == "blind":
            return BLIND_NIL if rng.random() < self.blind else LOOK
        if phase == "exchange":
            return DONE if rng.random() < self.stop else rng.choice(legal)
        if rng.random() < self.nil:
            return BID_0
        if rng.random() < self.wild:
            return rng.choice(legal)
        share = game.rules.hand_size / game.rules.players
        return BID_0 + max(0, min(game.rules.hand_size, round(rng.gauss(share - 0.5, 1.5))))
