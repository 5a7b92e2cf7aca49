"""Model files: the zip that ``spades train`` writes.

It is a saved Stable-Baselines3 model, for further training, with two more members that are all a player needs:
``spades.json``, the model card, and ``actor.npz``, the weights of the policy. Playing needs no torch, and opening a
file runs none of its code.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
import zlib
from pathlib import Path
from typing import Any

from spades_agents.policy.network import PolicyNetwork
from spades_agents.policy.policy_input import check_layouts
from spades_env.files import write_whole
from spades_env.rules import Rules, as_rules

CARD = "spades.json"
ACTOR = "actor.npz"
FORMAT = "spades_env policy"


def model_card(rules: Rules, network: PolicyNetwork) -> dict[str, Any]:
    """The content of the member :data:`CARD`."""
    return {"format": FORMAT, **network.layout.card(), "rules": rules.to_dict(), "activation": network.activation}


def add_player(file: io.BytesIO, network: PolicyNetwork, rules: Rules) -> None:
    """Add the members that a player needs to a zip, which may be empty."""
    with zipfile.ZipFile(file, "a") as members:
        members.writestr(CARD, json.dumps(model_card(rules, network), indent=1))
        members.writestr(ACTOR, network.to_bytes())


def save_player(network: PolicyNetwork, path: str | os.PathLike[str], rules: str | Rules) -> None:
    """Write a model file that holds only the policy, which can play but not be trained further, atomically.

    Args:
        network: the policy; :meth:`PolicyNetwork.from_torch` copies one from torch.
        path: the file; ``make_agent("ppo:PATH")`` makes its player.
        rules: the rules that it was trained for.

    Raises:
        OSError: if the file cannot be written.
    """
    file = io.BytesIO()
    add_player(file, network, as_rules(rules))
    write_whole(path, file.getvalue())


def read_model(path: str | os.PathLike[str]) -> tuple[PolicyNetwork, Rules]:
    """The policy in a model file and the rules that it was trained for.

    Args:
        path: the file, or the folder of the run.

    Raises:
        ValueError: if there is no such file, or it is not a model, damaged or of another version.
    """
    file = Path(path)
    if file.is_dir():
        file = file / "model.zip"
    try:
        with zipfile.ZipFile(file) as members:
            names = members.namelist()
            if CARD not in names or ACTOR not in names:
                raise ValueError(f"{file} is not a model saved by `spades train`: it has no {CARD}")
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
    if not isinstance(card, dict) or card.get("format") != FORMAT:
        raise ValueError(f"{file} is not a model saved by `spades train`")
    check_layouts(f"the model {file}", card)
    try:
        network, rules = PolicyNetwork.from_bytes(actor, card["activation"]), Rules.from_dict(card["rules"])
    except (KeyError, TypeError, ValueError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(f"the model file {file} is damaged: {error}") from None
    check_layouts(f"the model {file}", card, network.layout)
    return network, rules
