"""The spades command: output, and one clear line with exit code 2 for bad input."""

from __future__ import annotations

import json

import pytest
from spades_agents.registry import AGENTS
from spades_command import fails, spades
from spades_training.options import parse_rules

from spades_env.rules import Rules


@pytest.mark.parametrize(
    "args,message",
    [
        (["evaluate", "random", "best"], "error: unknown agent 'best': use one of random, "),
        (["evaluate", "random", "random", "--rules", "bridge"], "error: unknown rules 'bridge': use one of two_player"),
        (["evaluate", "random", "random", "--matches", "-3"], "error: matches must be an int in 1..10000000, got -3"),
        (["evaluate", "random", "random", "--matches", "many"], "error: Invalid value for '--matches'"),
        (["evaluate", "random", "random", "--seed", "-1"], "error: seed must be an int"),
        (["evaluate", "random"], "error: Missing argument"),
        (["evaluate", "random", "no_such_module:X"], "error: cannot load agent 'no_such_module:X'"),
        (["evaluate", "random", "random", "--rules", "two_player,nil=-1"], "error: nil must be an int in 0..1000"),
        (["evaluate", "random", "random", "--rules", "two_player,x=1"], "error: rules 'two_player,x=1': 'x=1' is not"),
        (["nonsense"], "error: No such command 'nonsense'."),
    ],
)
def test_bad_input_is_one_line_and_code_2(args, message):
    fails(message, *args)


def test_evaluate_prints_a_table():
    result = spades("evaluate", "heuristic", "random", "--matches", "4", "--rules", "partnership")
    assert result.exit_code == 0
    for text in ("heuristic against random, partnership: 2 pairs", "match wins", "points/hand", "contracts made"):
        assert text in result.stdout
    assert result.stderr == ""


def test_evaluate_json_is_the_same_for_the_same_seed():
    first, second = (
        json.loads(spades("evaluate", "random", "random", "--matches", "4", "--json", "--max-hands", "5").stdout)
        for _ in range(2)
    )
    for result in (first, second):
        for player in "ab":
            del result[player]["decision_us"]
    assert first == second
    assert first["matches"] == 4


def test_rules_with_changes():
    assert parse_rules("solo") == Rules.preset("solo")
    changed = parse_rules("two_player, target=300, loss=-500, rejected=drawer, spades_must_break=no")
    assert changed == Rules.preset("two_player", target=300, loss=-500, rejected="drawer", spades_must_break=False)
    assert parse_rules("solo,loss=none") == Rules.preset("solo", loss=None)


COMMANDS = [
    ("play", "--rules", "solo", "--against"),
    ("play", "--rules", "solo", "--hints"),
    ("evaluate", "--rules", "solo", "random"),
    ("tournament", "--rules", "solo", "random"),
    ("exploit", "--rules", "solo"),
    ("bidding-data", "data", "--rules", "solo", "--agents"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: "".join(command[::3]))
@pytest.mark.parametrize("player", ["learned", "bidder", "pimc:policy=learned"])
def test_a_player_of_another_game_is_refused_before_anything_starts(command, player, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    message = "error: there are bidding models for" if player == "bidder" else "error: agent 'learned' plays only"
    fails(message, *command, player)
    assert list(tmp_path.iterdir()) == []


def test_agents_lists_every_player_and_its_rules():
    rows = {row["agent"]: row for row in json.loads(spades("agents", "--json").stdout)}
    assert set(rows) == {*AGENTS, "ppo:FILE", "engine:COMMAND", "file.py:Class", "module:Class"} - {"ppo"}
    assert rows["heuristic"]["rules"] == "all"
    assert rows["learned"]["rules"] == "two_player, partnership, cutthroat"
    assert rows["bidder"]["rules"] == "two_player, partnership, two_player_dealt"
    assert "worlds" in rows["pimc"]["options"]
    assert "equal probability" in rows["uniform"]["description"]
    assert "bids about its share" in rows["random"]["description"]


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_list_of_agents_fits(width):
    lines = spades("agents", columns=width).stdout.splitlines()
    assert max(map(len, lines)) <= width
    assert {line.split()[0] for line in lines if line[2:3].strip()} >= {*AGENTS, "file.py:Class"} - {"ppo"}
