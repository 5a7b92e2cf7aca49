"""Game, one table with all its cards, and View, what one seat may know of it."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from spades_env.action_space import IllegalAction
from spades_env.cards import NUM_ACTIONS, CardSet, action_name, cards_in, in_display_order, mask_of
from spades_env.checks import check_int, check_seed
from spades_env.engine import single
from spades_env.engine.state import STATE, copy_state
from spades_env.engine.step import EXCHANGED, HAND_ENDED, NOTHING
from spades_env.game.known import CardLike, read_known
from spades_env.game.log import GameLog, HandResult, Start, check_decks, check_start
from spades_env.game.position import Position
from spades_env.game.rebuild import rebuild
from spades_env.game.start import start_hand, start_match
from spades_env.game.worlds import log_of, sample_state
from spades_env.observation import SIZE, STATE_SIZE
from spades_env.picture.ansi import ansi
from spades_env.picture.svg import svg
from spades_env.picture.words import words
from spades_env.records.record import Record
from spades_env.rules import Rules, as_rules


class Game(Position):
    """One table of Spades: a match, from its first hand to its end.

    Args:
        rules: a preset's name or a :class:`Rules`.
        seed: seed of the random stream: an int, or a tuple (seed, table) or (seed, table, match), where missing
            numbers are 0. None takes a seed from the operating system. Row ``i`` of ``Tables(seed=s)`` plays
            ``Game(seed=(s, i))``, then ``Game(seed=(s, i, 1))`` and so on.
        decks: card orders of the first hands: draw order in draft games; in dealt games card ``k`` goes to
            seat ``(opener + k) % players``. Later decks are shuffled from the seed.
        scores: points of each side at the start.
        bags: bag counters of each side at the start.
        opener: the seat that opens the first hand.

    Raises:
        ValueError: if an argument is invalid; the message names it and says what is allowed.

    Example:
        >>> from spades_env.cards import BID_0, LOOK
        >>> game = Game("partnership", seed=7)
        >>> game.apply(LOOK)  # seat 0 declines blind nil
        >>> print(game.view().hand)
        QS TS 9S AH 7H QC JC 9C 6C QD JD 7D 6D
        >>> game.apply(BID_0 + 4)
        >>> game.bids, game.seat
        ([4, None, None, None], 1)
    """

    __slots__ = ("log", "seed")

    seed: tuple[int, int, int]
    log: GameLog
    """The start of the match and all hands so far with their actions. Read-only."""

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
        rules = as_rules(rules)
        checked = check_decks(decks, rules)
        self.seed = check_seed(seed)
        packed, state, self.log = start_match(rules, self.seed, check_start(rules, scores, bags, opener), checked)
        super().__init__(rules, packed, state)

    @classmethod
    def from_start(cls, rules: Rules, seed: tuple[int, int, int], start: Start, decks: list[list[int]]) -> Game:
        """A game that begins with ``start``, possibly within a match; nothing is checked."""
        packed, state, log = start_match(rules, seed, start, decks)
        return cls.from_parts(rules, packed, state, seed, log)

    @classmethod
    def from_parts(
        cls, rules: Rules, rules_array: np.ndarray, state: np.ndarray, seed: tuple[int, int, int], log: GameLog
    ) -> Game:
        """A game made of these parts, which are not copied; nothing is checked."""
        game = cls.__new__(cls)
        Position.__init__(game, rules, rules_array, state)
        game.seed, game.log = seed, log
        return game

    def apply(self, action: int) -> None:
        """Carry out ``action`` for the seat on turn; scoring and the next deal are automatic.

        Raises:
            IllegalAction: if the action is not legal; then nothing has changed.
        """
        self.step(action)

    def step(self, action: int) -> int:
        """Carry out ``action`` as :meth:`apply` does.

        Returns:
            What happened: ``NOTHING``, ``EXCHANGED``, ``HAND_ENDED`` or ``MATCH_ENDED`` of ``spades_env.engine.step``.

        Raises:
            IllegalAction: if the action is not legal; then nothing has changed.
        """
        try:
            index = operator.index(action)
        except TypeError:
            index = -1
        if not 0 <= index < NUM_ACTIONS:
            raise IllegalAction(f"action must be an int in 0..{NUM_ACTIONS - 1}, got {action!r}")
        event = single.apply_action(self.state, self.rules_array, index)
        if event == single.ILLEGAL:
            raise IllegalAction(self._explain(index))
        hand = self.log.current
        hand.actions.append(index)
        if event == NOTHING:
            return event
        if event == EXCHANGED:
            hand.received = [cards_in(received) for received in self.state["received"][0].tolist()]
            return event
        hand.result = HandResult(**self.last_hand, scores=self.scores, bags=self.bags)
        if event == HAND_ENDED:
            self.log.finished += (hand,)
            start_hand(self.state, self.rules_array, self.log)
        return event

    def replace_given(self, cards: Sequence[int]) -> None:
        """Fix the cards that the seat on turn will receive in its exchange, as the replay of a record does.

        Args:
            cards: cards of the discard pile, as many as the seat will have given up.
        """
        self.state["received"][0, self.seat] = mask_of(cards)

    def _explain(self, action: int) -> str:
        if self.is_over:
            return f"illegal action {action_name(action)}: the match is over"
        allowed = " ".join(action_name(a) for a in self.legal_actions())
        who = f"seat {self.seat} in phase {self.phase.name}"
        return f"illegal action {action_name(action)} for {who}: legal actions are {allowed}"

    def view(self, seat: int | None = None) -> View:
        """What ``seat`` (by default the seat on turn) may know, and nothing else.

        Raises:
            ValueError: if there is no such seat.
        """
        return View(self.rules, self.rules_array, self.state, self.seat if seat is None else seat)

    def observe(self, seat: int, may_act: bool = True) -> tuple[np.ndarray, np.ndarray]:
        """The observation and the action mask of a seat, as new arrays.

        Args:
            seat: the observer, which need not be on turn.
            may_act: whether the seat may act if it is on turn.

        Returns:
            int8 of shape (SIZE,), laid out as ``spades_env.observation.LAYOUT``, and int8 of shape (75,), which is 0
            everywhere unless the seat is on turn and may act.
        """
        observation, mask = np.empty(SIZE, np.int8), np.empty(NUM_ACTIONS, np.int8)
        single.observe(self.state, self.rules_array, seat, may_act, observation, mask)
        return observation, mask

    def observation(self, seat: int | None = None) -> np.ndarray:
        """What ``seat`` (by default the seat on turn) sees, as :meth:`View.observation`.

        Raises:
            ValueError: if there is no such seat.
        """
        return self._observed_by(self.seat if seat is None else check_int("seat", seat, 0, self.rules.players - 1))

    def full_observation(self) -> np.ndarray:
        """The whole table as an int8 vector of zeros and ones, of shape (STATE_SIZE,).

        It holds what seat 0 observes, then six sets of 52 cards: the hands of seats 0 to 3 (whether or not they have
        looked at them), the drawn card and the discard pile.
        """
        state = np.empty(STATE_SIZE, np.int8)
        single.full_state(self.state, self.rules_array, state)
        return state

    def clone(self) -> Game:
        """An independent copy that continues identically, random stream included."""
        return Game.from_parts(self.rules, self.rules_array, copy_state(self.state), self.seed, self.log.copy())

    __copy__ = clone

    def __deepcopy__(self, memo: dict[int, Any]) -> Game:
        return self.clone()

    def record(self, agents: Sequence[str] | None = None) -> Record:
        """The match so far as a record, which can be shown and replayed: see :mod:`spades_env.records.record`.

        Args:
            agents: names of the players, by seat.
        """
        return Record.of(self, agents)

    def to_bytes(self) -> bytes:
        """The game as the bytes of its record, which :meth:`from_bytes` replays."""
        return self.record().to_bytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> Game:
        """The game that :meth:`to_bytes` saved; it continues identically.

        Raises:
            RecordError: (a ValueError) if the bytes are damaged or not those of a game.
        """
        return Record.from_bytes(data).replay()

    def __reduce__(self) -> tuple[Any, ...]:
        return Game.from_bytes, (self.to_bytes(),)

    def _repr_html_(self) -> str:
        """The picture that notebooks show, as SVG."""
        return svg(self)

    def __repr__(self) -> str:
        return f"<Game: {self._words()}>"

    def __str__(self) -> str:
        return ansi(self)


class View(Position):
    """What one seat may know of a table, as :meth:`Game.view` returns it.

    It has the attributes of a Game, but holds nothing hidden: other hands are empty, and unseen cards of the deck
    are missing. ``seat`` is the seat on turn, ``observer`` the seat whose view this is.

    Example:
        >>> view = Game("partnership", seed=7).view(2)
        >>> view.seat, view.observer, view.hand  # seat 2 has not looked at its cards
        (0, 2, CardSet(''))
        >>> view.legal_actions()  # and is not on turn
        []
        >>> world = view.sample(rng=1)  # the hidden cards dealt at random
        >>> [len(cards) for cards in world.hands]
        [13, 13, 13, 13]
    """

    __slots__ = ()

    observer: int  # pyright: ignore[reportIncompatibleVariableOverride] (never None in a View)

    def __init__(self, rules: Rules, rules_array: np.ndarray, state: np.ndarray, observer: int) -> None:
        super().__init__(rules, rules_array, np.zeros(1, STATE), check_int("seat", observer, 0, rules.players - 1))
        single.conceal_for(state, rules_array, self.observer, self.state)

    @classmethod
    def of(
        cls,
        rules: str | Rules,
        seat: int,
        *,
        hand: str | Iterable[CardLike] | None = None,
        bids: Sequence[int | str | None] | None = None,
        plays: str | Sequence[CardLike | tuple[int, CardLike]] = (),
        scores: Sequence[int] | None = None,
        bags: Sequence[int] | None = None,
        opener: int = 0,
        draft: Sequence[str | CardLike | Sequence[CardLike]] = (),
        gone: str | Sequence[CardLike | None] = (),
        received: str | Iterable[CardLike] | None = None,
        hand_number: int = 0,
        last_hand: dict[str, Any] | None = None,
    ) -> View:
        """The view of a seat from what it knows, for tables of other programs: no hidden card is needed.

        A card is an id or text such as ``"AS"``. Where cards are listed, text such as ``"AS KH 2C"`` does too.
        The view equals that of a :class:`Game` in which the same has happened, and every player decides alike on both.

        Args:
            rules: a preset's name or a :class:`Rules`. With ``blind_nil=0`` every seat sees its cards from the start.
            seat: the observer.
            hand: the cards that it holds now; None before it has looked at them. With a draft it may be left out,
                unless cards have been exchanged.
            bids: an entry for each seat: its bid, 0 for nil, ``"BLIND_NIL"``, ``"LOOK"`` if it declined blind nil and
                has not bid, or None. ``LOOK`` may be left out where something later shows it, such as the hand.
            plays: all cards played in this hand, in order. An entry may be (seat, card), and then the seat is checked.
            scores: points of each side before this hand; by default 0.
            bags: bag counter of each side before this hand; by default 0.
            opener: the seat that opened this hand. It deals, bids, leads or draws first as the rules say.
            draft: the draws so far, in order, the opener's first. Each entry has the action and the cards that the
                observer has seen, the one drawn first before the other: ``"KEEP AS"``, ``"REJECT 2C KH"`` (2C is
                discarded and KH taken), and for the other player only ``"KEEP"`` or ``"REJECT"``. With
                ``rejected="drawer"`` or ``"public"`` an own entry is ``"KEEP AS 2C"``, as the discard is seen; with
                ``"public"`` the other player's has its discard: ``"KEEP 2C"``. If the observer is on turn to keep or
                reject a card, that card is the last entry: ``"QD"``. Instead of text, an entry may be a list of
                words or ids.
            gone: the cards given up in the exchange, in order of the exchanges: the observer's own; None for each card
                of the other player; ``"DONE"`` where a player ended its exchange before ``rules.exchange`` cards.
            received: the cards that the observer received in its exchange. With a draft they follow from ``hand``.
            hand_number: number of hands finished before this one.
            last_hand: the hand before this one, as :attr:`last_hand` returns it, if it is known.

        Raises:
            ValueError: if an argument is invalid, or contradicts the rules or another argument: a revoke, 14 cards,
                a card in two places, cards that cannot be dealt so. The message is one line and names it.

        Example:
            >>> hand = "AS QS 7S KH 9H 4H AC TC 6C 3C JD 8D 2D"
            >>> view = View.of("partnership", seat=2, hand=hand, bids=[4, 3, None, None], scores=[120, 85])
            >>> view.phase.name, view.seat, view.bids
            ('BID', 2, [4, 3, None, None])
            >>> left = "AS QS 7S KH 9H 4H AC TC 6C 3C JD 8D"
            >>> view = View.of("partnership", seat=2, hand=left, bids=[4, 3, 4, 2], plays="QD KD 2D AD 5C")
            >>> view.trick, view.tricks
            ([(3, 3)], [0, 0, 0, 1])
            >>> draft = ["KEEP AS", "REJECT", "REJECT 2C KH", "KEEP", "QD"]
            >>> View.of("two_player", seat=0, draft=draft)
            <View of seat 0: two_player, hand 1, DRAFT, seat 0 on turn, scores [0, 0], hand AS KH>
            >>> View.of("partnership", seat=2, hand=left + " AH", bids=[4, 3, 4, 2], plays="QD KD 2D AD 5C")
            Traceback (most recent call last):
            ...
            ValueError: hand: seat 2 must hold 12 cards after 1 play, got 13
        """
        rules = as_rules(rules)
        known = read_known(
            rules, seat, hand, bids, plays, scores, bags, opener, draft, gone, received, hand_number, last_hand
        )
        packed, state = rebuild(known)
        return cls(rules, packed, state, known.seat)

    @property
    def hand(self) -> CardSet:
        """The observer's cards as a set; empty until it has answered the blind nil question."""
        return self.hands[self.observer]

    @property
    def cards(self) -> list[int]:
        """The observer's cards as a list, as a hand is shown: spades, hearts, clubs, diamonds, high cards first."""
        return in_display_order(self.hand)

    def legal_actions(self) -> list[int]:
        """The legal actions, ascending; empty unless the observer is on turn."""
        return super().legal_actions() if self.seat == self.observer else []

    def observation(self) -> np.ndarray:
        """What the observer sees, as int8 of shape (SIZE,), laid out as ``spades_env.observation.LAYOUT``."""
        return self._observed_by(self.observer)

    def sample(self, rng: np.random.Generator | int | None = None) -> Game:
        """A determinization: a game drawn uniformly from all that are consistent with what the observer has seen.

        Every card seen is where it was seen, every past play was legal, and the draft choices, the bids and the
        numbers of exchanged cards are those of the table. Inferences from the others' bids and plays are not used.
        The game can be played on, with a random stream of its own; its record begins with the current hand.

        Args:
            rng: a numpy Generator, an int to seed one, or None for a new one. The same view and seed give the
                same game.

        Raises:
            ValueError: if ``rng`` is anything else.
        """
        if not isinstance(rng, np.random.Generator):
            rng = np.random.default_rng(None if rng is None else check_int("rng", rng, 0, 2**64 - 1))
        state, seed = sample_state(self, rng)
        log = log_of(Position(self.rules, self.rules_array, state))
        return Game.from_parts(self.rules, self.rules_array, state, (seed, 0, 0), log)

    def to_text(self) -> str:
        """The rules that matter, the position and the legal actions in words, as a question to a language model."""
        return words(self, self.observer)

    def _repr_html_(self) -> str:
        """The picture that notebooks show, as SVG."""
        return svg(self)

    def to_bytes(self) -> bytes:
        """Everything the observer knows; equal for two tables that it cannot tell apart."""
        return bytes([self.observer]) + self.state.tobytes()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, View) and (self.rules, self.to_bytes()) == (other.rules, other.to_bytes())

    def __hash__(self) -> int:
        return hash(self.to_bytes())

    def __repr__(self) -> str:
        return f"<View of seat {self.observer}: {self._words()}>"

    def __str__(self) -> str:
        return ansi(self)


Record.game_type = Game
