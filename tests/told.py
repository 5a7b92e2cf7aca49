"""What a seat has been told in a hand, as arguments of `View.of`: from the game's decisions, not from its state."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from random_rules import Player
from walks import choose, random_game

from spades_env.cards import BID_0, BLIND_NIL, DONE, KEEP, action_name, card_name
from spades_env.game import Game, Phase
from spades_env.rules import Rules


class Told:
    """A match with notes of every decision of the hand, and of what came before it."""

    def __init__(self, seed: int, rules: Rules | None = None, player: Player | None = None) -> None:
        self.rng = Random(seed)
        self.game = random_game(self.rng, rules)
        self.player = player or Player.random(self.rng)
        self._begin_hand()

    def _begin_hand(self) -> None:
        game = self.game
        self.before = {"scores": game.scores, "bags": game.bags, "hand_number": game.hand_number}
        self.before |= {"opener": game.opener, "last_hand": game.last_hand if game.hand_number else None}
        self.deck = game.log.current.deck
        self.hand_log = game.log.current
        self.decisions: list[tuple[Phase, int, int]] = []

    def walk(self, hands: int) -> Iterator[Game]:
        """Stop before each decision, and at the end of the match."""
        game = self.game
        while not game.is_over and game.hand_number < hands:
            yield game
            phase, seat, number = game.phase, game.seat, game.hand_number
            action = choose(self.rng, self.player, game)
            game.apply(action)
            self.decisions.append((phase, seat, action))
            if game.hand_number != number and not game.is_over:
                self._begin_hand()
        if game.is_over:
            yield game

    def to(self, seat: int, text: bool = False) -> dict[str, Any]:
        """The arguments for `seat`; with ``text`` cards are names."""
        name = card_name if text else int
        made: dict[Phase, list[tuple[int, int]]] = {phase: [] for phase in Phase}
        for phase, who, action in self.decisions:
            made[phase].append((who, action))
        bids: list[Any] = [None] * self.game.rules.players
        for who, action in made[Phase.BLIND] + made[Phase.BID]:
            bids[who] = action - BID_0 if BID_0 <= action < BLIND_NIL else action_name(action)
        return {
            **self.before,
            "hand": [name(card) for card in self._hand(seat)],
            "bids": bids,
            "plays": [name(card) for _, card in made[Phase.PLAY]],
            "draft": self._draft(seat, made[Phase.DRAFT], name),
            "gone": [
                "DONE" if action == DONE else name(action) if who == seat else None
                for who, action in made[Phase.EXCHANGE]
            ],
            "received": [name(card) for card in self._received(seat)],
        }

    def _hand(self, seat: int) -> list[int]:
        asked = {who for phase, who, _ in self.decisions if phase == Phase.BLIND}
        looked = seat in asked or not self.game.rules.blind_nil
        return list(self.game.hands[seat]) if looked else []

    def _received(self, seat: int) -> list[int]:
        received = self.hand_log.received
        return received[seat] if received else []

    def _draft(self, seat: int, draws: list[tuple[int, int]], name: Any) -> list[Any]:
        rules, deck = self.game.rules, self.deck
        draft: list[Any] = []
        for k, (who, action) in enumerate(draws):
            first, second = deck[2 * k : 2 * k + 2]
            if who == seat:
                cards = [first] if action == KEEP and rules.rejected == "hidden" else [first, second]
            else:
                cards = [second if action == KEEP else first] if rules.rejected == "public" else []
            draft.append([action_name(action), *map(name, cards)])
        if self.game.phase == Phase.DRAFT and self.game.seat == seat:
            draft.append(name(deck[2 * len(draws)]))
        return draft
