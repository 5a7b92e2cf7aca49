"""spades league: the snapshots of a run, rated from their matches."""

from __future__ import annotations

import csv
import json

import matplotlib.image
import numpy as np
import pytest
from spades_agents.policy.model_file import save_player
from spades_agents.policy.network import PolicyNetwork
from spades_command import fails, spades
from spades_training.evaluation.league import history, thinned
from spades_training.learning.config import Config
from spades_training.tournament.log import Log
from spades_training.tournament.schedule import Schedule, make_settings
from spades_training.tournament.standings import Standings

from spades_env.cards import BID_0, LOOK, NUM_ACTIONS
from spades_env.rules import Rules

RULES = Rules.preset("two_player", target=60, loss=-60)
OPTIONS = ["--matches", "16", "--max-hands", "8", "--seed", "5", "--workers", "1"]


def make_run(run, steps, final=None, preset="two_player"):
    """A run of random networks that bid lower and lower; ``final`` is the steps of its model, None for no model."""
    (run / "league").mkdir(parents=True)
    (run / "config.json").write_text(Config(rules=f"{preset},target=60,loss=-60").to_json())
    rules = Rules.preset(preset, target=60, loss=-60)
    names = {run / "league" / f"{count:012}.zip": count for count in steps}
    if final is not None:
        names[run / "model.zip"] = final
        (run / "metrics.csv").write_text(f"decisions,steps,loss\n0,0,nan\n{final + 7},{final},0.1\n")
    for path, count in names.items():
        weights = np.random.default_rng(count).normal(size=(40, NUM_ACTIONS)).astype(np.float32)
        biases = np.zeros(NUM_ACTIONS, np.float32)
        biases[[LOOK, BID_0 + 9 - count // 70]] = 1000
        network = PolicyNetwork(np.arange(40), [(weights, biases)], "relu")
        save_player(network, path, rules)
    return run


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A run with five snapshots and a model; three snapshots and two fixed players are rated. Also the output."""
    run = make_run(tmp_path_factory.mktemp("runs") / "x", [0, 100, 230, 300, 400], final=450)
    (run / "league" / "notes.zip").write_text("not a snapshot")
    done = spades("league", run, "--snapshots", 3, "--against", "heuristic", "--against", "random", *OPTIONS)
    assert done.exit_code == 0, done.output
    return run, done.stdout


def rows_of(folder):
    return list(csv.DictReader((folder / "league.csv").read_text().splitlines()))


def test_the_choice_of_snapshots():
    assert thinned([0, 10, 20], 3) == [0, 10, 20]
    assert thinned([20, 0, 10], 8) == [0, 10, 20]
    assert thinned(range(0, 101, 10), 3) == [0, 50, 100]
    assert thinned(range(0, 101, 10), 2) == [0, 100]
    assert thinned([0, 10, 20, 30, 100], 3) == [0, 30, 100]  # evenly spaced in steps, not in number
    assert thinned([0, 1, 2, 3, 100], 4) == [0, 3, 100]  # one of them is the closest to two points
    assert len(thinned(range(0, 5000, 7), 8)) == 8


def test_the_rows_are_the_history_then_the_fixed_players(played):
    run, _ = played
    rows = rows_of(run / "league" / "ratings")
    assert [row["steps"] for row in rows] == ["0", "230", "400", "450", "", ""]
    files = [f"ppo:{run}/league/{steps:012}.zip" for steps in (0, 230, 400)]
    assert [row["player"] for row in rows] == [*files, f"ppo:{run}/model.zip", "heuristic", "random"]
    reference = rows[4]
    assert [float(reference[name]) for name in ("rating", "low", "high")] == [0, 0, 0]
    for row in rows[:4]:  # random networks play worse than the reference
        assert float(row["low"]) < float(row["rating"]) < float(row["high"]) < 0


def test_the_ratings_are_those_of_the_matches(played):
    run, _ = played
    rows = rows_of(run / "league" / "ratings")
    results = json.loads((run / "league" / "ratings" / "results.json").read_text())
    names = results["settings"]["agents"]
    settings = make_settings(names, RULES, matches=16, seed=5, max_hands=8, confidence=None)
    standings = Standings(Schedule(settings))
    with Log(run / "league" / "ratings" / "matches.jsonl", settings) as log:
        for entry in log.known(standings.schedule.units(0, standings.schedule.pairings)):
            standings.add(entry)
    assert standings.matches == 15 * 16 == results["matches"]
    ratings, zero = standings.ratings(), names.index("heuristic")
    played = {row["agent"]: row for row in results["ratings"]}
    for row in [*rows[:4], rows[5]]:
        own = names.index(row["player"])
        assert float(row["rating"]) == pytest.approx(ratings.points[own] - ratings.points[zero], abs=1e-9)
        assert float(row["high"]) == pytest.approx(ratings.gap(own, zero).high)
        assert [int(row["wins"]), int(row["losses"])] == [played[row["player"]][key] for key in ("wins", "losses")]


def test_the_plot_shows_the_ratings(played):
    run, _ = played
    pixels = np.asarray(matplotlib.image.imread(run / "league" / "ratings" / "league.png"))[:, :, :3]
    assert pixels.shape == (504, 840, 3)
    for red, green, blue in ((31, 119, 180), (255, 127, 14), (44, 160, 44)):  # the policy, heuristic, random
        assert (np.abs(pixels * 255 - (red, green, blue)).max(axis=2) < 60).sum() > 100


def test_the_table(played):
    run, text = played
    lines = [line.split() for line in text.splitlines()]
    rows = rows_of(run / "league" / "ratings")
    row = rows[1]
    numbers = [f"{float(row[name]):+.0f}" for name in ("rating", "low", "high")]
    cells = [numbers[0], f"[{numbers[1]},", f"{numbers[2]}]", f"{row['wins']}-{row['losses']}"]
    assert ["000000000230.zip", *cells[:3], "230", cells[3]] in lines
    assert ["heuristic", "0", f"{rows[4]['wins']}-{rows[4]['losses']}"] in lines
    assert "Elo points ahead of the first; 16 matches of every pairing." in text
    assert f"plot: {run / 'league' / 'ratings' / 'league.png'}" in text


def test_it_continues_after_a_kill_and_json_is_complete(played):
    run, _ = played
    folder = run / "league" / "ratings"
    log, table = (folder / "matches.jsonl").read_bytes(), (folder / "league.csv").read_bytes()
    (folder / "matches.jsonl").write_bytes(log[: len(log) * 2 // 3])
    (folder / "league.csv").unlink()
    command = ["league", run, "--snapshots", 3, "--against", "heuristic", "--against", "random", *OPTIONS, "--json"]
    found = json.loads(spades(*command).stdout)
    assert (folder / "matches.jsonl").read_bytes().count(b"\n") == log.count(b"\n")
    assert (folder / "league.csv").read_bytes() == table
    assert [{key: str(row[key] if row[key] is not None else "") for key in row} for row in found["players"]] == rows_of(
        folder
    )
    first, last = found["players"][0], found["players"][3]
    assert found["gain"]["value"] == pytest.approx(last["rating"] - first["rating"])
    assert found["gain"]["low"] < found["gain"]["value"] < found["gain"]["high"]
    assert found["tournament"] == json.loads((folder / "results.json").read_text())
    assert found["run"] == str(run)


def test_a_run_still_training_at_a_table_of_three(tmp_path):
    run = make_run(tmp_path / "x", [0, 100], preset="cutthroat")
    assert list(history(run, 2).values()) == [0, 100]
    done = spades("league", run, "--out", tmp_path / "out", *OPTIONS)
    assert done.exit_code == 0, done.output
    assert [row["steps"] for row in rows_of(tmp_path / "out")] == ["0", "100", ""]
    assert not (run / "league" / "ratings").exists()


@pytest.mark.parametrize(
    "options,message",
    [
        (["--against", "nobody"], "error: unknown agent 'nobody': use one of random, "),
        (["--against", "random", "--against", "random"], "error: agent 'random' appears twice"),
        (["--snapshots", "1"], "error: snapshots must be an int in 2..1000, got 1"),
        (["--matches", "0"], "error: matches must be an int"),
    ],
)
def test_bad_options_are_one_line_and_code_2(options, message, tmp_path):
    run = make_run(tmp_path / "x", [0, 100])
    fails(message, "league", run, *options)
    assert not (run / "league" / "ratings").exists()


def test_no_run_no_snapshots_no_steps(tmp_path):
    none, empty = tmp_path / "none", make_run(tmp_path / "empty", [])
    fails(f"error: cannot read the settings {none / 'config.json'}: No such file", "league", none)
    missing = empty / "league" / "000000000000.zip"
    fails(f"error: the run {empty} has no snapshots: no file like {missing}", "league", empty)
    run = make_run(tmp_path / "x", [0], final=100)
    (run / "metrics.csv").write_text("decisions,steps\n")
    fails(f"error: cannot read the steps of the final model in {run / 'metrics.csv'}", "league", run)


def test_other_settings_need_another_folder(played):
    run, _ = played
    fails(f"error: {run / 'league' / 'ratings'} holds a tournament with other settings (", "league", run, *OPTIONS)
