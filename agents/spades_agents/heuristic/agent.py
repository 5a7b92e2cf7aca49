"""The scripted player as an agent."""

from __future__ import annotations

import numpy as np

from spades_agents.base import RowsAgent
from spades_agents.compiler import jit
from spades_agents.heuristic.decide import decide
from spades_agents.heuristic.notes import NOTES
from spades_env.engine.bits import U64, lowest
from spades_env.engine.conceal import conceal
from spades_env.engine.play import playable
from spades_env.engine.state import PLAY, STATE
from spades_env.rules import Rules

__all__ = ["HeuristicAgent"]


@jit
def decide_rows(states, rules, rows, scratch, notes, actions):
    """Write the decisions of the seats on turn at the tables ``rows``, each from what it may know alone."""
    for k in range(rows.size):
        row = rows[k]
        if states[row].phase == PLAY:
            cards = playable(states[row], rules[0])  # from the seat's own hand and the table
            if cards & (cards - U64(1)) == U64(0):
                actions[k] = lowest(cards)
                continue
        conceal(states, row, rules[0], states[row].seat, scratch, 0)
        actions[k] = decide(scratch[0], rules[0], notes[0])


class HeuristicAgent(RowsAgent):
    """Counts cards, bids by fitted trick values, plays for its contract and against the others'.

    Deterministic: equal views give equal actions. It never sees a hidden card: even in a batch it
    decides from a copy of the table in which they are blank.
    """

    name = "heuristic"

    def __init__(self) -> None:
        jit.announce("the agents")
        self._scratch = np.zeros(1, STATE)
        self._notes = np.zeros(1, NOTES)

    def reset(self, seed: int | None = None) -> None:
        """Nothing to forget and no dice to seed."""

    def decide(self, states: np.ndarray, rules: Rules, record: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """See :class:`RowsAgent`."""
        actions = np.empty(len(rows), np.int64)
        decide_rows(states, record, rows, self._scratch, self._notes, actions)
        return actions
