"""Where the hidden cards may be, as far as a seat knows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from spades_env.cards import NUM_CARDS, cards_in
from spades_env.game import View
from spades_env.game.position import Position

SAMPLES = 200


@dataclass(frozen=True)
class Belief:
    """Where the cards are that a seat cannot see.

    Attributes:
        holders: the seats that hold such cards, then -1 for the cards that nobody holds, if there are any.
        cards: the hidden cards, ascending.
        chances: float64[holders, cards], the share of the sampled deals in which each holder has each card; the
            columns sum to 1.
        samples: number of deals.
    """

    holders: tuple[int, ...]
    cards: tuple[int, ...]
    chances: np.ndarray
    samples: int


def believe(view: View, samples: int = SAMPLES, seed: int = 0) -> Belief:
    """Sample deals that agree with everything the observer has seen, all equally likely.

    Inferences from the others' bids and plays are not used, as in :meth:`View.sample <spades_env.View.sample>`.

    Args:
        view: what the observer knows.
        samples: number of deals.
        seed: seed of the samples.
    """
    rng = np.random.default_rng(seed)
    counts = np.zeros((view.rules.players + 1, NUM_CARDS))
    for _ in range(samples):
        counts += holdings(view.sample(rng))
    counts[:, list(view.hand) + ([] if view.drawn is None else [view.drawn])] = 0
    cards = np.flatnonzero(counts.any(axis=0))
    holders = np.flatnonzero(counts.any(axis=1))
    seats = tuple(-1 if holder == view.rules.players else int(holder) for holder in holders)
    chances = counts[np.ix_(holders, cards)] / samples
    return Belief(seats, tuple(map(int, cards)), chances, samples)


def holdings(table: Position) -> np.ndarray:
    """Who holds which card, bool of shape (players + 1, 52); the last row is of the cards that nobody holds.

    Cards that were played are in no row.
    """
    found = np.zeros((table.rules.players + 1, NUM_CARDS), np.bool_)
    found[-1, list(table.rules.deck)] = True
    for seat, (hand, played) in enumerate(zip(table.hands, table.plays, strict=True)):
        found[seat, cards_in(hand)] = True
        found[-1, cards_in(hand | played)] = False
    return found
