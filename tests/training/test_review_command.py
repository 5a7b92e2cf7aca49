"""``spades review``: the costliest decisions of each seat."""

from __future__ import annotations

import json

import pytest
from spades_agents import make_agent
from spades_agents.review import review
from spades_command import fails, spades

from spades_env import Game
from spades_env.cards import action_name

PLAYER = "rollout:worlds=4"


@pytest.fixture(scope="module")
def match(tmp_path_factory):
    game, player = Game("two_player", seed=7), make_agent("random")
    while game.hand_number < 1:
        game.apply(player.act(game.view()))
    path = tmp_path_factory.mktemp("review") / "match.json"
    game.record(["ann", "bob"]).save(path)
    return path, game.record()


def test_json_lists_what_the_function_finds(match):
    path, record = match
    result = spades("review", path, "--player", PLAYER, "--top", 3, "--json")
    assert result.exit_code == 0, result.output
    printed = json.loads(result.stdout)
    assert printed["player"] == PLAYER
    for seat in (0, 1):
        found = sorted(review(record, PLAYER, [seat]), key=lambda judged: -judged.cost)
        row = printed["seats"][seat]
        assert (row["seat"], row["decisions"]) == (seat, len(found))
        for each, judged in zip(row["costliest"], found[:3], strict=True):
            assert (each["cost"], each["error"], each["unit"]) == (judged.cost, judged.error, "win")
            assert (each["action"], each["best"]) == (action_name(judged.action), action_name(judged.best))
            assert (each["hand"], each["index"]) == (0, judged.index)


def test_the_table_names_the_seat_and_fits(match):
    path, record = match
    result = spades("review", path, "--player", f"{PLAYER},match_value=false", "--seat", 1, "--top", 1, columns=60)
    assert result.exit_code == 0, result.output
    worst = max(review(record, f"{PLAYER},match_value=false", [1]), key=lambda judged: judged.cost)
    line = next(line for line in result.stdout.splitlines() if "±" in line)
    assert line.split()[:4] == [action_name(worst.action), f"{worst.cost:.1f}", "±", f"{worst.error:.1f}"]
    assert action_name(worst.best) in line
    assert "bob, seat 1" in result.stdout
    assert "ann" not in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 60


def test_errors(match, tmp_path):
    path, _ = match
    fails("error: player 'heuristic' rates no actions", "review", path, "--player", "heuristic")
    fails("error: seat must be an int in 0..1, got 2", "review", path, "--seat", 2)
    fails(f"error: cannot read {tmp_path / 'no'}: No such file", "review", tmp_path / "no")
