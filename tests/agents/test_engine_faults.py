"""Engines that misbehave: the error names the cause, nothing hangs, and no process is left."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from spades_agents.base import legal_move
from spades_agents.engines import EngineError, EngineTimeout, host
from spades_agents.registry import make_agent

from spades_env.game import Game, IllegalAction
from spades_env.rules import Rules

BOT = Path(__file__).with_name("faulty_engine.py")
RULES = Rules.preset("solo", blind_nil=0)


def spec(fault: str, options: str = "") -> str:
    return f"engine:{options} {sys.executable} -S -E {BOT} {shlex.quote(fault)}"


@pytest.fixture
def pids(tmp_path, monkeypatch):
    """A function that returns the engine's processes."""
    file = tmp_path / "pids"
    monkeypatch.setenv("SPADES_TEST_PIDS", str(file))
    return lambda: [int(line) for line in file.read_text().splitlines()]


def running(pid: int) -> bool:
    """Whether a process runs; one that has ended and was not collected by its parent does not."""
    found = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True).stdout.strip()
    return bool(found) and not found.startswith("Z")


def all_end(pids: list[int], within: float = 5.0) -> bool:
    end = time.monotonic() + within
    while any(map(running, pids)):
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def decide(agent, times: int = 4) -> None:
    """Let the agent decide at every seat of a table until it has made ``times`` decisions."""
    game = Game(RULES, seed=1)
    for _ in range(times):
        game.apply(legal_move(agent, game.view()))


@pytest.mark.parametrize(
    "fault,kind,message",
    [
        ("dies", EngineError, "was killed by SIGKILL"),
        ("exits", EngineError, "exited with code 1: what to play"),
        ("floods", EngineError, f"wrote a line of more than 1,048,576 bytes: '{'x' * 80}'..."),
        ("floods lines", EngineError, "wrote "),
        (
            "prints garbage",
            EngineError,
            "answered to 'act' with 'my move is AS', which is not JSON: Expecting value at column 1",
        ),
        ("prints bytes", EngineError, "answered to 'act' with '��', which is not UTF-8"),
        ("nests deeply", EngineError, f"answered to 'act' with '{'[' * 80}', which is nested too deeply"),
        ("sleeps", EngineTimeout, "did not answer within 0.5 s"),
        ("closes its input", EngineError, "closed its input"),
        ("closes its output", EngineError, "closed its output"),
        ("leaves a child", EngineError, "exited with code 0"),
        ("answers out of turn", EngineError, "answered to 'act' with 'ok', not 'action'"),
        ("names no action", EngineError, "answered with no action: 'ZZ'"),
        ("resigns", EngineError, "answered to 'act' with an error: I am lost"),
    ],
)
def test_the_cause_is_named_and_no_process_is_left(fault, kind, message, pids):
    agent = make_agent(spec(fault, "limit=0.5" if fault == "sleeps" else "limit=20"))
    with pytest.raises(kind) as caught:
        decide(agent, times=20)  # lines that nobody asked for may arrive a little later
    assert type(caught.value) is kind
    assert str(caught.value).startswith(f"engine 'faulty' {message}")
    assert len(pids()) == (2 if fault == "leaves a child" else 1)
    assert all_end(pids())


def test_an_illegal_action_is_one_of_the_agent(pids):
    agent = make_agent(spec("plays illegally"))
    with pytest.raises(IllegalAction, match="player 'faulty' made an illegal move: BID_17; legal are BID_0, BID_1"):
        decide(agent)
    agent.close()
    assert all_end(pids())


def test_stderr_is_kept_out_of_the_way():
    agent = make_agent(spec("complains"))
    decide(agent)
    agent.close()


def test_it_starts_again_after_an_error(pids):
    agent = make_agent(spec("dies"))
    for _ in range(2):
        with pytest.raises(EngineError, match="SIGKILL"):
            decide(agent)
    assert len(pids()) == 2
    decide(agent, 2)
    agent.close()
    assert len(pids()) == 3
    assert all_end(pids())


def test_one_that_does_not_start(monkeypatch, pids):
    monkeypatch.setattr(host, "START_LIMIT", 3.0)
    with pytest.raises(EngineTimeout, match=r"did not answer within 3 s"):
        make_agent(spec("never starts"))
    assert all_end(pids())


@pytest.mark.parametrize(
    "command,message",
    [
        ("", "agent 'engine' needs a command: 'engine:./my_bot --level 3'"),
        ("limit=3", "agent 'engine' needs a command: 'engine:./my_bot --level 3'"),
        ("limit=0 true", "limit must be a number of seconds above 0, got '0'"),
        ("limit=soon true", "limit must be a number of seconds above 0, got 'soon'"),
        ("./no_such_bot 3", "cannot start engine './no_such_bot 3': there is no program './no_such_bot'"),
        ("'./bot", 'engine "\'./bot": No closing quotation'),
        (f"level=3 {sys.executable} {BOT} ''", "engine 'faulty' has no option 'level': it has none"),
    ],
)
def test_specs_that_cannot_be_played(command, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (compared below)
        make_agent(f"engine:{command}")
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "command,message",
    [
        ("true", "engine 'true' exited with code 0"),
        ("false", "engine 'false' exited with code 1"),
        ("cat", "engine 'cat' needs a name of 1 to 80 printable characters, got None"),
        ("echo hello", "engine 'echo' answered to 'hello' with 'hello', which is not JSON: Expecting value"),
        ("sh -c 'kill -SEGV $$'", "engine 'sh' was killed by SIGSEGV"),
    ],
)
def test_programs_that_are_no_engines(command, message):
    with pytest.raises(EngineError) as caught:
        make_agent(f"engine:{command}")
    assert str(caught.value).startswith(message)


def test_one_of_another_version():
    with pytest.raises(EngineError, match="speaks 'spades-engine' 2, not 'spades-engine' 1"):
        make_agent(spec("is of the future"))


def test_a_file_that_is_no_program(tmp_path):
    file = tmp_path / "bot"
    file.write_text("plain text\n")
    file.chmod(0o700)
    with pytest.raises(EngineError, match="engine 'bot' exited with code 127"):
        make_agent(f"engine:{file}")


def test_it_can_refuse_rules():
    agent = make_agent(spec("plays alone"))
    agent.check_rules(RULES)
    with pytest.raises(ValueError, match="engine 'faulty': no partners, please"):
        agent.check_rules(Rules.preset("partnership"))
    decide(agent)
    agent.close()


def test_it_ends_with_its_host(pids):
    """However the host ends: here it is killed while the engine sleeps and does not look at its input."""
    code = f"import sys; sys.path += {sys.path!r}; import test_engine_faults as t; t.decide(t.make_agent(sys.argv[1]))"
    child = subprocess.Popen([sys.executable, "-c", code, spec("sleeps")])
    end = time.monotonic() + 60
    while not Path(os.environ["SPADES_TEST_PIDS"]).exists() and time.monotonic() < end:
        time.sleep(0.05)
    time.sleep(0.2)
    assert all(map(running, pids()))
    child.send_signal(signal.SIGKILL)
    child.wait()
    assert all_end(pids())
