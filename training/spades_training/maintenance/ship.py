"""Ships the player of a training run: writes its weights and its card, with its strength measured again.

``python -m spades_training.maintenance.ship runs/two_player`` adds them to the package, for ``make_agent("learned")``.
"""

from __future__ import annotations

import datetime
import hashlib
import json
from pathlib import Path
from typing import Annotated, Any

import typer
from spades_agents.policy.model_file import read_model
from spades_agents.policy.shipped import FOLDER, FORMAT, GAMES, LearnedAgent, pack_network

from spades_env.files import write_whole
from spades_env.rules import PRESETS
from spades_training.evaluation.evaluate import evaluate
from spades_training.learning.config import Config
from spades_training.learning.fast.settings import load_settings
from spades_training.options import parse_rules

SEED = 1_000_003  # of decks that differ from those of the evaluations during training


def commands_of(run: Path) -> list[str]:
    """The commands that reproduce a run, starting with that of the run it started from, if any."""
    settings = load_settings(run)
    start = settings.start if isinstance(settings, Config) else ""
    before = commands_of(Path(start).parent) if start not in ("", LearnedAgent.name) else []
    return [*before, f"{settings.command()} --name {run.name}"]


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
        ValueError: if the run is not finished, or no player is shipped for its rules.
        OSError: if a file cannot be written.
    """
    settings = load_settings(run)
    rules = parse_rules(settings.rules)
    if rules not in [PRESETS[game] for game in GAMES]:
        raise ValueError(f"the rules of a shipped player must be one of {', '.join(GAMES)}, got {settings.rules}")
    network, _ = read_model(run)
    steps = json.loads((run / "results.json").read_text("utf8"))["steps"]
    weights = pack_network(network)
    card: dict[str, Any] = {
        "format": FORMAT,
        **network.layout.card(),
        "rules": rules.to_dict(),
        "activation": network.activation,
        "hint": network.hint,
        "sha256": hashlib.sha256(weights).hexdigest(),
        "commands": commands_of(run),
        "seed": settings.seed,
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
