"""The command ``spades puzzles``."""

from __future__ import annotations

import json

from spades_agents.puzzles import load_puzzles
from spades_command import fails, spades


def test_the_table_shows_choices_answers_and_reasons():
    result = spades("puzzles", "heuristic", "--theme", "draft")
    draft = [puzzle for puzzle in load_puzzles() if puzzle.theme == "draft"]
    assert result.exit_code == 0
    assert f"of {len(draft)} puzzles right" in result.stdout
    for text in (*(puzzle.name.split()[-1] for puzzle in draft), "KEEP", "REJECT", "certain"):
        assert text in result.stdout
    wrong = spades("puzzles", "heuristic", "--theme", "draft", "--wrong").stdout
    assert wrong.count("no:") == result.stdout.count("no:")
    assert "yes" in result.stdout
    assert "yes" not in wrong


def test_json_holds_every_attempt_and_is_the_same_for_the_same_seed():
    first, second = (json.loads(spades("puzzles", "random", "--json", "--seed", "5").stdout) for _ in range(2))
    assert first == second
    assert (first["agent"], first["puzzles"]) == ("random", len(load_puzzles()))
    assert first["right"] == sum(attempt["right"] for attempt in first["attempts"])
    assert all(attempt["right"] == (attempt["choice"] in attempt["answer"]) for attempt in first["attempts"])
    assert set(first["attempts"][0]) == {"name", "theme", "rules", "answer", "choice", "right", "reason"}


def test_unknown_theme_is_one_line():
    fails("error: no puzzle has the theme 'bridge': use one of ", "puzzles", "random", "--theme", "bridge")


def test_a_player_gets_only_the_puzzles_that_it_can_play():
    found = json.loads(spades("puzzles", "learned", "--json").stdout)
    playable = [puzzle.name for puzzle in load_puzzles() if puzzle.rules.players == 2 or puzzle.rules.partners]
    assert 0 < len(playable) < len(load_puzzles())
    assert [attempt["name"] for attempt in found["attempts"]] == playable
