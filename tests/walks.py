"""Random matches of the engine, decision by decision, with what seldom happens made common."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from types import SimpleNamespace

from random_rules import Player, random_rules, random_start

from spades_env.game import Game
from spades_env.rules import Rules


def random_game(rng: Random, rules: Rules | None = None) -> Game:
    """A new match; some of its first decks are fixed."""
    rules = rules or random_rules(rng)
    decks = [rng.sample(rules.deck, len(rules.deck)) for _ in range(rng.randrange(3))]
    return Game(rules, seed=rng.randrange(1 << 40), decks=decks, **random_start(rng, rules))


def choose(rng: Random, player: Player, game: Game) -> int:
    """What `player` does at the table of the engine."""
    reading = SimpleNamespace(phase=game.phase.name.lower(), rules=game.rules)
    return player.choose(rng, reading, game.legal_actions())  # type: ignore[arg-type]


def walk(seed: int, rules: Rules | None = None, hands: int = 2) -> Iterator[Game]:
    """One match that goes on as it is iterated: before each decision, and at its end or after some hands."""
    rng = Random(seed)
    game, player = random_game(rng, rules), Player.random(rng)
    while not game.is_over and game.hand_number < hands:
        yield game
        game.apply(choose(rng, player, game))
    yield game


def finish_hand(game: Game, seed: int = 0) -> Game:
    """Play on at random until the current hand is over, or one that has just begun."""
    rng, number = Random(seed), game.hand_number
    while not game.is_over and game.hand_number == number:
        game.apply(rng.choice(game.legal_actions()))
    return game


def state_of(game: Game) -> bytes:
    """Everything that decides how a game goes on."""
    return game.state.tobytes()
