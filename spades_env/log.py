"""What a Game writes down as it is played: how the match began, and for each hand its deck, actions and result."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class HandResult:
    """How a hand ended.

    Attributes:
        bids: by seat, 0 for nil and blind nil.
        blind: by seat, whether it bid blind nil.
        tricks: by seat, tricks won.
        points: by side, change of the score in points, bag penalties included.
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
    """How a match, or the part of it that is on record, begins.

    Attributes:
        scores: by side, in points.
        bags: by side.
        opener: the seat that opens the first hand.
        hand_number: hands of the match finished before it.
        last: the result of the hand before it, if that is known.
    """

    scores: list[int]
    bags: list[int]
    opener: int
    hand_number: int = 0
    last: HandResult | None = None


@dataclass(slots=True)
class HandLog:
    """All that happened in one hand.

    Attributes:
        deck: card ids in the order of the deck.
        given: the caller fixed the deck; otherwise it is the shuffle of the game's seed.
        actions: action ids in order; whose they are follows from the rules.
        received: by seat, cards that came back in an exchange; None while there was none.
        result: None until the hand is scored.
    """

    deck: list[int]
    given: bool
    actions: list[int] = field(default_factory=list)
    received: list[list[int]] | None = None
    result: HandResult | None = None

    def copy(self) -> HandLog:
        """A copy whose actions may grow apart."""
        return HandLog(self.deck, self.given, self.actions[:], self.received, self.result)
