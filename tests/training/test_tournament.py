"""Tournaments: the same numbers as evaluations, with any number of workers, kills and faulty agents."""

from __future__ import annotations

import dataclasses
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from spades_agents.source import package_files
from spades_training.evaluation.evaluate import evaluate
from spades_training.tournament import log, make_settings, run_tournament

from spades_env.rules import Rules

SHORT = Rules.preset("two_player", target=60, loss=-60)


def run(folder, agents, rules: str | Rules = SHORT, workers=2, **settings):
    """The results without times."""
    settings = {"matches": 8, "confidence": None, "max_hands": 4, **settings}
    results = run_tournament(make_settings(agents, rules, **settings), folder, workers=workers)
    assert set(results.pop("timing")) == set(agents)
    return results


def cells(results):
    return {(cell["a"], cell["b"]): cell for cell in results["crosstable"]}


@pytest.mark.parametrize("name", ["two_player", "partnership", "cutthroat"])
def test_the_numbers_are_those_of_evaluations(name, tmp_path):
    agents = ["random", "heuristic", "odd_agents:Dice"]
    rules = Rules.preset(name, target=60, loss=-60)
    sides = rules.sides
    results = run(tmp_path, agents, rules, matches=12, seed=3)
    found = cells(results)
    assert len(found) == (3 if sides == 2 else 6)
    for (a, b), cell in found.items():
        single = evaluate(a, b, rules, matches=12 if sides == 2 else 6, seed=3, max_hands=4)
        assert cell["matches"] == single.matches
        assert cell["win_rate"]["value"] == single.win_rate.value
        assert cell["wins"] + cell["losses"] == single.matches - single.truncated
        assert cell["points_per_hand"]["value"] == pytest.approx(single.points_per_hand.value)
        assert cell["points_per_hand"]["low"] == pytest.approx(single.points_per_hand.low)
    assert results["matches"] == results["most_matches"] == 36
    assert results["stopped"] == "all matches played"
    players = {agent["name"]: agent for agent in results["agents"]}
    assert players["odd_agents:Dice"]["mean_bid"] == 3
    assert players["odd_agents:Dice"]["bids"][3] == sum(players["odd_agents:Dice"]["bids"])


def test_workers_make_no_difference(tmp_path):
    agents = ["random", "odd_agents:Dice", "odd_agents:Crashes", "odd_agents:CrashesAhead"]
    one, three = (run(tmp_path / str(count), agents, workers=count, matches=4) for count in (1, 3))
    assert one == three
    assert one != run(tmp_path / "seed", agents, matches=4, seed=1)


def test_it_ends_when_the_order_is_certain(tmp_path):
    reported = []
    settings = make_settings(["uniform", "heuristic"], SHORT, matches=1000)
    results = run_tournament(settings, tmp_path, workers=1, after_round=lambda found: reported.append(found["stopped"]))
    assert results["stopped"] == "order certain"
    assert results["order_certain"]
    assert [row["agent"] for row in results["ratings"]] == ["heuristic", "uniform"]
    assert results["matches"] == 200
    assert reported == ["order certain"]


def test_equal_agents_play_to_the_end(tmp_path):
    results = run_tournament(make_settings(["heuristic", "heuristic:"], SHORT, matches=40), tmp_path)
    assert results["stopped"] == "all matches played"
    assert not results["order_certain"]
    assert [row["rating"]["value"] for row in results["ratings"]] == [0, 0]


@pytest.mark.parametrize(
    "agent,kind,message,trace",
    [
        ("Crashes", "crash", "RuntimeError: no idea what to play", "in in_the_second_hand"),
        ("Cheats", "illegal move", "illegal action DONE for seat", "IllegalAction"),
        ("AnswersInWords", "crash", "ValueError: actions must be ints of shape (1,), got <U13 (1,)", "Traceback"),
        ("Dies", "process died", "the process was killed by SIGSEGV", "in_the_second_hand"),
        ("Exits", "process died", "the process ended with exit code 3", ""),
    ],
)
def test_a_failing_agent_forfeits(agent, kind, message, trace, tmp_path):
    agent = f"odd_agents:{agent}"
    results = run(tmp_path, ["odd_agents:Dice", agent], matches=2)
    rows = results["forfeits"]
    assert sorted(match for row in rows for match in row["matches"]) == [0, 1]
    for row in rows:
        assert (row["agent"], row["against"], row["kind"]) == (agent, "odd_agents:Dice", kind)
        assert message in row["message"]
        assert trace in row["traceback"]
    assert [(row["agent"], row["forfeits"]) for row in results["ratings"]] == [("odd_agents:Dice", 0), (agent, 2)]
    assert cells(results)["odd_agents:Dice", agent]["wins"] == 2


