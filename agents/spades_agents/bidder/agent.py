"""The player that bids by the model."""

from __future__ import annotations

import numpy as np

from spades_agents.base import RowsAgent
from spades_agents.bidder.model import BiddingModel, game_name, shipped
from spades_agents.bidder.value import COLUMNS, WIN, WORK, rate_bids, rate_blind
from spades_agents.compiler import jit
from spades_agents.heuristic.bidding import choose_bid
from spades_agents.heuristic.notes import NOTES
from spades_agents.match_value import match_table
from spades_agents.search.rollout import scripted_action
from spades_env.cards import BID_0, BLIND_NIL, LOOK
from spades_env.engine.conceal import conceal
from spades_env.engine.state import BID, BLIND, STATE
from spades_env.rules import Rules

__all__ = ["BidderAgent"]

# The model has seen bids so far from the scripted player's, and nil.
REACH = 2
# By how much the chance to win must be better with a blind nil than with a look at the cards: the table of the match
# value holds for scripted players, who bid worse than this one. By 3,000 pairs of matches of two players for each of
# 0, 0.01, 0.03, 0.06 and never: 56.8, 57.4, 57.7, 58.5 and 57.7% won.
BLIND_GAIN = 0.05


@jit
def blind_pays(blind, look):
    """Whether to bid blind nil, from the chances to win with it and with a look at the cards."""
    return blind > look + BLIND_GAIN


@jit.apart
def best_bid(s, r, w, weights, values, table):
    """The bid that wins the match most often, the scripted player's where others are no better."""
    own = choose_bid(s, r)
    base = max(own, 1)
    low = max(base - REACH, 1)
    high = min(base + REACH, r.hand_size)
    rate_bids(w, s, r, weights, values, low, high, table)
    rate_bids(w, s, r, weights, values, 0, 0, table)
    best = own
    for bid in range(r.hand_size + 1):
        if (bid == 0 or low <= bid <= high) and table[bid, WIN] > table[best, WIN]:
            best = bid
    return best


@jit.apart
def choose_rows(states, rules, rows, scratch, work, notes, weights, blind, values, table, actions):
    """Write the decisions of the seats on turn at the tables ``rows``, each from what it may know alone."""
    r = rules[0]
    for k in range(rows.size):
        phase = states[rows[k]].phase
        if phase != BID and phase != BLIND:
            actions[k] = scripted_action(states, rows[k], rules, scratch, notes)
            continue
        conceal(states, rows[k], r, states[rows[k]].seat, scratch, 0)
        s = scratch[0]
        if phase == BID:
            actions[k] = BID_0 + best_bid(s, r, work[0], weights, values, table)
        else:
            look = rate_blind(s, r, values, blind, table[0])
            actions[k] = BLIND_NIL if blind_pays(table[0, WIN], look) else LOOK


class BidderAgent(RowsAgent):
    """Bids what wins the match most often by a fitted model of tricks and bids; plays as the scripted player.

    Deterministic, and blind to hidden cards as the scripted player is. It has models for two players and for
    partners, and refuses other games.

    Args:
        model: another model than those that come with the package, or its file: ``bidder:model=mine.json``.

    Raises:
        ValueError: if the file holds no model.
    """

    name = "bidder"

    def __init__(self, model: BiddingModel | str | None = None) -> None:
        jit.announce("the agents")
        self._model = BiddingModel.load(model) if isinstance(model, str) else model
        self._rules: Rules | None = None
        self._scratch, self._work, self._notes = np.zeros(1, STATE), np.zeros(1, WORK), np.zeros(1, NOTES)
        self._table = np.zeros((18, COLUMNS))
        self._tools: tuple[np.ndarray, ...] = ()

    def reset(self, seed: int | None = None) -> None:
        """Nothing to forget and no dice to seed."""

    def decide(self, states: np.ndarray, rules: Rules, record: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """See :class:`RowsAgent`."""
        actions = np.empty(len(rows), np.int64)
        scratch = self._scratch, self._work, self._notes
        choose_rows(states, record, rows, *scratch, *self._tools_for(rules), self._table, actions)
        return actions

    def _tools_for(self, rules: Rules) -> tuple[np.ndarray, ...]:
        """Weights, endings of blind nils and the table of the match value."""
        if rules != self._rules:
            game = game_name(rules)
            model = self._model or shipped(game)
            self._tools = model.weights, model.blind, match_table(rules)
            self._rules = rules
        return self._tools
