"""The cache of compiled code is never needed, and never trusted where other users can write."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from pathlib import Path

import pytest

from spades_env.compiling import cache
from spades_env.engine import jit

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="owners and permissions of POSIX")


def triple(x):
    return 3 * x


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    """The folder that SPADES_CACHE_DIR names, in a process that has not warned of anything."""
    monkeypatch.setenv("SPADES_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "_warned", set())
    return tmp_path / "cache"


@pytest.fixture
def no_home(monkeypatch, tmp_path):
    """No home directory, no password entry and ``tmp_path`` as the folder for temporary files."""

    def missing():
        raise RuntimeError("Could not determine home directory.")

    for name in ("SPADES_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA", "HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", missing)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path / f"spades-env-{os.geteuid()}"


def compiled():
    """A kernel as the next process would compile or load it; it must always work."""
    kernel = jit.Compiler(Path(__file__))(triple)
    assert kernel(7) == 21
    return kernel


def test_the_second_process_loads_what_the_first_compiled(folder, capsys):
    assert jit.Compiler(Path(__file__)).folder.parent == folder
    compiled()
    (file,) = folder.glob("*/*.nbi")
    assert file.name.startswith("test_cache.triple-")
    before = file.stat().st_mtime_ns
    compiled()
    assert file.stat().st_mtime_ns == before
    assert [stat.S_IMODE(path.stat().st_mode) for path in (folder, file.parent, file)] == [0o700, 0o700, 0o600]
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("damage", ["cut", "flip", "empty", "other"])
def test_a_damaged_file_is_compiled_again(folder, damage, capsys):
    compiled()
    (file,) = folder.glob("*/*.nbi")
    good = file.read_bytes()
    middle = len(good) // 2
    flipped = good[:middle] + bytes([good[middle] ^ 1]) + good[middle + 1 :]
    file.write_bytes({"cut": good[:middle], "flip": flipped, "empty": b"", "other": b"not compiled code"}[damage])
    compiled()
    assert cache.hashlib.sha256(file.read_bytes()[32:]).digest() == file.read_bytes()[:32]
    assert capsys.readouterr() == ("", "")


def test_a_full_disk(folder, monkeypatch, capsys):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "replace", full)
    compiled()
    compiled()
    assert capsys.readouterr().err == (
        f"spades_env: the cache folder {folder} cannot be used (No space left on device): compiled code is not kept "
        "for the next start; SPADES_CACHE_DIR can name a folder of your own\n"
    )
    assert not any(path.is_file() for path in folder.rglob("*"))  # nothing half-written


def test_a_file_where_the_folder_should_be(folder, capsys):
    folder.write_text("")
    compiled()
    assert f"the cache folder {folder} cannot be used (not a folder)" in capsys.readouterr().err


def test_a_folder_that_cannot_be_created(folder, monkeypatch, capsys):
    folder.parent.joinpath("file").write_text("")
    monkeypatch.setenv("SPADES_CACHE_DIR", str(folder.parent / "file" / "cache"))
    compiled()
    assert f"the cache folder {folder.parent / 'file' / 'cache'} cannot be used (" in capsys.readouterr().err


def test_a_folder_that_cannot_be_written(folder, monkeypatch, capsys):
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write anywhere
    compiled()
    assert f"the cache folder {folder} cannot be used (it is empty and cannot" in capsys.readouterr().err


@pytest.mark.parametrize("mode", [0o775, 0o757, 0o777])
@pytest.mark.parametrize("inner", [False, True])
def test_a_folder_that_others_may_write_to(folder, mode, inner, capsys):
    compiled()
    (open_to_others,) = folder.iterdir() if inner else [folder]
    open_to_others.chmod(mode)
    assert jit.Compiler(Path(__file__)).folder is None
    compiled()
    line = f"the cache folder {folder} cannot be used (other users may write to it, mode {mode:o}; delete it"
    assert line in capsys.readouterr().err


def test_a_folder_of_another_user(folder, monkeypatch, capsys):
    compiled()
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    found = folder.stat().st_uid
    if found == 0:  # root's folders are as safe as root's programs
        assert jit.Compiler(Path(__file__)).folder is not None
        os.chown(folder, 54321, -1)
    compiled()
    assert f"the cache folder {folder} cannot be used (it belongs to another user)" in capsys.readouterr().err


def test_without_a_home_the_cache_is_private_in_the_temp_folder(no_home, capsys):
    compiled()
    compiled()
    (file,) = no_home.glob("*/*.nbi")
    assert [stat.S_IMODE(path.lstat().st_mode) for path in (no_home, file.parent)] == [0o700, 0o700]
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("planted", ["readable", "writable", "link", "file", "foreign"])
def test_what_somebody_planted_in_the_temp_folder(no_home, planted, tmp_path, monkeypatch, capsys):
    if planted == "link":
        (tmp_path / "elsewhere").mkdir(mode=0o700)
        no_home.symlink_to(tmp_path / "elsewhere")
    elif planted == "file":
        no_home.write_text("")
    else:
        no_home.mkdir(mode=0o700)
        no_home.chmod({"readable": 0o755, "writable": 0o777, "foreign": 0o700}[planted])
    if planted == "foreign":
        real = os.lstat
        fields = list(real(no_home))
        fields[4] = os.geteuid() + 1
        monkeypatch.setattr(os, "lstat", lambda path: os.stat_result(fields) if path == no_home else real(path))
    compiled()
    assert f"the cache folder {no_home} cannot be used (" in capsys.readouterr().err
    assert not any((tmp_path / "elsewhere").glob("*")) if planted == "link" else not list(no_home.glob("*/*"))


def test_neither_home_nor_temp_folder(no_home, monkeypatch, capsys):
    def missing():
        raise FileNotFoundError(errno.ENOENT, "No usable temporary directory found")

    monkeypatch.setattr(tempfile, "gettempdir", missing)
    compiled()
    assert capsys.readouterr().err.startswith("spades_env: there is no cache folder (no home directory and no temp")


def test_a_home_that_is_not_a_full_path_is_no_home(no_home, monkeypatch):
    monkeypatch.setattr(Path, "home", lambda: Path())
    assert [folder for folder, *_ in cache._candidates()] == [no_home]
