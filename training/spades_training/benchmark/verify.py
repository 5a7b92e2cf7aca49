"""The check of a card: its records are replayed, and all figures are computed again."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from spades_training.benchmark.archive import RECORDS, digest, member, read_archive
from spades_training.benchmark.card import FORMAT, FORMAT_VERSION, TEXT, behaviors, differing, differs_text, markdown
from spades_training.benchmark.field import BenchmarkError, Field, Part, digest_of, read_json
from spades_training.benchmark.figures import figures
from spades_training.benchmark.matches import TOGETHER, Pairing, Played, read_records
from spades_training.benchmark.replayed import first_other_move
from spades_training.compare import first_difference
from spades_training.processes import run_all
from spades_training.tournament.schedule import is_fast

Progress = Callable[[int, int], object]


def verify(
    path: Path, field: Field, workers: int = 0, moves: bool = True, progress: Progress | None = None
) -> list[str]:
    """Check a card, with the records next to it.

    Args:
        path: the file ``card.json``.
        field: the field.
        workers: number of processes; 0 uses every CPU core.
        moves: also let the opponents play again, and compare their moves.
        progress: called from time to time with the number of matches checked and the total.

    Returns:
        What could not be checked, a line each.

    Raises:
        ValueError: if it is not a card.
        BenchmarkError: for the first thing that is wrong with it.
        OSError: if a file cannot be read.
    """
    card = _read_card(path)
    workers = workers or os.cpu_count() or 1
    try:
        return _verify(card, path, field, workers, moves, progress)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise BenchmarkError(f"the card lacks a field or has a value of another type: {error!r:.200}") from None


def _verify(
    card: dict[str, Any], path: Path, field: Field, workers: int, moves: bool, progress: Progress | None
) -> list[str]:
    if (card["field"], card["field_digest"]) != (field.name, field.digest):
        known = f"{field.name} of digest {field.digest[:12]}"
        raise BenchmarkError(
            f"the card is of {card['field']} of digest {str(card['field_digest'])[:12]}, not of {known}"
        )
    parts = {game: field.part(game) for game in card["games"] if game in field.games}
    if not parts or len(parts) < len(card["games"]):
        raise BenchmarkError(f"the card must have some of the games {', '.join(field.games)}, not {[*card['games']]}")
    try:
        texts = read_archive(path.with_name(RECORDS))
    except ValueError as error:
        raise BenchmarkError(str(error)) from None
    agent = card["agent"]
    found = _read_matches(card, agent, texts, parts, field, workers, progress)
    for game, part in parts.items():
        differs = card["games"][game]["differs"]
        if differs:
            raise BenchmarkError(f"{game}: {differs_text(field.name, differs)}, as the card says")
        _compare(game, card["games"][game], figures(agent, found[game], part, field) | {"differs": []})
    if card["records"] != {"matches": len(texts), "digest": digest(texts)}:
        raise BenchmarkError(f"records: the card says {card['records']}, the digest of the file is {digest(texts)}")
    if digest_of({name: value for name, value in card.items() if name != "digest"}) != card["digest"]:
        raise BenchmarkError("the card was changed: its digest is not that of its values (times, versions, date ...)")
    _check_text(card, path.with_name(TEXT))
    return _check_moves(found, parts, field, workers, agent) if moves else ["the opponents' moves"]


def _read_card(path: Path) -> dict[str, Any]:
    card = read_json(path)
    if not isinstance(card, dict) or card.get("format") != FORMAT:
        raise ValueError(f"{path} is not a card of the benchmark")
    if card.get("format_version") != FORMAT_VERSION:
        raise ValueError(f"{path} has format_version {card.get('format_version')}; this version reads {FORMAT_VERSION}")
    return card


def _read_matches(
    card: dict[str, Any],
    agent: str,
    texts: dict[str, str],
    parts: dict[str, Part],
    field: Field,
    workers: int,
    progress: Progress | None,
) -> dict[str, list[Pairing]]:
    """The matches of every game, replayed and compared with what the field prescribes."""
    expected = _members(agent, parts)
    for name in expected:
        if name not in texts:
            raise BenchmarkError(f"{name}: the record is missing")
    for name in texts:
        if name not in expected:
            raise BenchmarkError(f"{name}: there is no such match")
    jobs = {}
    for game, part in parts.items():
        for opponent in part.against(agent):
            matches = range(opponent.pairs * part.rules.sides)
            for first in matches[::TOGETHER]:
                chunk = [texts[member(game, opponent.name, match)] for match in matches[first : first + TOGETHER]]
                jobs[game, opponent.name, first] = (part.rules, field.seed, agent, opponent.name, first, chunk)
    read: dict[tuple[str, str, int], list[Played]] = {}
    for (game, opponent, first), result in run_all(read_records, jobs, workers):
        if isinstance(result, tuple):
            raise BenchmarkError(f"{member(game, opponent, result[0])}: {result[1]}")
        read[game, opponent, first] = result
        if progress:
            progress(sum(map(len, read.values())), len(texts))
    found: dict[str, list[Pairing]] = {game: [] for game in parts}
    for game, part in parts.items():
        for opponent in part.against(agent):
            pairing = Pairing(opponent)
            pairing.played = [
                played for key, chunk in sorted(read.items()) if key[:2] == (game, opponent.name) for played in chunk
            ]
            row = next((row for row in card["games"][game]["opponents"] if row["name"] == opponent.name), None)
            if row is None:
                raise BenchmarkError(f"{game}: the card has no row for {opponent.name}")
            pairing.forfeits = row["forfeits"]
            _check_ends(game, pairing, part, field.max_hands)
            found[game].append(pairing)
    return found


def _members(agent: str, parts: dict[str, Part]) -> list[str]:
    return [
        member(game, opponent.name, match)
        for game, part in parts.items()
        for opponent in part.against(agent)
        for match in range(opponent.pairs * part.rules.sides)
    ]


def _check_ends(game: str, pairing: Pairing, part: Part, max_hands: int) -> None:
    """Every match has a winner, or has all its hands, or was forfeited by the agent when it had to decide."""
    lost = [forfeit["match"] for forfeit in pairing.forfeits]
    for match, played in enumerate(pairing.played):
        name = member(game, pairing.opponent.name, match)
        complete = played.winner is not None or (len(played.hands) == max_hands and not played.unfinished)
        if len(played.hands) > max_hands:
            raise BenchmarkError(f"{name}: {len(played.hands)} hands, the field ends a match after {max_hands}")
        if lost.count(match) > 1:
            raise BenchmarkError(f"{name}: the card says twice that the agent forfeited it")
        if match in lost and complete:
            raise BenchmarkError(f"{name}: the card says that the agent forfeited it, but it was played to its end")
        if match not in lost and not complete:
            raise BenchmarkError(f"{name}: the match ends early, and the card says of no forfeit")
        own = match % part.rules.sides
        if match in lost and played.moves and part.rules.side_of(played.seat) != own:
            raise BenchmarkError(f"{name}: the card says that the agent forfeited it, but the opponent was on turn")
    for match in lost:
        if match not in range(len(pairing.played)):
            raise BenchmarkError(f"{game}, {pairing.opponent.name}: forfeit of match {match}: there is no such match")


def _compare(game: str, said: Any, computed: Any) -> None:
    computed = _snapped(computed, said)
    difference = first_difference(said, computed, game).replace(", now ", ", the records give ")
    difference = difference or first_difference(computed, said, game)  # what the card has in addition
    if difference:
        raise BenchmarkError(f"the figures are not those of the records: {difference}")


def _snapped(value: Any, like: Any) -> Any:
    """``value`` with floats of ``like`` where they differ by no more than rounding on another machine."""
    if isinstance(value, dict) and isinstance(like, dict):
        return {key: _snapped(item, like.get(key)) for key, item in value.items()}
    if isinstance(value, list) and isinstance(like, list) and len(value) == len(like):
        return [_snapped(*pair) for pair in zip(value, like, strict=True)]
    if isinstance(value, float) and isinstance(like, float) and math.isclose(value, like, rel_tol=1e-6, abs_tol=2e-6):
        return like
    return value


def _check_text(card: dict[str, Any], path: Path) -> None:
    """The Markdown, if it is there, says what the card says."""
    if not path.exists():
        return
    said, right = path.read_text("utf8").splitlines(), markdown(card).splitlines()
    if said != right:
        line = next((n for n, pair in enumerate(zip(said, right, strict=False), 1) if pair[0] != pair[1]), len(said))
        raise BenchmarkError(f"{path.name}: line {line} is not what the card says")


def _check_moves(
    found: dict[str, list[Pairing]], parts: dict[str, Part], field: Field, workers: int, agent: str
) -> list[str]:
    """Let the opponents play again; returns those that are not the field's here."""
    here = behaviors(field, {game: part.against(agent) for game, part in parts.items()}, workers)
    changed = {game: differing(field, game, here) for game in parts}
    jobs = dict(_move_jobs(found, parts, field, changed))
    for (game, opponent, _), text in run_all(first_other_move, jobs, workers):
        if text:
            raise BenchmarkError(f"{game}, {opponent}: {text}")
    return [
        f"the moves of {opponent} in {game}: in this installation it differs from {field.name}"
        for game, names in changed.items()
        for opponent in names
    ]


def _move_jobs(
    found: dict[str, list[Pairing]], parts: dict[str, Part], field: Field, changed: dict[str, list[str]]
) -> Iterator[tuple[tuple[str, str, int], tuple]]:
    for game, pairings in found.items():
        rules = parts[game].rules
        for pairing in pairings:
            name = pairing.opponent.name
            if name in changed[game]:
                continue
            size = (TOGETHER if is_fast(name) else 2) * rules.sides
            for first in range(0, len(pairing.played), size):
                moves = [played.moves for played in pairing.played[first : first + size]]
                yield (game, name, first), (name, rules, field.seed, first, field.max_hands, moves)
