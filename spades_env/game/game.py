"""Game, one table with all its cards, and View, what one seat may know of it."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from spades_env.action_space import IllegalAction
from spades_env.cards import NUM_ACTIONS, action_name, cards_in, hand_text, mask_of
from spades_env.checks import check_int, check_seed
from spades_env.engine import single
from spades_env.engine.jit import jit
from spades_env.engine.state import BLIND_BID, LOOKED, STATE, Phase, copy_state, rules_array
from spades_env.engine.step import EXCHANGED, HAND_ENDED, NOTHING
from spades_env.game.log import GameLog, HandLog, HandResult, Start, check_decks, check_start
from spades_env.game.position import Position
from spades_env.game.worlds import log_of, sample_state
from spades_env.observation import SIZE, STATE_SIZE
from spades_env.picture.svg import svg
from spades_env.records.record import Record
from spades_env.rules import Rules, as_rules

__all__ = ["Game", "IllegalAction", "Phase", "View"]


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

    __slots__ = ("_log", "seed")

    seed: tuple[int, int, int]

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
        rules = as_rules(rules)
        checked = check_decks(decks, rules)
        self._begin(rules, check_seed(seed), check_start(rules, scores, bags, opener), checked)

    @classmethod
    def from_start(cls, rules: Rules, seed: tuple[int, int, int], start: Start, decks: list[list[int]]) -> Game:
        """A game about to be played from ``start``, which may lie within a match; nothing is checked."""
        game = cls.__new__(cls)
        game._begin(rules, seed, start, decks)
        return game

    @classmethod
    def _of_state(cls, rules: Rules, record: np.ndarray, state: np.ndarray, seed: tuple[int, int, int]) -> Game:
        """The game whose record is ``state``, which it keeps; its log begins with the current hand."""
        game = cls.__new__(cls)
        Position.__init__(game, rules, record, state)
        game.seed = seed
        game._log = log_of(game)
        return game

    def _begin(self, rules: Rules, seed: tuple[int, int, int], start: Start, decks: list[list[int]]) -> None:
        super().__init__(rules, rules_array(rules), np.zeros(1, STATE))
        self.seed = seed
        state, record = self._state, self._rules_array
        single.begin_match(state, record, np.uint64(seed[0]), seed[1], seed[2], start.opener)
        single.set_scores(state, record, np.array(start.scores), np.array(start.bags))
        if start.hand_number:
            state["hand_number"] = start.hand_number
            single.begin_hand(state, record, start.opener)
        if start.last is not None:
            last = start.last
            state["points"][0, : rules.sides] = last.points
            state["last_bids"][0, : rules.players] = last.bids
            state["last_blind"][0, : rules.players] = [BLIND_BID if blind else LOOKED for blind in last.blind]
            state["last_tricks"][0, : rules.players] = last.tricks
        self._log = GameLog(start, decks)
        self._begin_hand()

    def _begin_hand(self) -> None:
        """Deal the next fixed deck, if there is one, and open the log of the hand."""
        hand = len(self._log.finished)
        fixed = hand < len(self._log.decks)
        if fixed:
            deck = self._log.decks[hand]
            self._state["deck"][0, : len(deck)] = deck
            single.deal_deck(self._state, self._rules_array, self.opener)
        else:
            deck = self._state["deck"][0, : len(self.rules.deck)].tolist()
        self._log.current = HandLog(deck, fixed)

    @property
    def log(self) -> GameLog:
        """What has happened so far: how the match began, and all hands with their actions. Read-only."""
        return self._log

    def apply(self, action: int) -> None:
        """Carry out ``action`` for the seat on turn; scoring and the next deal happen by themselves.

        Raises:
            IllegalAction: if it is not legal; nothing has changed then.
        """
        self.step(action)

    def step(self, action: int) -> int:
        """Carry out ``action`` as :meth:`apply` does.

        Returns:
            What it brought about: ``NOTHING``, ``EXCHANGED``, ``HAND_ENDED`` or ``MATCH_ENDED`` of
            ``spades_env.engine.step``.

        Raises:
            IllegalAction: if it is not legal; nothing has changed then.
        """
        try:
            index = operator.index(action)
        except TypeError:
            raise IllegalAction(f"an action is an int in 0..{NUM_ACTIONS - 1}, got {action!r}") from None
        if not 0 <= index < NUM_ACTIONS:
            raise IllegalAction(f"an action is an int in 0..{NUM_ACTIONS - 1}, got {action!r}")
        event = single.apply_action(self._state, self._rules_array, index)
        if event == single.ILLEGAL:
            raise IllegalAction(self._explain(index))
        hand = self._log.current
        hand.actions.append(index)
        if event == NOTHING:
            return event
        if event == EXCHANGED:
            hand.received = [cards_in(received) for received in self._state["received"][0].tolist()]
            return event
        hand.result = HandResult(**self.last_hand, scores=self.scores, bags=self.bags)
        if event == HAND_ENDED:
            self._log.finished += (hand,)
            self._begin_hand()
        return event

    def replace_given(self, cards: Sequence[int]) -> None:
        """Fix the cards that the seat on turn receives at the end of its exchange, as the replay of a record does.

        Args:
            cards: as many cards of the discard pile as the seat will have given up.
        """
        self._state["received"][0, self.seat] = mask_of(cards)

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
        return View(self.rules, self._rules_array, self._state, self.seat if seat is None else seat)

    def observe(self, seat: int, may_act: bool = True) -> tuple[np.ndarray, np.ndarray]:
        """The observation and the action mask of a seat, as fresh arrays.

        Args:
            seat: the observer, who need not be on turn.
            may_act: whether the seat may act if it is on turn.

        Returns:
            int8 of shape (SIZE,), laid out as ``spades_env.observation.LAYOUT``, and int8 of shape (75,), which is 0
            everywhere unless the seat is on turn and may act.
        """
        observation, mask = np.empty(SIZE, np.int8), np.empty(NUM_ACTIONS, np.int8)
        single.observe(self._state, self._rules_array, seat, may_act, observation, mask)
        return observation, mask

    def full_observation(self) -> np.ndarray:
        """The whole table as int8 zeros and ones of shape (STATE_SIZE,).

        It holds what seat 0 observes, then six sets of 52 cards: the hands of seats 0 to 3 (whether or not they have
        looked at them), the drawn card, the discard pile.
        """
        state = np.empty(STATE_SIZE, np.int8)
        single.full_state(self._state, self._rules_array, state)
        return state

    def clone(self) -> Game:
        """An independent copy that continues in the same way, random stream included."""
        copy = Game.__new__(Game)
        Position.__init__(copy, self.rules, self._rules_array, copy_state(self._state))
        copy.seed, copy._log = self.seed, self._log.copy()
        return copy

    __copy__ = clone

    def __deepcopy__(self, memo: dict[int, Any]) -> Game:
        return self.clone()

    def record(self, agents: Sequence[str] | None = None) -> Record:
        """All that is needed to show the match and to play it again: see :mod:`spades_env.records.record`.

        Args:
            agents: names of the players by seat, for the reader.
        """
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
        return Record.from_bytes(data).replay()

    def __reduce__(self) -> tuple[Any, ...]:
        return Game.from_bytes, (self.to_bytes(),)

    def _repr_html_(self) -> str:
        """The picture that a notebook shows, as SVG."""
        return svg(self)

    def __repr__(self) -> str:
        return (
            f"<Game {self.rules.name} hand {self.hand_number} {self.phase.name} seat {self.seat} scores {self.scores}>"
        )


class View(Position):
    """What one seat may know of a table; made by :meth:`Game.view`.

    It reads as a Game does, but holds nothing hidden: other hands are empty, unseen cards of the deck
    are missing. ``seat`` is the seat on turn, ``observer`` the one whose view this is.
    """

    __slots__ = ()

    observer: int  # pyright: ignore[reportIncompatibleVariableOverride] (never None in a View)

    def __init__(self, rules: Rules, rules_array: np.ndarray, state: np.ndarray, observer: int) -> None:
        super().__init__(rules, rules_array, np.zeros(1, STATE), check_int("seat", observer, 0, rules.players - 1))
        single.conceal_for(state, rules_array, self.observer, self._state)

    @property
    def hand(self) -> int:
        """The observer's cards as a set; empty while it has not answered the blind question."""
        return self.hands[self.observer]

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
        if not isinstance(rng, np.random.Generator):
            rng = np.random.default_rng(None if rng is None else check_int("rng", rng, 0, 2**64 - 1))
        state, seed = sample_state(self, rng)
        return Game._of_state(self.rules, self._rules_array, state, (seed, 0, 0))

    def _repr_html_(self) -> str:
        """The picture that a notebook shows, as SVG."""
        return svg(self)

    def to_bytes(self) -> bytes:
        """All that the observer knows; equal for two tables that it cannot tell apart."""
        return bytes([self.observer]) + self._state.tobytes()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, View) and (self.rules, self.to_bytes()) == (other.rules, other.to_bytes())

    def __hash__(self) -> int:
        return hash(self.to_bytes())

    def __repr__(self) -> str:
        return f"<View of seat {self.observer}, {self.rules.name} {self.phase.name}, hand {hand_text(self.hand)}>"


Record.game_type = Game
