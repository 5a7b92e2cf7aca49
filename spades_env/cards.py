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

import re
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
_LETTERS = {
    ord(symbol): suit for symbols in (SUIT_SYMBOLS, "♧♢♡♤") for symbol, suit in zip(symbols, SUITS, strict=True)
}
_LETTERS[0xFE0F] = ""  # the mark that makes a suit symbol an emoji
_RANKS = re.compile(f"[{RANKS}]+|-")
_BY_SUIT = re.compile(f"(?:[{SUITS}]:?(?:[{RANKS}]+|-)?)+")


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


def _plain(text: str) -> str:
    """Text in upper case with letters for suit symbols and ``T`` for 10."""
    return text.translate(_LETTERS).strip().upper().replace("10", "T")


def parse_card(text: str) -> int:
    """The id of the card named by ``text``: ``"AS"``, ``"SA"``, ``"A♠"`` or ``"♠A"``.

    Case is ignored, and ``10`` is accepted for ``T``.

    Raises:
        ValueError: if the text is not a card's name.
    """
    name = _plain(text)
    card = _IDS.get(name, NUM_CARDS)
    if card >= NUM_CARDS and len(name) == 2:
        card = _IDS.get(name[::-1], NUM_CARDS)
    if card >= NUM_CARDS:
        raise ValueError(f"not a card: {text!r} (a rank of {RANKS}, then a suit of {SUITS}, as in AS or TD)")
    return card


def parse_cards(text: str) -> list[int]:
    """The ids of the cards named in ``text``, in order; spaces or commas separate them.

    Cards are named one by one (``AS KS QH``) or by suit: a suit, then its ranks (``♠AK ♥Q``, ``S:AK H:Q``,
    ``S A K H Q``), where ``-`` means none.

    Raises:
        ValueError: if a word is not a card's name, or a card appears twice.
    """
    found, suit = [], ""
    for word in re.sub("[,;]", " ", text).split():
        name = _plain(word)
        if _BY_SUIT.fullmatch(name) and name[0] in SUITS:
            groups = re.findall(f"([{SUITS}]):?([{RANKS}]*)", name)
        elif suit and _RANKS.fullmatch(name):
            groups = [(suit, name.strip("-"))]
        else:
            groups = []
            found.append(parse_card(word))
        for suit, ranks in groups:
            found += [_IDS[rank + suit] for rank in ranks]
    return _check_once(found)


def parse_hand(text: str) -> int:
    """The set of the cards of a hand in any of the usual notations.

    Args:
        text: cards as :func:`parse_cards` takes them, or four suits separated by dots, spades first, as in the PBN
            format of bridge: ``AKQ.T98.2.-``. A seat before it, as in ``N:AKQ.T98.2.-``, is ignored.

    Raises:
        ValueError: if the text is invalid, or a card appears twice.
    """
    if "." not in text:
        return mask_of(parse_cards(text))
    word = re.sub(r"^\s*\w\s*:", "", text).strip()
    suits = _plain(word).split(".")
    if len(suits) != 4:
        raise ValueError(f"a hand is spades.hearts.diamonds.clubs, got {word!r}")
    found = []
    for suit, ranks in zip("SHDC", suits, strict=True):
        for rank in "" if ranks == "-" else ranks.strip():
            if rank not in RANKS:
                raise ValueError(f"hand {word!r}: {rank!r} is not a rank of {RANKS}")
            found.append(_IDS[rank + suit])
    try:
        return mask_of(_check_once(found))
    except ValueError as error:
        raise ValueError(f"hand {word!r}: {error}") from None


def _check_once(cards: list[int]) -> list[int]:
    for card in cards:
        if cards.count(card) > 1:
            raise ValueError(f"{card_name(card)} appears twice")
    return cards


def action_name(action: int) -> str:
    """The name of an action: a card's name, ``BID_4``, ``BLIND_NIL``, ``LOOK``, ``KEEP``, ``REJECT``, ``DONE``.

    Raises:
        ValueError: if ``action`` is not in 0..74.
    """
    if not 0 <= action < NUM_ACTIONS:
        raise ValueError(f"action must be in 0..74, got {action}")
    return _NAMES[action]


def parse_action(text: str) -> int:
    """The id of the action with a name as :func:`action_name` returns it, or a card as :func:`parse_card` takes it.

    Case is ignored.

    Raises:
        ValueError: if there is no such action.
    """
    name = text.strip().upper()
    if name in _IDS:
        return _IDS[name]
    try:
        return parse_card(text)
    except ValueError:
        actions = ", ".join(_NAMES[70:])
        raise ValueError(f"not an action: {text!r} (a card such as AS, BID_0 to BID_17, {actions})") from None


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
