"""The input of a policy: which columns a row has, what they mean, and how they are filled.

Playing, learning and shipping all take the order of the columns from :class:`PolicyInput`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from spades_agents.base import RowsAgent, TableArrays
from spades_agents.bidder.agent import BidderAgent
from spades_agents.compiler import jit
from spades_agents.heuristic.agent import HeuristicAgent
from spades_agents.policy import card_features
from spades_agents.policy.card_features import FEATURES, write_features
from spades_env.cards import NUM_ACTIONS, NUM_CARDS
from spades_env.engine.bits import U64, lowest
from spades_env.engine.encode import encode_for
from spades_env.observation import LAYOUT, SIZE, used_bits
from spades_env.rules import Rules

# The players whose actions a policy can see.
HINTS: dict[str, Callable[[], RowsAgent]] = {"heuristic": HeuristicAgent, "bidder": BidderAgent}


@dataclass(frozen=True)
class PolicyInput:
    """The columns of a row of a policy's input, int8 zeros and ones.

    The parts of a row are, in this order: the ``SIZE`` bits of the observation; the ``FEATURES`` card features; the
    hint, the action of another player, one-hot in ``NUM_ACTIONS`` columns; and, for the critic only, the hands of the
    next seats clockwise, ``NUM_CARDS`` columns each.

    Attributes:
        features: whether there are card features.
        hint: name of the player in :data:`HINTS` that gives the hint; empty for none.
        hands: number of other seats whose cards the critic sees.

    Raises:
        ValueError: if there is a hint but no card features.
    """

    features: bool = False
    hint: str = ""
    hands: int = 0

    def __post_init__(self) -> None:
        if self.hint and not self.features:
            raise ValueError("a hint needs the card features")

    @property
    def feature_columns(self) -> slice:
        """The card features."""
        return slice(SIZE, SIZE + FEATURES * self.features)

    @property
    def hint_columns(self) -> slice:
        """The hint, a column for each action."""
        start = self.feature_columns.stop
        return slice(start, start + NUM_ACTIONS * bool(self.hint))

    @property
    def actor_size(self) -> int:
        """Number of columns that the policy itself may see: all but the hands."""
        return self.hint_columns.stop

    @property
    def size(self) -> int:
        """Number of columns."""
        return self.actor_size + NUM_CARDS * self.hands

    def card(self) -> dict[str, Any]:
        """The entries of a model card that identify the layout of the input; see :func:`check_layouts`."""
        features = features_digest() if self.features else None
        return {"observation_size": SIZE, "layout": layout_digest(), "features": features}


def used_columns(rules: Rules, size: int) -> np.ndarray:
    """The first ``size`` columns, int64, without the bits of the observation that ``rules`` never set."""
    return np.concatenate([np.flatnonzero(used_bits(rules)), np.arange(SIZE, size)])


def layout_digest() -> str:
    """A digest of the observation's layout; versions of the package with the same digest encode alike."""
    return _digest([(f.name, f.rows, f.width, f.code, f.start, f.stride) for f in LAYOUT])


def features_digest() -> str:
    """A digest of the layout of :mod:`spades_agents.policy.card_features`."""
    fields = card_features.LAYOUT
    return _digest([(f.name, f.rows, f.width, f.code, f.start, f.stride, f.first, f.step) for f in fields])


def _digest(fields: list[tuple[str | int, ...]]) -> str:
    return hashlib.sha256(json.dumps(fields).encode()).hexdigest()[:16]


def check_layouts(what: str, card: dict[str, Any], layout: PolicyInput | None = None) -> None:
    """Check that the input of a network, as its card describes it, is the one that this version writes.

    Args:
        what: the network, for the message.
        card: the card, with the entries of :meth:`PolicyInput.card`; ``"features"`` may be missing in old ones.
        layout: the input of the network, once it has been read.

    Raises:
        ValueError: if it is not, or if the network sees card features that the card does not identify.
    """
    digests = {"layout": ("observation", layout_digest()), "features": ("card features", features_digest())}
    for key, (subject, now) in digests.items():
        found = card.get(key)
        if found != now and (key, found) != ("features", None):
            text = f"layout {found}; this version has layout {now}: train it again"
            raise ValueError(f"{what} was trained on another version of the {subject}, {text}")
    if layout is not None and layout.features and card.get("features") is None:
        raise ValueError(f"{what} sees card features, but its card does not say which layout: train it again")


def check_hint(name: str) -> None:
    """Check the name of a player that gives hints.

    Raises:
        ValueError: if it is not in :data:`HINTS`.
    """
    if not isinstance(name, str) or name not in HINTS:
        raise ValueError(f"hint must be one of {', '.join(map(repr, HINTS))}, got {name!r}")


@jit
def encode_observations(states, rules, rows, inputs, masks):
    """Write the observations and action masks of the seats on turn at the tables ``rows``."""
    for k in range(rows.size):
        s = states[rows[k]]
        encode_for(s, rules[0], s.seat, inputs[k, :SIZE], masks[k])


@jit
def encode_cards(states, rules, rows, features, hands, inputs):
    """Write the card features of the seats on turn, if ``features``, and the cards of the next seats at ``hands``."""
    players = rules[0].players
    for k in range(rows.size):
        s = states[rows[k]]
        if features:
            write_features(s, rules[0], s.seat, inputs[k, SIZE : SIZE + FEATURES])
        inputs[k, hands:] = 0
        for place in range((inputs.shape[1] - hands) // NUM_CARDS):
            cards = s.hands[(s.seat + 1 + place) % players]
            while cards:
                inputs[k, hands + NUM_CARDS * place + lowest(cards)] = 1
                cards &= cards - U64(1)


class InputEncoder:
    """Fills the rows of a policy's input for the seats on turn.

    Args:
        layout: the columns.

    Raises:
        ValueError: if the hint is unknown.
    """

    def __init__(self, layout: PolicyInput) -> None:
        self.layout = layout
        self._hinter: RowsAgent | None = None
        if layout.hint:
            check_hint(layout.hint)
            self._hinter = HINTS[layout.hint]()

    def encode(self, tables: TableArrays, rows: np.ndarray, inputs: np.ndarray, masks: np.ndarray) -> None:
        """Write the rows ``inputs``, int8[n, size], and ``masks``, int8[n, NUM_ACTIONS], for n tables."""
        encode_observations(tables.states, tables.rules_array, rows, inputs, masks)
        self.encode_rest(tables, rows, inputs)

    def encode_rest(self, tables: TableArrays, rows: np.ndarray, inputs: np.ndarray) -> None:
        """Write all columns but those of the observation."""
        layout = self.layout
        if layout.features or layout.hands:
            encode_cards(tables.states, tables.rules_array, rows, layout.features, layout.actor_size, inputs)
        if self._hinter is not None:
            hints = inputs[:, layout.hint_columns]
            hints[:] = 0
            hints[np.arange(len(rows)), self._hinter.act_batch(tables, rows)] = 1
