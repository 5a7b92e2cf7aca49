"""What a seat may not know, worked out from the rules and the reference, and tables in which just that is changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import numpy as np
from random_rules import Player, random_start
from side_by_side import Case, Pair, mask

from spades_env.cards import CLUBS, DIAMONDS, HEARTS, KEEP, NUM_CARDS, SPADES, suit_of
from spades_env.engine.state import BROKEN_UNSEEN
from spades_env.rules import Rules

# The card fields and numbers of a record that hold something hidden, for checks that each is really changed.
HIDDEN_FIELDS = ("hands", "pile", "deck", "seen", "given", "received", "key", "rng", "match")


class Watched:
    """A match played by both implementations, with notes of the places of the deck that each seat has seen."""

    def __init__(self, rules: Rules, seed: int, player: Player | None = None, endless: bool = False) -> None:
        """``endless``: so far from the target that no hand ends the match."""
        self.rng = Random(seed)
        self.rules = replace(rules, target=10_000, loss=None) if endless else rules
        self.player = player or Player.random(self.rng)
        start = random_start(self.rng, self.rules)
        if endless:
            start["scores"] = [0] * rules.sides
        self.pair = Pair(Case(self.rules, start, seed, []))
        self._begin_hand()

    def _begin_hand(self) -> None:
        self.draws: list[tuple[int, bool]] = []
        self.plays: list[set[int]] = [set() for _ in range(self.rules.players)]
        self.broken_in_sight = False  # everybody knows that spades are broken
        self.led_only_spades: set[int] = set()
        self.voids: list[set[int]] = [set() for _ in range(self.rules.players)]
        self.leader = (self.pair.reference.opener + self.rules.leads_first) % self.rules.players

    def walk(self, hands: int) -> Iterator[None]:
        """Stop at every decision of so many hands, and where the match is over."""
        reference = self.pair.reference
        while reference.hand_number < hands:
            yield
            if reference.is_over:
                return
            seat, phase, number = reference.seat, reference.phase, reference.hand_number
            action = self.player.choose(self.rng, reference, reference.legal_actions())
            if phase == "play":
                self._watch_play(seat, action)
            self.pair.apply(action)
            if phase == "draft":
                self.draws.append((seat, action == KEEP))
            if reference.hand_number != number and not reference.is_over:
                self._begin_hand()
            elif phase == "play" and not reference.trick:
                self.leader = self.pair.engine.seat
                assert reference.seat in (self.leader, None)

    def _watch_play(self, seat: int, card: int) -> None:
        """Note what a card tells everybody, before it is played."""
        game, suit = self.pair.reference, suit_of(card)
        self.plays[seat].add(card)
        if game.trick:
            led = suit_of(game.trick[0][1])
            if suit != led:
                self.voids[seat].add(led)
                self.broken_in_sight |= suit == SPADES
        else:
            self.leader = seat
            if suit == SPADES and not game.spades_broken and self.rules.spades_must_break:
                self.voids[seat] |= {CLUBS, DIAMONDS, HEARTS}  # or she could not have led it
                self.broken_in_sight = True
            elif suit == SPADES and all(suit_of(held) == SPADES for held in game.hands[seat]):
                self.led_only_spades.add(seat)

    def knows_hand(self, seat: int) -> bool:
        """A seat sees its cards once it has answered the blind question (or at once where there is none)."""
        return self.pair.reference.blind[seat] is not None

    def known_places(self, seat: int) -> list[int]:
        """Places of the deck whose cards a seat has seen: in a draft what it took and the discards that it saw."""
        if not self.rules.draft:
            return []
        known = []
        for k, (drawer, kept) in enumerate(self.draws):
            taken, discarded = (2 * k, 2 * k + 1) if kept else (2 * k + 1, 2 * k)
            if drawer == seat:
                known.append(taken)
            shown_to_drawer = not kept or self.rules.rejected != "hidden"
            if self.rules.rejected == "public" or (drawer == seat and shown_to_drawer):
                known.append(discarded)
        if self.pair.reference.phase == "draft" and self.pair.reference.seat == seat:
            known.append(2 * len(self.draws))
        return known

    def changed(self, seat: int) -> np.ndarray:
        """The table as it might be for all that ``seat`` can tell, as an array of one record: all hidden is random."""
        game, rng, players = self.pair.reference, self.rng, self.rules.players
        states = self.pair.engine.state.copy()
        s = states[0]
        own = game.hands[seat] if self.knows_hand(seat) else set()
        gone = set().union(*self.plays) | set(game.given[seat])
        free = [card for card in self.rules.deck if card not in own and card not in gone]
        rng.shuffle(free)
        for other in range(players):
            if other != seat or not self.knows_hand(seat):
                count = len(game.hands[other])
                s["hands"][other] = mask(free[:count])
                del free[:count]
        for other in range(2):
            if other != seat:
                for name in ("seen", "given", "received"):
                    s[name][other] = rng.getrandbits(NUM_CARDS)
        if not self.rules.spades_must_break and not self.broken_in_sight and seat not in self.led_only_spades:
            # Then a spade led from a hand of nothing else breaks spades, but it might have had other cards.
            s["broken"] = rng.choice([0, BROKEN_UNSEEN])
        s["pile"] = rng.getrandbits(NUM_CARDS)
        s["key"], s["rng"][0], s["match"] = rng.getrandbits(64), rng.getrandbits(64), rng.getrandbits(31)
        places = [k for k in range(len(self.rules.deck)) if k not in self.known_places(seat)]
        s["deck"][places] = rng.sample(s["deck"][places].tolist(), len(places))
        return states


def hidden_bytes(rules: Rules, state: np.void, name: str, seat: int) -> bytes:
    """The part of a field of a record that ``seat`` may not see; for tests that a leak of it would be noticed."""
    values = state[name]
    if name == "hands":
        return values[[k for k in range(rules.players) if k != seat]].tobytes()
    if name in ("seen", "given", "received"):
        return values[[k for k in range(2) if k != seat]].tobytes()
    return values.tobytes()[::-1]  # of the deck the last places first: they are seen last
