"""The moves that a person types, in every usual form."""

from __future__ import annotations

from spades_env.cards import (
    BID_0,
    BID_17,
    BLIND_NIL,
    DONE,
    KEEP,
    LOOK,
    NUM_CARDS,
    REJECT,
    card_name,
    hand_text,
    mask_of,
    parse_action,
    suit_of,
)
from spades_env.game import Phase, View

SUIT_NAMES = ("clubs", "diamonds", "hearts", "spades")
_WORDS: dict[Phase, dict[str, int]] = {
    Phase.BLIND: {"b": BLIND_NIL, "blind": BLIND_NIL, "blind nil": BLIND_NIL, "l": LOOK, "look": LOOK},
    Phase.DRAFT: {"k": KEEP, "keep": KEEP, "r": REJECT, "reject": REJECT},
    Phase.EXCHANGE: {"d": DONE, "done": DONE},
    Phase.BID: {"nil": BID_0, "bid nil": BID_0, "zero": BID_0},
    Phase.PLAY: {},
}
_KEYS = {BLIND_NIL: "b", LOOK: "l", KEEP: "k", REJECT: "r", DONE: "d"}
_SUITS = (("c", "club", "clubs", "♣", "♧"), ("d", "diamond", "diamonds", "♦", "♢"))
_SUITS += (("h", "heart", "hearts", "♥", "♡"), ("s", "spade", "spades", "♠", "♤"))
_RANKS = (("2", "two", "deuce"), ("3", "three"), ("4", "four"), ("5", "five"), ("6", "six"), ("7", "seven"))
_RANKS += (("8", "eight"), ("9", "nine"), ("10", "t", "ten"), ("j", "jack"), ("q", "queen"), ("k", "king"))
_RANKS += (("a", "ace"),)
_RANK_OF = {name: rank for rank, names in enumerate(_RANKS) for name in names}
_CARD_OF = {
    form: card
    for card in range(NUM_CARDS)
    for rank in _RANKS[card % 13]
    for suit in _SUITS[card // 13]
    for form in (rank + suit, suit + rank, f"{rank}of{suit}")
}
_CHOICES = {
    Phase.BLIND: "blind nil (b) or look at your cards (l)",
    Phase.DRAFT: "keep it (k) or reject it (r)",
    Phase.EXCHANGE: "a card to give up, such as 7D, or done (d)",
}


def parse_move(text: str, view: View) -> int:
    """Parse the move that a person typed; case is ignored.

    Args:
        text: a card (``5H``, ``H5``, ``♥5``, ``10d``, ``5 of hearts``, or only its rank if one legal card has that
            rank), a number for a bid, ``k`` or ``r`` in the draft, ``b`` or ``l`` for blind nil or looking, ``d`` to
            end the exchange, or any name from :func:`spades_env.cards.action_name`.
        view: the person's view; the person must be on turn.

    Returns:
        The action.

    Raises:
        ValueError: if the text is not a legal move, or means several; the message lists the legal ones.
    """
    # The mark after a suit symbol is the variation selector that some keyboards add.
    word = " ".join(text.lower().replace("\ufe0f", "").split())
    legal = view.legal_actions()
    number = word.removeprefix("bid").strip()
    if word in _WORDS[view.phase]:
        action = _WORDS[view.phase][word]
    elif view.phase == Phase.BID and number.isdecimal():
        action = BID_0 + min(int(number), BID_17 - BID_0 + 1)
    elif word in _RANK_OF:
        fitting = [card for card in legal if card < NUM_CARDS and card % 13 == _RANK_OF[word]]
        if len(fitting) > 1:
            raise ValueError(f"{text.strip()!r} could be {' or '.join(map(card_name, fitting))}: name the suit")
        action = fitting[0] if fitting else None
    else:
        action = _CARD_OF.get(word.replace(" ", ""), _named(word))
    if action is None or action not in legal:
        why = "" if action is None or action >= NUM_CARDS else why_not(view, action)
        raise ValueError(f"{text.strip()!r} is not a legal move: {allowed_text(view)}{'; ' if why else ''}{why}")
    return action


def _named(word: str) -> int | None:
    try:
        return parse_action(word)
    except ValueError:
        return None


def why_not(view: View, card: int) -> str:
    """Why the observer, who is on turn, may not play a card; empty in other phases."""
    if view.phase != Phase.PLAY:
        return ""
    if not view.hand >> card & 1:
        return f"you do not hold {card_name(card)}"
    if view.trick:
        return f"you must follow suit in {SUIT_NAMES[suit_of(view.trick[0][1])]}"
    return "spades are not broken yet"


def allowed_text(view: View) -> str:
    """The legal moves as a person would type them."""
    legal = view.legal_actions()
    if view.phase == Phase.PLAY:
        return f"you may play {hand_text(mask_of(legal))}"
    if view.phase == Phase.BID:
        return f"bid {legal[0] - BID_0} to {legal[-1] - BID_0}"
    return _CHOICES[view.phase]


def key_of(action: int) -> str:
    """What to type for an action: ``7D``, ``4``, ``k``."""
    if action in _KEYS:
        return _KEYS[action]
    return card_name(action) if action < NUM_CARDS else str(action - BID_0)
