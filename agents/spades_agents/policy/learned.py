"""Players that use a policy network."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from spades_agents.base import (
    OneTable,
    Rating,
    RowsAgent,
    TableArrays,
    check_on_turn,
    check_same_game,
    decide_nothing,
)
from spades_agents.certain import bid_range
from spades_agents.compiler import jit
from spades_agents.policy.model_file import read_model
from spades_agents.policy.network import PolicyNetwork
from spades_agents.policy.policy_input import InputEncoder
from spades_env.cards import BID_0, NUM_ACTIONS
from spades_env.engine.state import BID
from spades_env.game import View
from spades_env.rules import Rules


@jit
def mask_bids(states, rules, rows, masks):
    """Remove the bids that another one beats for certain from the action masks of the seats on turn."""
    r = rules[0]
    for k in range(rows.size):
        s = states[rows[k]]
        if s.phase == BID:
            least, most = bid_range(s, r)
            for bid in range(r.hand_size + 1):
                if not least <= bid <= most:
                    masks[k, BID_0 + bid] = 0


class PolicyAgent(RowsAgent):
    """Plays with a policy network. It never makes a bid that another one beats for certain.

    Args:
        network: the network.
        rules: the rules that it was trained for. It also plays other rules with the same players, partners, draft and deck,
            although it was not trained for them, and refuses all others.
        name: the player's name.
        deterministic: take the most probable action; otherwise sample one.
        seed: seed of the random numbers for sampling.
    """

    def __init__(
        self,
        network: PolicyNetwork,
        rules: Rules,
        name: str = "policy",
        deterministic: bool = True,
        seed: int | None = None,
    ) -> None:
        self.network, self.rules, self.name, self.deterministic = network, rules, name, deterministic
        self._encoder = InputEncoder(network.layout)
        self._inputs = np.zeros((0, network.layout.size), np.int8)
        self._masks = np.zeros((0, NUM_ACTIONS), np.int8)
        self.reset(seed)

    def reset(self, seed: int | None = None) -> None:
        """Seed the random numbers; the player keeps no memory."""
        self._rng = np.random.default_rng(seed)

    def prepare(self, rules: Rules) -> None:
        """See :meth:`RowsAgent.prepare <spades_agents.base.RowsAgent.prepare>`."""
        decide_nothing(self, rules)

    def act_batch(self, tables: TableArrays, rows: Any) -> np.ndarray:
        """See :class:`~spades_agents.base.BatchAgent`."""
        inputs, masks = self._encode(tables, np.asarray(rows, np.int64))
        if self.deterministic:
            return self.network.best(inputs, masks)
        return self.network.sample(inputs, masks, self._rng)

    def probabilities(self, tables: TableArrays, rows: Any) -> np.ndarray:
        """The policy's probabilities of all actions at the tables ``rows``: float32 of shape (len(rows), 75)."""
        inputs, masks = self._encode(tables, np.asarray(rows, np.int64))
        logits = np.where(masks, self.network.logits(inputs), -np.inf)
        powers = np.exp(logits - logits.max(1, keepdims=True))
        return powers / powers.sum(1, keepdims=True)

    def rate(self, view: View) -> dict[int, Rating]:
        """The probability that the network gives to every legal action; 0 for bids that another one beats for certain.

        Raises:
            ValueError: if the observer is not on turn, or the network was not trained for the game.
        """
        check_on_turn(view)
        table: Any = OneTable(view.state, view.rules, view.rules_array, self.agent_rng)
        chances = self.probabilities(table, self._row)[0]
        return {action: Rating(float(chances[action]), 0.0, "probability") for action in view.legal_actions()}

    def _encode(self, tables: TableArrays, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The network's inputs and the masks of the actions to choose from."""
        if self.rules is not tables.rules:
            self.check_rules(tables.rules)
        if len(rows) > len(self._inputs):
            self._inputs = np.zeros((len(rows), self.network.layout.size), np.int8)
            self._masks = np.zeros((len(rows), NUM_ACTIONS), np.int8)
        inputs, masks = self._inputs[: len(rows)], self._masks[: len(rows)]
        self._encoder.encode(tables, rows, inputs, masks)
        mask_bids(tables.states, tables.rules_array, rows, masks)
        return inputs, masks

    def check_rules(self, rules: Rules) -> None:
        """Raise ``ValueError`` unless the network was trained for the same players, partners, draft and deck."""
        check_same_game(self.name, self.rules, rules)


class PPOAgent(PolicyAgent):
    """The player of a model file that ``spades train`` wrote: ``"ppo:runs/x/model.zip"``.

    Args:
        path: the file, or the folder of the run.
        deterministic: as in :class:`PolicyAgent`.
        seed: as in :class:`PolicyAgent`.

    Raises:
        ValueError: if there is no such file, or it is not a model, damaged or of another version.
    """

    def __init__(self, path: str | os.PathLike[str], deterministic: bool = True, seed: int | None = None) -> None:
        network, rules = read_model(path)
        super().__init__(network, rules, f"ppo:{os.fspath(path)}", deterministic, seed)
