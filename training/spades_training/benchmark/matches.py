"""The matches of the benchmark: playing them, and what their records hold."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from spades_env.game import Game
from spades_env.game.log import HandResult
from spades_env.records.format import RecordError
from spades_env.records.record import Record
from spades_env.rules import Rules
from spades_training.benchmark.field import BenchmarkError, Field, Opponent, Part
from spades_training.processes import leave_if_imported, run_all
from spades_training.tournament.log import Log
from spades_training.tournament.schedule import Unit, make_settings
from spades_training.tournament.workers import Workers

TOGETHER = 50  # pairs of fast players that are played, recorded or checked in one call


@dataclass(frozen=True)
class Played:
    """What a record says about a match.

    Attributes:
        moves: its actions.
        winner: the side that won, or None.
        hands: the results of the hands that were finished.
        unfinished: number of actions after them.
        seat: the seat on turn at the end.
    """

    moves: list[int]
    winner: int | None
    hands: list[HandResult]
    unfinished: int
    seat: int


@dataclass
class Pairing:
    """The matches of an agent against one opponent.

    Attributes:
        opponent: the opponent.
        forfeits: ``match``, ``kind`` and ``message`` of each match that the agent forfeited.
        texts: the records as JSON text, in the order of the matches.
        played: what they say.
        decisions: number of the agent's decisions.
        seconds: their wall time.
    """

    opponent: Opponent
    forfeits: list[dict[str, Any]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    played: list[Played] = field(default_factory=list)
    decisions: int = 0
    seconds: float = 0.0


def seats(agent: str, opponent: str, match: int, rules: Rules) -> tuple[str, ...]:
    """The names by seat: in match ``match`` the agent is side ``match % sides``."""
    own = match % rules.sides
    return tuple(agent if rules.side_of(seat) == own else opponent for seat in range(rules.players))


def play(
    agent: str,
    part: Part,
    field: Field,
    log: Path,
    workers: int,
    progress: Callable[[int, int], object] | None = None,
    opponents: Sequence[Opponent] | None = None,
) -> list[Pairing]:
    """Play the matches of an agent in one game, or the rest of them if ``log`` holds some.

    Args:
        agent: the agent's name, as :func:`spades_agents.make_agent` takes it.
        part: the game.
        field: the field.
        log: file that the matches are kept in, so that an interrupted run can be continued.
        workers: number of processes; 0 uses every CPU core.
        progress: called from time to time with the number of matches played and the total.
        opponents: by default all opponents of the agent.

    Raises:
        ValueError: if the agent cannot play the rules, or the log is of another run.
        BenchmarkError: if a player of the field forfeits a match.
    """
    leave_if_imported()
    opponents = part.against(agent) if opponents is None else opponents
    rules, count = part.rules, workers or os.cpu_count() or 1
    settings = make_settings(
        [agent, *(opponent.name for opponent in opponents)],
        rules,
        seed=field.seed,
        matches=max(opponent.pairs for opponent in opponents) * 2 * rules.sides,
        max_hands=field.max_hands,
        confidence=None,
        time_limit=field.time_limit,
    )
    units = []
    for k, opponent in enumerate(opponents, 1):
        size = TOGETHER if settings.fast[0] and settings.fast[k] else 1
        units += [Unit(0, k, first, min(size, opponent.pairs - first)) for first in range(0, opponent.pairs, size)]
    total, done = rules.sides * sum(unit.count for unit in units), 0
    found = [Pairing(opponent) for opponent in opponents]
    moves: list[list[list[int]]] = [[] for _ in opponents]
    with Log(log, settings) as kept, Workers(count, settings, record=True) as playing:
        known = list(kept.known(units))
        done = rules.sides * sum(unit.count for unit in units[: len(known)])
        for entry in known:
            _add(entry, found, moves, rules)
        for entry in playing.play(units[len(known) :]):
            kept.append(entry)
            _add(entry, found, moves, rules)
            done += rules.sides * entry["unit"][3]
            if progress:
                progress(done, total)
    _write_records(agent, found, moves, rules, field.seed, count)
    return found


def _add(entry: dict[str, Any], found: list[Pairing], moves: list[list[list[int]]], rules: Rules) -> None:
    """Add the log entry of a unit."""
    _, k, first, _ = entry["unit"]
    pairing = found[k - 1]
    for forfeit in entry["forfeits"]:
        match = first * rules.sides + forfeit["match"]
        if forfeit["player"]:
            name = pairing.opponent.name
            raise BenchmarkError(f"{name} of the field forfeited match {match}: {forfeit['message']}")
        pairing.forfeits.append({"match": match, "kind": forfeit["kind"], "message": forfeit["message"]})
    moves[k - 1] += [list(bytes.fromhex(text)) for text in entry["moves"]]
    pairing.decisions += entry["totals"][0]["decisions"]
    pairing.seconds += entry["totals"][0]["seconds"]


def _write_records(
    agent: str, found: list[Pairing], moves: list[list[list[int]]], rules: Rules, seed: int, workers: int
) -> None:
    """Add the records, in ``workers`` processes."""
    jobs = {}
    for k, pairing in enumerate(found):
        for first in range(0, len(moves[k]), TOGETHER):
            chunk = moves[k][first : first + TOGETHER]
            jobs[k, first] = (rules, seed, agent, pairing.opponent.name, first, chunk)
    done = dict(run_all(write_records, jobs, workers))
    for k, first in jobs:
        for text, played in done[k, first]:
            found[k].texts.append(text)
            found[k].played.append(played)


def write_records(
    rules: Rules, seed: int, agent: str, opponent: str, first: int, moves: list[list[int]]
) -> list[tuple[str, Played]]:
    """The records of the matches from ``first`` on, and what they say."""
    done = []
    for match, actions in enumerate(moves, first):
        game = Game(rules, seed=(seed, match // rules.sides))
        for action in actions:
            game.apply(action)
        record = game.record(seats(agent, opponent, match, rules))
        done.append((record.to_json(), _played(record, game)))
    return done


def read_records(
    rules: Rules, seed: int, agent: str, opponent: str, first: int, texts: list[str]
) -> list[Played] | tuple[int, str]:
    """What the records of the matches from ``first`` on say, after they were replayed.

    Returns:
        The matches; or the number of the first match that is wrong, and what is wrong with it: it was changed, or it
        does not have the decks or the seats that it must have.
    """
    done = []
    for match, text in enumerate(texts, first):
        try:
            record = Record.from_json(text)
            game = record.replay()
        except RecordError as error:
            return match, str(error)
        start = Game(rules, seed=(seed, match // rules.sides))
        wanted = {
            "rules": (record.rules.to_dict(), rules.to_dict()),
            "seed": (record.seed, start.seed),
            "start": (record.start, start.log.start),
            "seats": (record.agents, seats(agent, opponent, match, rules)),
            "fixed decks": (any(log.given for log in record.hands), False),
        }
        for name, (here, prescribed) in wanted.items():
            if here != prescribed:
                return match, f"{name} {here}, the field prescribes {prescribed}"
        done.append(_played(record, game))
    return done


def _played(record: Record, game: Game) -> Played:
    hands = [log.result for log in record.hands if log.result is not None]
    unfinished = sum(len(log.actions) for log in record.hands if log.result is None)
    return Played([a for log in record.hands for a in log.actions], record.winner, hands, unfinished, game.seat)
