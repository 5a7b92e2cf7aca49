"""Trained players: the policy network of a model file.

A model file is the zip that ``spades train`` writes: a saved Stable-Baselines3 model, to train on, with two more
members that are all a player needs: ``spades.json`` tells what it was trained for, ``actor.npz`` holds the weights
of the policy. So playing needs no torch, and opening a file from somebody else runs no code of theirs.
"""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from spades_agents.base import RowsAgent
from spades_agents.bidder.agent import BidderAgent
from spades_agents.compiler import jit
from spades_agents.heuristic.agent import HeuristicAgent
from spades_agents.policy import card_features
from spades_agents.policy.card_features import FEATURES, write_features
from spades_agents.policy.network import PolicyNetwork
from spades_env.cards import NUM_ACTIONS
from spades_env.engine.encode import encode_for
from spades_env.observation import LAYOUT, SIZE
from spades_env.rules import Rules

__all__ = [
    "ACTOR",
    "CARD",
    "HINTS",
    "PPOAgent",
    "PolicyAgent",
    "check_features_named",
    "check_hint",
    "check_layouts",
    "features_digest",
    "layout_digest",
    "layouts",
    "model_card",
    "new_hinter",
    "read_model",
]

CARD = "spades.json"
ACTOR = "actor.npz"
FORMAT = "spades_env policy"


def layout_digest() -> str:
    """Names the layout of the observation: two versions of the package with the same digest encode alike."""
    return _digest([(f.name, f.rows, f.width, f.code, f.start, f.stride) for f in LAYOUT])


def features_digest() -> str:
    """The same for the layout of the features of :mod:`spades_agents.policy.card_features`."""
    fields = card_features.LAYOUT
    return _digest([(f.name, f.rows, f.width, f.code, f.start, f.stride, f.first, f.step) for f in fields])


def _digest(fields: list[tuple[str | int, ...]]) -> str:
    return hashlib.sha256(json.dumps(fields).encode()).hexdigest()[:16]


def layouts(network: PolicyNetwork) -> dict[str, Any]:
    """What the card of a network says of its inputs; the features are null if it sees none."""
    features = features_digest() if network.sees_features else None
    return {"observation_size": SIZE, "layout": layout_digest(), "features": features}


def check_layouts(what: str, card: dict[str, Any]) -> None:
    """Check that a network with this card reads what this version writes.

    Raises:
        ValueError: if not; ``what`` names it.
    """
    for key, subject, now in (
        ("layout", "observation", layout_digest()),
        ("features", "card features", features_digest()),
    ):
        found = card.get(key)
        if found != now and (key, found) != ("features", None):
            text = f"layout {found}; this version has layout {now}: train it anew"
            raise ValueError(f"{what} was trained on another version of the {subject}, {text}")


def check_features_named(what: str, card: dict[str, Any], network: PolicyNetwork) -> None:
    """Check that the card of a network that sees card features says which; those of older files do not.

    Raises:
        ValueError: if not; ``what`` names it.
    """
    if network.sees_features and card.get("features") is None:
        raise ValueError(f"{what} sees card features, but does not say in which layout: train it anew")


@jit
def encode_rows(states, rules, rows, observations, masks):
    """Write what the seat on turn at each of the tables ``rows`` observes, and the features if there is room."""
    for k in range(rows.size):
        s = states[rows[k]]
        encode_for(s, rules[0], s.seat, observations[k, :SIZE], masks[k])
        if observations.shape[1] > SIZE:
            write_features(s, rules[0], s.seat, observations[k, SIZE : SIZE + FEATURES])


HINTS: dict[str, Callable[[], RowsAgent]] = {"heuristic": HeuristicAgent, "bidder": BidderAgent}


def check_hint(name: str) -> None:
    """Check the name of a player whose actions a network is to see.

    Raises:
        ValueError: if it is none of :data:`HINTS`.
    """
    if not isinstance(name, str) or name not in HINTS:
        raise ValueError(f"a hint must be by one of {', '.join(map(repr, HINTS))}, got {name!r}")


def new_hinter(name: str) -> RowsAgent:
    """The player whose actions a network sees.

    Raises:
        ValueError: if it is none of :data:`HINTS`.
    """
    check_hint(name)
    return HINTS[name]()


