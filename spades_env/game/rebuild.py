"""The state of a table rebuilt from what one seat knows, with a check that no two things contradict each other.

The engine itself carries out every decision, so a rebuilt state cannot differ from a played one. Where a hidden card is
needed any will do: the view blanks it out.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from spades_env.cards import (
    BLIND_NIL,
    DONE,
    KEEP,
    LOOK,
    SUIT_MASKS,
    action_name,
    card_name,
    cards_in,
    hand_text,
    mask_of,
    suit_of,
    trick_winner,
)
from spades_env.engine import single
from spades_env.engine.state import NO_BID, UNASKED, Phase
from spades_env.engine.step import MATCH_ENDED, NOTHING
from spades_env.game.known import Known
from spades_env.game.start import start_match

_ANY_CARDS = 0x1FFF  # stands for hidden cards
# By set of suits: the cards that a hand with these voids may hold.
_OUTSIDE = [sum(SUIT_MASKS[suit] for suit in range(4) if not voids >> suit & 1) for voids in range(16)]
_SUIT_NAMES = ("clubs", "diamonds", "hearts", "spades")


def rebuild(known: Known) -> tuple[np.ndarray, np.ndarray]:
    """The packed rules and the state of the table; only what ``known.seat`` may know of the state is meaningful.

    Raises:
        ValueError: if two things contradict each other; the message names them.
    """
    return _Rebuilt(known).finish()


class _Rebuilt:
    """A table that is played up to what is known."""

    def __init__(self, known: Known) -> None:
        self.known = known
        self.rules, self.seat = known.rules, known.seat
        self.packed, self.state, _ = start_match(self.rules, (0, 0, 0), known.start, [])
        self.s = self.state[0]
        self.draws = self.given_up = self.plays = 0  # carried out so far
        self.voids: dict[tuple[int, int], int] = {}  # (seat, suit): the play that showed the void
        self.seats = _seats_of_plays(known)
        self.own_plays = mask_of(
            card for who, (_, card) in zip(self.seats, known.plays, strict=True) if who == self.seat
        )
        self.given = mask_of(card for card in known.gone if card is not None and card != DONE)
        self.taken = self.discards = 0  # own cards and discards seen in the draft
        if self.rules.draft:
            self._read_draft()
            self.hand, self.received = self._hand_after_draft()
        else:
            self.hand, self.received = known.hand or 0, known.received or 0
        self._check_places()
        if not self.rules.draft:
            self.s["hands"][self.seat] = self._dealt_hand()

    def finish(self) -> tuple[np.ndarray, np.ndarray]:
        while self._go_on():
            pass
        if self.phase != Phase.OVER:
            self._check_rest()
            self._check_hand()
            self._check_deals()
        return self.packed, self.state

    @property
    def phase(self) -> int:
        return int(self.s["phase"])

    @property
    def turn(self) -> int:
        return int(self.s["seat"])

    def _apply(self, action: int) -> int:
        return single.apply_action(self.state, self.packed, action)

    # What is known of the cards.

    def _read_draft(self) -> None:
        """Check the form of each draw, and note the cards taken and the discards seen."""
        found: dict[int, int] = {}
        for k, draw in enumerate(self.known.draft):
            who = (self.known.start.opener + k) % 2
            own, last = who == self.seat, k == len(self.known.draft) - 1
            for card in draw.cards:
                if card in found:
                    raise ValueError(f"draft[{k}]: {card_name(card)} was drawn before, in draft[{found[card]}]")
                found[card] = k
            if draw.action is None:
                if not (own and last):
                    why = "only the last draw can be undecided" if own else f"seat {who} drew, whose card is unseen"
                    raise ValueError(f"draft[{k}] must begin with KEEP or REJECT: {why}")
                continue
            expected = self._cards_seen(own, draw.action)
            if len(draw.cards) != expected:
                name = action_name(draw.action)
                raise ValueError(
                    f"draft[{k}]: of a {name} of seat {who} seat {self.seat} sees {expected} cards with "
                    f"rejected={self.rules.rejected!r}, got {len(draw.cards)}"
                )
            if own:
                kept = draw.cards[0] if draw.action == KEEP else draw.cards[1]
                self.taken |= 1 << kept
                self.discards |= mask_of(draw.cards) & ~(1 << kept)
            else:
                self.discards |= mask_of(draw.cards)

    def _cards_seen(self, own: bool, action: int) -> int:
        if not own:
            return 1 if self.rules.rejected == "public" else 0
        return 1 if action == KEEP and self.rules.rejected == "hidden" else 2

    def _hand_after_draft(self) -> tuple[int, int]:
        """The hand and the cards received in the exchange, of which one follows from the draft."""
        known, whose = self.known, f"seat {self.seat}"
        kept = self.taken & ~self.given
        if self.given & ~self.taken:
            raise ValueError(f"gone: {whose} did not take {hand_text(self.given & ~self.taken)} in the draft")
        hand = known.hand
        if hand is None:
            hand = (kept | (known.received or 0)) & ~self.own_plays
        have = hand | self.own_plays
        if kept & ~have:
            raise ValueError(f"hand lacks {hand_text(kept & ~have)}, which {whose} took in the draft")
        extra = have & ~kept
        received = known.received if known.received is not None else extra if self.given else 0
        if extra & ~received:
            raise ValueError(f"hand or plays: {whose} did not take {hand_text(extra & ~received)} in the draft")
        if received & ~extra:
            raise ValueError(f"received: {whose} neither holds nor has played {hand_text(received & ~extra)}")
        return hand, received

    def _dealt_hand(self) -> int:
        """The cards that the seat was dealt."""
        own, given, received = self.own_plays, self.given, self.received
        if received & ~(self.hand | own):
            missing = hand_text(received & ~(self.hand | own))
            raise ValueError(f"received: seat {self.seat} neither holds nor has played {missing}")
        if self.hand | own | given:
            self._check_count()
        return (self.hand | own | given) & ~received

    def _check_count(self) -> None:
        """Check the number of cards held, now that the plays and the exchange are known."""
        plays = self.own_plays.bit_count()
        count = self.rules.hand_size - plays - self.given.bit_count() + self.received.bit_count()
        if self.hand.bit_count() != count:
            after = f" after {plays} play{'s' * (plays > 1)}" if plays else ""
            after += f", {self.given.bit_count()} cards given up and {self.received.bit_count()} received" * bool(
                self.given | self.received
            )
            raise ValueError(f"hand: seat {self.seat} must hold {count} cards{after}, got {self.hand.bit_count()}")

    def _check_places(self) -> None:
        """Check that no card is in two places."""
        me = f"seat {self.seat}"
        places = dict.fromkeys(cards_in(self.hand), f"in the hand of {me}")

        def put(card: int, place: str) -> None:
            if card in places:
                raise ValueError(f"{card_name(card)} is {places[card]} and {place}")
            places[card] = place

        for k, card in enumerate(self.known.gone):
            if card is not None and card != DONE:
                put(card, f"given up by {me} in gone[{k}]")
        for k, (who, (_, card)) in enumerate(zip(self.seats, self.known.plays, strict=True)):
            put(card, f"played by seat {who} in plays[{k}]")
            if who != self.seat and self.received >> card & 1:
                raise ValueError(f"{card_name(card)} is received by {me} and played by seat {who} in plays[{k}]")
        if not self.given and None not in self.known.gone:  # only an exchange brings discards back
            for k, draw in enumerate(self.known.draft):
                for card in draw.cards:
                    if self.discards >> card & 1:
                        put(card, f"discarded in draft[{k}]")
        for card in cards_in(self.received & self.given):
            raise ValueError(f"{card_name(card)} is both given up and received by {me}")

    # The decisions so far.

    def _go_on(self) -> bool:
        """Carry out the next decision, if it is known."""
        match self.phase:
            case Phase.BLIND:
                return self._answer()
            case Phase.DRAFT:
                return self._draw()
            case Phase.EXCHANGE:
                return self._exchange()
            case Phase.BID:
                return self._bid()
            case Phase.PLAY:
                return self._play()
        return False

    def _answer(self) -> bool:
        who = self.turn
        bid = self.known.bids[who]
        drawn = self.rules.draft and self.draws < len(self.known.draft)
        sees = not self.rules.draft and who == self.seat and self.hand != 0
        if bid is None and not drawn and not sees:
            return False
        self._apply(BLIND_NIL if bid == BLIND_NIL else LOOK)
        return True

    def _draw(self) -> bool:
        k, who = self.draws, self.turn
        if k == len(self.known.draft):
            if who == self.seat:
                raise ValueError(f"draft: seat {who} is on turn to keep or reject a card; end draft with that card")
            return False
        draw = self.known.draft[k]
        deck = self.s["deck"]
        deck[2 * k : 2 * k + 2] = 0
        if who == self.seat or draw.action is None:
            deck[2 * k : 2 * k + len(draw.cards)] = draw.cards
        elif draw.cards:  # the discard of the other seat
            deck[2 * k + (draw.action == KEEP)] = draw.cards[0]
        if draw.action is None:
            return False
        self._apply(draw.action)
        self.draws += 1
        return True

    def _exchange(self) -> bool:
        k, who = self.given_up, self.turn
        if k == len(self.known.gone):
            return False
        card, own = self.known.gone[k], who == self.seat
        if card != DONE and own == (card is None):
            hint = "name its card" if own else "use None for its unseen card"
            raise ValueError(f"gone[{k}]: seat {who} is on turn in the exchange; {hint}, or DONE")
        last = card == DONE or self.s["exchanged"][who] + 1 == self.rules.exchange
        if last:  # fixed, so that the engine draws none
            self.s["received"][who] = self.received if own else _ANY_CARDS
        if card is None:
            card = 0
            self.s["hands"][who] = 1
        self._apply(card)
        if last and own and self.received.bit_count() != self.given.bit_count():
            count, got = self.given.bit_count(), self.received.bit_count()
            raise ValueError(f"received must hold {count} cards, as many as seat {who} gave up, got {got}")
        self.given_up += 1
        return True

    def _bid(self) -> bool:
        bid = self.known.bids[self.turn]
        if bid is None or bid == LOOK:
            return False
        self._apply(bid)
        return True

    def _play(self) -> bool:
        k, who = self.plays, self.turn
        if k == len(self.known.plays):
            return False
        if k == 0:
            self._check_looked()
        card = self.known.plays[k][1]
        name = f"plays[{k}]: seat {who} plays {card_name(card)}"
        suit = suit_of(card)
        if who != self.seat:
            if (who, suit) in self.voids:
                shown = self.voids[who, suit]
                raise ValueError(f"{name}, but with plays[{shown}] it showed a void in {_SUIT_NAMES[suit]} (a revoke)")
            self.s["hands"][who] = 1 << card
        before = int(self.s["voids"][who])
        low, _ = single.legal_words(self.state, self.packed)
        if not low >> card & 1:
            why = "spades are not broken" if self.s["in_trick"] == 0 else "it can follow suit (a revoke)"
            raise ValueError(f"{name}, but {why}: its legal cards were {hand_text(low)}")
        event = self._apply(card)
        for shown in range(4):
            if (int(self.s["voids"][who]) & ~before) >> shown & 1:
                self.voids[who, shown] = k
        self.plays += 1
        if event not in (NOTHING, MATCH_ENDED):
            raise ValueError("plays: all tricks have been played; view the next hand, with the scores after this one")
        return event == NOTHING

    # What must hold in the end.

    def _check_rest(self) -> None:
        """Check that everything known has been used."""
        phase, turn = Phase(self.phase).name, self.turn
        where = f"seat {turn} is on turn in phase {phase}"
        for who, bid in enumerate(self.known.bids):
            asked = self.s["blind"][who] != UNASKED
            if bid is not None and not (asked if bid == LOOK else self.s["bids"][who] != NO_BID):
                raise ValueError(f"bids[{who}]: seat {who} cannot have made {action_name(bid)}: {where}")
        if self.given_up < len(self.known.gone):
            raise ValueError(f"gone[{self.given_up}]: no exchange is due: {where}")
        if self.plays < len(self.known.plays):
            raise ValueError(f"plays[{self.plays}]: no card can have been played: {where}")

    def _check_looked(self) -> None:
        """Check that a dealt hand is known if and only if the seat has looked at it."""
        if self.rules.draft:
            return
        looked = self.s["blind"][self.seat] != UNASKED
        if self.hand and not looked:
            raise ValueError(
                f"hand: seat {self.seat} has not looked at its cards, since it has not been asked about blind nil; "
                "leave hand out, or use rules with blind_nil=0"
            )
        if looked and not self.hand | self.own_plays | self.given:
            raise ValueError(f"hand must hold the cards of seat {self.seat}, which has looked at them")

    def _check_hand(self) -> None:
        """Check that the engine has come to the same hand."""
        self._check_looked()
        held = int(self.s["hands"][self.seat]) if self.s["blind"][self.seat] != UNASKED else 0
        if held != self.hand:
            reason = " (its exchange is not over)" if self.received and self.phase <= Phase.EXCHANGE else ""
            held_text, got = hand_text(held) or "no card", hand_text(self.hand) or "none"
            raise ValueError(f"hand: seat {self.seat} must hold {held_text}{reason}, got {got}")

    def _check_deals(self) -> None:
        """Check that the unseen cards can be dealt to the other seats."""
        s, rules = self.s, self.rules
        if s["blind"][self.seat] == UNASKED or self.phase == Phase.DRAFT or self.phase == Phase.BLIND:
            return
        others = [who for who in range(rules.players) if who != self.seat]
        elsewhere = self.hand | self.given | self.own_plays
        if rules.players == 2:
            self._check_opponent(others[0], elsewhere)
            return
        hidden = mask_of(rules.deck) & ~elsewhere & ~mask_of(card for _, card in self.known.plays)
        sizes = {who: rules.hand_size - int(s["plays"][who]).bit_count() for who in others}
        for count in range(1, len(others) + 1):
            for group in combinations(others, count):
                allowed = 0
                for who in group:
                    allowed |= _OUTSIDE[s["voids"][who]]
                need, found = sum(sizes[who] for who in group), (hidden & allowed).bit_count()
                if found < need:
                    first = ", ".join(map(str, group[:-1]))
                    who = f"seats {first} and {group[-1]} hold" if first else f"seat {group[0]} holds"
                    places = f"{who} {need} cards, but only {found} unseen ones can be there"
                    raise ValueError(f"no deal is possible: {places}")

    def _check_opponent(self, other: int, elsewhere: int) -> None:
        """With two players: find numbers of cards kept, given up and received that fit, as ``sample_opponent`` does."""
        s, rules = self.s, self.rules
        seen = self.discards & ~elsewhere
        hidden = mask_of(rules.deck) & ~(elsewhere | seen)
        plays = int(s["plays"][other])
        allowed = _OUTSIDE[s["voids"][other]] & ~plays
        given = int(s["exchanged"][other])
        received = 0 if self.phase == Phase.EXCHANGE and self.turn == other else given
        played, seen_played = (plays & hidden).bit_count(), (plays & seen).bit_count()
        free, free_seen, unplayed = (
            (hidden & allowed).bit_count(),
            (seen & allowed).bit_count(),
            (hidden & ~plays).bit_count(),
        )
        for from_seen in range(seen_played, min(received, seen_played + free_seen) + 1):
            held = rules.hand_size - given + received - from_seen - played  # hidden cards in its hand now
            if 0 <= held <= free and given + held <= unplayed:
                return
        raise ValueError(f"no deal is possible: the unseen cards cannot make up the hand of seat {other}")


def _seats_of_plays(known: Known) -> list[int]:
    """The seat that played each card."""
    rules = known.rules
    leader = (known.start.opener + rules.leads_first) % rules.players
    seats: list[int] = []
    trick: list[tuple[int, int]] = []
    for k, (named, card) in enumerate(known.plays):
        who = (leader + len(trick)) % rules.players
        if named not in (None, who):
            raise ValueError(f"plays[{k}]: seat {who} is on turn, not seat {named}")
        seats.append(who)
        trick.append((who, card))
        if len(trick) == rules.players:
            leader, trick = trick_winner(trick), []
    return seats