@pytest.mark.parametrize(
    "fault,kind,message,trace",
    [
        ("dies", "crash", "EngineError: engine 'faulty' was killed by SIGKILL", "EngineError"),
        ("exits", "crash", "EngineError: engine 'faulty' exited with code 1: what to play", "no idea\nwhat to play"),
        ("sleeps", "time", "engine 'faulty' did not answer within 3 s", "EngineTimeout"),
        ("plays illegally", "illegal move", "illegal action BID_17 for seat", "IllegalAction"),
    ],
)
def test_a_failing_engine_forfeits(fault, kind, message, trace, tmp_path):
    bot = Path(__file__).parents[1] / "agents" / "faulty_engine.py"
    agent = f"engine:{sys.executable} -S -E {bot} '{fault}'"
    results = run(tmp_path, ["odd_agents:Dice", agent], matches=2, time_limit=3)
    assert sorted(match for row in results["forfeits"] for match in row["matches"]) == [0, 1]
    for row in results["forfeits"]:
        assert (row["agent"], row["kind"]) == (agent, kind)
        assert message in row["message"]
        assert trace in row["traceback"]


def test_an_agent_that_cannot_be_created_in_a_worker_forfeits(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_TEST_PARENT", str(os.getpid()))
    for agent, message in (
        ("odd_agents:CannotBeMade", "cannot create agent 'odd_agents:CannotBeMade': OSError: no such model"),
        ("odd_agents:DiesWhenMade", "the process ended with exit code 4"),
    ):
        results = run(tmp_path / agent, [agent, "random"], matches=2)
        assert {(row["agent"], row["message"]) for row in results["forfeits"]} == {(agent, message)}
        assert results["ratings"][1]["forfeits"] == 2


def test_a_crash_among_many_tables_costs_one_match(tmp_path):
    """In other matches it plays as its twin does, with the same random numbers."""
    settings = {"matches": 40, "max_hands": 10}
    found = run(tmp_path / "a", ["odd_agents:CrashesAhead", "heuristic"], **settings)
    run(tmp_path / "b", ["random", "heuristic"], **settings)
    logs = [_outcomes(tmp_path / name) for name in "ab"]
    (row,) = found["forfeits"]
    assert row["kind"] == "crash"
    assert "ZeroDivisionError" in row["traceback"]
    assert 0 < row["count"] < 40
    lost = set(_forfeited(tmp_path / "a"))
    assert len(lost) == row["count"]
    for match, (own, twin) in enumerate(zip(*logs, strict=True)):
        assert own == (-1 if match in lost else twin)


def _records(folder):
    return [json.loads(line) for line in (folder / "matches.jsonl").read_text().splitlines()[1:]]


def _outcomes(folder):
    return [outcome for record in _records(folder) for outcome in record["outcome"]]


def _forfeited(folder):
    return [record["unit"][2] * 2 + entry["match"] for record in _records(folder) for entry in record["forfeits"]]


@pytest.mark.parametrize("agent,message", [("Dozes", "s for a decision; the limit is 0.5 s"), ("Hangs", "no decision")])
def test_a_slow_agent_forfeits(agent, message, tmp_path):
    agent = f"odd_agents:{agent}"
    results = run(tmp_path, ["odd_agents:Dice", agent], matches=2, time_limit=0.5)
    assert sum(row["count"] for row in results["forfeits"]) == 2
    for row in results["forfeits"]:
        assert (row["agent"], row["kind"]) == (agent, "time")
        assert message in row["message"]
        assert "in_the_second_hand" in row["traceback"] or agent == "odd_agents:Dozes"


def test_a_tournament_continues_from_any_cut_of_its_log(tmp_path):
    agents = ["random", "odd_agents:Dice", "odd_agents:Crashes"]
    whole = run(tmp_path, agents, matches=4)
    data = (tmp_path / "matches.jsonl").read_bytes()
    head = data.index(b"\n") + 1
    rng = random.Random(0)
    for cut in (head, len(data) - 1, rng.randrange(head, len(data))):
        (tmp_path / "matches.jsonl").write_bytes(data[:cut])
        assert run(tmp_path, agents, matches=4) == whole
        assert len((tmp_path / "matches.jsonl").read_bytes().splitlines()) == len(data.splitlines())


def test_a_log_of_another_tournament_is_refused(tmp_path):
    run(tmp_path, ["random", "uniform"], matches=2)
    with pytest.raises(ValueError, match=r"holds a tournament with other settings \(seed 0, now 1\): choose another"):
        run(tmp_path, ["random", "uniform"], matches=2, seed=1)
    log = tmp_path / "matches.jsonl"
    head, record = log.read_text().splitlines()
    log.write_text(f"{head}\n{record.replace('[0,1,0,1]', '[0,1,7,1]')}\n")
    with pytest.raises(ValueError, match="line 2 is damaged"):
        run(tmp_path, ["random", "uniform"], matches=2)
    log.write_text("something else\n")
    with pytest.raises(ValueError, match="is not the log of a tournament"):
        run(tmp_path, ["random", "uniform"], matches=2)


def test_changed_code_is_another_tournament(tmp_path):
    """The file of the agent stays the same: a module that it imports changes."""
    (tmp_path / "own.py").write_text("from players import Mine\n")
    (tmp_path / "players.py").write_text("from spades_agents.random_agent import RandomAgent as Mine\n")
    agents = ["random", f"{tmp_path / 'own.py'}:Mine"]
    run(tmp_path / "out", agents, matches=2)
    run(tmp_path / "out", agents, matches=2)
    (tmp_path / "players.py").write_text("from spades_agents.random_agent import UniformAgent as Mine\n")
    message = r"holds matches of other code: players.py of agent '.*own.py:Mine' has changed; .* --out"
    with pytest.raises(ValueError, match=message):
        run(tmp_path / "out", agents, matches=2)


def test_changed_code_of_the_package_is_another_tournament(tmp_path, monkeypatch):
    run(tmp_path, ["random", "uniform"], matches=2)
    changed = {**package_files(), "spades_agents/random_agent.py": "0" * 64}
    monkeypatch.setattr(log, "package_files", lambda: changed)
    with pytest.raises(ValueError, match=r"other code: spades_agents/random_agent.py of this package has changed"):
        run(tmp_path, ["random", "uniform"], matches=2)


def test_a_refusal_names_the_one_rule_that_differs(tmp_path):
    run(tmp_path, ["random", "uniform"], matches=2)
    with pytest.raises(ValueError, match=r"other settings \(rules.nil 100, now 50\): choose another folder with --out"):
        run(tmp_path, ["random", "uniform"], dataclasses.replace(SHORT, nil=50), matches=2)


@pytest.mark.parametrize(
    "agents,settings,message",
    [
        (["random"], {}, "needs at least two agents, got 1"),
        (["random", "random"], {}, "agent 'random' appears twice"),
        (["random", "best"], {}, "unknown agent 'best'"),
        (["random", "uniform"], {"confidence": 1.0}, "confidence must be at least 0.5 and below 1, got 1.0"),
        (["random", "uniform"], {"time_limit": -1}, "time_limit must be above 0"),
        (["random", "uniform"], {"matches": 0}, "matches must be"),
        (["random", "uniform"], {"seed": -1}, "seed must be"),
        (["random", "uniform"], {"max_hands": 0}, "max_hands must be"),
    ],
)
def test_bad_settings(agents, settings, message):
    with pytest.raises(ValueError, match=message):
        make_settings(agents, **settings)


def test_matches_are_rounded_up_to_pairs():
    assert make_settings(["random", "uniform"], "two_player", matches=3).matches == 4
    assert make_settings(["random", "uniform"], "cutthroat", matches=7).matches == 12
    assert make_settings(["random", "uniform"], "solo", matches=7).matches == 8


@pytest.mark.parametrize("kills", [2, pytest.param(5, marks=pytest.mark.long)])
def test_killed_it_ends_the_same(kills, tmp_path):
    """The command gets SIGKILL at random moments."""
    seed = random.SystemRandom().randrange(1000)
    print("seed", seed)
    rng = random.Random(seed)

    def start(folder):
        command = ["tournament", "random", "odd_agents:Ponders", "odd_agents:Crashes"]
        rules = ["--rules", "two_player,target=100,loss=-100", "--max-hands", "5"]
        options = ["--matches", "60", "--confidence", "0", "--workers", "2", "--out", str(folder)]
        return subprocess.Popen(
            [sys.executable, "-m", "spades_training.cli", *command, *rules, *options],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )

    def lines(folder):
        log = folder / "matches.jsonl"
        return log.read_bytes().count(b"\n") if log.exists() else 0

    alone, killed = tmp_path / "alone", tmp_path / "killed"
    process = start(alone)
    _, errors = process.communicate()
    assert process.returncode == 0, errors
    for _ in range(kills):
        before = lines(killed)
        process = start(killed)
        while lines(killed) <= before and process.poll() is None:
            time.sleep(0.02)
        time.sleep(rng.uniform(0, 0.2))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert process.returncode == -signal.SIGKILL
    assert lines(killed) < lines(alone)
    process = start(killed)
    _, errors = process.communicate()
    assert process.returncode == 0, errors
    assert _results(killed) == _results(alone)
    for name in ("ratings.csv", "pairings.csv"):
        assert (killed / name).read_bytes() == (alone / name).read_bytes()


def _results(folder: Path):
    results = json.loads((folder / "results.json").read_text())
    del results["timing"]
    return results
