"""Records as videos: GIF written by Pillow, MP4 by the ffmpeg that comes with imageio-ffmpeg."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from spades_env.checks import check_int
from spades_env.files import write_whole
from spades_env.game import Phase
from spades_env.game.position import Position
from spades_env.picture import image
from spades_env.picture.needs import package
from spades_env.picture.shapes import HEIGHT, WIDTH
from spades_env.records.record import Record

Progress = Callable[[int, int], None]
Moment = tuple[Position, "int | None"]

# How long the end of a trick and the last picture are shown, in moves.
_TRICK_TIME, _END_TIME = 2, 6


def moments(record: Record, seat: int | None = None, hand: int | None = None) -> list[Moment]:
    """The pictures of a record: (table, action that the seat on turn is about to take), and the table at the end.

    Args:
        record: the record of the match; it is checked while it is replayed.
        seat: show only what this seat sees; None shows all cards.
        hand: only this hand, counted from 1.

    Raises:
        ValueError: if there is no such seat or hand, or (as RecordError) if the record is inconsistent.
    """
    if seat is not None:
        check_int("seat", seat, 0, record.rules.players - 1)
    found: list[Moment] = []
    for game, action in record.positions():
        if hand is None or (game.hand_number == hand - 1 and action is not None):
            found.append((game.clone() if seat is None else game.view(seat), action))
    if not found:
        first = record.start.hand_number + 1
        played = sum(bool(log.actions) for log in record.hands)
        raise ValueError(f"hand must be in {first}..{first + played - 1}, the hands of the record, got {hand}")
    return found


def save_gif(
    path: Path, shown: list[Moment], names: tuple[str, ...] | None, fps: float, progress: Progress | None = None
) -> None:
    """Write an animated GIF that loops forever.

    Args:
        path: the file.
        shown: the pictures, from :func:`moments`.
        names: names of the players, by seat.
        fps: moves per second.
        progress: called with the number of pictures done and the total.

    Raises:
        gymnasium.error.DependencyNotInstalled: without Pillow.
        OSError: if the file cannot be written.
    """
    # With one palette for all pictures, GIF stores only what changes between them.
    some = [image(table, names, action) for table, action in shown[:: max(1, len(shown) // 8)]]
    sheet = package("PIL.Image", "a GIF").new("RGB", (WIDTH, HEIGHT * len(some)))
    for k, picture in enumerate(some):
        sheet.paste(picture, (0, HEIGHT * k))
    palette = sheet.quantize(128)
    pictures = (picture.quantize(palette=palette, dither=0) for picture in _drawn(shown, names, progress))
    file = io.BytesIO()
    times = [round(1000 * _duration(shown, k) / fps) for k in range(len(shown))]
    next(pictures).save(file, "GIF", save_all=True, append_images=pictures, duration=times, loop=0)
    write_whole(path, file.getvalue())


def save_mp4(
    path: Path, shown: list[Moment], names: tuple[str, ...] | None, fps: float, progress: Progress | None = None
) -> None:
    """Write an MP4 (H.264). The arguments are those of :func:`save_gif`.

    Raises:
        gymnasium.error.DependencyNotInstalled: without Pillow or imageio-ffmpeg.
        OSError: if the file cannot be written.
    """
    ffmpeg: Any = package("imageio_ffmpeg", "an MP4")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "movie.mp4"
        video = ffmpeg.write_frames(str(file), (WIDTH, HEIGHT), fps=fps, quality=7)
        video.send(None)
        for k, picture in enumerate(_drawn(shown, names, progress)):
            for _ in range(_duration(shown, k)):
                video.send(picture.tobytes())
        video.close()
        write_whole(path, file.read_bytes())


def _drawn(shown: list[Moment], names: tuple[str, ...] | None, progress: Progress | None) -> Iterator[Any]:
    for k, (table, action) in enumerate(shown, 1):
        yield image(table, names, action)
        if progress is not None:
            progress(k, len(shown))


def _duration(shown: list[Moment], k: int) -> int:
    """How long picture ``k`` is shown, in moves."""
    table, action = shown[k]
    if k == len(shown) - 1:
        return _END_TIME
    trick_ends = table.phase == Phase.PLAY and action is not None and len(table.trick) == table.rules.players - 1
    return _TRICK_TIME if trick_ends else 1
