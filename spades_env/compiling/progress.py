"""The line on stderr that says what is being compiled, and how far."""

from __future__ import annotations

import contextlib
import shutil
import sys
import time
from collections.abc import Iterator

PATIENCE = 1.0  # seconds of compilation in this process before it prints anything
EVERY = 10.0  # seconds between two lines where the output is not a terminal


class Progress:
    """Prints nothing in a process that loads all its code from the cache, and one line that changes in a terminal.

    Elsewhere, it prints a line at first and then every ten seconds.
    """

    def __init__(self) -> None:
        self._spent = 0.0  # seconds of earlier kernels
        self._start = 0.0
        self._printed = -EVERY
        self._width = 0  # of the text in the terminal's line
        self._name = ""
        self._done = 0
        self._total = 0

    @contextlib.contextmanager
    def compiling(self, name: str, total: int) -> Iterator[None]:
        """The block compiles a kernel together with the others that it calls, ``total`` in all."""
        self._name, self._done, self._total = name, 0, total
        self._start = time.monotonic()
        try:
            yield
        finally:
            self._spent += time.monotonic() - self._start
            self._erase()

    def advance(self) -> None:
        """One more function is compiled."""
        self._done = min(self._done + 1, self._total)
        self._show(f"{self._done} of {self._total} functions")

    def optimizing(self) -> None:
        """All functions are compiled."""
        self._show("optimizing")

    def _show(self, stage: str) -> None:
        now = time.monotonic()
        if sys.stderr is None or self._spent + now - self._start < PATIENCE:
            return
        text = f"spades_env: first use: compiling {self._name}, {stage}"
        # What replaces the stream, such as a progress bar, prints whole lines.
        if sys.stderr is sys.__stderr__ and sys.stderr.isatty():
            text = text[: shutil.get_terminal_size().columns - 1]
            print(f"\r{text:<{self._width}}", end="", file=sys.stderr, flush=True)
            self._width = len(text)
        elif now - self._printed >= EVERY:
            print(f"{text} ...", file=sys.stderr, flush=True)
            self._printed = now

    def _erase(self) -> None:
        if self._width:
            print(f"\r{'':<{self._width}}\r", end="", file=sys.stderr, flush=True)
            self._width = 0


progress = Progress()
