"""The rules of Spades in plain, slow Python: a specification and a test oracle.

:class:`Reference` plays a match with the same actions and attribute names as :class:`spades_env.game.Game`, but shares
no code with the compiled engine: where the two differ, one of them is wrong.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from spades_env.cards import BID_0, BLIND_NIL, DONE, KEEP, LOOK, REJECT, SPADES, action_name, rank_of, suit_of
from spades_env.rules import Rules, as_rules


@dataclass(frozen=True)
class HandResult:
    """How one hand ended.

    Attributes:
        opener: the seat that opened the hand.
        bids: by seat, 0 for nil and blind nil.
        blind: by seat, whether it bid blind nil.
        tricks: by seat, tricks won.
        points: by side, score change, including bag penalties.
        scores: by side, score after the hand.
        bags: by side, bag counter after the hand.
    """

    opener: int
    bids: tuple[int, ...]
    blind: tuple[bool, ...]
    tricks: tuple[int, ...]
    points: tuple[int, ...]
    scores: tuple[int, ...]
    bags: tuple[int, ...]


def playable(hand: set[int], trick: Sequence[tuple[int, int]], spades_broken: bool, must_break: bool) -> list[int]:
    """The legal cards of a hand, ascending.

    Args:
        hand: the cards of the seat on turn.
        trick: (seat, card) pairs of the trick so far, empty for the leader.
        spades_broken: whether spades are broken.
        must_break: whether spades must be broken before they may be led.
    """
    if trick:
        led = suit_of(trick[0][1])
        following = [card for card in hand if suit_of(card) == led]
        return sorted(following or hand)
    if must_break and not spades_broken:
        others = [card for card in hand if suit_of(card) != SPADES]
        return sorted(others or hand)
    return sorted(hand)


def trick_winner(trick: Sequence[tuple[int, int]]) -> int:
    """The seat that wins a full trick, by the highest spade or else the highest card of the suit led."""
    spades = [(rank_of(card), seat) for seat, card in trick if suit_of(card) == SPADES]
    led = [(rank_of(card), seat) for seat, card in trick if suit_of(card) == suit_of(trick[0][1])]
    return max(spades or led)[1]


def score_side(
    rules: Rules, side: int, bids: Sequence[int], blind: Sequence[bool | None], tricks: Sequence[int]
) -> tuple[int, int]:
    """The result of a hand for one side, before any bag penalty.

    Args:
        rules: the rules of the table.
        side: the side to score.
        bids: by seat, 0 for nil and blind nil.
        blind: by seat, whether a bid of 0 is a blind nil.
        tricks: by seat, tricks won.

    Returns:
        The points and the bags.
    """
    seats = [seat for seat in range(rules.players) if rules.side_of(seat) == side]
    contract = sum(bids[seat] for seat in seats)
    counted = sum(tricks[seat] for seat in seats if bids[seat] > 0)
    points = 0
    bags = 0

    for seat in seats:
        if bids[seat] > 0:
            continue
        value = rules.blind_nil if blind[seat] else rules.nil
        if tricks[seat] == 0:
            points += value
            continue
        points -= value
        if rules.failed_nil == "one_bag":
            bags += 1
        elif rules.failed_nil == "contract" and contract > 0:
            counted += tricks[seat]
        elif rules.failed_nil in ("bags", "contract"):
            bags += tricks[seat]

    if contract > 0 and counted >= contract:
        points += 10 * contract + (counted - contract)
        bags += counted - contract
    elif contract > 0:
        points -= 10 * contract
    return points, bags


def match_winner(rules: Rules, scores: Sequence[int]) -> int | None:
    """The side that has won the match with these scores after a hand, or ``None`` if another hand follows."""
    ended = any(score >= rules.target or (rules.loss is not None and score <= rules.loss) for score in scores)
    best = max(scores)
    tied = list(scores).count(best) > 1
    return list(scores).index(best) if ended and not tied else None


class Reference:
    """One match, played by action ids.

    Attributes:
        rules: the rules of the table.
        phase: ``"blind"``, ``"draft"``, ``"exchange"``, ``"bid"``, ``"play"`` or ``"over"``.
        seat: the seat on turn; ``None`` when the match is over.
        opener: the seat that opened this hand.
        hand_number: number of finished hands in the match.
        scores: by side.
        bags: bag counters, by side.
        hands: by seat, the cards held; in the draft, those kept so far.
        drawn: in the phase ``"draft"``, the card that the seat on turn has drawn.
        discards: the discard pile, oldest first; in a dealt two-player game, the cards not dealt.
        seen_discards: by seat, the cards it has seen go to the pile.
        given: by seat, the cards it has given up in the exchange.
        bids: by seat, 0 for nil and blind nil, ``None`` before the bid.
        blind: by seat, whether it bid blind nil; ``None`` before the answer, False where it is not offered.
        tricks: by seat, tricks won.
        trick: the (seat, card) pairs of the current trick, in order of play.
        spades_broken: whether spades are broken.
        history: the actions of this hand so far.
        results: a :class:`HandResult` for each finished hand.
        winner: the side that won the match, ``None`` before.
    """

    def __init__(
        self,
        rules: str | Rules,
        decks: Sequence[Sequence[int]] = (),
        scores: Sequence[int] | None = None,
        bags: Sequence[int] | None = None,
        opener: int = 0,
        shuffle: Callable[[], Sequence[int]] | None = None,
        draw: Callable[[list[int], int], Sequence[int]] | None = None,
    ) -> None:
        """Start a match.

        Args:
            rules: a preset's name or the rules.
            decks: card orders of the first hands: draw order in a draft game; in a dealt game card k goes to seat
                (opener + k) mod players.
            scores: the score each side starts with; 0 by default.
            bags: the bag counter each side starts with; 0 by default.
            opener: the opener of the first hand.
            shuffle: returns the deck of each hand after ``decks``; by default from a fixed random stream.
            draw: returns the replacements in an exchange, given the sorted pile and their number; by default from
                the same random stream.

        Raises:
            ValueError: if an argument does not fit the rules; the message names it.
        """
        self.rules = as_rules(rules)
        self.scores = self._one_per_side("scores", scores)
        self.bags = self._one_per_side("bags", bags)
        if min(self.bags) < 0:
            raise ValueError(f"bags must not be negative, got {list(self.bags)}")
        if opener not in range(self.rules.players):
            raise ValueError(f"opener must be in 0..{self.rules.players - 1}, got {opener}")
        self._decks = [self._checked_deck(deck) for deck in decks]
        self._random = random.Random(0)
        self._shuffle = shuffle or self._shuffled_deck
        self._draw = draw or self._random.sample

        self.opener = opener
        self.hand_number = 0
        self.results: list[HandResult] = []
        self.winner: int | None = None
        self._begin_hand()

    @property
    def is_over(self) -> bool:
        """Whether the match is over."""
        return self.winner is not None

    def legal_actions(self) -> list[int]:
        """The legal actions of the seat on turn, ascending; empty once the match is over."""
        if self.seat is None:
            return []
        hand = self.hands[self.seat]
        return {
            "blind": [BLIND_NIL, LOOK],
            "draft": [KEEP, REJECT],
            "exchange": [*sorted(hand), DONE],
            "bid": [BID_0 + bid for bid in range(self.rules.hand_size + 1)],
            "play": playable(hand, self.trick, self.spades_broken, self.rules.spades_must_break),
        }[self.phase]

    def apply(self, action: int) -> None:
        """Carry out an action of the seat on turn.

        Raises:
            ValueError: if the action is not legal; then nothing has changed.
        """
        legal = self.legal_actions()
        if action not in legal:
            names = ", ".join(map(action_name, legal)) or "none, the match is over"
            raise ValueError(f"illegal action {action!r} in phase {self.phase}: legal actions are {names}")
        self.history.append(int(action))
        if self.phase == "blind":
            self._answer_blind(action)
        elif self.phase == "draft":
            self._draft(action)
        elif self.phase == "exchange":
            self._exchange(action)
        elif self.phase == "bid":
            self.bids[self._on_turn()] = action - BID_0
            self._next_decision()
        else:
            self._play(action)

    # A hand, from its deck to the first trick

    def _begin_hand(self) -> None:
        players = self.rules.players
        deck = self._decks.pop(0) if self._decks else self._checked_deck(self._shuffle())
        self.hands: list[set[int]] = [set() for _ in range(players)]
        self.discards: list[int] = []
        self.stock: list[int] = []
        if self.rules.draft:
            self.stock = deck
        else:
            dealt = players * self.rules.hand_size
            for k, card in enumerate(deck[:dealt]):
                self.hands[(self.opener + k) % players].add(card)
            self.discards = deck[dealt:]

        self.seen_discards: list[set[int]] = [set() for _ in range(players)]
        self.given: list[list[int]] = [[] for _ in range(players)]
        self._exchanged = [False] * players
        self.bids: list[int | None] = [None] * players
        self.blind: list[bool | None] = [None if self.rules.blind_nil > 0 else False] * players
        self.tricks = [0] * players
        self.trick: list[tuple[int, int]] = []
        self.spades_broken = False
        self.drawn: int | None = None
        self.history: list[int] = []
        self._next_decision()

    def _next_decision(self) -> None:
        """Find the next decision, up to the lead to the first trick."""
        for phase, seat in self._order_of_decisions():
            if self._is_due(phase, seat):
                self.phase, self.seat = phase, seat
                if phase == "draft":
                    self.drawn = self.stock.pop(0)
                return
        self.phase = "play"
        self.seat = (self.opener + self.rules.leads_first) % self.rules.players

    def _order_of_decisions(self) -> list[tuple[str, int]]:
        """The decisions before the play, in order, as (phase, seat)."""
        players = self.rules.players
        bidding = [(self.opener + self.rules.bids_first + k) % players for k in range(players)]
        if not self.rules.draft:
            return [(phase, seat) for seat in bidding for phase in ("blind", "exchange", "bid")]
        taken = self.history.count(KEEP) + self.history.count(REJECT)
        drawer = (self.opener + taken) % players
        return [
            ("blind", drawer),
            ("draft", drawer),
            *[("exchange", seat) for seat in bidding],
            *[("bid", seat) for seat in bidding],
        ]

    def _is_due(self, phase: str, seat: int) -> bool:
        """Whether the seat has yet to make this decision."""
        if phase == "blind":
            return self.blind[seat] is None
        if phase == "draft":
            return len(self.stock) > 0
        if phase == "exchange":
            return self.rules.exchange > 0 and self.blind[seat] is True and not self._exchanged[seat]
        return self.bids[seat] is None

    def _answer_blind(self, action: int) -> None:
        seat = self._on_turn()
        self.blind[seat] = action == BLIND_NIL
        if action == BLIND_NIL:
            self.bids[seat] = 0
        self._next_decision()

    def _draft(self, action: int) -> None:
        seat, drawn, following = self._on_turn(), self.drawn, self.stock.pop(0)
        assert drawn is not None
        kept, rejected = (drawn, following) if action == KEEP else (following, drawn)
        self.hands[seat].add(kept)
        self.discards.append(rejected)
        if rejected == drawn or self.rules.rejected == "drawer":
            self.seen_discards[seat].add(rejected)
        if self.rules.rejected == "public":
            for seen in self.seen_discards:
                seen.add(rejected)
        self.drawn = None
        self._next_decision()

    def _exchange(self, action: int) -> None:
        seat = self._on_turn()
        given = self.given[seat]
        if action != DONE:
            self.hands[seat].remove(action)
            given.append(action)
        if action == DONE or len(given) == self.rules.exchange:
            if given:
                # The cards given up do not go to the pile: neither seat can draw them.
                received = list(self._draw(sorted(self.discards), len(given)))
                if len(received) != len(given) or not set(received) <= set(self.discards):
                    raise ValueError(f"draw must return {len(given)} cards of the pile, got {received}")
                self.hands[seat].update(received)
                self.discards = [card for card in self.discards if card not in received]
            self._exchanged[seat] = True
            self._next_decision()

    # The tricks, and the score

    def _play(self, card: int) -> None:
        seat, hand = self._on_turn(), self.hands[self._on_turn()]
        if suit_of(card) == SPADES:
            on_another_suit = bool(self.trick) and suit_of(self.trick[0][1]) != SPADES
            led_from_only_spades = not self.trick and all(suit_of(held) == SPADES for held in hand)
            if on_another_suit or led_from_only_spades:
                self.spades_broken = True
        hand.remove(card)
        self.trick.append((seat, card))
        self.seat = (seat + 1) % self.rules.players
        if len(self.trick) == self.rules.players:
            self.seat = trick_winner(self.trick)
            self.tricks[self.seat] += 1
            self.trick = []
            if sum(self.tricks) == self.rules.hand_size:
                self._end_hand()

    def _end_hand(self) -> None:
        rules = self.rules
        bids = [bid for bid in self.bids if bid is not None]
        before = list(self.scores)
        for side in range(rules.sides):
            points, bags = score_side(rules, side, bids, self.blind, self.tricks)
            self.scores[side] += points
            self.bags[side] += bags
            while rules.bag_limit > 0 and self.bags[side] >= rules.bag_limit:
                self.bags[side] -= rules.bag_limit
                self.scores[side] -= rules.bag_penalty
        self.results.append(
            HandResult(
                opener=self.opener,
                bids=tuple(bids),
                blind=tuple(blind is True for blind in self.blind),
                tricks=tuple(self.tricks),
                points=tuple(after - score for after, score in zip(self.scores, before, strict=True)),
                scores=tuple(self.scores),
                bags=tuple(self.bags),
            )
        )
        self.hand_number += 1
        self.winner = match_winner(rules, self.scores)
        if self.winner is not None:
            self.phase, self.seat = "over", None
            return
        self.opener = (self.opener + 1) % rules.players
        self._begin_hand()

    # Arguments and random decks

    def _on_turn(self) -> int:
        assert self.seat is not None
        return self.seat

    def _one_per_side(self, name: str, values: Sequence[int] | None) -> list[int]:
        if values is None:
            return [0] * self.rules.sides
        if len(values) != self.rules.sides:
            raise ValueError(f"{name} must hold one number for each of {self.rules.sides} sides, got {list(values)}")
        return [int(value) for value in values]

    def _checked_deck(self, deck: Sequence[int]) -> list[int]:
        if sorted(deck) != list(self.rules.deck):
            raise ValueError(f"decks must hold each of the {len(self.rules.deck)} cards in play once, got {list(deck)}")
        return [int(card) for card in deck]

    def _shuffled_deck(self) -> list[int]:
        return self._random.sample(self.rules.deck, len(self.rules.deck))
