"""The command ``spades puzzles``."""

from __future__ import annotations

import json

from spades_agents.puzzles import load_puzzles
from spades_command import fails, spades

from spades_env.cards import KEEP


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
    playable = [puzzle.name for puzzle in load_puzzles() if puzzle.rules.players < 4 or puzzle.rules.partners]
    assert 0 < len(playable) < len(load_puzzles())
    assert [attempt["name"] for attempt in found["attempts"]] == playable


def test_a_person_solves_them():
    """The answers of the theme, typed: all right, each with its reason; then the end."""
    draft = [puzzle for puzzle in load_puzzles() if puzzle.theme == "draft"]
    keys = ["k" if puzzle.answer == (KEEP,) else "r" for puzzle in draft]
    result = spades("puzzles", "--theme", "draft", stdin="\n".join(keys) + "\n", columns=60)
    assert result.exit_code == 0, result.output
    assert f"{len(draft)} of {len(draft)} right." in result.output
    text = " ".join(result.output.split())
    for puzzle in draft:
        assert f"Right. {puzzle.reason}" in text
    assert max(map(len, result.output.splitlines())) <= 62  # "> " stands before an answer's text


def test_a_wrong_answer_a_skipped_one_and_quitting():
    draft = [puzzle for puzzle in load_puzzles() if puzzle.theme == "draft"]
    wrong = "r" if draft[0].answer == (KEEP,) else "k"
    result = spades("puzzles", "--theme", "draft", stdin=f"?\nxyz\n{wrong}\ns\nq\n")
    text = " ".join(result.output.split())
    assert "'xyz' is not a legal move" in text
    assert f"No: the answer is {'keep' if wrong == 'r' else 'reject'}. {draft[0].reason}" in text
    assert "Skipped. The answer is" in text
    assert "0 of 1 right." in text
    assert text.index("You draw") < text.index(draft[0].reason)
    assert draft[2].reason not in text


def test_without_input_all_positions_and_reasons_are_shown():
    result = spades("puzzles", stdin="", columns=60)
    text = " ".join(result.output.split())
    for puzzle in load_puzzles():
        assert " ".join(puzzle.reason.split()) in text
    assert max(map(len, result.output.splitlines())) <= 60


def test_json_needs_a_player():
    fails("error: --json needs a player: spades puzzles heuristic ...", "puzzles", "--json")