class PolicyAgent(RowsAgent):
    """Plays by a policy network.

    Args:
        network: the network.
        rules: what it was trained for. It plays other rules with the same players, partners and draft too (what
            it never saw there it does not understand), and refuses all others.
        name: of the player.
        deterministic: take the most probable action; otherwise draw one.
        seed: of its dice, if it draws.
    """

    def __init__(
        self,
        network: PolicyNetwork,
        rules: Rules,
        name: str = "policy",
        deterministic: bool = True,
        seed: int | None = None,
    ) -> None:
        jit.announce("the agents")
        self.network, self.rules, self.name, self.deterministic = network, rules, name, deterministic
        self._hinter = new_hinter(network.hint) if network.hint else None
        self._rows = 0
        self._grow(1)
        self.reset(seed)

    def reset(self, seed: int | None = None) -> None:
        """Seed its dice, if it has any; there is nothing to forget."""
        self._rng = np.random.default_rng(seed)

    def decide(self, states: np.ndarray, rules: Rules, record: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """See :class:`RowsAgent`."""
        _check_rules(self.name, self.rules, rules)
        count = len(rows)
        self._grow(count)
        observations, masks = self._observations[:count], self._masks[:count]
        encode_rows(states, record, rows, observations, masks)
        if self._hinter is not None:
            hints = observations[:, SIZE + FEATURES :]
            hints[:] = 0
            hints[np.arange(count), self._hinter.decide(states, rules, record, rows)] = 1
        if self.deterministic:
            return self.network.best(observations, masks)
        return self.network.sample(observations, masks, self._rng)

    def _grow(self, count: int) -> None:
        if count > self._rows:
            self._rows = count
            self._observations = np.zeros((count, self.network.columns), np.int8)
            self._masks = np.zeros((count, NUM_ACTIONS), np.int8)


def _check_rules(name: str, own: Rules, table: Rules) -> None:
    if own is table:
        return
    for field in ("players", "partners", "draft"):
        if getattr(own, field) != getattr(table, field):
            text = f"{field}={getattr(own, field)}, this table has {field}={getattr(table, field)}"
            raise ValueError(f"agent {name!r} was trained for {text}")


class PPOAgent(PolicyAgent):
    """The player of a model file that ``spades train`` wrote, ``"ppo:runs/x/model.zip"``.

    Args:
        path: the file, or the folder of the run.
        deterministic: as in :class:`PolicyAgent`.
        seed: as in :class:`PolicyAgent`.

    Raises:
        ValueError: if there is no such file, or it is no model, a damaged one or one of another version.
    """

    def __init__(self, path: str | os.PathLike[str], deterministic: bool = True, seed: int | None = None) -> None:
        network, rules = read_model(path)
        super().__init__(network, rules, f"ppo:{os.fspath(path)}", deterministic, seed)


def read_model(path: str | os.PathLike[str]) -> tuple[PolicyNetwork, Rules]:
    """The policy in a model file and the rules that it was trained for.

    Args:
        path: the file, or the folder of the run.

    Raises:
        ValueError: if there is no such file, or it is no model, a damaged one or one of another version.
    """
    file = Path(path)
    if file.is_dir():
        file = file / "model.zip"
    try:
        with zipfile.ZipFile(file) as members:
            names = members.namelist()
            if CARD not in names or ACTOR not in names:
                raise ValueError(f"{file} is not a model that `spades train` has saved: it has no {CARD}")
            card = json.loads(members.read(CARD))
            actor = members.read(ACTOR)
    except FileNotFoundError:
        raise ValueError(f"no model file {file}") from None
    except OSError as error:
        raise ValueError(f"cannot read the model file {file}: {error.strerror or error}") from None
    except zipfile.BadZipFile:
        raise ValueError(f"{file} is not a model file: not a zip, or a damaged one") from None
    except (UnicodeDecodeError, json.JSONDecodeError, zlib.error, NotImplementedError, RuntimeError):
        raise ValueError(f"the model file {file} is damaged") from None
    return _checked(file, card, actor)


def _checked(file: Path, card: Any, actor: bytes) -> tuple[PolicyNetwork, Rules]:
    if not isinstance(card, dict) or card.get("format") != FORMAT:
        raise ValueError(f"{file} is not a model that `spades train` has saved")
    check_layouts(f"the model {file}", card)
    try:
        network, rules = PolicyNetwork.from_bytes(actor, card["activation"]), Rules.from_dict(card["rules"])
    except (KeyError, TypeError, ValueError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(f"the model file {file} is damaged: {error}") from None
    check_features_named(f"the model {file}", card, network)
    return network, rules


def model_card(rules: Rules, network: PolicyNetwork) -> dict[str, Any]:
    """What :data:`CARD` of a model file says."""
    return {"format": FORMAT, **layouts(network), "rules": rules.to_dict(), "activation": network.activation}
