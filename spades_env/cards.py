"""Cards, sets of cards and actions as integers, and their names.

A card is ``13 * suit + rank``: suits are clubs 0, diamonds 1, hearts 2, spades 3; rank 0 is the deuce and 12 the ace.
A set of cards is an ``int`` (or ``uint64``) with bit ``card`` set for each card; :class:`CardSet` is such an int that
can also be used like a Python set.

Example:
    >>> parse_card("AS"), card_name(51)
    (51, 'AS')
    >>> hand = parse_hand("2C KH AS")
    >>> list(hand), hand_text(hand)
    ([0, 37, 51], 'AS KH 2C')
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

SUITS = "CDHS"
RANKS = "23456789TJQKA"
SUIT_SYMBOLS = "♣♦♥♠"
CLUBS, DIAMONDS, HEARTS, SPADES = range(4)
NUM_CARDS = 52

SUIT_MASKS = tuple(0x1FFF << 13 * suit for suit in range(4))
SPADES_MASK = SUIT_MASKS[SPADES]
ALL_CARDS = (1 << NUM_CARDS) - 1
_SHOWN = (SPADES, HEARTS, CLUBS, DIAMONDS)  # red and black in turn

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
# Filled and outlined symbols; U+FE0F asks for their emoji.
_LETTERS = str.maketrans({**dict(zip("♣♦♥♠♧♢♡♤", 2 * SUITS, strict=True)), "\ufe0f": ""})
_NAMED = re.compile(f"(?:[{RANKS}][{SUITS}])+")
_GROUP = re.compile(f"([{SUITS}]?):?-?([{RANKS}]*)")
_AROUND = " \t\r\n.,:;!?'\"`*()[]<>"  # what people and language models write around a name
_SEAT = re.compile(r"^[NESW]\s*:\s*", re.IGNORECASE)


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
    """The id of the card named by ``text``: rank and suit in either order, such as ``"AS"``, ``"10d"`` or ``"♠A"``.

    Suits are letters or symbols, case is ignored, and ``10`` and ``T`` are the same rank.

    Raises:
        ValueError: if the text is not a card's name.
    """
    word = _plain(text.strip())
    card = _IDS.get(word, _IDS.get(word[::-1], NUM_CARDS)) if len(word) == 2 else NUM_CARDS
    if card >= NUM_CARDS:
        raise ValueError(f"not a card: {text!r} (a rank of {RANKS}, then a suit of {SUITS}, as in AS or TD)")
    return card


def parse_cards(text: str) -> list[int]:
    """The ids of the cards named in ``text``, in order, separated by spaces or commas.

    A suit may also come first, once for all its cards: ``"♠AK4 ♥Q"``, ``"♠ A K 4  ♥ Q"`` or ``"S:AK4 H:Q"``.

    Raises:
        ValueError: if a word is not a card's name, or a card appears twice.
    """
    found = []
    suit = ""
    for raw in text.replace(",", " ").split():
        word = _plain(raw)
        if _NAMED.fullmatch(word):
            found += [_IDS[word[k : k + 2]] for k in range(0, len(word), 2)]
            continue
        groups = _GROUP.findall(word) if re.fullmatch(f"(?:{_GROUP.pattern})+", word) else []
        for named_suit, ranks in groups:
            suit = named_suit or suit
            if suit:
                found += [_IDS[rank + suit] for rank in ranks]
        if not (groups and suit):
            raise ValueError(f"not a card: {raw!r} (as in AS or TD, or by suits as in S:AK4 H:QT)")
    return _without_repeats(found)


def parse_hand(text: str) -> CardSet:
    """The cards of one hand, in any of the usual notations.

    ``"AS KS 4S QH"``, ``"♠AK4 ♥Q"``, ``"S:AK4 H:Q"``, and that of bridge's PBN files: spades, hearts, diamonds and
    clubs, separated by dots, with or without the seat: ``"AK4.Q.."``, ``"N:AK4.Q.-.-"``.

    Raises:
        ValueError: if the text is not a hand, or a card appears twice.
    """
    if "." not in text:
        return CardSet(mask_of(parse_cards(text)))
    suits = _SEAT.sub("", text.strip()).split(".")
    if len(suits) != 4:
        raise ValueError(f"a hand in PBN is spades.hearts.diamonds.clubs, got {text.strip()!r}")
    found = []
    for suit, group in zip(reversed(SUITS), suits, strict=True):
        ranks = _plain("" if group.strip() == "-" else group.strip())
        for rank in ranks:
            if rank not in RANKS:
                raise ValueError(f"hand {text.strip()!r}: {rank!r} is not a rank of {RANKS}")
            found.append(_IDS[rank + suit])
    try:
        return CardSet(mask_of(_without_repeats(found)))
    except ValueError as error:
        raise ValueError(f"hand {text.strip()!r}: {error}") from None


def _plain(word: str) -> str:
    """A word in capitals with T for 10 and letters for suit symbols."""
    return word.upper().replace("10", "T").translate(_LETTERS)


def _without_repeats(cards: list[int]) -> list[int]:
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


def parse_action(text: str, legal: Sequence[int] | None = None) -> int:
    """The id of the action with a name as :func:`action_name` returns it, or a card as :func:`parse_card` takes it.

    Case is ignored, and so are spaces, quotes, asterisks, dots and other punctuation around the name.

    Args:
        text: the name, such as the answer of a language model.
        legal: the actions that are allowed; None allows all.

    Raises:
        ValueError: if there is no such action, or it is not allowed.
    """
    name = text.strip(_AROUND).upper()
    actions = f"a card such as AS, BID_0 to BID_17, {', '.join(_NAMES[70:])}"
    if legal is not None:
        actions = ", ".join(action_name(action) for action in legal)
    try:
        action = _IDS[name] if name in _IDS else parse_card(name)
    except ValueError:
        raise ValueError(f"not an action: {_shortened(text)} ({actions})") from None
    if legal is not None and action not in legal:
        raise ValueError(f"{_NAMES[action]} is not legal now ({actions})")
    return action


def _shortened(text: str) -> str:
    return repr(text) if len(text) <= 80 else f"{text[:80]!r}..."


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


class CardSet(int):
    """A set of cards: an int with bit ``card`` set for each card, which can also be used like a Python set.

    Iteration yields card ids in ascending order. ``&``, ``|``, ``^`` and the difference of two sets return a CardSet;
    all other operations are those of an int.

    Args:
        cards: the bits, the ids of the cards, or text for :func:`parse_hand`.

    Raises:
        ValueError: if a bit is not that of a card, or the text is not a hand.

    Example:
        >>> hand = CardSet("AS KH 2C")
        >>> list(hand), len(hand), 51 in hand, "KS" in hand
        ([0, 37, 51], 3, True, False)
        >>> print(hand & SPADES_MASK)
        AS
    """

    __slots__ = ()

    def __new__(cls, cards: int | str | Iterable[int] = 0) -> CardSet:  # noqa: D102 (the class describes it)
        if isinstance(cards, str):
            return parse_hand(cards)
        bits = int(cards) if hasattr(cards, "__index__") else mask_of(cards)  # pyright: ignore[reportArgumentType]
        if not 0 <= bits <= ALL_CARDS:
            raise ValueError(f"a set of cards has bits 0..51, got {bits:#x}")
        return int.__new__(cls, bits)

    def __iter__(self) -> Iterator[int]:
        return iter(cards_in(self))

    def __len__(self) -> int:
        return int(self).bit_count()

    def __contains__(self, card: object) -> bool:
        wanted = parse_card(card) if isinstance(card, str) else card
        return wanted in cards_in(self)

    def __and__(self, other: int) -> CardSet:
        return self._combine(operator.and_, other)

    def __or__(self, other: int) -> CardSet:
        return self._combine(operator.or_, other)

    def __xor__(self, other: int) -> CardSet:
        return self._combine(operator.xor, other)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __sub__(self, other: int) -> int:
        return self & ~int(other) if isinstance(other, CardSet) else int(self) - other

    def _combine(self, operation: Callable[[int, int], int], other: int) -> Any:
        if not isinstance(other, (int, np.integer)):
            return NotImplemented
        bits = operation(int(self), int(other))
        return CardSet(bits) if 0 <= bits <= ALL_CARDS else bits

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        # NumPy would convert an int with a length to int64, which does not combine with uint64; a plain int does.
        plain = (int(value) if isinstance(value, CardSet) else value for value in inputs)
        return getattr(ufunc, method)(*plain, **options)

    def __str__(self) -> str:
        return hand_text(self)

    def __repr__(self) -> str:
        return f"CardSet({hand_text(self)!r})"


class SuitSet(int):
    """A set of suits: an int with bit ``suit`` set for each suit, which can be iterated and printed.

    Example:
        >>> voids = SuitSet(1 << CLUBS | 1 << SPADES)
        >>> print(voids, list(voids), SPADES in voids)
        CS [0, 3] True
    """

    __slots__ = ()

    def __iter__(self) -> Iterator[int]:
        return iter(cards_in(self))

    def __len__(self) -> int:
        return self.bit_count()

    def __contains__(self, suit: object) -> bool:
        return suit in cards_in(self)

    def __str__(self) -> str:
        return "".join(SUITS[suit] for suit in self)

    def __repr__(self) -> str:
        return f"<SuitSet {str(self) or 'empty'}>"


def in_display_order(mask: int | np.integer) -> list[int]:
    """The ids of the cards in a set as a hand is shown: spades, hearts, clubs, diamonds, high cards first."""
    return [card for suit in _SHOWN for card in reversed(cards_in(int(mask) & SUIT_MASKS[suit]))]


def hand_text(mask: int | np.integer, symbols: bool = False) -> str:
    """The names of the cards in a hand: spades, hearts, clubs, diamonds, high cards first.

    Args:
        mask: the set of cards.
        symbols: whether to group the cards by suit symbols (``♠ A K 4  ♥ Q``).
    """
    if not symbols:
        return " ".join(_NAMES[card] for card in in_display_order(mask))
    held = {suit: [c for c in reversed(cards_in(mask)) if c // 13 == suit] for suit in _SHOWN}
    groups = (
        f"{SUIT_SYMBOLS[suit]} " + " ".join(RANKS[card % 13] for card in held[suit]) for suit in _SHOWN if held[suit]
    )
    return "  ".join(groups)
