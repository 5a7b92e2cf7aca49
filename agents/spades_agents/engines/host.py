"""An engine as an agent: it plays wherever an agent plays."""

from __future__ import annotations

import json
import shlex
from typing import Any

from spades_agents.base import Rating, check_on_turn
from spades_agents.engines.messages import (
    ACTIONS,
    PROTOCOL,
    VERSION,
    decode,
    encode,
    match_message,
    read_ratings,
    view_message,
)
from spades_agents.engines.process import EngineError, EngineProcess
from spades_env.cards import NUM_ACTIONS, parse_action
from spades_env.game import View
from spades_env.rules import Rules

LIMIT = 60.0  # seconds for a decision
START_LIMIT = 60.0  # seconds to start
PREPARE_LIMIT = 500.0  # seconds to prepare for rules, which may compile or load something
MOST_SECONDS = 86_400.0
LONGEST_NAME = 80


class EngineAgent:
    """A player that is a program of its own; ``docs/engines.md`` describes how it is spoken to.

    The program starts with this object and ends with it. After an :class:`EngineError` it has ended, and starts again
    with the next decision.

    Args:
        spec: the command, as in ``"./my_bot --level 3"``. Before it may come options, as in
            ``"limit=5 level=3 ./my_bot"``: ``limit`` is the number of seconds for each decision, 60 by default; the
            others are the engine's.

    Attributes:
        name: the name that the engine gives itself.
        options: the engine's options and their default values.
        rates: whether it rates actions.
        limit: seconds for each decision.

    Raises:
        ValueError: if there is no such program, it has no such option, or it refuses the option's value.
        EngineError: if it does not follow the protocol.
    """

    def __init__(self, spec: str) -> None:
        self._spec = spec
        self._command, given = _split(spec)
        self.limit = _limit(given.pop("limit", None))
        self._given = given
        self._engine: EngineProcess | None = None
        self._started: set[Rules] = set()  # for which the engine is prepared
        self._rules: Rules | None = None  # of the match that the engine was told of
        self._seed: int | None = None
        self.name = ""
        self.options: dict[str, Any] = {}
        self.rates = False
        self._start()

    def __reduce__(self) -> tuple[Any, ...]:
        return EngineAgent, (self._spec,)

    def reset(self, seed: int | None = None) -> None:
        """See :meth:`Agent.reset <spades_agents.base.Agent.reset>`; the engine is told before its next decision."""
        self._seed, self._rules = seed, None

    def check_rules(self, rules: Rules) -> None:
        """Raise ``ValueError`` if the engine refuses these rules."""
        if rules not in self._started:
            self._begin(rules)

    def prepare(self, rules: Rules) -> None:
        """Let the engine prepare for matches under these rules."""
        self.check_rules(rules)

    def act(self, view: View) -> int:
        """The engine's action for ``view.observer``, who is on turn; it may be illegal.

        Raises:
            EngineTimeout: if the engine takes too long.
            EngineError: if it does anything else than to answer with an action.
        """
        check_on_turn(view)
        self._begin(view.rules)
        answer = self._ask(view_message("act", view, self.limit), "action", self.limit)
        action = answer.get("action")
        try:
            if isinstance(action, str):
                return parse_action(action)
            if type(action) is int and 0 <= action < NUM_ACTIONS:
                return action
        except ValueError:
            pass
        raise self._failed(f"answered with no action: {action!r:.80}")

    def rate(self, view: View) -> dict[int, Rating]:
        """The engine's rating of every legal action, ascending by action.

        Raises:
            ValueError: if the engine does not rate actions, or the observer is not on turn.
            EngineTimeout: if the engine takes too long.
            EngineError: if it does anything else than to rate every legal action.
        """
        check_on_turn(view)
        if not self.rates:
            raise ValueError(f"engine {self.name!r} does not rate actions")
        self._begin(view.rules)
        answer = self._ask(view_message("rate", view, self.limit), "ratings", self.limit)
        try:
            return read_ratings(answer, view.legal_actions())
        except ValueError as error:
            raise self._failed(f"answered to 'rate' wrongly: {error}") from None

    def close(self) -> None:
        """End the program; it starts again with the next decision."""
        if self._engine is not None:
            self._engine.close()
            self._engine = None

    def _start(self) -> None:
        try:
            engine = self._engine = EngineProcess(self._command)
        except ValueError as error:
            raise ValueError(f"cannot start engine {self._spec!r}: {error}") from None
        self._started, self._rules = set(), None
        hello = {"type": "hello", "protocol": PROTOCOL, "version": VERSION, "actions": ACTIONS}
        answer = self._ask(hello, "hello", START_LIMIT)
        if answer.get("protocol") != PROTOCOL or answer.get("version") != VERSION:
            found = f"{answer.get('protocol')!r:.80} {answer.get('version')!r:.80}"
            raise self._failed(f"speaks {found}, not {PROTOCOL!r} {VERSION}")
        name, options = answer.get("name"), answer.get("options", {})
        if not isinstance(name, str) or not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
            raise self._failed(f"needs a name of 1 to {LONGEST_NAME} printable characters, got {name!r:.80}")
        if not isinstance(options, dict):
            raise self._failed(f"needs its options as an object, got {options!r:.80}")
        self.name = engine.name = name
        self.options = options
        self.rates = answer.get("rates") is True
        try:
            self._set_options()
        except ValueError:
            self.close()
            raise

    def _set_options(self) -> None:
        for key in self._given:
            if key not in self.options:
                known = f"its options are {', '.join(self.options)}" if self.options else "it has none"
                raise ValueError(f"engine {self.name!r} has no option {key!r}: {known}")
        if self._given:
            options = {key: _value(text) for key, text in self._given.items()}
            self._agree({"type": "options", "options": options}, START_LIMIT)

    def _begin(self, rules: Rules) -> None:
        """Start the engine if it is not running, and tell it of the match if it has not been told."""
        if self._engine is None:
            self._start()
        if rules != self._rules:
            limit = self.limit if rules in self._started else PREPARE_LIMIT
            self._agree(match_message(rules, self._seed), limit)
            self._rules = rules
            self._started.add(rules)

    def _agree(self, message: dict[str, Any], seconds: float) -> None:
        """Send a message that the engine accepts, or else refuses by an error.

        Raises:
            ValueError: if it refuses.
        """
        answer = self._ask(message, "ok", seconds, "error")
        if answer["type"] == "error":
            raise ValueError(f"engine {self.name!r}: {answer.get('message')!s:.500}")

    def _ask(self, message: dict[str, Any], expected: str, seconds: float, or_else: str = "") -> dict[str, Any]:
        """The answer to a message, which has the type ``expected`` (or ``or_else``)."""
        engine = self._engine
        assert engine is not None  # it has been started
        try:
            line = engine.ask(encode(message), seconds)
        except EngineError:
            self._engine = None
            raise
        try:
            answer = decode(line)
        except ValueError as error:
            found = line[:80].decode(errors="replace").strip()
            raise self._failed(f"answered to {message['type']!r} with {found!r}, which is {error}") from None
        kind = answer["type"]
        if kind == "error" and or_else != "error":
            raise self._failed(f"answered to {message['type']!r} with an error: {answer.get('message')!s:.500}")
        if kind not in (expected, or_else):
            raise self._failed(f"answered to {message['type']!r} with {kind!r:.80}, not {expected!r}")
        return answer

    def _failed(self, what: str) -> EngineError:
        engine, self._engine = self._engine, None
        assert engine is not None
        return engine.fail(what)


def _split(spec: str) -> tuple[list[str], dict[str, str]]:
    """The command's words, and the options before them."""
    try:
        words = shlex.split(spec)
    except ValueError as error:
        raise ValueError(f"engine {spec!r}: {error}") from None
    options = {}
    while words and "=" in words[0]:
        key, _, value = words.pop(0).partition("=")
        options[key] = value
    if not words:
        raise ValueError("agent 'engine' needs a command: 'engine:./my_bot --level 3'")
    return words, options


def _value(text: str) -> Any:
    """A number, ``true``, ``false`` or ``null`` as in JSON; anything else is text."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return text if isinstance(value, (dict, list)) else value


def _limit(text: str | None) -> float:
    try:
        limit = LIMIT if text is None else float(text)
    except ValueError:
        limit = 0.0
    if not 0 < limit <= MOST_SECONDS:
        raise ValueError(f"limit must be a number of seconds above 0, got {text!r}")
    return limit
