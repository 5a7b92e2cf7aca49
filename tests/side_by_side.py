"""A match played by the engine and by the reference at once: where do they differ, and what is the least case?"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any

from random_rules import Player, random_rules, random_start

from spades_env.cards import cards_in
from spades_env.game import Game
from spades_env.reference import Reference, score_side
from spades_env.rules import Rules

MOST_HANDS = 6
BIT = [1 << card for card in range(52)]


def mask(cards: Any) -> int:
    return sum(map(BIT.__getitem__, cards))


def seen_by_engine(game: Game) -> dict[str, Any]:
    """All that the engine tells of a game."""
    phase = game.phase.name.lower()
    found = {
        "phase": phase,
        "seat": None if phase == "over" else game.seat,
        "legal": game.legal_actions(),
        "hands": game.hands,
        "bids": game.bids,
        "blind": game.blind,
        "tricks": game.tricks,
        "scores": game.scores,
        "bags": game.bags,
        "opener": game.opener,
        "hand_number": game.hand_number,
        "winner": game.winner,
        "broken": game.spades_broken,
        "drawn": game.drawn,
        "trick": game.trick if phase == "play" else [],
    }
    if phase in ("draft", "exchange", "bid") and game.rules.players == 2:
        views = [game.view(seat) for seat in range(2)]
        found["seen"] = [view.discards_seen for view in views]
        found["given"] = [view.given for view in views]
    return found


def seen_by_reference(game: Reference) -> dict[str, Any]:
    """The same of the reference."""
    found = {
        "phase": game.phase,
        "seat": game.seat,
        "legal": game.legal_actions(),
        "hands": [mask(hand) for hand in game.hands],
        "bids": game.bids,
        "blind": game.blind,
        "tricks": game.tricks,
        "scores": game.scores,
        "bags": game.bags,
        "opener": game.opener,
        "hand_number": game.hand_number,
        "winner": game.winner,
        "broken": game.spades_broken,
        "drawn": game.drawn,
        "trick": game.trick,
    }
    if game.phase in ("draft", "exchange", "bid") and game.rules.players == 2:
        found["seen"] = [mask(seen) for seen in game.seen_discards]
        found["given"] = [mask(given) for given in game.given]
    return found


@dataclass(frozen=True)
class Case:
    """A match as far as it was played: enough to play it again by both.

    Attributes:
        rules: its rules.
        start: ``scores``, ``bags`` and ``opener``.
        seed: of the engine's random stream, which draws the cards of an exchange and shuffles after the last deck.
        decks: of the first hands.
        actions: of all hands, one after the other.
    """

    rules: Rules
    start: dict[str, Any]
    seed: int
    decks: list[list[int]]
    actions: list[int] = field(default_factory=list)

    def engine(self) -> Game:
        return Game(self.rules, seed=self.seed, decks=self.decks, **self.start)


class Pair:
    """Both implementations at the same decision.

    Chance is the engine's: the reference is dealt the engine's decks and draws the cards that it drew.
    """

    def __init__(self, case: Case, reference: Callable[..., Reference] = Reference) -> None:
        self.engine = case.engine()
        self.reference = reference(case.rules, **case.start, shuffle=self._deck, draw=self._received)
        self.in_hand: list[int] = []

    def _deck(self) -> list[int]:
        return self.engine.state["deck"][0, : len(self.engine.rules.deck)].tolist()

    def _received(self, pile: list[int], count: int) -> list[int]:
        assert self.reference.seat is not None
        return cards_in(self.engine.view(self.reference.seat).received)

    def apply(self, action: int) -> None:
        """Raises ValueError if one of them takes the action to be illegal."""
        self.engine.apply(action)
        self.reference.apply(action)

    def difference(self) -> dict[str, tuple[Any, Any]]:
        """What (the engine, the reference) tell where that is not the same."""
        engine, reference = seen_by_engine(self.engine), seen_by_reference(self.reference)
        if engine == reference:
            return {}
        return {key: (engine[key], reference.get(key)) for key in engine if engine[key] != reference.get(key)}


def differs(case: Case, reference: Callable[..., Reference] = Reference) -> tuple[int, dict[str, Any]] | None:
    """The first decision of a case at which the implementations differ, and how; None if they agree.

    A case that no longer makes sense, since its actions are legal for neither, has no difference either.
    """
    pair = Pair(case, reference)
    for step, action in enumerate([*case.actions, None]):
        found = pair.difference()
        if found:
            return step, found
        if action is None or action not in pair.reference.legal_actions():
            return None
        pair.apply(action)
    return None


def shrink(case: Case, reference: Callable[..., Reference] = Reference) -> Case:
    """A smaller case with a difference: the last hand alone, few odd rules, plain scores, the lowest actions."""
    found = differs(case, reference)
    assert found is not None, "nothing to shrink: the implementations agree"
    case = dataclasses.replace(case, actions=case.actions[: found[0]])
    changes = [partial(_from_hand, back=back) for back in (2, 1)]
    changes += [partial(_plain_rule, name=name) for name in Rules().to_dict()]
    changes += [partial(_plain_start, name=name, side=side) for name in ("scores", "bags") for side in range(4)]
    changes += [partial(_plain_action, step=step) for step in range(len(case.actions))]
    for change in changes:
        candidate = change(case)
        found = None if candidate is None else differs(candidate, reference)
        if candidate is not None and found is not None:
            case = dataclasses.replace(candidate, actions=candidate.actions[: found[0]])
    return case


def _from_hand(case: Case, back: int) -> Case | None:
    """The case begun ``back`` hands before its end (a wrong deal shows only in the hand after)."""
    game = case.engine()
    begins: list[Case] = []
    for step, action in enumerate(case.actions):
        if not begins or game.opener != begins[-1].start["opener"]:
            start = {"scores": game.scores, "bags": game.bags, "opener": game.opener}
            deck = game.state["deck"][0, : len(case.rules.deck)].tolist()
            begins.append(Case(case.rules, start, case.seed, [deck], case.actions[step:]))
        game.apply(action)
    return begins[-back] if len(begins) > back else None


def _plain_rule(case: Case, name: str) -> Case | None:
    """One field of the rules back at its default."""
    try:
        rules = Rules.from_dict({**case.rules.to_dict(), name: Rules().to_dict()[name]})
        candidate = dataclasses.replace(case, rules=rules)
        candidate.engine()
    except ValueError:
        return None
    return candidate


def _plain_start(case: Case, name: str, side: int) -> Case | None:
    """One side begins with nothing."""
    values = [0 if k == side else value for k, value in enumerate(case.start[name])]
    return dataclasses.replace(case, start={**case.start, name: values})


def _plain_action(case: Case, step: int) -> Case | None:
    """The lowest action from here on."""
    game = case.engine()
    for action in case.actions[:step]:
        game.apply(action)
    actions = case.actions[:step]
    while len(actions) < len(case.actions) and not game.is_over:
        actions.append(game.legal_actions()[0])
        game.apply(actions[-1])
    return dataclasses.replace(case, actions=actions)


def random_case(seed: int) -> tuple[Case, Player, Random]:
    """Rules, start, some given decks and a mood, all from the seed."""
    rng = Random(seed)
    rules = random_rules(rng)
    decks = [rng.sample(rules.deck, len(rules.deck)) for _ in range(rng.randrange(3))]
    return Case(rules, random_start(rng, rules), seed, decks), Player.random(rng), rng


def play_both(seed: int, seldom: Counter[str]) -> tuple[int, Case, dict[str, Any]]:
    """Play one random match of some hands by both and compare them at every decision.

    Args:
        seed: of the match.
        seldom: counts what happened that seldom does.

    Returns:
        The number of decisions compared, the case, and the difference found, which is empty if they agree.
    """
    case, player, rng = random_case(seed)
    pair = Pair(case)
    reference = pair.reference
    while True:
        found = pair.difference()
        if found or reference.is_over or reference.hand_number == MOST_HANDS:
            _note(case, reference, seldom)
            return len(case.actions), case, found
        seldom["second exchange of a hand"] += reference.phase == "exchange" and bool(
            reference.given[1 - reference.seat]
        )
        action = player.choose(rng, reference, reference.legal_actions())
        case.actions.append(action)
        pair.apply(action)


def _note(case: Case, game: Reference, seldom: Counter[str]) -> None:
    rules, bags = case.rules, case.start["bags"]
    for hand in game.results:
        best, lost = max(hand.scores), [rules.loss is not None and score <= rules.loss for score in hand.scores]
        seldom["all bid blind nil"] += all(hand.blind)
        seldom["all bid nil"] += sum(hand.bids) == 0
        seldom["a tie where the match would end"] += hand.scores.count(best) > 1 and (best >= rules.target or any(lost))
        seldom["two sides past the target"] += sum(score >= rules.target for score in hand.scores) > 1
        seldom["all at or below the loss"] += all(lost)
        seldom["best exactly at the target"] += best == rules.target
        # where no other score ends the match
        seldom["worst exactly at the loss"] += min(hand.scores) == rules.loss and best < rules.target
        for side in range(rules.sides if rules.bag_limit else 0):
            gained = score_side(rules, side, hand.bids, hand.blind, hand.tricks)[1]
            seldom["two penalties in one hand"] += bags[side] + gained >= 2 * rules.bag_limit
        bags = hand.bags
    seldom["won"] += game.is_over
