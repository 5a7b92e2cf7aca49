"""Malformed lines on both sides of the protocol: one clear error each, no traceback, and the game goes on."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from random import Random

import pytest
from random_rules import random_rules, random_start
from spades_agents.engines import EngineError, host
from spades_agents.engines.messages import MOST_BYTES, decode, encode, match_message, view_message
from spades_agents.engines.serve import Engine, serve
from spades_agents.registry import make_agent

from spades_env.cards import BLIND_NIL, LOOK
from spades_env.game import Game
from spades_env.rules import Rules

JUNK = [
    *(None, True, -1, 0, 3.5, 1e400, 2**70, 99, "", "AS", "BID_3", "ZZ", "💥", "x" * 300, [], {}, [[]], [None]),
    *({"a": 1}, ["AS"] * 60, [[0, "AS"], [0, "AS"]], [[9, "2C"]], ["KEEP AS", "KEEP AS"], [1, 2, 3, 4, 5]),
]


def positions(count: int):
    """Views of random games, each with its rules."""
    seed = 0
    while count:
        rng = Random(seed)
        rules = random_rules(rng)
        game = Game(rules, seed, **random_start(rng, rules))
        dice = make_agent(f"uniform:seed={seed}")
        for _ in range(rng.randrange(90)):
            if not game.is_over:
                game.apply(dice.act(game.view()))
        if not game.is_over:
            count -= 1
            yield rules, game.view()
        seed += 1


def damaged(line: bytes, rng: Random) -> bytes:
    """A line with one thing wrong with it; seldom, it is still valid."""
    kind = rng.randrange(4)
    if kind == 0:
        return line[: rng.randrange(len(line))] + b"\n"
    if kind == 1:
        at = rng.randrange(len(line) - 1)
        return line[:at] + bytes([rng.randrange(256)]) + line[at + 1 :]
    message = json.loads(line)
    where = message
    while True:
        key = rng.choice(list(where) if isinstance(where, dict) else range(len(where)))
        deeper = where[key]
        if isinstance(deeper, (dict, list)) and deeper and rng.random() < 0.8:
            where = deeper
        else:
            break
    if kind == 2 and isinstance(where, dict):
        del where[key]
    else:
        where[key] = rng.choice(JUNK)
    return json.dumps(message).encode() + b"\n"


def test_5000_malformed_requests(capfd):
    """Every answer is one short line of JSON; after an error the same match goes on."""
    engine, rng = Engine("random:seed=1"), Random(0)
    kinds = {"error": 0, "ok": 0, "action": 0, "hello": 0}
    lines = 0
    for rules, view in positions(250):
        hello = {"type": "hello", "protocol": "spades-engine", "version": 1, "actions": []}
        match, act = match_message(rules, 5), view_message("act", view, 1.0)
        rate = {**act, "type": "rate"}
        for message in [hello, {"type": "options", "options": {"seed": 3}}, match, match, rate, *[act] * 15]:
            answer = engine.answer(damaged(encode(message), rng))
            lines += 1
            if answer is None:  # a damaged line that says "quit" does not come up
                raise AssertionError(message)
            assert encode(answer).count(b"\n") == 1
            assert len(encode(answer)) < 2000
            kinds[answer["type"]] += 1
            if answer["type"] == "error":
                assert len(answer["message"]) > 8
                assert "Traceback" not in answer["message"]
            if answer["type"] == "ok":
                engine.answer(encode(match_message(rules, 5)))  # the damaged message was accepted
        assert engine.answer(encode(match_message(rules, 5))) == {"type": "ok"}
        assert engine.answer(encode(act))["type"] == "action"
    assert lines == 5000
    assert kinds["error"] > 3500
    assert capfd.readouterr().err == ""


class Parrot:
    """In place of an engine's process: answers with given lines."""

    answers: list[bytes] = []
    name = "parrot"

    def __init__(self, command):
        pass

    def ask(self, line, seconds):
        return self.answers.pop(0)

    def close(self):
        pass

    def fail(self, what):
        return EngineError(f"engine {self.name!r} {what}")


def test_5000_malformed_answers(monkeypatch):
    monkeypatch.setattr(host, "EngineProcess", Parrot)
    hello = {"type": "hello", "protocol": "spades-engine", "version": 1, "name": "parrot", "options": {"level": 3}}
    good = [hello, {"type": "ok"}, {"type": "ok"}, {"type": "action", "action": "LOOK"}]
    view = Game("partnership", seed=0).view()
    rng, errors, played = Random(1), [], 0
    for k in range(5000):
        lines = [encode(message) for message in good]
        lines[k % 4] = damaged(lines[k % 4], rng)
        Parrot.answers = lines
        try:
            action = make_agent("engine:level=4 parrot").act(view)
        except (EngineError, ValueError) as error:
            errors.append(error)
        else:
            assert 0 <= action < 75
            played += 1
    assert len(errors) > 3000
    assert len(errors) + played == 5000
    assert {type(error) for error in errors} == {EngineError, ValueError}
    assert all(len(str(error).splitlines()) == 1 and len(str(error)) < 800 for error in errors)


