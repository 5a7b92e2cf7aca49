"""What can be read off a table: the names that Game, all its cards, and View, one seat's knowledge, share."""

from __future__ import annotations

from typing import Any

import numpy as np

from spades_env.cards import NUM_ACTIONS, cards_in
from spades_env.engine import single
from spades_env.engine.draft import kept_bit
from spades_env.engine.state import BLIND_BID, LOOKED, UNASKED, UNKNOWN_CARD, Phase
from spades_env.rules import Rules

__all__ = ["Position"]


class Position:
    """What Game and View share: one record and the names to read it by.

    Seats and sides are 0-based and absolute. Sets of cards are ints with bit ``card`` set.
    """

    __slots__ = ("_rules_array", "_state", "observer", "rules")

    rules: Rules
    observer: int | None
    """The seat whose knowledge this is; None in a Game, which shows every card."""

    def __init__(self, rules: Rules, rules_array: np.ndarray, state: np.ndarray, observer: int | None = None) -> None:
        self.rules = rules
        self._rules_array = rules_array
        self._state = state
        self.observer = observer

    @property
    def state(self) -> np.ndarray:
        """The packed state of the table: an array of one ``engine.state.STATE``. Read-only: copy it to change it."""
        return self._state

    @property
    def rules_array(self) -> np.ndarray:
        """The packed rules, as kernels read them: an array of one ``engine.state.RULES``. Read-only."""
        return self._rules_array

    def _seats(self, field: str) -> list[int]:
        return self._state[field][0, : self.rules.players].tolist()

    def _sides(self, field: str) -> list[int]:
        return self._state[field][0, : self.rules.sides].tolist()

    def _int(self, field: str) -> int:
        return self._state[field].item()

    @property
    def phase(self) -> Phase:
        """What is being decided."""
        return Phase(self._int("phase"))

    @property
    def seat(self) -> int:
        """The seat on turn; once the match is over, the one that took the last trick."""
        return self._int("seat")

    @property
    def is_over(self) -> bool:
        """Whether the match has been won."""
        return self._int("phase") == Phase.OVER

    @property
    def winner(self) -> int | None:
        """The side that won the match, or None."""
        side = self._int("winner")
        return None if side < 0 else side

    @property
    def hand_number(self) -> int:
        """How many hands of the match are finished."""
        return self._int("hand_number")

    @property
    def opener(self) -> int:
        """The seat that acts first in this hand."""
        return self._int("opener")

    @property
    def leader(self) -> int:
        """The seat that led, or leads, the current trick; before the play, the one that will lead the first."""
        return self._int("leader")

    @property
    def scores(self) -> list[int]:
        """Points of each side."""
        return self._sides("scores")

    @property
    def bags(self) -> list[int]:
        """Bag counter of each side."""
        return self._sides("bags")

    @property
    def bids(self) -> list[int | None]:
        """Bid of each seat, 0 for nil and blind nil, None before it has bid."""
        return [None if bid < 0 else bid for bid in self._seats("bids")]

    @property
    def blind(self) -> list[bool | None]:
        """For each seat: True if it bid blind nil, False if it looked, None if it was not asked yet."""
        return [{UNASKED: None, LOOKED: False, BLIND_BID: True}[value] for value in self._seats("blind")]

    @property
    def tricks(self) -> list[int]:
        """Tricks that each seat has won in this hand."""
        return self._seats("tricks")

    @property
    def hands(self) -> list[int]:
        """Cards that each seat holds; in a View all but the observer's are empty."""
        return self._seats("hands")

    @property
    def plays(self) -> list[int]:
        """Cards that each seat has played in this hand."""
        return self._seats("plays")

    @property
    def voids(self) -> list[int]:
        """For each seat, bit ``suit`` is set once it has shown that it holds nothing of the suit."""
        return self._seats("voids")

    @property
    def spades_broken(self) -> bool:
        """Whether spades are broken; in a View, whether everybody has seen it.

        The two differ only without ``spades_must_break``, after a spade was led from a hand of nothing else.
        """
        return bool(self._int("broken"))

    @property
    def played(self) -> list[tuple[int, int]]:
        """(seat, card) of every card played in this hand, in order."""
        owner = {card: seat for seat, plays in enumerate(self.plays) for card in cards_in(plays)}
        order = self._state["order"][0, : self._int("played")].tolist()
        return [(owner[card], card) for card in order]

    @property
    def trick(self) -> list[tuple[int, int]]:
        """(seat, card) of the cards of the current trick, in order."""
        count = self._int("in_trick")
        return self.played[-count:] if count else []

    @property
    def drawn(self) -> int | None:
        """The card that the seat on turn has drawn in the draft, or None (also if the observer may not see it)."""
        if self._int("phase") != Phase.DRAFT:
            return None
        card = int(self._state["deck"][0, 2 * self._int("draws")])
        return None if card == UNKNOWN_CARD else card

    @property
    def draft_choices(self) -> list[tuple[int, bool]]:
        """(seat, kept) of every draw decided in this hand."""
        kept = self._int("kept")
        return [((self.opener + k) % 2, bool(kept >> kept_bit(k) & 1)) for k in range(self._int("draws"))]

    @property
    def discard_pile(self) -> int:
        """Cards in the discard pile; empty in a View, whose observer knows :attr:`discards_seen` of it."""
        return self._int("pile")

    @property
    def discards_seen(self) -> int:
        """Cards that the observer has seen go to the discard pile in the draft; empty in a Game."""
        return self._observers("seen")

    @property
    def given(self) -> int:
        """Cards that the observer gave up in the exchange; empty in a Game."""
        return self._observers("given")

    @property
    def received(self) -> int:
        """Cards that the observer received in the exchange; empty in a Game."""
        return self._observers("received")

    def _observers(self, field: str) -> int:
        if self.observer is None or self.rules.players != 2:
            return 0
        return int(self._state[field][0, self.observer])

    @property
    def exchanged(self) -> list[int]:
        """How many cards each seat has given up in the exchange of this hand."""
        return self._state["exchanged"][0, : self.rules.players].tolist() + [0] * (self.rules.players - 2)

    @property
    def last_hand(self) -> dict[str, Any]:
        """Bids, blind flags, tricks (by seat) and points (by side, in points) of the last finished hand."""
        blind = [value == BLIND_BID for value in self._seats("last_blind")]
        seats = {"bids": self._seats("last_bids"), "blind": blind, "tricks": self._seats("last_tricks")}
        return {**seats, "points": self._sides("points")}

    def legal_actions(self) -> list[int]:
        """The legal actions of the seat on turn, ascending; empty once the match is over."""
        low, high = single.legal_words(self._state, self._rules_array)
        return cards_in(low | high << 64)

    def action_mask(self) -> np.ndarray:
        """The same as an int8 array of shape (75,), 1 where legal."""
        mask = np.zeros(NUM_ACTIONS, np.int8)
        mask[self.legal_actions()] = 1
        return mask
