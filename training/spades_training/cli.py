"""The ``spades`` command."""

from __future__ import annotations

import dataclasses
import inspect
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from spades_env import __version__
from spades_training.commands.bench import bench
from spades_training.commands.bid import bid
from spades_training.commands.bidding_data import bidding_data
from spades_training.commands.bidding_fit import bidding_fit
from spades_training.commands.exploit import exploit
from spades_training.commands.league import league
from spades_training.commands.puzzles import puzzles
from spades_training.commands.solve import solve
from spades_training.commands.tournament import tournament
from spades_training.learning.config import PRESETS, Config
from spades_training.options import parse_rules

if TYPE_CHECKING:
    from spades_env.records.record import Record

__all__ = ["app"]


class _OneLineErrors(TyperGroup):
    """Says in one line on stderr what was wrong with the input, and exits with code 2."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except Exception as error:
            # Wrong usage is click's UsageError; typer brings its own copy of click or not, depending on its version.
            usage = getattr(error, "format_message", None)
            if isinstance(error, BrokenPipeError) or (usage is None and not isinstance(error, (ValueError, OSError))):
                raise
            fail(str(usage() if usage else error))


def fail(text: str, code: int = 2) -> NoReturn:
    """Print one line on stderr and exit."""
    typer.echo(f"error: {' '.join(text.split())}", err=True)
    raise typer.Exit(code)


app = typer.Typer(
    name="spades", cls=_OneLineErrors, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False
)

# Options that several commands share. The modules behind a command are imported when it runs, so that
# `spades --help` does not wait for what it does not need.
RulesOption = Annotated[
    str, typer.Option("--rules", help="Preset, with changes if need be: two_player,target=300,blind_nil=0")
]
SeedOption = Annotated[int, typer.Option("--seed", help="Names decks and dice: the same seed, the same result.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for machines instead.")]


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"spades-env {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Spades for reinforcement learning."""


@app.command()
def evaluate(
    a: Annotated[str, typer.Argument(help="A player: random, heuristic, ppo:runs/x/model.zip, my_module:MyAgent")],
    b: Annotated[str, typer.Argument(help="Its opponent (at three or four seats: its opponents)")],
    rules: RulesOption = "two_player",
    matches: Annotated[int, typer.Option(help="How many matches, rounded up to whole pairs.")] = 400,
    seed: SeedOption = 0,
    max_hands: Annotated[int, typer.Option(help="A match of so many hands without a winner counts for nobody.")] = 100,
    as_json: JsonOption = False,
) -> None:
    """Play duplicate matches, A against B: the same decks for both, seats swapped."""
    from rich.console import Console

    from spades_training.evaluation.evaluate import evaluate as play
    from spades_training.terminal import display

    with display.progress_bar(f"{a} against {b}", shown=not as_json) as progress:
        result = play(a, b, parse_rules(rules), matches=matches, seed=seed, max_hands=max_hands, progress=progress)
    if as_json:
        typer.echo(json.dumps(result.to_dict()))
    else:
        display.print_result(Console(), result)


def train(preset: str, name: str | None, runs: Path, resume: Path | None, **settings: Any) -> None:
    """Train a policy by self-play, save it and print how it does against the scripted players.

    Writes to runs/NAME: model.zip (for ppo:runs/NAME/model.zip), config.json, metrics.csv, learning_curve.png,
    results.json, checkpoint.zip and logs for TensorBoard.
    """
    given = {key: value for key, value in settings.items() if value is not None}
    if resume is None:
        if preset not in PRESETS:
            raise ValueError(f"unknown preset {preset!r}: use one of {', '.join(PRESETS)}")
        config = Config(**{**PRESETS[preset], **given})
    elif given or name is not None or preset != "quick":
        text = ", ".join(given) or "a name or preset"
        raise ValueError(f"--resume takes all settings from {resume / 'config.json'}, but {text} was given too")
    else:
        config = Config.load(resume)
    try:
        from spades_training.learning import train as training
    except ModuleNotFoundError as error:
        raise ValueError(f"training needs the package {error.name}: pip install 'spades-env[train]'") from None
    run = training.new_run(config, runs, name) if resume is None else resume
    try:
        training.train(config, run, resume=resume is not None)
    except training.TrainingError as error:
        fail(str(error), code=1)
    except KeyboardInterrupt:
        fail(f"interrupted; `spades train --resume {run}` continues from the last checkpoint", code=130)


