"""The card of an agent: a run of the benchmark, its figures, and their text."""

from __future__ import annotations

import datetime
import json
import os
import platform
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from spades_agents.base import check_plays, plays
from spades_agents.registry import AGENTS, make_agent
from spades_agents.source import agent_files, package_files

from spades_env import __version__
from spades_env.files import write_whole
from spades_training.benchmark.archive import RECORDS, digest, member, write_archive
from spades_training.benchmark.field import Field, Opponent, behavior, digest_of
from spades_training.benchmark.figures import figures
from spades_training.benchmark.matches import Pairing, play
from spades_training.cluster.parcel import package_digest
from spades_training.evaluation.intervals import Estimate
from spades_training.processes import run_all

FORMAT = "spades-benchmark card"
FORMAT_VERSION = 1
CARD, TEXT = "card.json", "card.md"

Progress = Callable[[int, int], object]


def run_benchmark(
    agent: str,
    folder: Path,
    field: Field,
    games: Sequence[str] = (),
    workers: int = 0,
    progress: Callable[[str], Progress] | None = None,
) -> dict[str, Any]:
    """Play the benchmark and write ``card.json``, ``card.md`` and ``records.tar.xz``.

    An interrupted run is continued by the next one with the same folder.

    Args:
        agent: the agent's name, as :func:`spades_agents.make_agent` takes it.
        folder: for the files; created if it does not exist.
        field: the field.
        games: the games; by default all that the agent plays.
        workers: number of processes; 0 uses every CPU core.
        progress: called with the name of a game; what it returns is called with the number of its matches played and
            the total.

    Returns:
        The card.

    Raises:
        ValueError: if an argument is invalid, or the agent cannot play a game.
        BenchmarkError: if a player of the field forfeits a match.
        OSError: if a file cannot be written.
    """
    player = make_agent(agent)
    parts = {game: field.part(game) for game in games or field.games}
    if games:
        for part in parts.values():
            check_plays(player, part.rules)
    parts = {game: part for game, part in parts.items() if plays(player, part.rules)}
    if not parts:
        check_plays(player, field.part(field.games[0]).rules)
    del player
    folder.mkdir(parents=True, exist_ok=True)
    played: dict[str, list[Pairing]] = {}
    for game, part in parts.items():
        shown = progress(game) if progress else None
        played[game] = play(agent, part, field, folder / f"{game}.jsonl", workers, shown)
    here = behaviors(field, {game: part.against(agent) for game, part in parts.items()}, workers)
    texts = {
        member(game, pairing.opponent.name, match): text
        for game, pairings in played.items()
        for pairing in pairings
        for match, text in enumerate(pairing.texts)
    }
    files = agent_files(agent) or (package_files() if agent.partition(":")[0] in AGENTS else {})
    card: dict[str, Any] = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "field": field.name,
        "field_digest": field.digest,
        "agent": agent,
        "agent_digest": digest_of(files) if files else None,
        "date": datetime.date.today().isoformat(),
        "versions": {
            "spades_env": __version__,
            "python": platform.python_version(),
            **{name: version(name) for name in ("numpy", "numba")},
        },
        "code": package_digest(),
        "games": {
            game: figures(agent, pairings, parts[game], field) | {"differs": differing(field, game, here)}
            for game, pairings in played.items()
        },
        "timing": {game: _timing(pairings) for game, pairings in played.items()},
        "records": {"matches": len(texts), "digest": digest(texts)},
    }
    card["digest"] = digest_of(card)
    write_archive(folder / RECORDS, texts)
    write_whole(folder / TEXT, markdown(card))
    write_whole(folder / CARD, json.dumps(card, indent=1) + "\n")
    for game in parts:
        (folder / f"{game}.jsonl").unlink()
    return card


def behaviors(field: Field, opponents: dict[str, Sequence[Opponent]], workers: int) -> dict[tuple[str, str], str]:
    """The digest that each opponent has here, by game and name."""
    jobs = {
        (game, one.name): (one.name, field.part(game).rules, field.seed, one.probe, one.probe_hands)
        for game, players in opponents.items()
        for one in players
    }
    return dict(run_all(behavior, jobs, workers or os.cpu_count() or 1))


