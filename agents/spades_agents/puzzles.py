"""Positions with one right decision, which show at a glance what a player understands.

The positions are in ``puzzles.json``, for people to read and edit. An entry holds

* ``name`` (unique), ``theme`` and ``reason``: what the puzzle is about, and why the answer is right;
* ``rules``: a preset, and ``changes`` to it, if any; ``scores`` and ``bags`` by side; and ``opener``;
* ``hands``: the cards dealt to each seat. In a draft game there is ``draft`` instead, the draws in order: ``AS+4D``
  keeps the ace of spades and discards the 4 of diamonds, ``4D-AS`` rejects the 4 of diamonds and takes the ace of
  spades. ``drawn`` is the card that the seat on turn has drawn if the draft is not over;
* ``actions``: the actions so far, in order, without the choices of the draft;
* ``turn``: the seat that decides; ``answer``: the right actions. There are several where cards are equivalent.
"""

from __future__ import annotations

import functools
import json
import re
from dataclasses import dataclass
from importlib import resources
from typing import Any

from spades_agents.base import Agent, check_plays, legal_move
from spades_agents.registry import make_agent
from spades_env.cards import BLIND_NIL, KEEP, LOOK, REJECT, parse_action, parse_card, parse_cards
from spades_env.game import Game
from spades_env.rules import Rules

_DRAW = re.compile(r"(\w+)([+-])(\w+)")


@dataclass(frozen=True)
class Puzzle:
    """A position, the right decision and the reason.

    Attributes:
        name: a unique name.
        theme: what the puzzle tests, in a few words.
        rules: the rules.
        scores: points of each side before the hand.
        bags: bag counter of each side before the hand.
        opener: the seat that opens the hand.
        deck: the order of the cards, as :class:`Game` takes it.
        actions: the actions of the hand so far.
        turn: the seat that decides.
        answer: the right actions.
        reason: why they are right.
    """

    name: str
    theme: str
    rules: Rules
    scores: tuple[int, ...]
    bags: tuple[int, ...]
    opener: int
    deck: tuple[int, ...]
    actions: tuple[int, ...]
    turn: int
    answer: tuple[int, ...]
    reason: str

    def game(self) -> Game:
        """A game in this position.

        Raises:
            ValueError: if an action is illegal, or another seat is on turn in the position.
        """
        game = Game(self.rules, 0, decks=[self.deck], scores=self.scores, bags=self.bags, opener=self.opener)
        try:
            for action in self.actions:
                game.apply(action)
        except ValueError as error:
            raise ValueError(f"puzzle {self.name!r}: {error}") from None
        if game.is_over or game.seat != self.turn:
            raise ValueError(f"puzzle {self.name!r}: seat {self.turn} is not on turn")
        return game


@dataclass(frozen=True)
class Attempt:
    """The action of a player in a puzzle."""

    puzzle: Puzzle
    action: int

    @property
    def right(self) -> bool:
        """Whether the action is right."""
        return self.action in self.puzzle.answer


@functools.cache
def load_puzzles() -> tuple[Puzzle, ...]:
    """All puzzles of the package.

    Raises:
        ValueError: if an entry of the file is invalid; the message names it.
    """
    text = resources.files("spades_agents").joinpath("puzzles.json").read_text("utf-8")
    return tuple(_read(entry) for entry in json.loads(text))


def score(agent: str | Agent, puzzles: tuple[Puzzle, ...] | None = None, seed: int = 0) -> list[Attempt]:
    """Let a player decide in every puzzle.

    Args:
        agent: the player or its name.
        puzzles: the puzzles; by default all.
        seed: the seed to which the player is reset before each puzzle.

    Returns:
        An attempt for each puzzle, in order.

    Raises:
        ValueError: if the agent is unknown, cannot play the rules of a puzzle, or makes an illegal move.
    """
    player = make_agent(agent)
    chosen = load_puzzles() if puzzles is None else puzzles
    for puzzle in chosen:
        check_plays(player, puzzle.rules)
    attempts = []
    for puzzle in chosen:
        player.reset(seed)
        attempts.append(Attempt(puzzle, legal_move(player, puzzle.game().view())))
    return attempts


def _read(entry: dict[str, Any]) -> Puzzle:
    name = entry["name"]
    try:
        rules = Rules.preset(entry["rules"], **entry.get("changes", {}))
        draws = _DRAW.findall(entry.get("draft", ""))
        choices = [KEEP if sign == "+" else REJECT for _, sign, _ in draws]
        given = [parse_action(word) for line in entry["actions"] for word in line.split()]
        return Puzzle(
            name=name,
            theme=entry["theme"],
            rules=rules,
            scores=tuple(entry["scores"]),
            bags=tuple(entry["bags"]),
            opener=entry["opener"],
            deck=tuple(_deck(entry, rules, draws)),
            actions=tuple(_with_choices(given, choices)),
            turn=entry["turn"],
            answer=tuple(map(parse_action, entry["answer"])),
            reason=entry["reason"],
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"puzzle {name!r}: {error}") from None


def _deck(entry: dict[str, Any], rules: Rules, draws: list[tuple[str, str, str]]) -> list[int]:
    """The order of the deck; cards that the entry does not mention come last."""
    if rules.draft:
        deck = [parse_card(card) for first, _, second in draws for card in (first, second)]
        if "drawn" in entry:
            deck.append(parse_card(entry["drawn"]))
    else:
        hands = [parse_cards(hand) for hand in entry["hands"]]
        if [len(hand) for hand in hands] != [rules.hand_size] * rules.players:
            raise ValueError(f"there must be {rules.players} hands of {rules.hand_size} cards")
        deck = [
            hands[(entry["opener"] + k) % rules.players][n] for n in range(rules.hand_size) for k in range(len(hands))
        ]
    return deck + [card for card in rules.deck if card not in deck]


def _with_choices(given: list[int], choices: list[int]) -> list[int]:
    """The actions with the draft choices inserted; a seat's first choice follows its answer to the blind question."""
    blind = [action for action in given[:2] if action in (BLIND_NIL, LOOK)] if choices else []
    drafted = [action for k, choice in enumerate(choices) for action in (*blind[k : k + 1], choice)]
    return drafted + given[min(len(blind), len(choices)) :]
