"""Atomic writes of files."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

__all__ = ["write_whole"]


def write_whole(path: str | os.PathLike[str], data: bytes | str) -> None:
    """Write a file atomically: a crash, a kill or a full disk leaves the old file in place.

    Raises:
        OSError: if it cannot be written; the message names the path.
    """
    target = Path(path)
    data = data.encode() if isinstance(data, str) else data
    temporary = None
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}-", dir=target.parent)
        with open(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)  # mkstemp creates files that only the owner may read
        os.replace(temporary, target)
    except OSError as error:
        raise OSError(f"cannot write {target}: {error.strerror or error}") from error
    finally:
        if temporary is not None:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)
