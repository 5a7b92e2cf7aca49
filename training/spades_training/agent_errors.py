"""Errors in somebody's agent: where they arose in the agent's own code."""

from __future__ import annotations

import traceback

from spades_agents.engines import EngineError
from spades_agents.source import is_own_file

SAVED = "spades_agent_trace"  # attribute of an exception that crosses from one process to another


def raised_by_agent(error: BaseException) -> bool:
    """Whether the exception passed through code that is neither this project's nor an installed package's."""
    return isinstance(error, EngineError) or bool(getattr(error, SAVED, "") or _frames(error))


def agent_trace(error: BaseException) -> str:
    """The lines of the agent's code at which an exception, or its cause, arose, as in Python's tracebacks.

    Calls by this project are left out. Returns "" if no other code was involved. Of an engine it is what the engine
    wrote to stderr.
    """
    while True:
        if isinstance(error, EngineError):
            return error.stderr
        saved = getattr(error, SAVED, "")
        if saved:
            return saved
        frames = _frames(error)
        if frames:
            return "".join(traceback.format_list(frames)).rstrip()
        if isinstance(error, SyntaxError) and error.filename:
            return f'  File "{error.filename}", line {error.lineno}\n    {(error.text or "").strip()}'
        if error.__cause__ is None:
            return ""
        error = error.__cause__


def keep_trace(error: BaseException) -> None:
    """Attach the trace to the exception, because its frames are lost when it is sent to another process."""
    trace = agent_trace(error)
    if trace:
        setattr(error, SAVED, trace)


def _frames(error: BaseException) -> list[traceback.FrameSummary]:
    """From the first call of an agent on, the calls that are not this project's."""
    frames = traceback.extract_tb(error.__traceback__)
    first = next((k for k, frame in enumerate(frames) if is_own_file(frame.filename)), len(frames))
    return [frame for frame in frames[first:] if is_own_file(frame.filename, installed=True)]
