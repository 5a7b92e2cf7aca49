"""Bidding data: the contents of the rows, which depend only on the settings."""

from __future__ import annotations

import math
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import polars
import pytest
from spades_agents import make_agent
from spades_agents.bidder.features import FEATURES
from spades_agents.search import solve_two
from spades_command import fails
from spades_training.bidding.data import COLUMNS, DataSettings, read_data, rows_of, write_data
from spades_training.bidding.double_dummy import double_dummy
from spades_training.bidding.hands import Exploration, play_hands

from spades_env.cards import BID_0, BLIND_NIL, hand_text, mask_of, parse_cards
from spades_env.game import Game, Phase
from spades_env.rules import Rules

TWO = DataSettings(Rules.preset("two_player").to_dict(), ("heuristic",), 3, 0.3, 0.05, True, 20)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data") / "two"
    assert write_data(TWO, folder, 41) == 3
    return folder


@pytest.mark.parametrize("name", ["two_player", "partnership", "cutthroat", "solo"])
def test_rows_are_the_games(name):
    """Every row agrees with a game replayed one decision at a time, with the random bids inserted."""
    rules = Rules.preset(name)
    hands = play_hands(rules, ["heuristic"], 5, 7, 12, Exploration(explore=0.4, blind=0.1))
    frame = polars.DataFrame(rows_of(hands, rules, 7, None))
    agent = make_agent("heuristic")
    drawn = 0
    for deal in range(7, 19):
        rows = frame.filter(polars.col("deal") == deal).sort("seat").to_dicts()
        scores, bags = ([rows[0][f"{what}_{k}"] for k in range(rules.sides)] for what in ("score", "bags"))
        game = Game(rules, seed=(5, deal), scores=scores, bags=bags)
        order = []
        while game.hand_number == 0 and not game.is_over:
            row = rows[game.seat]
            action = agent.act(game.view())
            if game.phase == Phase.BLIND and row["blind"]:
                action = BLIND_NIL
            if game.phase == Phase.BID:
                order.append(game.seat)
                assert row["hand"] == game.hands[game.seat]
                if row["drawn"]:
                    drawn += 1
                    assert row["bid"] == 0 or abs(row["bid"] - max(action - BID_0, 1)) <= 2
                    action = BID_0 + row["bid"]
            game.apply(action)
        last = game.last_hand
        for seat, row in enumerate(rows):
            around = [(seat + k) % rules.players for k in range(rules.players)]
            assert [row["bid"], *(row[f"bid_{k}"] for k in range(1, rules.players))] == [
                last["bids"][k] for k in around
            ]
            assert [row["tricks"], *(row[f"tricks_{k}"] for k in range(1, rules.players))] == [
                last["tricks"][k] for k in around
            ]
            assert row["points"] == last["points"][rules.side_of(seat)]
            assert row["score_0"] == scores[rules.side_of(seat)]
            assert seat not in order or rules.draft or row["position"] == (seat + rules.bids_first) % rules.players
    assert drawn > 3


def test_scores_end_in_their_bags(written):
    frame, _ = read_data(written)
    for k in range(2):
        assert (frame[f"score_{k}"] % 10 == frame[f"bags_{k}"]).all()
        assert frame[f"score_{k}"].max() < 500
    assert frame["bid"].n_unique() > 5
    assert 0 < frame["drawn"].mean() < 0.6


def test_columns(written):
    frame, rules = read_data(written)
    names = [name.format(k=k) for name in COLUMNS for k in ((0, 1) if name[0] in "sb" and "{k}" in name else (1,))]
    assert set(frame.columns) == set(names) - {"bid_0", "blind_0"}
    assert rules == Rules.preset("two_player")
    assert len(frame) == 2 * 60
    both = frame.filter(polars.col("seat") == 0).to_dicts()
    hands = np.array([[row["hand"] for row in frame.filter(polars.col("seat") == k).to_dicts()] for k in (0, 1)])
    solved = solve_two(hands.T.astype(np.uint64), 1, threads=1).values
    assert [row["double_dummy"] for row in both] == solved.tolist()


def test_columns_for_people(written):
    """The text is that of the set of cards, and the chance is that of the log odds."""
    for row in read_data(str(written))[0].to_dicts():
        assert row["cards"] == hand_text(row["hand"])
        assert row["nil_chance"] == pytest.approx(1 / (1 + math.exp(-row["nil_odds"])), rel=1e-5)


def test_shards_of_an_earlier_version_get_the_columns_for_people(written, tmp_path):
    folder = shutil.copytree(written, tmp_path / "old")
    file = folder / "shard-00001.parquet"
    polars.read_parquet(file).drop("cards", "nil_chance").write_parquet(file)
    assert read_data(folder)[0].equals(read_data(written)[0])


@pytest.mark.parametrize("damage", ["truncated", "empty", "rows", "missing"])
def test_a_damaged_or_missing_shard_is_named(damage, written, tmp_path):
    folder = shutil.copytree(written, tmp_path / "copy")
    file = folder / "shard-00001.parquet"
    if damage == "missing":
        file.unlink()
        with pytest.raises(ValueError, match=r"shard-00001.parquet is missing: run spades bidding-data again"):
            read_data(folder)
        assert write_data(TWO, folder, 60) == 1
        assert read_data(folder)[0].equals(read_data(written)[0])
        return
    if damage == "rows":
        polars.read_parquet(file).head(30).write_parquet(file)
    else:
        file.write_bytes(file.read_bytes()[: -100 if damage == "truncated" else 0])
    message = "shard-00001.parquet " + ("holds 30 rows instead of 40" if damage == "rows" else "is damaged")
    for call in (lambda: read_data(folder), lambda: write_data(TWO, folder, 80)):
        with pytest.raises(ValueError, match=f"{message}.*: delete it and run spades bidding-data again"):
            call()
    assert not (folder / "shard-00003.parquet").exists()


