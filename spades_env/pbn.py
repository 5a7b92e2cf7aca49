"""Deals of four hands in bridge's Portable Bridge Notation (PBN).

A hand is its spades, hearts, diamonds and clubs, separated by dots. A deal is four hands clockwise from the one that
is named first: ``N:AKQ.T98.2.- ...``. Seats 0 to 3 are north, east, south and west.

Example:
    >>> from spades_env import Game
    >>> hands = parse_deal("N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432")
    >>> game = Game("solo", decks=[deck_of(hands)])
    >>> print(game.hands[2])
    AD KD QD JD TD 9D 8D 7D 6D 5D 4D 3D 2D
    >>> deal_text(game.hands)
    'N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432'
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from spades_env.cards import RANKS, SUITS, CardSet, card_name, cards_in, parse_hand

SEATS = "NESW"
_TAG = re.compile(r'\s*\[\s*Deal\s+"(.*)"\s*\]\s*', re.IGNORECASE)


def hand_in_pbn(hand: int) -> str:
    """The cards of a hand as PBN writes them: ``AK4.QT..A2``."""
    suits = ([card for card in reversed(cards_in(hand)) if SUITS[card // 13] == suit] for suit in reversed(SUITS))
    return ".".join("".join(RANKS[card % 13] for card in cards) for cards in suits)


def deal_text(hands: Iterable[int], first: int = 0) -> str:
    """Four hands as a PBN deal.

    Args:
        hands: the hands of seats 0 to 3.
        first: the seat whose hand is written first.

    Raises:
        ValueError: if there are not four hands.
    """
    held = list(hands)
    if len(held) != 4:
        raise ValueError(f"a deal has four hands, got {len(held)}")
    return f"{SEATS[first]}:{' '.join(hand_in_pbn(held[(first + k) % 4]) for k in range(4))}"


def parse_deal(text: str) -> list[CardSet]:
    """The hands of seats 0 to 3 of a PBN deal, with or without its tag: ``[Deal "N:..."]``.

    Raises:
        ValueError: if the text is not a deal of four hands, or a card appears twice.
    """
    tag = _TAG.fullmatch(text)
    found = re.fullmatch(r"\s*([NESW])\s*:\s*(.*?)\s*", tag[1] if tag else text, re.IGNORECASE)
    words = found[2].split() if found else []
    if found is None or len(words) != 4:
        raise ValueError(f"a deal is a seat of {SEATS} and four hands, as in 'N:AKQ.T98.2.- ...', got {text!r:.80}")
    first = SEATS.index(found[1].upper())
    hands = [parse_hand(words[(seat - first) % 4]) for seat in range(4)]
    for seat, hand in enumerate(hands):
        for other in hands[:seat]:
            if hand & other:
                raise ValueError(f"{card_name(next(iter(hand & other)))} is in two hands")
    return hands


def deck_of(hands: Iterable[int], opener: int = 0) -> list[int]:
    """The deck that deals these hands: ``Game(rules, decks=[deck_of(hands)])``.

    Args:
        hands: the hands of all seats, of equal size.
        opener: the seat that opens the hand, as given to ``Game``.

    Raises:
        ValueError: if the hands are not of equal size.
    """
    held = [cards_in(hand) for hand in hands]
    if len({len(cards) for cards in held}) != 1:
        raise ValueError(f"the hands must have equal sizes, got {', '.join(str(len(cards)) for cards in held)} cards")
    order = [held[(opener + k) % len(held)] for k in range(len(held))]
    return [cards[k] for k in range(len(held[0])) for cards in order]
