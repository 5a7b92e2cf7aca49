"""Whether the opponents in some records made the moves that these players make."""

from __future__ import annotations

import numpy as np
from spades_agents.registry import make_agent

from spades_env.cards import action_name
from spades_env.rules import Rules
from spades_training.evaluation.evaluate import BATCH
from spades_training.evaluation.series import Series

AGENT, OPPONENT = 0, 1


class _Differs(Exception):
    pass


class _Replayed(Series):
    """A series in which all moves are given, and those of the opponent are compared with its own."""

    def __init__(
        self, opponent: str, rules: Rules, seed: int, pairs: range, hands: int, moves: list[list[int]]
    ) -> None:
        player = make_agent(opponent)
        super().__init__((player, player), rules, seed, pairs, hands)
        self.given, self.at = moves, np.zeros(len(moves), np.int64)
        self._end(np.arange(len(moves)))

    def _end(self, rows: np.ndarray) -> None:
        """End the matches whose moves have all been made."""
        for row in rows.tolist():
            if self.at[row] == len(self.given[row]):
                self.loser[row] = AGENT  # it is not played further

    def _decide(self, k: int, rows: np.ndarray) -> np.ndarray:
        actions = np.array([self.given[row][self.at[row]] for row in rows.tolist()])
        if k == OPPONENT:
            own = self._actions(k, rows)
            wrong = np.flatnonzero(own != actions)
            if len(wrong):
                row, (found, expected) = rows[wrong[0]], (chosen[wrong[0]] for chosen in (actions, own))
                match = self.first * self.rules.sides + row
                raise _Differs(
                    f"match {match}, hand {self.hands[row] + 1}: seat {self.tables.seat[row]} plays "
                    f"{action_name(int(found))}, {self.agents[k].name} here plays {action_name(int(expected))}"
                )
        self.at[rows] += 1
        self._end(rows)
        return actions


def first_other_move(opponent: str, rules: Rules, seed: int, first: int, max_hands: int, moves: list[list[int]]) -> str:
    """The first move of the opponent that is not its own, in words; "" if all are.

    Args:
        opponent: the player.
        rules: the rules.
        seed: the seed of the field.
        first: the number of the first match, a multiple of the number of sides.
        max_hands: the most hands of a match.
        moves: the actions of whole pairs of matches.
    """
    pairs = range(first // rules.sides, (first + len(moves)) // rules.sides)
    try:
        _Replayed(opponent, rules, seed, pairs, max_hands, moves).play(BATCH)
    except _Differs as differs:
        return str(differs)
    return ""