@pytest.mark.parametrize(
    "ratings,message",
    [
        ({"unit": "joy"}, "unit must be one of 'win', 'points', 'probability', got 'joy'"),
        ({"ratings": {"LOOK": [1, 0]}}, "ratings must be an object with BLIND_NIL, LOOK"),
        ({"ratings": {"LOOK": [1, 0], "AS": [0, 0]}}, "ratings must be an object with BLIND_NIL, LOOK"),
        (
            {"ratings": {"LOOK": [1, 0], "BLIND_NIL": 0.5}},
            "the rating of BLIND_NIL must be a value and its standard error, got 0.5",
        ),
        (
            {"ratings": {"LOOK": ["1", 0], "BLIND_NIL": [0, 0]}},
            "the rating of LOOK must be a value and its standard error, got ['1', 0]",
        ),
    ],
)
def test_ratings_that_are_refused(ratings, message, monkeypatch):
    monkeypatch.setattr(host, "EngineProcess", Parrot)
    hello = {"type": "hello", "protocol": "spades-engine", "version": 1, "name": "parrot", "rates": True}
    good = {"type": "ratings", "unit": "win", "ratings": {"LOOK": [0.5, 0.1], "BLIND_NIL": [0.25, None]}}
    agent, view = None, Game("partnership", seed=0).view()
    for answer in (good, {**good, **ratings}):
        Parrot.answers = [encode(message) for message in (hello, {"type": "ok"}, answer)]
        agent = make_agent("engine:parrot")
        if answer is good:
            found = agent.rate(view)
            assert list(found) == [BLIND_NIL, LOOK]
            assert found[LOOK] == (0.5, 0.1, "win")
            assert found[BLIND_NIL][0] == 0.25
            assert math.isnan(found[BLIND_NIL].error)
        else:
            with pytest.raises(EngineError) as caught:
                agent.rate(view)
            assert str(caught.value) == f"engine 'parrot' answered to 'rate' wrongly: {message}"


@pytest.mark.parametrize(
    "line,message",
    [
        (b"", "not JSON: Expecting value at column 1"),
        (b"[1]", 'not an object with a "type"'),
        (b'{"type":3}', 'not an object with a "type"'),
        (b'{"type":"act","seconds":NaN}', "not JSON: NaN"),
        (b"\xff", "not UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"type":"sing"}', "unknown type 'sing': use one of hello, options, match, act, rate, quit"),
        (b'{"type":"act","view":{}}', "there is no match: send a message of type 'match' first"),
        (b'{"type":"hello","protocol":"uci","version":1}', "protocol must be 'spades-engine', got 'uci'"),
        (b'{"type":"hello","protocol":"spades-engine"}', "version must be an int in 1..2147483648, got None"),
        (b'{"type":"options","options":{"seed":"x"}}', "seed must be an int in 0..18446744073709551615, got 'x'"),
        (b'{"type":"options","options":{"level":3}}', "no option 'level': seed"),
        (b'{"type":"match","rules":{"players":9}}', "players must be an int in 2..4, got 9"),
        (b'{"type":"match","seed":-1}', "seed must be an int in 0..18446744073709551615, got -1"),
    ],
)
def test_what_an_engine_answers_to_a_bad_line(line, message):
    assert Engine("random").answer(line) == {"type": "error", "message": message}


@pytest.mark.parametrize(
    "change,message",
    [
        ({"seat": 1, "hand": None}, "seat 0 is on turn, but the view is that of seat 1"),
        ({"seat": None}, "seat must be an int in 0..3, got None"),
        ({"bids": ["BID_3", None, None, None]}, "seat 1 is on turn, but the view is that of seat 0"),
        ({"hand": ["AS", "AS"]}, "hand: AS appears twice"),
    ],
)
def test_what_it_says_of_a_bad_view(change, message):
    engine = Engine("random")
    game = Game("partnership", seed=0)
    game.apply(LOOK)
    engine.answer(encode(match_message(game.rules, None)))
    act = view_message("act", game.view(), 1.0)
    answer = engine.answer(encode({**act, "view": {**act["view"], **change}}))
    assert answer is not None
    assert answer["type"] == "error"
    assert message in answer["message"]


def test_an_agent_that_raises_answers_with_an_error(tmp_path, capsys):
    (tmp_path / "mine.py").write_text(
        "class Mine:\n    name = 'mine'\n    reset = lambda *_: None\n    def act(self, view):\n"
        "        print('thinking')\n        return {}[view.seat]\n"
    )
    game = Game(Rules.preset("solo", blind_nil=0), seed=0)
    requests, answers = tmp_path / "requests", tmp_path / "answers"
    messages = [match_message(game.rules, 1), view_message("act", game.view(), 1.0), {"type": "quit"}, {"type": "x"}]
    long = b'{"type":"' + b"x" * MOST_BYTES + b'"}\n'
    requests.write_bytes(long + b"".join(map(encode, messages)))
    with requests.open("rb") as source, answers.open("wb") as sink:
        serve(Engine(f"{tmp_path / 'mine.py'}:Mine"), source, sink)
    found = [decode(line) for line in answers.read_bytes().splitlines()]
    assert found[0]["message"].startswith("not JSON: Unterminated string")
    assert found[1:] == [{"type": "ok"}, {"type": "error", "message": "KeyError: 0"}]
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "thinking" in captured.err
    assert "return {}[view.seat]" in captured.err


def test_the_command_answers_on_standard_output():
    hello = encode({"type": "hello", "protocol": "spades-engine", "version": 1, "actions": []})
    command = [sys.executable, "-m", "spades_training.cli", "engine", "heuristic"]
    done = subprocess.run(command, input=hello + b"nonsense\n", capture_output=True, check=True)
    answers = [decode(line) for line in done.stdout.splitlines()]
    assert answers[0]["name"] == "heuristic"
    assert answers[1] == {"type": "error", "message": "not JSON: Expecting value at column 1"}
    assert done.stderr == b""
