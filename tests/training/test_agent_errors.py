"""Errors in somebody's agent: every command shows the agent's lines, and none of this project's."""

from __future__ import annotations

import json

import pytest
from spades_agents.registry import make_agent
from spades_command import fails, spades
from spades_training.evaluation.evaluate import evaluate

AGENT = """import json
from spades_env.cards import parse_card

class Base:
    name = "mine"
    def reset(self, seed=None): ...

class Crashes(Base):
    def act(self, view):
        return TABLE[view.seat]

TABLE = {}

class Misreads(Base):
    def act(self, view):
        return parse_card("?")

class InLibrary(Base):
    def act(self, view):
        return json.loads("[")

class Illegal(Base):
    def act(self, view):
        return 51

class Words(Base):
    def act(self, view):
        return "ace of spades"

class Needs(Base):
    act = None
    def __init__(self, model): ...

class First(Base):
    def act(self, view):
        return view.legal_actions()[0]
class Second(First):
    pass
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(AGENT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shown(*args, code=1):
    """What a failing command prints on stderr."""
    result = spades(*args, stdin="l\n3\n")
    assert result.exit_code == code, result.output
    assert "spades_" not in result.stderr.partition("\n")[2]
    assert "Traceback" not in result.stderr
    return result.stderr


@pytest.mark.parametrize(
    "command",
    [
        ("play", "--rules", "solo", "--seed", "1", "--against"),
        ("evaluate", "random", "--matches", "2"),
        ("puzzles",),
        ("bidding-data", "one", "--deals", "2", "--shard", "1", "--workers", "1", "--agents"),
        ("bidding-data", "two", "--deals", "2", "--shard", "1", "--workers", "2", "--agents"),
        ("train", "--total-timesteps", "1", "--warm-start", "0", "--eval-opponents"),
    ],
    ids=lambda command: f"{command[0]} {command[1] if len(command) > 1 else ''}",
)
def test_an_exception_shows_the_line_of_the_agent(command, folder):
    line = "return TABLE[view.seat]"
    text = shown(*command, "mine.py:Crashes")
    assert text.startswith("error: an agent raised KeyError: ")
    assert f'mine.py", line {AGENT[: AGENT.index(line)].count(chr(10)) + 1}, in act\n    {line}' in text


def test_frames_of_a_library_stay_and_ours_go(folder):
    assert 'return parse_card("?")' in shown("puzzles", "mine.py:Misreads")
    text = shown("puzzles", "mine.py:InLibrary")
    assert 'return json.loads("[")' in text
    assert "decoder.py" in text


def test_a_file_that_cannot_be_loaded(folder):
    (folder / "broken.py").write_text("class Mine:\n    def act(self view): ...\n")
    (folder / "undefined.py").write_text("x = 1\ny = z\n")
    text = shown("puzzles", "broken.py:Mine", code=2)
    assert text.startswith("error: cannot load agent 'broken.py:Mine': SyntaxError: ")
    assert 'broken.py", line 2\n    def act(self view): ...' in text
    text = shown("puzzles", "undefined.py:Mine", code=2)
    assert 'undefined.py", line 2, in <module>\n    y = z' in text
    missing = "missing 1 required positional argument: 'model'"
    fails(
        f"error: cannot create agent 'mine.py:Needs': TypeError: Needs.__init__() {missing}", "puzzles", "mine.py:Needs"
    )


@pytest.mark.parametrize("name,action", [("Illegal", "AS"), ("Words", "'ace of spades'")])
def test_an_illegal_move(name, action, folder):
    message = f"error: player 'mine' made an illegal move: {action}; legal are "
    assert shown("puzzles", f"mine.py:{name}", code=2).startswith(message)
    played = spades("play", "--rules", "solo", "--seed", "1", "--against", f"mine.py:{name}", stdin="l\n3\n")
    assert played.exit_code == 2
    assert played.stderr.startswith(message)
    assert "record saved" in played.stdout


def test_variants_are_told_apart_by_their_options(folder):
    assert make_agent("pimc").name == "pimc"
    assert make_agent("pimc:worlds=2,beliefs=false").name == "pimc:worlds=2,beliefs=false"
    result = evaluate("mine.py:First", "mine.py:Second", matches=2, max_hands=1)
    assert (result.a.name, result.b.name) == ("mine.py:First", "mine.py:Second")
    one, other = "uniform:seed=1", "uniform:seed=2"
    text = spades("evaluate", one, other, "--matches", 2, "--max-hands", 1).stdout
    assert f"{one} against {other}" in text
    assert json.loads(spades("puzzles", one, "--json").stdout)["agent"] == one
