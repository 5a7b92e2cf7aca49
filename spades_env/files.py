"""Writing files atomically."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path


def write_whole(path: str | os.PathLike[str], data: bytes | str) -> None:
    """Write a file atomically: after a crash, a kill or a full disk the old file is still there, unchanged.

    A new file has the user's usual permissions, a replaced one keeps its own.

    Args:
        path: the file to write or to replace.
        data: its contents; a string is encoded as UTF-8.

    Raises:
        OSError: if it cannot be written; the message names the path.
    """
    target = Path(path)
    data = data.encode() if isinstance(data, str) else data
    temporary = None
    try:
        temporary = target.with_name(f".{target.name}-{secrets.token_hex(6)}")
        with open(temporary, "xb") as file:  # with the permissions that the user's umask leaves
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(OSError):
            os.chmod(temporary, stat.S_IMODE(os.stat(target).st_mode))  # those of the file to replace
        os.replace(temporary, target)
    except OSError as error:
        raise OSError(f"cannot write {target}: {error.strerror or error}") from error
    finally:
        if temporary is not None:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)
