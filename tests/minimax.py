"""Play with open cards by plain minimax: an oracle for the solvers, without a table, bounds or any ordering."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random

from spades_env.cards import SPADES, mask_of, suit_of
from spades_env.reference import playable, trick_winner

Payoff = Callable[[tuple[int, ...]], float]


@dataclass(frozen=True)
class Position:
    """Open cards in the play phase; ``tricks`` are those won so far, by seat."""

    hands: tuple[frozenset[int], ...]
    turn: int
    trick: tuple[tuple[int, int], ...]
    broken: bool
    must_break: bool
    tricks: tuple[int, ...]

    def legal(self) -> list[int]:
        return playable(set(self.hands[self.turn]), self.trick, self.broken, self.must_break)

    def play(self, card: int) -> Position:
        seats = len(self.hands)
        hands = tuple(hand - {card} for hand in self.hands)
        trick = (*self.trick, (self.turn, card))
        broken = self.broken or suit_of(card) == SPADES
        if len(trick) < seats:
            return replace(self, hands=hands, turn=(self.turn + 1) % seats, trick=trick, broken=broken)
        winner = trick_winner(trick)
        tricks = tuple(won + (seat == winner) for seat, won in enumerate(self.tricks))
        return replace(self, hands=hands, turn=winner, trick=(), broken=broken, tricks=tricks)

    @property
    def masks(self) -> list[int]:
        return [mask_of(hand) for hand in self.hands]


def value(position: Position, payoff: Payoff, maximisers: Sequence[int]) -> float:
    if not any(position.hands):
        return payoff(position.tricks)
    return best(position, card_values(position, payoff, maximisers), maximisers)


def card_values(position: Position, payoff: Payoff, maximisers: Sequence[int]) -> dict[int, float]:
    return {card: value(position.play(card), payoff, maximisers) for card in position.legal()}


def best(position: Position, values: dict[int, float], maximisers: Sequence[int]) -> float:
    return max(values.values()) if position.turn in maximisers else min(values.values())


def random_position(rng: Random, seats: int, cards: int, mid_trick: float = 0.5) -> Position:
    """A position with up to ``cards`` cards a hand, of a random part of the deck: suits run out, gaps arise."""
    count = rng.randint(1, cards)
    deck = list(range(52))
    kind = rng.random()
    if kind < 0.3:
        deck = rng.sample(deck, rng.randint(seats * count, 52))
    elif kind < 0.6:
        suits = rng.sample(range(4), rng.randint(1 if seats * count <= 13 else 2, 3))
        deck = [card for card in deck if suit_of(card) in suits]
    dealt = rng.sample(deck, seats * count)
    hands = tuple(frozenset(dealt[seat::seats]) for seat in range(seats))
    left = min(13, 52 // seats) - count
    tricks = [0] * seats
    for _ in range(rng.randint(0, left)):
        tricks[rng.randrange(seats)] += 1
    position = Position(hands, rng.randrange(seats), (), rng.random() < 0.4, rng.random() < 0.6, tuple(tricks))
    if rng.random() < mid_trick:
        for _ in range(rng.randint(1, seats - 1)):
            position = position.play(rng.choice(position.legal()))
    return position
