"""Ships the player of a training run: writes its weights and its card, with its strength measured again.

``python -m spades_training.maintenance.ship runs/two_player`` adds them to the package, for ``make_agent("learned")``.
"""

from __future__ import annotations

import dataclasses
import datetime
import hashlib
import io
import json
from pathlib import Path
from typing import Annotated, Any

import typer
from sb3_contrib import MaskablePPO
from spades_agents.policy.network import PolicyNetwork
from spades_agents.policy.shipped import FOLDER, FORMAT, GAMES, LearnedAgent, pack_network

from spades_env.files import write_whole
from spades_env.rules import PRESETS
from spades_training.evaluation.evaluate import evaluate
from spades_training.learning.checkpoint import Checkpoint
from spades_training.learning.config import Config
from spades_training.learning.sb3 import policy_network
from spades_training.options import parse_rules

SEED = 1_000_003  # of decks that differ from those of the evaluations during training


def commands_of(run: Path) -> list[str]:
    """The commands that reproduce a run, starting with that of the run it started from, if any."""
    config = Config.load(run)
    before = commands_of(Path(config.start).parent) if config.start not in ("", LearnedAgent.name) else []
    return [*before, f"{command_of(config)} --name {run.name}"]


def command_of(config: Config) -> str:
    """The command that starts a run with these settings."""
    options = []
    for setting in dataclasses.fields(config):
        value, option = getattr(config, setting.name), setting.name.replace("_", "-")
        if isinstance(value, bool) and value != setting.default:
            options.append(f"--{option}" if value else f"--no-{option}")
        elif value != setting.default:
            options.append(f"--{option} {value}")
    return " ".join(["spades train --learner sb3", *options])


def ship(run: Path, folder: Path, opponents: dict[str, int], date: datetime.date) -> dict[str, Any]:
    """Write ``GAME.safetensors`` and ``GAME.json`` to ``folder``.

    Args:
        run: the folder of the training run.
        folder: where to write.
        opponents: the number of pairs of duplicate matches to play against each opponent, by name.
        date: date of the card.

    Returns:
        The card.

    Raises:
        ValueError: if the run has no checkpoint, or no player is shipped for its rules.
        OSError: if a file cannot be written.
    """
    config = Config.load(run)
    rules = parse_rules(config.rules)
    if rules not in [PRESETS[game] for game in GAMES]:
        raise ValueError(f"the rules of a shipped player must be one of {', '.join(GAMES)}, got {config.rules}")
    network, steps = _latest(run)
    weights = pack_network(network)
    card: dict[str, Any] = {
        "format": FORMAT,
        **network.layout.card(),
        "rules": rules.to_dict(),
        "activation": network.activation,
        "hint": network.hint,
        "sha256": hashlib.sha256(weights).hexdigest(),
        "commands": commands_of(run),
        "seed": config.seed,
        "steps": steps,
        "date": date.isoformat(),
        "strength": {},
    }
    _write(folder, rules.name, weights, card)
    for name, pairs in opponents.items():
        result = evaluate("learned", name, rules, matches=2 * pairs, seed=SEED).to_dict()
        kept = ("seed", "pairs", "truncated", "win_rate", "points_per_hand")
        card["strength"][name] = {key: result[key] for key in kept}
        _write(folder, rules.name, weights, card)
    return card


def _latest(run: Path) -> tuple[PolicyNetwork, int]:
    """The policy of the last checkpoint and its number of self-play steps."""
    model = MaskablePPO.load(io.BytesIO(Checkpoint.load(run).model), device="cpu")
    return policy_network(model), model.num_timesteps


def _write(folder: Path, game: str, weights: bytes, card: dict[str, Any]) -> None:
    write_whole(folder / f"{game}.safetensors", weights)
    write_whole(folder / f"{game}.json", json.dumps(card, indent=1) + "\n")


def main(
    run: Annotated[Path, typer.Argument(help="Folder of a training run.")],
    pairs: Annotated[int, typer.Option(help="Pairs of matches against heuristic and against random.")] = 1_000,
    search_pairs: Annotated[int, typer.Option(help="Pairs of matches against pimc.")] = 200,
) -> None:
    """Ship the player of a training run and measure its strength."""
    opponents = {"heuristic": pairs, "random": pairs, "pimc:worlds=60": search_pairs}
    card = ship(run, FOLDER, {name: count for name, count in opponents.items() if count}, datetime.date.today())
    typer.echo(json.dumps(card, indent=1))


if __name__ == "__main__":
    typer.run(main)
