"""The attributes that Game, with all its cards, and View, one seat's knowledge, have in common."""

from __future__ import annotations

from typing import Any

import numpy as np

from spades_env.cards import NUM_ACTIONS, CardSet, SuitSet, card_name, cards_in, hand_text
from spades_env.engine import single
from spades_env.engine.draft import kept_bit
from spades_env.engine.state import BLIND_BID, LOOKED, UNASKED, UNKNOWN_CARD, Phase
from spades_env.observation import SIZE
from spades_env.rules import Rules


class Position:
    """The packed state of a table and its attributes, which Game and View share.

    Seats and sides are absolute and count from 0. Sets of cards are a :class:`spades_env.cards.CardSet`: an int with
    bit ``card`` set for each card, which can be iterated and printed.
    """

    __slots__ = ("observer", "rules", "rules_array", "state")

    rules: Rules
    rules_array: np.ndarray
    """The packed rules for kernels, an array of one ``engine.state.RULES``. Read-only."""
    state: np.ndarray
    """The packed state of the table, an array of one ``engine.state.STATE``. Read-only: copy it to change it."""
    observer: int | None
    """The seat whose knowledge this is; None in a Game, which holds every card."""

    def __init__(self, rules: Rules, rules_array: np.ndarray, state: np.ndarray, observer: int | None = None) -> None:
        self.rules = rules
        self.rules_array = rules_array
        self.state = state
        self.observer = observer

    def _seats(self, field: str) -> list[int]:
        return self.state[field][0, : self.rules.players].tolist()

    def _sides(self, field: str) -> list[int]:
        return self.state[field][0, : self.rules.sides].tolist()

    def _int(self, field: str) -> int:
        return self.state[field].item()

    @property
    def phase(self) -> Phase:
        """What the seat on turn decides now."""
        return Phase(self._int("phase"))

    @property
    def seat(self) -> int:
        """The seat on turn; once the match is over, the seat that won the last trick."""
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
        """The number of finished hands in the match."""
        return self._int("hand_number")

    @property
    def opener(self) -> int:
        """The seat that opened this hand."""
        return self._int("opener")

    @property
    def leader(self) -> int:
        """The seat that led, or leads, the current trick; before the play, the seat that will lead the first one."""
        return self._int("leader")

    @property
    def scores(self) -> list[int]:
        """The points of each side."""
        return self._sides("scores")

    @property
    def bags(self) -> list[int]:
        """The bag counter of each side."""
        return self._sides("bags")

    @property
    def bids(self) -> list[int | None]:
        """The bid of each seat, with 0 for nil and blind nil and None before it has bid."""
        return [None if bid < 0 else bid for bid in self._seats("bids")]

    @property
    def blind(self) -> list[bool | None]:
        """For each seat, True if it bid blind nil, False if it looked, None if it has not been asked."""
        return [{UNASKED: None, LOOKED: False, BLIND_BID: True}[value] for value in self._seats("blind")]

    @property
    def tricks(self) -> list[int]:
        """The number of tricks each seat has won in this hand."""
        return self._seats("tricks")

    @property
    def hands(self) -> list[CardSet]:
        """The cards each seat holds; in a View, all hands but the observer's are empty."""
        return list(map(CardSet, self._seats("hands")))

    @property
    def plays(self) -> list[CardSet]:
        """The cards each seat has played in this hand."""
        return list(map(CardSet, self._seats("plays")))

    @property
    def voids(self) -> list[SuitSet]:
        """For each seat, the suits in which it has shown a void."""
        return list(map(SuitSet, self._seats("voids")))

    @property
    def spades_broken(self) -> bool:
        """Whether spades are broken; in a View, whether everybody has seen them broken.

        The two differ only without ``spades_must_break``, after a spade was led from a hand of only spades.
        """
        return bool(self._int("broken"))

    @property
    def played(self) -> list[tuple[int, int]]:
        """(seat, card) for every card played in this hand, in order."""
        owner = {card: seat for seat, plays in enumerate(self.plays) for card in cards_in(plays)}
        order = self.state["order"][0, : self._int("played")].tolist()
        return [(owner[card], card) for card in order]

    @property
    def trick(self) -> list[tuple[int, int]]:
        """(seat, card) for every card of the current trick, in order."""
        count = self._int("in_trick")
        return self.played[-count:] if count else []

    @property
    def drawn(self) -> int | None:
        """The card that the seat on turn has drawn in the draft, or None, also if the observer may not see it."""
        if self._int("phase") != Phase.DRAFT:
            return None
        card = int(self.state["deck"][0, 2 * self._int("draws")])
        return None if card == UNKNOWN_CARD else card

    @property
    def draft_choices(self) -> list[tuple[int, bool]]:
        """(seat, kept) for every draw decided in this hand."""
        kept = self._int("kept")
        return [((self.opener + k) % 2, bool(kept >> kept_bit(k) & 1)) for k in range(self._int("draws"))]

    @property
    def discard_pile(self) -> CardSet:
        """The cards in the discard pile; empty in a View, whose observer only knows :attr:`discards_seen`."""
        return CardSet(self._int("pile"))

    @property
    def discards_seen(self) -> CardSet:
        """The cards that the observer has seen go to the discard pile in the draft; empty in a Game."""
        return self._observers("seen")

    @property
    def given(self) -> CardSet:
        """The cards that the observer gave up in the exchange; empty in a Game."""
        return self._observers("given")

    @property
    def received(self) -> CardSet:
        """The cards that the observer received in the exchange; empty in a Game."""
        return self._observers("received")

    def _observers(self, field: str) -> CardSet:
        if self.observer is None or self.rules.players != 2:
            return CardSet()
        return CardSet(int(self.state[field][0, self.observer]))

    @property
    def exchanged(self) -> list[int]:
        """The number of cards each seat has given up in the exchange of this hand."""
        return self.state["exchanged"][0, : self.rules.players].tolist() + [0] * (self.rules.players - 2)

    @property
    def last_hand(self) -> dict[str, Any]:
        """The last finished hand, as ``bids``, ``blind`` and ``tricks`` by seat and ``points`` by side."""
        blind = [value == BLIND_BID for value in self._seats("last_blind")]
        seats = {"bids": self._seats("last_bids"), "blind": blind, "tricks": self._seats("last_tricks")}
        return {**seats, "points": self._sides("points")}

    def legal_actions(self) -> list[int]:
        """The legal actions of the seat on turn, ascending; empty once the match is over."""
        low, high = single.legal_words(self.state, self.rules_array)
        return cards_in(low | high << 64)

    def action_mask(self) -> np.ndarray:
        """The legal actions as an int8 array of shape (75,), 1 where legal."""
        mask = np.zeros(NUM_ACTIONS, np.int8)
        mask[self.legal_actions()] = 1
        return mask

    def _observed_by(self, seat: int) -> np.ndarray:
        observation, mask = np.empty(SIZE, np.int8), np.empty(NUM_ACTIONS, np.int8)
        single.observe(self.state, self.rules_array, seat, False, observation, mask)
        return observation

    def _words(self) -> str:
        """The position on one line, for ``repr``."""
        if self.is_over:
            return f"{self.rules.name}, the match is over, scores {self.scores}"
        trick = " ".join(card_name(card) for _, card in self.trick)
        words = f"{self.rules.name}, hand {self.hand_number + 1}, {self.phase.name}, seat {self.seat} on turn"
        held = "" if self.observer is None else f", hand {hand_text(self.hands[self.observer]) or 'unseen or empty'}"
        return f"{words}, scores {self.scores}{f', trick {trick}' if trick else ''}{held}"
