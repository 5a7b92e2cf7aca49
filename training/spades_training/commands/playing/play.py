"""The command ``spades play``."""

from __future__ import annotations

import contextlib
import shlex
import signal
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer
from rich.console import Console
from spades_agents.base import check_plays
from spades_agents.registry import make_agent

from spades_env.checks import check_int
from spades_env.game import Game
from spades_env.records.record import Record
from spades_env.rules import Rules
from spades_training import options
from spades_training.terminal.encoding import write_plain
from spades_training.terminal.hints import Hints
from spades_training.terminal.match import TerminalMatch, free_path
from spades_training.terminal.remembered import last_rules, remember_rules
from spades_training.terminal.scores import YOU, saved_records, statistics

_RULES = "A preset, optionally with changes: solo,target=300; default: those of your last match, at first partnership."


def play(
    against: Annotated[
        str | None, typer.Option(help="Player at all other seats, a partner's included.", show_default="heuristic")
    ] = None,
    partner: Annotated[
        str | None, typer.Option(help="Player at your partner's seat.", show_default="--against")
    ] = None,
    rules: Annotated[str | None, typer.Option(help=_RULES, show_default=False)] = None,
    seat: Annotated[int | None, typer.Option(help="Your seat.", show_default="0")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the decks; default: a random one.")] = None,
    record: Annotated[Path | None, typer.Option(help="File for the record; default: a new one in this folder.")] = None,
    resume: Annotated[Path | None, typer.Option(help="Continue a match that quitting has saved.")] = None,
    hints: Annotated[
        str, typer.Option(help="Player that gives hints; pimc and rollout rate every move and review each hand.")
    ] = "heuristic",
    auto: Annotated[bool, typer.Option(help="Make a move for you when only one is legal.")] = True,
    stats: Annotated[bool, typer.Option("--stats", help="Print statistics over your saved matches and exit.")] = False,
    ascii_only: Annotated[bool, typer.Option("--ascii", help="Write only ASCII characters.")] = False,
) -> None:
    """Play a match in the terminal; it is saved when it ends or you quit, and can be resumed."""
    if ascii_only:
        write_plain(ascii_only=True)
    console = Console(highlight=False)
    if stats:
        console.print("\n".join(statistics(saved_records(Path()))), soft_wrap=True)
        return
    if resume:
        given = {"--rules": rules, "--seat": seat, "--seed": seed}
        for name in (name for name, value in given.items() if value is not None):
            raise ValueError(f"{name} cannot be changed with --resume: the saved match has its own")
        match = _resumed(resume, against, partner, record)
    else:
        match = _new(rules, seed, seat or 0, against, partner, record)
    made = {spec: make_agent(spec) for spec in {*match.players} - {YOU}}
    advisor = Hints(hints)
    for agent in (*made.values(), advisor.agent):
        check_plays(agent, match.game.rules)
    while True:
        agents = [made.get(spec, advisor.agent) for spec in match.players]  # the person's seat is never asked
        terminal = TerminalMatch(
            match.game, agents, match.players.index(YOU), console, advisor, auto, match.path.parent
        )
        with _saved(match, terminal, console):
            over = terminal.play()
        if not over or not _again():
            return
        number = None if seed is None else match.game.seed[0] + 1
        game = Game(match.game.rules, number)
        match = _Match(game, match.players, free_path(game.rules, game.seed[0]))


@dataclass
class _Match:
    """A match, who plays it (``you``, or the name of an agent, by seat), and where it is saved."""

    game: Game
    players: tuple[str, ...]
    path: Path


def _new(
    rules: str | None, seed: int | None, seat: int, against: str | None, partner: str | None, record: Path | None
) -> _Match:
    game = Game(options.parse_rules(rules or last_rules()), seed)
    check_int("seat", seat, 0, game.rules.players - 1)
    path = free_path(game.rules, game.seed[0]) if record is None else record
    if path.exists():
        raise ValueError(f"the file {path} exists: choose another one for the record")
    _check_folder(path)
    players = _seated(game.rules, seat, [against or "heuristic"] * game.rules.players, None, partner)
    if rules:
        remember_rules(rules)
    return _Match(game, players, path)


def _resumed(file: Path, against: str | None, partner: str | None, record: Path | None) -> _Match:
    saved = Record.load(file)
    if not saved.agents or YOU not in saved.agents:
        raise ValueError(f"{file} is not a match of yours: none of its players is {YOU!r}")
    game = saved.replay()
    if game.is_over:
        raise ValueError(f"the match in {file} is over: spades replay {shlex.quote(str(file))} shows it")
    path = record or file
    if path != file and path.exists():
        raise ValueError(f"the file {path} exists: choose another one for the record")
    _check_folder(path)
    seat = saved.agents.index(YOU)
    return _Match(game, _seated(game.rules, seat, list(saved.agents), against, partner), path)


def _seated(rules: Rules, seat: int, players: list[str], against: str | None, partner: str | None) -> tuple[str, ...]:
    """The players by seat, with those that the options name in their places."""
    if against is not None:
        players = [against] * rules.players
    if partner is not None:
        if not rules.partners:
            raise ValueError(f"--partner needs rules with partners, such as partnership, got {rules.name}")
        players[(seat + 2) % 4] = partner
    players[seat] = YOU
    return tuple(players)


def _check_folder(path: Path) -> None:
    if not path.absolute().parent.is_dir():
        raise ValueError(f"there is no folder {path.parent} for the record")


@contextlib.contextmanager
def _saved(match: _Match, terminal: TerminalMatch, console: Console) -> Iterator[None]:
    """Save the match at the end of the block, however it ends: SIGTERM and SIGHUP end it as Ctrl-C does."""

    def leave(number: int, frame: FrameType | None) -> None:
        for each in signals:
            signal.signal(each, signal.SIG_IGN)
        raise SystemExit(128 + number)

    names = [name for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    here = threading.current_thread() is threading.main_thread()
    signals = [getattr(signal, name) for name in names] if here else []
    before = {each: signal.signal(each, leave) for each in signals}
    try:
        yield
    finally:
        game = terminal.game
        game.record(match.players).save(match.path)
        file = shlex.quote(str(match.path))
        how = f"watch it: spades replay {file}" if game.is_over else f"continue: spades play --resume {file}"
        with contextlib.suppress(OSError):  # the terminal may be gone
            console.print(f"record saved: {match.path}\n{how}", markup=False, soft_wrap=True)
        for each, handler in before.items():
            signal.signal(each, handler)


def _again() -> bool:
    try:
        return input("Play again (y/n)? ").strip().lower() in ("y", "yes")
    except (EOFError, KeyboardInterrupt):
        return False
