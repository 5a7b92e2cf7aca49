"""Cards, sets of cards and actions as integers, and their names.

A card is ``13 * suit + rank``: suits are clubs 0, diamonds 1, hearts 2, spades 3; rank 0 is the deuce and 12 the ace.
A set of cards is an ``int`` (or ``uint64``) with bit ``card`` set for each card.

Example:
    >>> parse_card("AS"), card_name(51)
    (51, 'AS')
    >>> hand = mask_of(parse_cards("2C KH AS"))
    >>> cards_in(hand), hand_text(hand)
    ([0, 37, 51], 'AS KH 2C')
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

SUITS = "CDHS"
RANKS = "23456789TJQKA"
SUIT_SYMBOLS = "♣♦♥♠"
CLUBS, DIAMONDS, HEARTS, SPADES = range(4)
NUM_CARDS = 52

SUIT_MASKS = tuple(0x1FFF << 13 * suit for suit in range(4))
SPADES_MASK = SUIT_MASKS[SPADES]
ALL_CARDS = (1 << NUM_CARDS) - 1

# One action space for every variant.
BID_0 = 52
BID_17 = 69
BLIND_NIL = 70
LOOK = 71
KEEP = 72
REJECT = 73
DONE = 74
NUM_ACTIONS = 75

_NAMES = (
    tuple(rank + suit for suit in SUITS for rank in RANKS)
    + tuple(f"BID_{n}" for n in range(18))
    + ("BLIND_NIL", "LOOK", "KEEP", "REJECT", "DONE")
)
_IDS = {name: action for action, name in enumerate(_NAMES)}


def suit_of(card: int) -> int:
    """The suit of a card, 0 (clubs) to 3 (spades)."""
    return card // 13


def rank_of(card: int) -> int:
    """The rank of a card, 0 (deuce) to 12 (ace)."""
    return card % 13


def card_name(card: int) -> str:
    """The name of a card, rank then suit: ``"AS"``, ``"TD"``, ``"2C"``.

    Raises:
        ValueError: if ``card`` is not in 0..51.
    """
    if not 0 <= card < NUM_CARDS:
        raise ValueError(f"card must be in 0..51, got {card}")
    return _NAMES[card]


def parse_card(text: str) -> int:
    """The id of the card named by ``text``, such as ``"AS"``; case is ignored, and ``10`` is accepted for ``T``.

    Raises:
        ValueError: if the text is not a card's name.
    """
    name = text.strip().upper().replace("10", "T")
    card = _IDS.get(name, NUM_CARDS)
    if card >= NUM_CARDS:
        raise ValueError(f"not a card: {text!r} (a rank of {RANKS}, then a suit of {SUITS}, as in AS or TD)")
    return card


def parse_cards(text: str) -> list[int]:
    """The ids of the cards named in ``text``, which spaces or commas separate.

    Raises:
        ValueError: if a word is not a card's name, or a card appears twice.
    """
    found = [parse_card(word) for word in text.replace(",", " ").split()]
    for card in found:
        if found.count(card) > 1:
            raise ValueError(f"{card_name(card)} appears twice")
    return found


def action_name(action: int) -> str:
    """The name of an action: a card's name, ``BID_4``, ``BLIND_NIL``, ``LOOK``, ``KEEP``, ``REJECT``, ``DONE``.

    Raises:
        ValueError: if ``action`` is not in 0..74.
    """
    if not 0 <= action < NUM_ACTIONS:
        raise ValueError(f"action must be in 0..74, got {action}")
    return _NAMES[action]


def parse_action(text: str) -> int:
    """The id of the action with a name as :func:`action_name` returns it; case is ignored.

    Raises:
        ValueError: if there is no such action.
    """
    name = text.strip().upper()
    if name not in _IDS:
        raise ValueError(f"not an action: {text!r} (a card such as AS, BID_0 to BID_17, {', '.join(_NAMES[70:])})")
    return _IDS[name]


def trick_winner(trick: Sequence[tuple[int, int]]) -> int:
    """The seat that wins a trick, given as (seat, card) pairs in order of play."""
    led = suit_of(trick[0][1])
    return max(trick, key=lambda play: (suit_of(play[1]) == SPADES, suit_of(play[1]) == led, rank_of(play[1])))[0]


def mask_of(cards: Iterable[int]) -> int:
    """The set of the given cards as an int."""
    mask = 0
    for card in cards:
        mask |= 1 << int(card)
    return mask


def cards_in(mask: int | np.integer) -> list[int]:
    """The ids of the cards in a set, ascending."""
    rest = int(mask)
    found = []
    while rest:
        low = rest & -rest
        found.append(low.bit_length() - 1)
        rest ^= low
    return found


def hand_text(mask: int | np.integer, symbols: bool = False) -> str:
    """The names of the cards in a hand: spades, hearts, clubs, diamonds, high cards first.

    Args:
        mask: the set of cards.
        symbols: whether to group the cards by suit symbols (``♠ A K 4  ♥ Q``).
    """
    order = (SPADES, HEARTS, CLUBS, DIAMONDS)
    held = {suit: [c for c in reversed(cards_in(mask)) if c // 13 == suit] for suit in order}
    if not symbols:
        return " ".join(_NAMES[card] for suit in order for card in held[suit])
    groups = (
        f"{SUIT_SYMBOLS[suit]} " + " ".join(RANKS[card % 13] for card in held[suit]) for suit in order if held[suit]
    )
    return "  ".join(groups)
