"""The log of a Game: the start of the match, and the deck, actions and result of each hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from spades_env.checks import MOST_POINTS, check_deck, check_int, check_ints, check_list
from spades_env.rules import Rules


@dataclass(frozen=True)
class HandResult:
    """How a hand ended.

    Attributes:
        bids: by seat, 0 for nil and blind nil.
        blind: by seat, whether it bid blind nil.
        tricks: by seat, tricks won.
        points: by side, score change in points, including bag penalties.
        scores: by side, points after the hand.
        bags: by side, bag counter after the hand.
    """

    bids: list[int]
    blind: list[bool]
    tricks: list[int]
    points: list[int]
    scores: list[int]
    bags: list[int]


@dataclass(frozen=True)
class Start:
    """The start of a match, or of the logged part of it.

    Attributes:
        scores: points, by side.
        bags: bag counters, by side.
        opener: the seat that opens the first hand.
        hand_number: number of hands finished before it.
        last: the result of the hand before it, if known.
    """

    scores: list[int]
    bags: list[int]
    opener: int
    hand_number: int = 0
    last: HandResult | None = None


@dataclass(slots=True)
class HandLog:
    """Everything that happened in one hand.

    Attributes:
        deck: card ids in the order of the deck.
        given: whether the caller fixed the deck; otherwise it was shuffled from the game's seed.
        actions: action ids in order; the rules determine whose they are.
        received: by seat, the cards received in an exchange; None before the first exchange.
        result: None until the hand has been scored.
    """

    deck: list[int]
    given: bool
    actions: list[int] = field(default_factory=list)
    received: list[list[int]] | None = None
    result: HandResult | None = None

    def copy(self) -> HandLog:
        """An independent copy."""
        return HandLog(self.deck, self.given, self.actions[:], self.received, self.result)


@dataclass(slots=True)
class GameLog:
    """The log of a match, from which it can be replayed.

    Attributes:
        start: the start of the match.
        decks: decks that the caller fixed, one for each of the first hands.
        finished: the hands before the current one.
        current: the hand being played, or the last one once the match is over.
    """

    start: Start
    decks: list[list[int]]
    finished: tuple[HandLog, ...] = ()
    current: HandLog = field(default_factory=lambda: HandLog([], False))

    @property
    def hands(self) -> tuple[HandLog, ...]:
        """All hands so far; the current one is the last."""
        return (*self.finished, self.current)

    def copy(self) -> GameLog:
        """An independent copy."""
        return GameLog(self.start, self.decks, self.finished, self.current.copy())


def check_start(
    rules: Rules, scores: Sequence[int] | None = None, bags: Sequence[int] | None = None, opener: int = 0
) -> Start:
    """The start of a match with a caller's values.

    Raises:
        ValueError: if a value is out of range; the message names it and says what is allowed.
    """
    most_bags = rules.bag_limit - 1 if rules.bag_limit else MOST_POINTS
    return Start(
        scores=check_ints("scores", scores, rules.sides, -MOST_POINTS, MOST_POINTS),
        bags=check_ints("bags", bags, rules.sides, 0, most_bags),
        opener=check_int("opener", opener, 0, rules.players - 1),
    )


def check_decks(decks: Sequence[Sequence[int]], rules: Rules) -> list[list[int]]:
    """Fixed decks as lists of card ids.

    Raises:
        ValueError: if a deck does not hold each card of the rules' deck once.
    """
    return [check_deck(deck, rules, f"decks[{k}]") for k, deck in enumerate(check_list("decks", decks))]
