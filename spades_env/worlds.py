"""From a record with all its cards back to a Game that can tell how it came about."""

from __future__ import annotations

import numpy as np

from spades_env.cards import cards_in
from spades_env.engine.history import LONGEST_HAND, history
from spades_env.engine.jit import jit
from spades_env.engine.sample import sample_world
from spades_env.engine.scoring import score_side
from spades_env.game import Game, View
from spades_env.log import HandLog, HandResult, Start
from spades_env.rules import Rules


@jit
def sample_view(views, rules, observer, rng, out):
    """:func:`sample_world` of one view into an array of one record."""
    return sample_world(views, 0, rules[0], observer, rng, out, 0)


@jit
def bags_of_hand(states, rules, side):
    """The bags that a side took in a hand that is played out."""
    return score_side(states[0], rules[0], side)[1]


def sample(view: View, generator: np.random.Generator) -> Game:
    """A random world that agrees with ``view``, as a game of its own: see :meth:`View.sample`."""
    state = np.empty_like(view._state)
    rng = generator.integers(0, 1 << 64, 1, np.uint64)
    seed = sample_view(view._state, view._rules, view.observer, rng, state)
    return game_of_state(view.rules, view._rules, state, (seed, 0, 0))


def game_of_state(rules: Rules, rules_record: np.ndarray, state: np.ndarray, seed: tuple[int, int, int]) -> Game:
    """The game whose record is ``state``; what it has on record begins with the current hand.

    Args:
        rules: the rules of the table.
        rules_record: the same as an array of one RULES record.
        state: array of one STATE record with all its cards; the game keeps it.
        seed: (seed, table, match) of its random stream.
    """
    game = Game.__new__(Game)
    game.rules, game._rules, game._state, game.seed = rules, rules_record, state, seed
    deck = state["deck"][0, : len(rules.deck)].tolist()
    actions = np.empty(LONGEST_HAND, np.int8)
    count, exchanged = history(state, rules_record, actions)
    log = HandLog(deck, True, actions[:count].tolist())
    if exchanged:
        log.received = [cards_in(received) for received in state["received"][0].tolist()]
    last = HandResult(**game.last_hand, scores=game.scores, bags=game.bags) if game.hand_number else None
    if game.is_over and last is not None:
        log.result = last
        game._start = _start_of_last_hand(game, last)
    else:
        game._start = Start(game.scores, game.bags, game.opener, game.hand_number, last)
    game._decks, game._past, game._hand = [deck], (), log
    return game


def _start_of_last_hand(game: Game, result: HandResult) -> Start:
    """How the hand that ended the match began."""
    scores = [score - points for score, points in zip(result.scores, result.points, strict=True)]
    taken = [bags_of_hand(game._state, game._rules, side) for side in range(game.rules.sides)]
    bags = [bags - more for bags, more in zip(result.bags, taken, strict=True)]
    if game.rules.bag_limit:
        bags = [count % game.rules.bag_limit for count in bags]
    return Start(scores, bags, game.opener, game.hand_number - 1)
