"""Temporary folders that do not stay behind when their process is killed."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path


def temporary_folder(prefix: str) -> tempfile.TemporaryDirectory[str]:
    """A temporary folder; also removes those of killed processes of this user that were made with the same prefix."""
    for path in Path(tempfile.gettempdir()).glob(f"{prefix}-*-*"):
        number = path.name.removeprefix(f"{prefix}-").partition("-")[0]
        if number.isdecimal() and not _runs(int(number)):
            shutil.rmtree(path, ignore_errors=True)
    return tempfile.TemporaryDirectory(prefix=f"{prefix}-{os.getpid()}-")


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it belongs to another user
        return True
    return True