def differing(field: Field, game: str, here: dict[tuple[str, str], str]) -> list[str]:
    """The names of the opponents in a game whose digest is not that of the field."""
    return [
        one.name
        for one in field.part(game).opponents
        if (game, one.name) in here and here[game, one.name] != one.behavior
    ]


def _timing(pairings: Sequence[Pairing]) -> dict[str, Any]:
    decisions, seconds = (sum(getattr(pairing, name) for pairing in pairings) for name in ("decisions", "seconds"))
    return {"decisions": decisions, "decision_us": 1e6 * seconds / decisions if decisions else None}


def quote(card: dict[str, Any], game: str) -> str:
    """The line to quote for a game."""
    found = card["games"][game]
    rates = ", ".join(f"{Estimate(**row['win_rate']).text(100)}% against {row['name']}" for row in found["opponents"])
    text = Estimate(**found["rating"]).text(digits=0, signed=True)
    short = card["records"]["digest"][:12]
    return f"{card['agent']}: {card['field']}, {game}: rating {text} ({rates}; records {short})"


def markdown(card: dict[str, Any]) -> str:
    """The card as Markdown."""
    versions = ", ".join(f"{name} {number}" for name, number in card["versions"].items())
    lines = [
        f"# {card['agent']}: {card['field']}",
        "",
        f"Played on {card['date']} with {versions}. Brackets hold 95% confidence intervals over pairs of duplicate "
        "matches.",
    ]
    for game, found in card["games"].items():
        lines += ["", f"## {game}", ""]
        if found["differs"]:
            lines += [f"**Not comparable:** {differs_text(card['field'], found['differs'])}.", ""]
        text = Estimate(**found["rating"]).text(digits=0, signed=True)
        own, microseconds = found["agent"], card["timing"][game]["decision_us"]
        lines += [
            f"Rating {text} Elo points ahead of `{found['reference']}`; equal players win "
            f"{100 * found['chance']:.0f}% of the matches.",
            "",
            "| against | matches | wins, % | points a hand | forfeits | not counted |",
            "|---|---|---|---|---|---|",
        ]
        for row in found["opponents"]:
            rate, points = Estimate(**row["win_rate"]), Estimate(**row["points_per_hand"])
            lines.append(
                f"| `{row['name']}` | {row['matches']} | {rate.text(100)} | {points.text(signed=True)} | "
                f"{len(row['forfeits'])} | {row['truncated']} |"
            )
        made = "-" if own["contract_made"] is None else f"{100 * own['contract_made']:.1f}%"
        lines += [
            "",
            "| contracts made | nils made | blind nils made | bags a hand | mean bid | time for a decision |",
            "|---|---|---|---|---|---|",
            f"| {made} | {own['nil_made']} of {own['nil_tried']} | {own['blind_nil_made']} of "
            f"{own['blind_nil_tried']} | {_number(own['bags_per_hand'])} | {_number(own['mean_bid'])} | "
            f"{'-' if microseconds is None else f'{microseconds:.3g} µs'} |",
        ]
        causes = sorted({f"{one['kind']}: {one['message']}" for row in found["opponents"] for one in row["forfeits"]})
        lines += ["", *(f"- forfeits, {cause}" for cause in causes)] if causes else []
    lines += ["", "| | SHA-256 |", "|---|---|"]
    for name, value in (
        ("field", card["field_digest"]),
        ("agent's files", card["agent_digest"]),
        ("package", card["code"]),
        (f"{card['records']['matches']} records", card["records"]["digest"]),
        ("card", card["digest"]),
    ):
        lines.append(f"| {name} | {'-' if value is None else f'`{value}`'} |")
    return "\n".join(lines) + "\n"


def differs_text(field: str, names: Sequence[str]) -> str:
    """That some opponents are not those of the field."""
    return f"{' and '.join(names)} {'differs' if len(names) == 1 else 'differ'} from {field}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
