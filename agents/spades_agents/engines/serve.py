"""Our players as engines for other programs."""

from __future__ import annotations

import contextlib
import inspect
import sys
import traceback
from collections.abc import Iterator
from typing import IO, Any

from spades_agents.base import legal_move, prepare
from spades_agents.engines.messages import (
    ACTIONS,
    MOST_BYTES,
    PROTOCOL,
    VERSION,
    decode,
    encode,
    ratings_message,
    read_view,
)
from spades_agents.registry import AGENTS, make_agent
from spades_agents.source import load_attribute
from spades_env.checks import check_int
from spades_env.game import View
from spades_env.rules import Rules


class Engine:
    """The engine's side of the protocol, played by an agent.

    Args:
        spec: the agent's name, as :func:`spades_agents.make_agent` takes it.

    Raises:
        ValueError: if there is no such agent.
    """

    def __init__(self, spec: str) -> None:
        self.spec = spec
        self.agent = make_agent(spec)
        self.rules: Rules | None = None

    def answer(self, line: bytes) -> dict[str, Any] | None:
        """The answer to a line of the host; None if the host wants to quit.

        It is an ``error`` if the line is invalid, or if the agent raises an exception, which is then also printed to
        stderr.
        """
        try:
            message = decode(line)
            kind = message["type"]
            if kind == "quit":
                return None
            method = self._METHODS.get(kind)
            if method is None:
                raise ValueError(f"unknown type {kind!r:.80}: use one of {', '.join(self._METHODS)}, quit")
            return method(self, message)
        except ValueError as error:
            return {"type": "error", "message": " ".join(str(error).split())}
        except Exception as error:
            traceback.print_exc()
            return {"type": "error", "message": f"{type(error).__name__}: {error}"}

    def _hello(self, message: dict[str, Any]) -> dict[str, Any]:
        if message.get("protocol") != PROTOCOL:
            raise ValueError(f"protocol must be {PROTOCOL!r}, got {message.get('protocol')!r:.80}")
        check_int("version", message.get("version"), VERSION, 2**31)
        return {
            "type": "hello",
            "protocol": PROTOCOL,
            "version": VERSION,
            "name": self.agent.name,
            "options": self._options(),
            "rates": hasattr(self.agent, "rate"),
        }

    def _options(self) -> dict[str, Any]:
        """The agent's options and their default values."""
        name = self.spec.partition(":")[0]
        if name not in AGENTS or name == "ppo":
            return {}
        parameters = inspect.signature(load_attribute(AGENTS[name], name)).parameters.values()
        return {parameter.name: parameter.default for parameter in parameters}

    def _set_options(self, message: dict[str, Any]) -> dict[str, Any]:
        """Create the agent again with other options."""
        options, known = message.get("options"), self._options()
        if not isinstance(options, dict):
            raise ValueError(f"options must be an object, got {options!r:.80}")
        for key, value in options.items():
            if key not in known:
                raise ValueError(f"no option {key!r:.80}: {', '.join(known) or 'there are none'}")
            if not isinstance(value, (str, int, float)) or "," in str(value):
                raise ValueError(f"option {key!r} must be a number, true, false or text, got {value!r:.80}")
        name, _, given = self.spec.partition(":")
        before = dict(part.split("=", 1) for part in given.split(",") if part)
        spec = f"{name}:" + ",".join(f"{key}={value}" for key, value in {**before, **options}.items())
        self.agent = make_agent(spec)
        self.spec, self.rules = spec, None
        return {"type": "ok"}

    def _match(self, message: dict[str, Any]) -> dict[str, Any]:
        rules = Rules.from_dict(message.get("rules", {}))
        seed = message.get("seed")
        if isinstance(seed, str) and seed.isdecimal() and len(seed) <= 20:
            seed = int(seed)
        if seed is not None:
            seed = check_int("seed", seed, 0, 2**64 - 1)
        prepare(self.agent, rules)
        self.agent.reset(seed)
        self.rules = rules
        return {"type": "ok"}

    def _act(self, message: dict[str, Any]) -> dict[str, Any]:
        return {"type": "action", "action": ACTIONS[legal_move(self.agent, self._view(message))]}

    def _rate(self, message: dict[str, Any]) -> dict[str, Any]:
        view = self._view(message)
        rate = getattr(self.agent, "rate", None)
        if rate is None:
            raise ValueError(f"{self.agent.name} does not rate actions")
        return ratings_message(rate(view))

    def _view(self, message: dict[str, Any]) -> View:
        if self.rules is None:
            raise ValueError("there is no match: send a message of type 'match' first")
        view = read_view(self.rules, message.get("view"))
        if view.seat != view.observer:
            raise ValueError(f"seat {view.seat} is on turn, but the view is that of seat {view.observer}")
        return view

    _METHODS = {"hello": _hello, "options": _set_options, "match": _match, "act": _act, "rate": _rate}


def serve(engine: Engine, requests: IO[bytes], answers: IO[bytes]) -> None:
    """Answer the host's lines until it quits, or closes its end.

    What the agent prints goes to stderr.
    """
    with contextlib.redirect_stdout(sys.stderr), contextlib.suppress(BrokenPipeError):
        for line in _lines(requests):
            answer = engine.answer(line)
            if answer is None:
                return
            answers.write(encode(answer))
            answers.flush()


def _lines(requests: IO[bytes]) -> Iterator[bytes]:
    """The lines of the host; of one that is too long, only the beginning, which is no JSON."""
    while line := requests.readline(MOST_BYTES):
        end = line
        while end and not end.endswith(b"\n"):
            end = requests.readline(MOST_BYTES)
        yield line
