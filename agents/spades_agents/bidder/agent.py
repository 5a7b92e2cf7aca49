"""The player that bids by the model."""

from __future__ import annotations

from typing import Any

import numpy as np

from spades_agents.base import Rating, RowsAgent, TableArrays, check_on_turn, decide_nothing
from spades_agents.bidder.model import BiddingModel, game_name, shipped
from spades_agents.bidder.value import WIN, Workspace, new_workspace, rate_bids, rate_blind
from spades_agents.certain import bid_range
from spades_agents.compiler import jit
from spades_agents.heuristic.bidding import expected_tricks
from spades_agents.heuristic.hand import game_of
from spades_agents.heuristic.scripted import new_scratch, scripted_action
from spades_env.cards import BID_0, BLIND_NIL, LOOK
from spades_env.engine.conceal import conceal
from spades_env.engine.state import BID, BLIND
from spades_env.game import View
from spades_env.rules import Rules
from spades_env.tables import Tables

# The training data hold nil and bids at most REACH from usual_bid.
REACH = 2
# By game, see heuristic.hand.game_of: added to the expected tricks before rounding down.
OFFSET = np.array([-0.7, -0.6, -0.1, -0.1])
# Minimum gain in win probability before a blind nil replaces a look at the cards. The match value holds for scripted
# players, who bid worse than this one. In 3,000 pairs of two-player matches for each of 0, 0.01, 0.03, 0.06 and never,
# it won 56.8, 57.4, 57.7, 58.5 and 57.7%.
BLIND_GAIN = 0.05


@jit
def blind_pays(blind, look):
    """Whether to bid blind nil, given the chances of winning with it and after looking at the cards."""
    return blind > look + BLIND_GAIN


@jit
def usual_bid(s, r):
    """The bid of the hand itself, whatever the scores; it lies in the middle of those in the training data."""
    least, most = bid_range(s, r)
    return min(max(np.int64(np.floor(expected_tricks(s, r) + OFFSET[game_of(r)])), least, 1), most)


@jit.apart
def best_bid(work, s, r):
    """The bid with the highest chance of winning the match; the usual bid if no other is better."""
    least, most = bid_range(s, r)
    best = usual_bid(s, r)
    low = max(best - REACH, least, 1)
    high = min(best + REACH, most)
    rate_bids(work, s, r, low, high)
    rate_bids(work, s, r, 0, 0)
    for bid in range(least, most + 1):
        if (bid == 0 or low <= bid <= high) and work.ratings[bid, WIN] > work.ratings[best, WIN]:
            best = bid
    return best


@jit.apart
def choose_rows(states, rules, rows, work, scratch, actions):
    """Write the decisions of the seats on turn at the tables ``rows``, each from what that seat may know."""
    r = rules[0]
    for k in range(rows.size):
        phase = states[rows[k]].phase
        if phase != BID and phase != BLIND:
            actions[k] = scripted_action(states, rows[k], rules, scratch)
            continue
        conceal(states, rows[k], r, states[rows[k]].seat, scratch.views, 0)
        s = scratch.views[0]
        if phase == BID:
            actions[k] = BID_0 + best_bid(work, s, r)
        else:
            look = rate_blind(work, s, r)
            actions[k] = BLIND_NIL if blind_pays(work.situation[0].rating[WIN], look) else LOOK


@jit.apart
def rate_turn(states, rules, work, scratch):
    """Rate every bid of the seat on turn, or its blind nil; see ``Workspace``.

    Returns the chance of winning before the hand, if the seat is asked about blind nil.
    """
    r = rules[0]
    conceal(states, 0, r, states[0].seat, scratch.views, 0)
    s = scratch.views[0]
    if s.phase == BID:
        rate_bids(work, s, r, 0, r.hand_size)
    elif s.phase == BLIND:
        return rate_blind(work, s, r)
    return 0.0


class BidderAgent(RowsAgent):
    """Makes the bid most likely to win the match according to a fitted model; plays like the scripted player.

    Deterministic, and like the scripted player it never sees a hidden card. There are models for two players and for
    partnerships; it refuses other games.

    Args:
        model: a model to use in place of the shipped ones, or its file: ``bidder:model=mine.json``.

    Raises:
        ValueError: if the file holds no model.
    """

    name = "bidder"

    def __init__(self, model: BiddingModel | str | None = None) -> None:
        self._model = BiddingModel.load(model) if isinstance(model, str) else model
        self._scratch = new_scratch()
        self._rules: Rules | None = None
        self._work: Workspace

    def check_rules(self, rules: Rules) -> None:
        """Raise ``ValueError`` if there is no model for these rules."""
        game_name(rules)

    def prepare(self, rules: Rules) -> None:
        """See :meth:`RowsAgent.prepare <spades_agents.base.RowsAgent.prepare>`."""
        decide_nothing(self, rules)
        table = Tables(rules, 1, seed=0)
        rate_turn(table.states, table.rules_array, self._work, self._scratch)

    def act_batch(self, tables: TableArrays, rows: Any) -> np.ndarray:
        """See :class:`~spades_agents.base.BatchAgent`."""
        self._bid_under(tables.rules)
        rows = np.asarray(rows, np.int64)
        actions = np.empty(len(rows), np.int64)
        choose_rows(tables.states, tables.rules_array, rows, self._work, self._scratch, actions)
        return actions

    def rate(self, view: View) -> dict[int, Rating]:
        """How good the model finds every legal action.

        Returns:
            A rating for each legal action, ascending by action: bids and the answers to the blind nil question in
            ``"win"``. Those of bids that hardly occur with such a hand are extrapolated. In the draft, the exchange
            and the play this player follows the scripted one: ``"probability"``, 1 for its action and 0 for all others.

        Raises:
            ValueError: if the observer is not on turn, or there is no model for the game.
        """
        check_on_turn(view)
        self._bid_under(view.rules)
        if view.phase not in (BID, BLIND):
            chosen = self.act(view)
            return {action: Rating(float(action == chosen), 0.0, "probability") for action in view.legal_actions()}
        look = rate_turn(view.state, view.rules_array, self._work, self._scratch)
        if view.phase == BLIND:
            chances = {BLIND_NIL: float(self._work.situation["rating"][0, WIN]), LOOK: look}
        else:
            chances = {BID_0 + bid: self._work.ratings[bid, WIN] for bid in range(view.rules.hand_size + 1)}
        return {action: Rating(float(chances[action]), 0.0, "win") for action in view.legal_actions()}

    def _bid_under(self, rules: Rules) -> None:
        """Take the model and the match values for these rules."""
        if rules != self._rules:
            self._work = new_workspace(self._model or shipped(game_name(rules)), rules)
            self._rules = rules
