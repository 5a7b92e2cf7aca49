"""A world drawn for a View: the state of a table consistent with it, and the log that leads there."""

from __future__ import annotations

import numpy as np

from spades_env.cards import cards_in
from spades_env.engine import single
from spades_env.engine.history import LONGEST_HAND, history
from spades_env.game.log import GameLog, HandLog, HandResult, Start
from spades_env.game.position import Position


def sample_state(view: Position, generator: np.random.Generator) -> tuple[np.ndarray, int]:
    """The state of a random world consistent with ``view``, and the seed of its random stream."""
    state = np.empty_like(view.state)
    rng = generator.integers(0, 1 << 64, 1, np.uint64)
    seed = single.sample_view(view.state, view.rules_array, view.observer, rng, state)
    return state, seed


def log_of(position: Position) -> GameLog:
    """The log of a table with all its cards, read back from its state; it begins with the current hand."""
    state = position.state
    deck = state["deck"][0, : len(position.rules.deck)].tolist()
    actions = np.empty(LONGEST_HAND, np.int8)
    count, exchanged = history(state, position.rules_array, actions)
    hand = HandLog(deck, True, actions[:count].tolist())
    if exchanged:
        hand.received = [cards_in(received) for received in state["received"][0].tolist()]
    scores, bags = position.scores, position.bags
    last = HandResult(**position.last_hand, scores=scores, bags=bags) if position.hand_number else None
    if position.is_over and last is not None:
        hand.result = last
        start = _start_of_last_hand(position, last)
    else:
        start = Start(scores, bags, position.opener, position.hand_number, last)
    return GameLog(start, [deck], current=hand)


def _start_of_last_hand(position: Position, result: HandResult) -> Start:
    """The start of the hand that ended the match."""
    rules = position.rules
    scores = [score - points for score, points in zip(result.scores, result.points, strict=True)]
    taken = [single.bags_of_hand(position.state, position.rules_array, side) for side in range(rules.sides)]
    bags = [bags - more for bags, more in zip(result.bags, taken, strict=True)]
    if rules.bag_limit:
        bags = [count % rules.bag_limit for count in bags]
    return Start(scores, bags, position.opener, position.hand_number - 1)
