"""The start of a match and of each of its hands."""

from __future__ import annotations

import numpy as np

from spades_env.engine import batch, single
from spades_env.engine.state import BLIND_BID, LOOKED, STATE, rules_array
from spades_env.game.log import GameLog, HandLog, Start
from spades_env.rules import Rules


def start_match(
    rules: Rules, seed: tuple[int, int, int], start: Start, decks: list[list[int]]
) -> tuple[np.ndarray, np.ndarray, GameLog]:
    """The packed rules, the state and the log of a match that begins with ``start``."""
    packed, state = rules_array(rules), np.zeros(1, STATE)
    single.begin_match(state, packed, np.uint64(seed[0]), seed[1], seed[2], start.opener)
    batch.set_scores(state, packed, np.zeros(1, np.int64), np.array([start.scores]), np.array([start.bags]))
    if start.hand_number:
        state["hand_number"] = start.hand_number
        single.begin_hand(state, packed, start.opener)
    if start.last is not None:
        last = start.last
        state["points"][0, : rules.sides] = last.points
        state["last_bids"][0, : rules.players] = last.bids
        state["last_blind"][0, : rules.players] = [BLIND_BID if blind else LOOKED for blind in last.blind]
        state["last_tricks"][0, : rules.players] = last.tricks
    log = GameLog(start, decks)
    start_hand(state, packed, log)
    return packed, state, log


def start_hand(state: np.ndarray, packed: np.ndarray, log: GameLog) -> None:
    """Deal the next fixed deck, if there is one, and start the log of the hand."""
    hand = len(log.finished)
    fixed = hand < len(log.decks)
    if fixed:
        deck = log.decks[hand]
        state["deck"][0, : len(deck)] = deck
        single.deal_deck(state, packed, state["opener"].item())
    else:
        deck = state["deck"][0, : packed["deck_size"].item()].tolist()
    log.current = HandLog(deck, fixed)
