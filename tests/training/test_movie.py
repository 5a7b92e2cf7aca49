"""Videos of a record: their pictures and durations, and invalid requests."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from PIL import Image
from spades_command import fails, spades
from spades_training import movie

from spades_env import Game, Record
from spades_env.cards import BID_0, LOOK
from spades_env.picture import rgb_array


@pytest.fixture
def record(tmp_path):
    """A file with a hand of 8 calls and 52 cards, and the first two calls of the next hand."""
    game = Game("partnership", 4)
    for action in [LOOK, BID_0 + 3] * 4:
        game.apply(action)
    while game.hand_number == 0:
        game.apply(game.legal_actions()[0])
    for action in (LOOK, BID_0 + 2):
        game.apply(action)
    path = tmp_path / "match.json"
    game.record(["north", "east", "south", "west"]).save(path)
    return path


def test_moments(record):
    match = Record.load(record)
    shown = movie.moments(match)
    assert len(shown) == 8 + 52 + 2 + 1
    assert [action for _, action in shown] == match.hands[0].actions + match.hands[1].actions + [None]
    first = movie.moments(match, seat=2, hand=1)
    assert len(first) == 60
    assert {table.observer for table, _ in first} == {2}
    assert len(movie.moments(match, hand=2)) == 2
    for hand in (0, 3):
        with pytest.raises(ValueError, match=f"hand must be in 1..2, the hands of the record, got {hand}"):
            movie.moments(match, hand=hand)
    with pytest.raises(ValueError, match=r"seat must be an int in 0\.\.3, got 4"):
        movie.moments(match, seat=4)


def test_gif(record, tmp_path):
    path = tmp_path / "match.gif"
    result = spades("replay", record, "--gif", path, "--hand", 2, "--seat", 1, "--fps", 4)
    assert result.exit_code == 0, result.output
    assert f"{path}: 2 pictures" in result.stdout
    shown = movie.moments(Record.load(record), seat=1, hand=2)
    with Image.open(path) as gif:
        assert (gif.n_frames, gif.size, gif.info["loop"]) == (2, (768, 512), 0)
        times = []
        for k, (table, action) in enumerate(shown):
            gif.seek(k)
            times.append(gif.info["duration"])
            off = np.abs(np.asarray(gif.convert("RGB"), int) - rgb_array(table, list("nesw"), action))
            # The palette has 128 colours, and the names differ.
            assert off.mean() < 3
    assert times == [250, 1500]


def test_mp4(record, tmp_path):
    import imageio_ffmpeg

    path = tmp_path / "match.mp4"
    assert spades("replay", record, "--mp4", path, "--hand", 2, "--fps", 2).exit_code == 0
    frames, seconds = imageio_ffmpeg.count_frames_and_secs(str(path))
    assert (frames, seconds) == (1 + 6, 3.5)


def test_the_end_of_a_trick_is_shown_longer(record):
    shown = movie.moments(Record.load(record), hand=1)
    durations = [movie._duration(shown, k) for k in range(len(shown))]
    assert durations == [1] * 8 + [1, 1, 1, 2] * 12 + [1, 1, 1, 6]


@pytest.mark.parametrize(
    "args,message",
    [
        (["--gif", "x.gif", "--hand", "3"], "error: hand must be in 1..2, the hands of the record, got 3"),
        (["--gif", "x.gif", "--seat", "4"], "error: seat must be an int in 0..3, got 4"),
        (["--hand", "1"], "error: --seat and --hand apply only to pictures: give --gif FILE or --mp4 FILE too"),
        (["--gif", "none/x.gif", "--hand", "2"], "error: cannot write none/x.gif: No such file or directory"),
    ],
)
def test_bad_input_is_one_line_and_code_2(record, args, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fails(message + "\n", "replay", record, *args)


def test_without_ffmpeg(record, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    message = "error: an MP4 needs imageio-ffmpeg: pip install 'spades-env[render]'\n"
    fails(message, "replay", record, "--mp4", tmp_path / "x.mp4")
