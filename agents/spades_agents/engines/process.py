"""The host's side of an engine's process: one line out, one line back, within a time limit."""

from __future__ import annotations

import contextlib
import os
import selectors
import shutil
import signal
import subprocess
import sys
import time
import weakref
from pathlib import Path
from typing import IO, cast

from spades_agents.engines.messages import MOST_BYTES, QUIT

GUARD = Path(__file__).with_name("guard.py")
GRACE = 1.0  # seconds for an engine to exit by itself
REPORT = 3.0  # seconds for the guard to report how an engine has ended
KILL = 10.0  # seconds for the guard to kill an engine
MOST_STDERR = 4000  # bytes that are kept of what an engine writes to stderr
MOST_READS = 16  # of stderr at a time: an engine may write to it without end
_CHUNK = 1 << 16


class EngineError(RuntimeError):
    """An engine died, was silent, or broke the protocol. Its process has been ended.

    Attributes:
        stderr: the end of what the engine wrote to stderr.
    """

    def __init__(self, message: str, stderr: str = "") -> None:
        super().__init__(message)
        self.stderr = stderr


class EngineTimeout(EngineError):
    """An engine did not answer in time."""


class EngineProcess:
    """A running engine. It ends with this object, with the host's process, or by :meth:`close`.

    Args:
        command: the program and its arguments; a program without a slash is searched for in PATH.

    Raises:
        ValueError: if there is no such program.
    """

    def __init__(self, command: list[str]) -> None:
        if shutil.which(command[0]) is None:
            raise ValueError(f"there is no program {command[0]!r}")
        self.name = os.path.basename(command[0])
        lifeline, host_end = os.pipe()
        self._lifeline = os.fdopen(host_end, "wb", 0)
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(GUARD), str(lifeline), *command],
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=(lifeline,),
            start_new_session=True,  # Ctrl-C at the terminal is for the host
        )
        os.close(lifeline)
        self._input, self._output, self._errors = _streams(self._process)
        os.set_blocking(self._input.fileno(), False)
        os.set_blocking(self._errors.fileno(), False)
        self._selector = selectors.DefaultSelector()
        for stream in (self._output, self._errors):
            self._selector.register(stream, selectors.EVENT_READ)
        self._buffer, self._stderr = b"", bytearray()
        self._end = weakref.finalize(self, _end, self._process, self._lifeline, self._selector)

    def ask(self, line: bytes, seconds: float) -> bytes:
        """Send a line, and return the line that the engine answers.

        Args:
            line: the request, which ends in a newline.
            seconds: the time limit.

        Raises:
            EngineTimeout: if there is no answer in time.
            EngineError: if the engine has ended, has closed its input or output, does not read its input, or writes
                too long a line or more than one. In all cases the engine's process has been ended.
        """
        end = time.monotonic() + seconds
        self._read(0.0)
        if self._buffer:
            raise self.fail(f"wrote a line that was not asked for: {_excerpt(self._buffer)}")
        try:
            written = os.write(self._input.fileno(), line)
        except BlockingIOError:
            written = 0
        except BrokenPipeError:
            raise self._gone("closed its input") from None
        if written < len(line):
            raise self.fail("does not read its input")
        while b"\n" not in self._buffer:
            if len(self._buffer) > MOST_BYTES:
                raise self.fail(f"wrote a line of more than {MOST_BYTES:,} bytes: {_excerpt(self._buffer)}")
            left = end - time.monotonic()
            if left <= 0:
                raise self.fail(f"did not answer within {seconds:g} s", EngineTimeout)
            self._read(left)
        answer, _, self._buffer = self._buffer.partition(b"\n")
        if self._buffer:
            raise self.fail(f"wrote more than one line for a request: {_excerpt(self._buffer)}")
        return answer

    def _read(self, seconds: float) -> None:
        """Read once what the engine has written, after waiting for it at most ``seconds``."""
        for key, _ in self._selector.select(seconds):
            if key.fileobj is self._output:
                data = os.read(key.fd, _CHUNK)
                if not data:
                    raise self._gone("closed its output")
                self._buffer += data
            elif not self._read_errors():
                self._selector.unregister(self._errors)

    def _read_errors(self) -> bool:
        """Read what the engine has written to stderr; returns False at its end."""
        with contextlib.suppress(BlockingIOError):
            for _ in range(MOST_READS):
                data = os.read(self._errors.fileno(), _CHUNK)
                if not data:
                    return False
                self._stderr = (self._stderr + data)[-MOST_STDERR:]
        return True

    def fail(self, what: str, kind: type[EngineError] = EngineError) -> EngineError:
        """End the process; returns the error that says why."""
        self._lifeline.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(KILL)
        self._read_errors()
        self._end()
        return kind(f"engine {self.name!r} {what}", self._stderr.decode(errors="replace").strip())

    def _gone(self, what: str) -> EngineError:
        """The error for a closed stream; if the process has ended, it says how."""
        try:
            code = self._process.wait(REPORT)
        except subprocess.TimeoutExpired:
            return self.fail(what)
        self._read_errors()
        lines = self._stderr.decode(errors="replace").strip().splitlines()
        return self.fail(_how_ended(code) + (f": {lines[-1].strip()[:200]}" if lines else ""))

    def close(self) -> None:
        """Ask the engine to quit, and end it if it does not within a second."""
        self._end()


def _streams(process: subprocess.Popen[bytes]) -> list[IO[bytes]]:
    return [cast("IO[bytes]", stream) for stream in (process.stdin, process.stdout, process.stderr)]


def _end(process: subprocess.Popen[bytes], lifeline: IO[bytes], selector: selectors.BaseSelector) -> None:
    """Ask the engine to quit; after :data:`GRACE` let the guard kill it."""
    streams = _streams(process)
    with contextlib.suppress(OSError):
        os.write(streams[0].fileno(), QUIT)
    streams[0].close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(GRACE)
    lifeline.close()
    try:
        process.wait(KILL)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    selector.close()
    for stream in streams[1:]:
        stream.close()


def _how_ended(code: int) -> str:
    """An exit code of the guard in words."""
    if code > 128 and code - 128 in set(signal.Signals):
        return f"was killed by {signal.Signals(code - 128).name}"
    return f"exited with code {code}"


def _excerpt(data: bytes) -> str:
    """The beginning of what an engine wrote, on one line."""
    return repr(data[:80].decode(errors="replace").strip()) + ("..." if len(data) > 80 else "")
