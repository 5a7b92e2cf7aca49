"""The command ``spades replay``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from gymnasium.error import DependencyNotInstalled

from spades_env.records.record import Record
from spades_training import movie
from spades_training.terminal.display import progress_bar


def replay(
    file: Annotated[Path, typer.Argument(help="Record of a match, as saved by spades play.")],
    gif: Annotated[Path | None, typer.Option(help="Write an animated GIF to this file instead.")] = None,
    mp4: Annotated[Path | None, typer.Option(help="Write an MP4 video to this file instead.")] = None,
    seat: Annotated[int | None, typer.Option(help="Show only what this seat sees; default: all cards.")] = None,
    hand: Annotated[int | None, typer.Option(help="Show only this hand, counted from 1; default: all.")] = None,
    fps: Annotated[float, typer.Option(help="Moves per second.", min=0.1, max=30)] = 1.5,
) -> None:
    """Print a record as text, or turn it into a GIF or MP4.

    The match is replayed from the record, which checks every deck, move and result.
    """
    try:
        record = Record.load(file)
    except OSError as error:
        raise ValueError(f"cannot read {file}: {error.strerror}") from None
    if gif is None and mp4 is None:
        if seat is not None or hand is not None:
            raise ValueError("--seat and --hand apply only to pictures: give --gif FILE or --mp4 FILE too")
        typer.echo(record.to_text())
        typer.echo("every deck, move and result checked")
        return
    frames = movie.moments(record, seat, hand)
    for path, save in ((gif, movie.save_gif), (mp4, movie.save_mp4)):
        if path is None:
            continue
        try:
            with progress_bar(f"pictures for {path}") as progress:
                save(path, frames, record.agents, fps, progress)
        except DependencyNotInstalled as error:
            raise ValueError(str(error)) from None
        typer.echo(f"{path}: {len(frames)} pictures, {path.stat().st_size / 1e6:.1f} MB")
