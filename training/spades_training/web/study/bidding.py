"""The question that the bid lab asks, and its answer."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from spades_agents.bidder.advice import Advice, advise
from spades_agents.bidder.model import game_name

from spades_env.cards import cards_in, mask_of, parse_hand
from spades_env.checks import check_int
from spades_env.rules import PRESETS, Rules
from spades_training.bidding.changes import Best, best_bids
from spades_training.bidding.shown import bid_name
from spades_training.bidding.tricks import trick_chances
from spades_training.options import parse_rules
from spades_training.web.study.charts import column_chart

_MOST_POINTS = 100_000
_MOST_TEXT = 400


def _has_model(rules: Rules) -> bool:
    try:
        return bool(game_name(rules))
    except ValueError:
        return False


GAMES: dict[str, Rules] = {name: rules for name, rules in PRESETS.items() if _has_model(rules)}
"""The presets for which there is a bidding model."""


@dataclass(frozen=True)
class Question:
    """A hand, and when it has to bid.

    Attributes:
        hand: 13 cards as a 52-bit set.
        rules: the rules.
        scores: points of the bidder's side and of the other side.
        bags: bag counters of the bidder's side and of the other side.
        heard: the bids made before this one, in order.
    """

    hand: int
    rules: Rules
    scores: tuple[int, int]
    bags: tuple[int, int]
    heard: tuple[int, ...]

    @classmethod
    def of(
        cls, hand: int, rules: str, scores: Sequence[object], bags: Sequence[object], heard: Sequence[object]
    ) -> Question:
        """The question made of the fields of a form.

        Raises:
            ValueError: if a field is missing or invalid.
        """
        game = parse_rules(rules[:_MOST_TEXT])
        game_name(game)
        count = len(cards_in(hand))
        if count != game.hand_size:
            raise ValueError(f"choose {game.hand_size} cards: {count} are chosen")
        most_bags = game.bag_limit - 1 if game.bag_limit else _MOST_POINTS
        return cls(
            hand,
            game,
            _pair("points", scores, -_MOST_POINTS, _MOST_POINTS),
            _pair("bags", bags, 0, most_bags),
            tuple(check_int("a bid", _whole(bid), 0, game.hand_size) for bid in heard),
        )

    def situations(self, progress: Callable[[int, int], bool]) -> list[Best]:
        """The best bid at other scores and bags; see :func:`spades_training.bidding.changes.best_bids`."""
        return best_bids(self.hand, self.rules, self.scores, self.bags, self.heard, progress)


@dataclass(frozen=True)
class Asked:
    """A question with its answer.

    Attributes:
        question: the question.
        advice: what each bid is worth.
        tricks: the distribution of the tricks after each bid of ``advice.tried``, see
            :func:`spades_training.bidding.tricks.trick_chances`.
    """

    question: Question
    advice: Advice
    tricks: dict[int, dict[int, float]]


def answer(question: Question) -> Asked:
    """What each bid is worth, and how many tricks follow it.

    Raises:
        ValueError: if the question is invalid.
    """
    q = question
    advice = advise(q.hand, q.rules, q.scores, q.bags, q.heard)
    return Asked(q, advice, {bid: trick_chances(q.hand, q.rules, bid, q.scores, q.heard) for bid in advice.tried})


def chart(asked: Asked, bid: int) -> str:
    """The distribution of the tricks after ``bid``, as HTML."""
    tricks, partners = asked.tricks[bid], asked.question.rules.partners
    if bid == 0:
        columns = [(str(k), chance, k == 0) for k, chance in tricks.items()]
        caption = "Tricks that you win with a nil, in percent; red breaks it"
    elif partners:
        columns = [(f"{k:+d}" if k else "0", chance, k >= 0) for k, chance in tricks.items()]
        caption = f"Tricks of your side above its contract if you bid {bid_name(bid)}, in percent; red fails"
    else:
        columns = [(str(bid + k), chance, k >= 0) for k, chance in tricks.items()]
        caption = f"Tricks that you win if you bid {bid_name(bid)}, in percent; red fails"
    return column_chart([column for column in columns if column[1] >= 0.0005], caption)


def read_hand(text: str) -> int:
    """The cards in a text, which need not be a whole hand yet.

    Raises:
        ValueError: if a word is not a card, or there are more than 13 cards.
    """
    cards = parse_hand(text[:_MOST_TEXT])
    if len(cards) > 13:
        raise ValueError(f"a hand has 13 cards, got {len(cards)}")
    return int(cards)


def example_hand() -> int:
    """13 cards at random."""
    return mask_of(random.sample(range(52), 13))


def _whole(value: object) -> object:
    """Browsers send whole numbers as floats."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _pair(what: str, values: Sequence[object], low: int, high: int) -> tuple[int, int]:
    own, other = (
        check_int(f"{whose} {what}", _whole(value), low, high)
        for whose, value in zip(("your", "their"), values, strict=True)
    )
    return own, other