def _train_signature() -> inspect.Signature:
    """Every field of Config as an option, after those of the command itself."""
    own = {
        "preset": (str, "quick", f"Settings to start from: {', '.join(PRESETS)}."),
        "name": (
            str | None,
            None,
            "Name of the run; default: that of the rules, with a number if there is one already.",
        ),
        "runs": (Path, Path("runs"), "Folder of the runs."),
        "resume": (Path | None, None, "Folder of a run to continue from its last checkpoint."),
    }
    options = [
        inspect.Parameter(
            key, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, typer.Option(help=text)]
        )
        for key, (kind, default, text) in own.items()
    ]
    for setting in dataclasses.fields(Config):
        text = f"{setting.metadata['help']} [quick: {setting.default}]"
        kind = Annotated[type(setting.default) | None, typer.Option(help=text, show_default=False)]
        options.append(inspect.Parameter(setting.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind))
    return inspect.Signature(options)


train.__signature__ = _train_signature()  # type: ignore[attr-defined]
app.command()(train)


@app.command()
def play(
    against: Annotated[str, typer.Option(help="The player at all other seats, a partner's too.")] = "heuristic",
    rules: RulesOption = "two_player",
    seat: Annotated[int, typer.Option(help="Your seat.")] = 0,
    seed: Annotated[int | None, typer.Option(help="Names the decks; default: a random one.")] = None,
    record: Annotated[Path | None, typer.Option(help="File for the record; default: a new one in this folder.")] = None,
) -> None:
    """Play in the terminal; the record of the match is saved at the end, or when you quit."""
    from rich.console import Console
    from spades_agents.registry import make_agent

    from spades_env.checks import check_int
    from spades_env.game import Game
    from spades_training.terminal.match import TerminalMatch, free_path

    game = Game(parse_rules(rules), seed)
    check_int("seat", seat, 0, game.rules.players - 1)
    path = free_path(game.rules, game.seed[0]) if record is None else record
    if path.exists():
        raise ValueError(f"the file {path} exists: choose another for the record")
    if not path.absolute().parent.is_dir():
        raise ValueError(f"there is no folder {path.parent} for the record")
    agent = make_agent(against)
    console = Console(highlight=False)
    try:
        TerminalMatch(game, agent, seat, console).play()
    finally:
        game.record(["you" if k == seat else agent.name for k in range(game.rules.players)]).save(path)
        console.print(f"record saved: {path}   (spades replay {path})")


@app.command()
def replay(
    file: Annotated[Path, typer.Argument(help="A record that was saved, as by spades play.")],
    gif: Annotated[Path | None, typer.Option(help="Write the match as an animated GIF to this file instead.")] = None,
    mp4: Annotated[Path | None, typer.Option(help="Write the match as an MP4 video to this file instead.")] = None,
    seat: Annotated[int | None, typer.Option(help="Picture what this seat sees; default: all cards.")] = None,
    hand: Annotated[int | None, typer.Option(help="Picture this hand alone, counted from 1; default: all.")] = None,
    fps: Annotated[float, typer.Option(help="Moves in a second.", min=0.1, max=30)] = 1.5,
) -> None:
    """Print a record as text, or film it, playing it again and checking every deck, move and result."""
    from spades_env.records.record import Record

    try:
        record = Record.load(file)
    except OSError as error:
        raise ValueError(f"cannot read {file}: {error.strerror}") from None
    if gif is None and mp4 is None:
        if seat is not None or hand is not None:
            raise ValueError("--seat and --hand are for pictures: give --gif FILE or --mp4 FILE too")
        typer.echo(record.to_text())
        typer.echo("every deck, move and result checked")
        return
    _film(record, gif, mp4, seat, hand, fps)


def _film(record: Record, gif: Path | None, mp4: Path | None, seat: int | None, hand: int | None, fps: float) -> None:
    """Write the moving pictures that are asked for."""
    from gymnasium.error import DependencyNotInstalled

    from spades_training import movie
    from spades_training.terminal import display

    shown = movie.moments(record, seat, hand)
    for path, save in ((gif, movie.save_gif), (mp4, movie.save_mp4)):
        if path is None:
            continue
        try:
            with display.progress_bar(f"pictures for {path}") as progress:
                save(path, shown, record.agents, fps, progress)
        except DependencyNotInstalled as error:
            raise ValueError(str(error)) from None
        typer.echo(f"{path}: {len(shown)} pictures, {path.stat().st_size / 1e6:.1f} MB")


app.command()(exploit)
app.command()(league)
app.command()(puzzles)
app.command()(bench)
app.command()(solve)
app.command()(bidding_data)
app.command()(tournament)
app.command()(bidding_fit)
app.command()(bid)


if __name__ == "__main__":
    app()
