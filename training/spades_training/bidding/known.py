"""How often an ace, king or queen of a plain suit wins a trick: published, exact and observed values.

``python -m spades_training.bidding.known`` prints the table.
"""

from __future__ import annotations

from math import comb
from typing import Annotated

import numpy as np
import typer

from spades_env.rules import Rules
from spades_training.bidding.hands import PlayedHands, play_hands
from spades_training.evaluation.intervals import Estimate, proportion
from spades_training.options import SeedOption

# The chance that the card wins a trick, by the number of cards of its suit in the hand, in a game with partners:
# Cohensius, Meir, Oved and Stern, "Bidding in Spades", ECAI 2020.
PUBLISHED = {
    "ace": {1: 0.994, 2: 0.990, 3: 0.983, 4: 0.970, 5: 0.948, 6: 0.915, 7: 0.857, 8: 0.774},
    "king": {2: 0.907, 3: 0.855, 4: 0.779, 5: 0.678, 6: 0.544, 7: 0.381, 8: 0.214},
    "queen": {3: 0.489, 4: 0.350, 5: 0.212, 6: 0.095},
}
# The round of the suit that the card is kept for, which is also its rank from the top.
ROUND = {"ace": 1, "king": 2, "queen": 3}


def both_follow(length: int, rounds: int) -> float:
    """The chance that both opponents can follow suit ``rounds`` times.

    The other 39 cards are dealt at random to three hands of 13. The published table counts this event: the ace wins if
    neither opponent is void; the king if both can follow twice (the ace falls in the first round); the queen if both
    can follow three times. The partner may be void.

    Args:
        length: number of cards of the suit in the hand.
        rounds: number of rounds.
    """
    out = 13 - length
    ways = sum(
        comb(13, left) * comb(13, right) * comb(13, out - left - right)
        for left in range(rounds, out + 1)
        for right in range(rounds, out - left + 1)
    )
    return ways / comb(39, out)


def cards_won(hands: PlayedHands, rules: Rules) -> np.ndarray:
    """Which cards won the trick to which they were played, bool of shape (n, 52)."""
    states = hands.states
    deals, players = len(states), rules.players
    rows = np.arange(deals)
    order = states["order"][:, : players * rules.hand_size].astype(np.int64)
    # The last card has not been played: it is the only one left in a hand.
    order[:, -1] = np.log2(states["hands"].sum(axis=1).astype(float)).astype(np.int64)
    won = np.zeros((deals, 52), np.bool_)
    for trick in range(rules.hand_size):
        cards = order[:, trick * players : (trick + 1) * players]
        suit = cards // 13
        strength = cards % 13 + 100 * (suit == 3) + 50 * (suit == suit[:, :1])
        won[rows, cards[rows, strength.argmax(axis=1)]] = True
    return won


def in_play(hands: PlayedHands, rules: Rules) -> dict[str, dict[int, Estimate]]:
    """The share of high cards that won a trick, by card and suit length, with 95% intervals over deals."""
    won = cards_won(hands, rules)
    held = hands.states["hands"] | hands.states["plays"]
    found: dict[str, dict[int, Estimate]] = {}
    for name, rounds in ROUND.items():
        tops = np.zeros((len(held), 14))
        bottoms = np.zeros((len(held), 14))
        for seat in range(rules.players):
            for suit in range(3):
                cards = held[:, seat] >> np.uint64(13 * suit) & np.uint64(0x1FFF)
                length = np.unpackbits(cards[:, None].view(np.uint8), axis=1).sum(axis=1)
                has = cards >> np.uint64(13 - rounds) & np.uint64(1) > 0
                np.add.at(bottoms, (np.flatnonzero(has), length[has]), 1)
                wins = has & won[:, 13 * suit + 13 - rounds]
                np.add.at(tops, (np.flatnonzero(wins), length[wins]), 1)
        found[name] = {}
        for length in PUBLISHED[name]:
            seen = bottoms[:, length] > 0
            found[name][length] = proportion(tops[seen, length], bottoms[seen, length])
    return found


def main(
    deals: Annotated[int, typer.Option(help="Number of deals.")] = 20_000,
    agent: Annotated[str, typer.Option(help="Player at all seats.")] = "heuristic",
    seed: SeedOption = 0,
) -> None:
    """Print how often high cards of plain suits win in a game with partners, as Markdown."""
    rules = Rules.preset("partnership")
    played = in_play(play_hands(rules, [agent], seed, 0, deals, level=True), rules)
    typer.echo(f"| card | length | published | both opponents follow | won in play ({agent}, {deals} deals) |")
    typer.echo("|---|---|---|---|---|")
    for name, row in PUBLISHED.items():
        for length, value in row.items():
            exact = both_follow(length, ROUND[name])
            typer.echo(f"| {name} | {length} | {value:.3f} | {exact:.4f} | {played[name][length].text(digits=3)} |")


if __name__ == "__main__":
    typer.run(main)
