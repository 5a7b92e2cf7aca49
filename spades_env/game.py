"""Game, one table with all its cards, and View, what one seat may know of it."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from spades_env.cards import NUM_ACTIONS, action_name, cards_in, hand_text
from spades_env.checks import MOST_POINTS, check_deck, check_int, check_ints, check_list, check_seed
from spades_env.engine import single
from spades_env.engine.jit import jit
from spades_env.engine.state import BLIND_BID, LOOKED, STATE, Phase, copy_state, rules_record
from spades_env.engine.step import EXCHANGED, HAND_ENDED, NOTHING
from spades_env.log import HandLog, HandResult, Start
from spades_env.position import Position
from spades_env.rules import Rules, as_rules

if TYPE_CHECKING:
    from spades_env.record import Record

__all__ = ["Game", "IllegalAction", "Phase", "View"]


class IllegalAction(ValueError):
    """An action that is not legal now; the table is as it was."""


class Game(Position):
    """One table of Spades: a match from the first hand to the end.

    Args:
        rules: a preset's name or a :class:`Rules`.
        seed: names the random stream: an int, or a tuple (seed, table) or (seed, table, match); missing
            places are 0. None takes a seed from the operating system. Row ``i`` of ``Tables(seed=s)`` plays
            ``Game(seed=(s, i))``, then ``Game(seed=(s, i, 1))`` and so on.
        decks: card orders of the first hands: draw order in draft games; in dealt games card ``k`` goes to
            seat ``(opener + k) % players``. After the last one the random stream shuffles.
        scores: points of each side at the start.
        bags: bag counters of each side at the start.
        opener: the seat that opens the first hand.

    Raises:
        ValueError: if an argument makes no sense, with a message that says which and what is allowed.
    """

    __slots__ = ("_decks", "_hand", "_past", "_start", "seed")

    seed: tuple[int, int, int]
    _start: Start
    _decks: list[list[int]]
    _past: tuple[HandLog, ...]
    _hand: HandLog

    def __init__(
        self,
        rules: str | Rules = "two_player",
        seed: int | Sequence[int] | None = None,
        *,
        decks: Sequence[Sequence[int]] = (),
        scores: Sequence[int] | None = None,
        bags: Sequence[int] | None = None,
        opener: int = 0,
    ) -> None:
        jit.announce("the engine")
        self.rules = as_rules(rules)
        self._rules = rules_record(self.rules)
        self._state = np.zeros(1, STATE)
        self.seed = check_seed(seed)
        self._decks = [check_deck(deck, self.rules, f"decks[{k}]") for k, deck in enumerate(check_list("decks", decks))]
        most_bags = self.rules.bag_limit - 1 if self.rules.bag_limit else MOST_POINTS
        self._start = Start(
            scores=check_ints("scores", scores, self.rules.sides, -MOST_POINTS, MOST_POINTS),
            bags=check_ints("bags", bags, self.rules.sides, 0, most_bags),
            opener=check_int("opener", opener, 0, self.rules.players - 1),
        )
        self._begin()

    @classmethod
    def _restored(cls, rules: Rules, seed: tuple[int, int, int], start: Start, decks: list[list[int]]) -> Game:
        """A game about to be played from ``start``, of values that are known to be good."""
        game = cls.__new__(cls)
        game.rules, game._rules, game._state = rules, rules_record(rules), np.zeros(1, STATE)
        game.seed, game._start, game._decks = seed, start, decks
        game._begin()
        return game

    def _begin(self) -> None:
        """Set the first hand up from ``seed``, ``_start`` and ``_decks``."""
        seed, table, match = self.seed
        start = self._start
        single.begin_match(self._state, self._rules, np.uint64(seed), table, match, start.opener)
        single.set_scores(self._state, self._rules, np.array(start.scores), np.array(start.bags))
        if start.hand_number:
            self._state["hand_number"] = start.hand_number
            single.begin_hand(self._state, self._rules, start.opener)
        if start.last is not None:
            seats, sides, last = self.rules.players, self.rules.sides, start.last
            self._state["points"][0, :sides] = last.points
            self._state["last_bids"][0, :seats] = last.bids
            self._state["last_blind"][0, :seats] = [BLIND_BID if blind else LOOKED for blind in last.blind]
            self._state["last_tricks"][0, :seats] = last.tricks
        self._past = ()
        self._begin_log()

    def _begin_log(self) -> None:
        """Deal the next given deck, if there is one, and open the log of the hand."""
        hand = len(self._past)
        given = hand < len(self._decks)
        if given:
            deck = self._decks[hand]
            self._state["deck"][0, : len(deck)] = deck
            single.deal_deck(self._state, self._rules, self.opener)
        else:
            deck = self._state["deck"][0, : len(self.rules.deck)].tolist()
        self._hand = HandLog(deck, given)

    def apply(self, action: int) -> None:
        """Carry out ``action`` for the seat on turn; scoring and the next deal happen by themselves.

        Raises:
            IllegalAction: if it is not legal; nothing has changed then.
        """
        self._act(action)

    def _act(self, action: int) -> int:
        """:meth:`apply`, for callers that want to know what came of it, as ``engine.step`` tells it."""
        try:
            index = operator.index(action)
        except TypeError:
            raise IllegalAction(f"an action is an int in 0..{NUM_ACTIONS - 1}, got {action!r}") from None
        if not 0 <= index < NUM_ACTIONS:
            raise IllegalAction(f"an action is an int in 0..{NUM_ACTIONS - 1}, got {action!r}")
        event = single.apply_action(self._state, self._rules, index)
        if event == single.ILLEGAL:
            raise IllegalAction(self._explain(index))
        self._hand.actions.append(index)
        if event == NOTHING:
            return event
        if event == EXCHANGED:
            self._hand.received = [cards_in(received) for received in self._state["received"][0].tolist()]
            return event
        self._hand.result = HandResult(**self.last_hand, scores=self.scores, bags=self.bags)
        if event == HAND_ENDED:
            self._past += (self._hand,)
            self._begin_log()
        return event

    def _explain(self, action: int) -> str:
        if self.is_over:
            return f"illegal action {action_name(action)}: the match is over"
        allowed = " ".join(action_name(a) for a in self.legal_actions())
        who = f"seat {self.seat} in phase {self.phase.name}"
        return f"illegal action {action_name(action)} for {who}: allowed is {allowed}"

    def view(self, seat: int | None = None) -> View:
        """What ``seat`` (by default the one on turn) may know, and nothing else.

        Raises:
            ValueError: if there is no such seat.
        """
        return View(self.rules, self._rules, self._state, self.seat if seat is None else seat)

    def clone(self) -> Game:
        """An independent copy that continues in the same way, random stream included."""
        copy = Game.__new__(Game)
        copy.rules, copy._rules, copy.seed = self.rules, self._rules, self.seed
        copy._decks, copy._start, copy._past = self._decks, self._start, self._past
        copy._state = copy_state(self._state)
        copy._hand = self._hand.copy()
        return copy

    __copy__ = clone

    def __deepcopy__(self, memo: dict[int, Any]) -> Game:
        return self.clone()

    def record(self, agents: Sequence[str] | None = None) -> Record:
        """All that is needed to show the match and to play it again: see :mod:`spades_env.record`.

        Args:
            agents: names of the players by seat, for the reader.
        """
        from spades_env.record import Record

        return Record.of(self, agents)

    def to_bytes(self) -> bytes:
        """The game as bytes: its record, from which :meth:`from_bytes` plays it again."""
        return self.record().to_bytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> Game:
        """The game of :meth:`to_bytes`; it continues exactly as the one that was saved.

        Raises:
            RecordError: (a ValueError) if the bytes are damaged or are not a game.
        """
        from spades_env.record import Record

        return Record.from_bytes(data).replay()

    def __reduce__(self) -> tuple[Any, ...]:
        return Game.from_bytes, (self.to_bytes(),)

    def __repr__(self) -> str:
        return (
            f"<Game {self.rules.name} hand {self.hand_number} {self.phase.name} seat {self.seat} scores {self.scores}>"
        )


class View(Position):
    """What one seat may know of a table; made by :meth:`Game.view`.

    It reads as a Game does, but holds nothing hidden: other hands are empty, unseen cards of the deck
    are missing. ``seat`` is the seat on turn, ``observer`` the one whose view this is.
    """

    __slots__ = ("observer",)

    def __init__(self, rules: Rules, record: np.ndarray, state: np.ndarray, observer: int) -> None:
        self.rules, self._rules = rules, record
        self.observer = check_int("seat", observer, 0, self.rules.players - 1)
        self._state = np.zeros(1, STATE)
        single.conceal_for(state, record, self.observer, self._state)

    @property
    def hand(self) -> int:
        """The observer's cards as a set; empty while it has not answered the blind question."""
        return self.hands[self.observer]

    @property
    def discards_seen(self) -> int:
        """Cards that the observer has seen go to the discard pile in the draft."""
        return self._seen_by_observer("seen")

    @property
    def given(self) -> int:
        """Cards that the observer gave up in the exchange."""
        return self._seen_by_observer("given")

    @property
    def received(self) -> int:
        """Cards that the observer got for them."""
        return self._seen_by_observer("received")

    def _seen_by_observer(self, field: str) -> int:
        return int(self._state[field][0, self.observer]) if self.rules.players == 2 else 0

    def legal_actions(self) -> list[int]:
        """The legal actions, ascending; empty unless the observer is on turn."""
        return super().legal_actions() if self.seat == self.observer else []

    def sample(self, rng: np.random.Generator | int | None = None) -> Game:
        """A game that agrees with all that the observer has seen, uniformly drawn from all such games.

        Hidden cards are placed anew such that every past play was legal and every card seen is where it was
        seen; the draft choices, bids and counts of exchanged cards are those of the table. It goes on as any
        game does, with a random stream of its own, and its record begins with the current hand. What the
        others' bids and plays suggest is not weighed.

        Args:
            rng: where the random numbers come from: a numpy Generator, an int as the seed of one, or None for
                a fresh one. The same view and seed give the same game.

        Raises:
            ValueError: if ``rng`` is something else.
        """
        from spades_env.worlds import sample

        if not isinstance(rng, np.random.Generator):
            rng = np.random.default_rng(None if rng is None else check_int("rng", rng, 0, 2**64 - 1))
        return sample(self, rng)

    def to_bytes(self) -> bytes:
        """All that the observer knows; equal for two tables that it cannot tell apart."""
        return bytes([self.observer]) + self._state.tobytes()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, View) and (self.rules, self.to_bytes()) == (other.rules, other.to_bytes())

    def __hash__(self) -> int:
        return hash(self.to_bytes())

    def __repr__(self) -> str:
        return f"<View of seat {self.observer}, {self.rules.name} {self.phase.name}, hand {hand_text(self.hand)}>"
