"""The file with the records of all matches: a compressed tar archive of JSON texts, which ``spades replay`` shows."""

from __future__ import annotations

import hashlib
import io
import re
import tarfile
from collections.abc import Iterator
from pathlib import Path

RECORDS = "records.tar.xz"
LONGEST = 1 << 26  # bytes of a record; anything longer is not read


def member(game: str, opponent: str, match: int) -> str:
    """The name of a record in the archive, as in ``two_player/pimc-worlds=4/0017.json``."""
    return f"{game}/{re.sub(r'[^A-Za-z0-9_.=,-]+', '-', opponent)}/{match:04}.json"


def write_archive(path: Path, texts: dict[str, str]) -> None:
    """Write the texts, by name."""
    with tarfile.open(path, "w:xz") as archive:
        for name, text in texts.items():
            data = text.encode()
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))


def read_archive(path: Path) -> dict[str, str]:
    """The texts in an archive, by name.

    Raises:
        ValueError: if it is damaged, or holds something else.
        OSError: if it cannot be read.
    """
    try:
        return dict(_texts(path))
    except (tarfile.TarError, EOFError, UnicodeDecodeError, ValueError) as error:
        raise ValueError(f"{path} is damaged: {error}") from None
    except OSError as error:
        raise OSError(f"cannot read {path}: {error.strerror or error}") from None
    except Exception as error:  # LZMAError, of a module that Python may lack
        raise ValueError(f"{path} is damaged: {error}") from None


def _texts(path: Path) -> Iterator[tuple[str, str]]:
    found = set()
    with tarfile.open(path, "r:xz") as archive:
        for entry in archive:
            file = archive.extractfile(entry) if entry.isfile() and entry.size <= LONGEST else None
            if file is None or entry.name in found:
                raise ValueError(f"unexpected entry {entry.name!r}")
            found.add(entry.name)
            yield entry.name, file.read().decode()


def digest(texts: dict[str, str]) -> str:
    """SHA-256 of all texts and their names, in the order of the names."""
    whole = hashlib.sha256()
    for name in sorted(texts):
        data = texts[name].encode()
        whole.update(f"{name} {len(data)}\n".encode() + data)
    return whole.hexdigest()
