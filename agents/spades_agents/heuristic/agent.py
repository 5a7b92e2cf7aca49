"""The scripted player as an agent."""

from __future__ import annotations

from typing import Any

import numpy as np

from spades_agents.base import RowsAgent, TableArrays, decide_nothing
from spades_agents.compiler import jit
from spades_agents.heuristic.scripted import new_scratch, scripted_inlined
from spades_env.rules import Rules


@jit
def decide_rows(states, rules, rows, scratch, actions):
    """Write the decisions of the seats on turn at the tables ``rows``, each from what that seat may know."""
    for k in range(rows.size):
        actions[k] = scripted_inlined(states, rows[k], rules, scratch)


class HeuristicAgent(RowsAgent):
    """Counts cards, bids by fitted trick values, plays to make its contract and to break the others'.

    Deterministic: equal views give equal actions. It never sees a hidden card: even in a batch it decides from a copy
    of the table in which they are blanked out.
    """

    name = "heuristic"

    def __init__(self) -> None:
        self._scratch = new_scratch()

    def prepare(self, rules: Rules) -> None:
        """See :meth:`RowsAgent.prepare <spades_agents.base.RowsAgent.prepare>`."""
        decide_nothing(self, rules)

    def act_batch(self, tables: TableArrays, rows: Any) -> np.ndarray:
        """See :class:`~spades_agents.base.BatchAgent`."""
        rows = np.asarray(rows, np.int64)
        actions = np.empty(len(rows), np.int64)
        decide_rows(tables.states, tables.rules_array, rows, self._scratch, actions)
        return actions
