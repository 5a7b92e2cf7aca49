"""The learned player that ships with the package: a policy network without search.

``weights/GAME.safetensors`` holds the network, ``weights/GAME.json`` its card: rules, layout of the input, the commands
that trained it, seed, steps, date and measured strength.
"""

from __future__ import annotations

import functools
import hashlib
import json
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from spades_agents.base import GAME_FIELDS, Rating, RowsAgent, TableArrays, decide_nothing
from spades_agents.policy.learned import PolicyAgent
from spades_agents.policy.network import PolicyNetwork
from spades_agents.policy.policy_input import check_layouts
from spades_agents.policy.safetensors import pack_tensors, unpack_tensors
from spades_env.checks import check_int
from spades_env.game import View
from spades_env.rules import Rules

GAMES = ("two_player", "partnership", "cutthroat")
FORMAT = "spades_env shipped policy"
FOLDER = Path(str(resources.files("spades_agents.policy"))) / "weights"


class LearnedAgent(RowsAgent):
    """Plays with the network that ships with the package for the game at the table: ``make_agent("learned")``.

    There is a network for each of ``two_player``, ``partnership`` and ``cutthroat``. It plays other rules with the same
    players, partners and draft as if they were the preset.

    Args:
        deterministic: take the most probable action; otherwise sample one.
        seed: seed of the random numbers for sampling.

    Raises:
        ValueError: at the first decision, if there is no network for the table's rules or its file is damaged.
    """

    name = "learned"

    def __init__(self, deterministic: bool = True, seed: int | None = None) -> None:
        if not isinstance(deterministic, bool):
            raise ValueError(f"deterministic must be true or false, got {deterministic!r}")
        self.deterministic = deterministic
        self._seed = None if seed is None else check_int("seed", seed, 0, 2**64 - 1)
        self._players: dict[str, PolicyAgent] = {}

    def reset(self, seed: int | None = None) -> None:
        """Seed the random numbers; the player keeps no memory."""
        self._seed = seed
        for player in self._players.values():
            player.reset(seed)

    def prepare(self, rules: Rules) -> None:
        """See :meth:`RowsAgent.prepare <spades_agents.base.RowsAgent.prepare>`."""
        decide_nothing(self, rules)

    def act_batch(self, tables: TableArrays, rows: Any) -> np.ndarray:
        """See :class:`~spades_agents.base.BatchAgent`."""
        return self.player(tables.rules).act_batch(tables, rows)

    def probabilities(self, tables: TableArrays, rows: Any) -> np.ndarray:
        """See :meth:`PolicyAgent.probabilities <spades_agents.policy.learned.PolicyAgent.probabilities>`."""
        return self.player(tables.rules).probabilities(tables, rows)

    def rate(self, view: View) -> dict[int, Rating]:
        """See :meth:`PolicyAgent.rate <spades_agents.policy.learned.PolicyAgent.rate>`."""
        return self.player(view.rules).rate(view)

    def check_rules(self, rules: Rules) -> None:
        """Raise ``ValueError`` if there is no network for these rules."""
        _game(rules)

    def player(self, rules: Rules) -> PolicyAgent:
        """The player for the game with these rules.

        Raises:
            ValueError: if there is none, or its file is damaged.
        """
        game = _game(rules)
        if game not in self._players:
            network, own = read_shipped(game)
            self._players[game] = PolicyAgent(network, own, self.name, self.deterministic, self._seed)
        return self._players[game]


@functools.lru_cache
def _game(rules: Rules) -> str:
    """The game whose player plays these rules."""
    for game in GAMES:
        preset = Rules.preset(game)
        if all(getattr(rules, field) == getattr(preset, field) for field in GAME_FIELDS):
            return game
    raise ValueError(f"agent 'learned' plays only {', '.join(GAMES[:-1])} and {GAMES[-1]}, not {rules.name}")


def pack_network(network: PolicyNetwork) -> bytes:
    """The network as a safetensors file with weights in half precision."""
    tensors = {"inputs": network.inputs.astype(np.int32)}
    for k, (weights, biases) in enumerate(network.layers()):
        tensors |= {f"layers.{k}.weights": weights.astype(np.float16), f"layers.{k}.biases": biases.astype(np.float32)}
    return pack_tensors(tensors)


def _read(path: Path, what: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ValueError(f"cannot read the {what} {path}: {error.strerror or error}") from None


def read_card(game: str, folder: Path = FOLDER) -> dict[str, Any]:
    """The card of a shipped player.

    Raises:
        ValueError: if it cannot be read, or is damaged or of another version.
    """
    path = folder / f"{game}.json"
    try:
        card = json.loads(_read(path, "card"))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        raise ValueError(f"the card {path} is damaged") from None
    if not isinstance(card, dict) or card.get("format") != FORMAT:
        raise ValueError(f"{path} is not the card of a player")
    check_layouts(f"the player {path}", card)
    return card


def read_shipped(game: str, folder: Path = FOLDER) -> tuple[PolicyNetwork, Rules]:
    """The network of a shipped player and the rules that it was trained for.

    Raises:
        ValueError: if its weights or card cannot be read, do not match, or are damaged or of another version.
    """
    card = read_card(game, folder)
    path = folder / f"{game}.safetensors"
    data = _read(path, "weights")
    if hashlib.sha256(data).hexdigest() != card.get("sha256"):
        raise ValueError(f"the weights {path} are damaged, or not those of the card next to them")
    try:
        tensors = unpack_tensors(data)
        names = [name.removesuffix(".weights") for name in tensors if name.endswith(".weights")]
        layers = [(tensors[f"{name}.weights"], tensors[f"{name}.biases"]) for name in names]
        network = PolicyNetwork(tensors["inputs"], layers, card["activation"], card["hint"])
        rules = Rules.from_dict(card["rules"])
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"the weights {path} are damaged: {error}") from None
    check_layouts(f"the player {path}", card, network.layout)
    return network, rules