def test_changed_code_of_a_player_is_refused(tmp_path):
    player = tmp_path / "mine.py"
    player.write_text("from spades_agents.random_agent import RandomAgent as Mine\n")
    settings = DataSettings(Rules.preset("solo").to_dict(), (f"{player}:Mine",), 0, 0.0, 0.0, False, 2)
    write_data(settings, tmp_path / "data", 2)
    player.write_text("from spades_agents.random_agent import UniformAgent as Mine\n")
    with pytest.raises(ValueError, match=r"holds data of other code: mine.py of agent '.*mine.py:Mine' has changed"):
        write_data(settings, tmp_path / "data", 4)


def test_double_dummy_by_hand():
    """Seat 1 leads twelve clubs and the ace of spades against all diamonds."""
    ours = mask_of(parse_cards("2D 3D 4D 5D 6D 7D 8D 9D TD JD QD KD AD"))
    theirs = mask_of(parse_cards("3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC AS"))
    assert double_dummy(Rules.preset("two_player"), np.array([[ours, theirs]], np.uint64)).tolist() == [[0, 13]]


def test_features_of_a_hand():
    from spades_agents.bidder.features import hand_features

    hand = mask_of(parse_cards("AS KS 9S 8S 2S AH KH QH AD KD 3D 2D 4C"))
    found = dict(zip(FEATURES, hand_features(np.array([hand], np.uint64), Rules.preset("partnership"))[0], strict=True))
    assert found["fitted_tricks"] > 6
    assert found["nil_odds"] < -5
    expected = {"spades": 5, "sure_tricks": 2, "high_spades": 2, "aces": 2, "kings": 2, "queens": 1, "voids": 0}
    assert {name: found[name] for name in expected} == expected
    assert (found["singletons"], found["doubletons"], found["longest"]) == (1, 0, 4)


def test_files_do_not_depend_on_workers(written, tmp_path):
    write_data(TWO, tmp_path / "again", 60, workers=2)
    for file in written.glob("shard-*.parquet"):
        assert (tmp_path / "again" / file.name).read_bytes() == file.read_bytes()


def test_more_deals_add_shards(written, tmp_path):
    folder = tmp_path / "grown"
    assert write_data(TWO, folder, 20) == 1
    assert write_data(TWO, folder, 60) == 2
    assert write_data(TWO, folder, 60) == 0
    for file in written.glob("shard-*.parquet"):
        assert (folder / file.name).read_bytes() == file.read_bytes()


def test_other_settings_are_refused(written):
    with pytest.raises(ValueError, match=r"holds data with other settings \(explore 0.3, now 0.5\)"):
        write_data(replace(TWO, explore=0.5), written, 20)


def test_a_killed_run_continues(written, tmp_path):
    """A run killed at its first shard: its workers end too, and the other shards are the same as without the kill."""
    folder = tmp_path / "killed"
    command = [sys.executable, "-m", "spades_training.cli", "bidding-data", str(folder), "--deals", "4000"]
    command += ["--shard", "20", "--seed", "3", "--blind", "0.05"]
    path = {"PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(command, env=os.environ | path)
    limit = time.monotonic() + 120
    while not list(folder.glob("shard-*.parquet")):
        assert process.poll() is None
        assert time.monotonic() < limit
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert write_data(TWO, folder, 60) < 3
    for file in written.glob("shard-*.parquet"):
        assert (folder / file.name).read_bytes() == file.read_bytes()
    time.sleep(0.3)
    count = len(list(folder.iterdir()))
    time.sleep(0.3)
    assert len(list(folder.iterdir())) == count


@pytest.mark.parametrize(
    "options,message",
    [
        (["--agents", "heuristic random random"], "error: agents must be one name or 2, got 3"),
        (["--agents", "nobody"], "error: unknown agent 'nobody'"),
        (["--explore", "2"], "error: explore must be in 0..1, got 2.0"),
        (["--deals", "0"], "error: deals must be an int in 1..1000000000, got 0"),
        (["--shard", "0"], "error: shard must be an int in 1..1000000, got 0"),
    ],
)
def test_bad_input_is_one_line_and_code_2(options, message, tmp_path):
    fails(message, "bidding-data", tmp_path / "data", *options)


def test_a_folder_with_other_files_is_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    fails(f"error: the folder {tmp_path} is not empty and has no settings.json", "bidding-data", tmp_path)


class Single:
    """The scripted player without act_batch."""

    name = "single"

    def __init__(self):
        self.agent = make_agent("heuristic")

    def reset(self, seed=None): ...

    def act(self, view):
        return self.agent.act(view)


def test_players_without_batches():
    rules = Rules.preset("two_player")
    one, many = (
        play_hands(rules, players, 0, 3, 6, Exploration(0.3, 0.1))
        for players in (["heuristic", Single()], ["heuristic"])
    )
    assert one.states.tobytes() == many.states.tobytes()
    assert (one.tricks == many.tricks).all()
