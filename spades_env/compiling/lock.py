"""One process compiles while the others wait for it."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import time
from collections.abc import Iterator
from io import BufferedWriter
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _try(file: BufferedWriter) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _try(file: BufferedWriter) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


MOST_SECONDS = 600.0  # longer than any compilation: the process that holds the lock is stopped or hangs
_POLL_SECONDS = 0.1
_BUSY = {errno.EAGAIN, errno.EACCES, errno.EWOULDBLOCK, errno.EDEADLK}


@contextlib.contextmanager
def alone(path: Path) -> Iterator[None]:
    """Run the block while no other process runs a block with the same ``path``, a file that is created for it.

    The operating system frees the lock of a process that ends, even one that is killed. The lock only saves work: the
    block runs without it where no file can be created, on file systems without locks, and after ``MOST_SECONDS``.
    """
    try:
        file = open(path, "wb")  # noqa: SIM115
    except OSError:
        yield
        return
    with file:
        _wait(file)
        try:
            yield
        finally:
            # A process that waits holds the file open, so a third one may create another; then both run the block.
            with contextlib.suppress(OSError):
                os.unlink(path)


def _wait(file: BufferedWriter) -> None:
    """Wait until the lock is free, and take it."""
    end = time.monotonic() + MOST_SECONDS
    while time.monotonic() < end:
        try:
            _try(file)
        except OSError as error:
            if error.errno not in _BUSY:
                return
            time.sleep(_POLL_SECONDS)
        else:
            return
