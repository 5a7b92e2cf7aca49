"""Players given as ``package.module:Class`` or ``file.py:Class``: loading, and the files that they consist of."""

from __future__ import annotations

import ast
import contextlib
import hashlib
import importlib
import importlib.util
import os
import shlex
import site
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

ENGINE = "engine"  # the name of a player that is the command of a program: engine:COMMAND
PACKAGES = ("spades_env", "spades_agents", "spades_training")
DATA = (".py", ".json", ".npz", ".safetensors")  # the files of a package that decide how its players play


def create_agent(spec: str) -> Any:
    """Call the class or function at ``package.module:name`` or ``file.py:name``.

    Modules are also looked up in the current folder. A file finds the modules next to it while it is loaded and the
    agent is created. They are then forgotten, because another file may have different modules of the same names.

    Raises:
        ValueError: if it cannot be loaded or called; the cause is chained.
    """
    module, _, _ = spec.rpartition(":")
    with _importable(Path(module).resolve().parent) if module.endswith(".py") else contextlib.nullcontext():
        factory = load_attribute(spec, spec)
        try:
            return factory()
        except Exception as error:
            raise ValueError(f"cannot create agent {spec!r}: {type(error).__name__}: {error}") from error


def load_attribute(target: str, what: str) -> Any:
    """The class or function at ``module:name`` or ``file.py:name``, for the agent ``what``.

    Raises:
        ValueError: if it cannot be loaded; the cause is chained.
    """
    module, _, attribute = target.rpartition(":")
    if not module.endswith(".py") and not {"", os.getcwd()} & set(sys.path):
        sys.path.insert(0, os.getcwd())  # as `python -m` does; the command `spades` does not
    try:
        found = getattr(_run_file(module) if module.endswith(".py") else importlib.import_module(module), attribute)
    except Exception as error:
        raise ValueError(f"cannot load agent {what!r}: {type(error).__name__}: {error}") from error
    if not callable(found):
        raise ValueError(f"cannot load agent {what!r}: {attribute} is not a class or function")
    return found


def _run_file(path: str) -> ModuleType:
    """Run a Python file as a module. It stays out of ``sys.modules``, where it could shadow another module."""
    spec = importlib.util.spec_from_file_location(Path(path).stem, os.path.abspath(path))  # for tracebacks
    if spec is None or spec.loader is None:
        raise ImportError(f"no Python file: {path}")
    module = importlib.util.module_from_spec(spec)
    before = sys.modules.get(spec.name)
    sys.modules[spec.name] = module  # dataclasses look their module up while they are defined
    try:
        spec.loader.exec_module(module)
    finally:
        if before is None:
            sys.modules.pop(spec.name, None)
        else:
            sys.modules[spec.name] = before
    return module


@contextlib.contextmanager
def _importable(folder: Path) -> Iterator[None]:
    """Let the modules in ``folder`` be imported in this block, in place of others of the same names."""
    here = {path.stem for path in folder.glob("*.py")} | {path.parent.name for path in folder.glob("*/__init__.py")}
    hidden = {
        name: module
        for name, module in sys.modules.items()
        if name.partition(".")[0] in here and _is_own(getattr(module, "__file__", None), name)
    }
    for name in hidden:
        del sys.modules[name]
    before = set(sys.modules)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        for name in set(sys.modules) - before:
            file = getattr(sys.modules[name], "__file__", None)
            if file and folder in Path(file).resolve().parents and _is_own(file, name):
                del sys.modules[name]
        sys.modules.update(hidden)


def is_own_file(file: str | os.PathLike[str], installed: bool = False) -> bool:
    """Whether a source file is neither of this project nor of Python nor installed.

    Args:
        file: its path.
        installed: whether installed files and those of Python count, too.
    """
    if str(file).startswith("<"):
        return False
    folders = [] if installed else _INSTALLED
    return not any(folder in Path(file).parents for folder in (*_OURS, *folders))


def _folders(package: str) -> list[Path]:
    spec = importlib.util.find_spec(package)
    return [Path(folder) for folder in (spec.submodule_search_locations if spec else None) or ()]


_OURS = [folder for package in PACKAGES for folder in _folders(package)]
_INSTALLED = [Path(sysconfig.get_path(key)) for key in ("stdlib", "purelib", "platlib")]
_INSTALLED.append(Path(site.getusersitepackages()))


def _is_own(file: str | None, name: str, also: str = "") -> bool:
    """Whether a module belongs to an agent's own code; ``also`` is an installed package that does."""
    top = name.partition(".")[0]
    if not file or top in PACKAGES or top in sys.stdlib_module_names or top == "__main__":
        return False
    return top == also or is_own_file(file)


def agent_files(spec: str) -> dict[str, str]:
    """The SHA-256 of every file that the player ``spec`` consists of, by the file's name (see :func:`agent_paths`)."""
    return {name: _digest(path) for name, path in agent_paths(spec).items()}


def agent_paths(spec: str) -> dict[str, Path]:
    """Every file that the player ``spec`` consists of, by the file's name.

    These are the files in the name (a module's code, a model, the files in an engine's command), and all modules that
    the code imports, except those of Python, of this project (see :func:`package_files`) and of other installed
    packages. Imports are read from the source, so a module whose name is computed is not found.
    """
    if spec.startswith(f"{ENGINE}:"):
        return _command_files(spec.removeprefix(f"{ENGINE}:"))
    target, _, _ = spec.rpartition(":")
    search = [str(Path(target).resolve().parent) if target.endswith(".py") else os.getcwd(), *sys.path]
    files: dict[str, Path] = {}
    if target.endswith(".py"):
        top = Path(target).stem
        _follow(ModuleSpec(top, None, origin=str(Path(target).resolve())), Path(target).name, search, files, top)
    elif target and "/" not in target:
        _find(target, search, files, target.partition(".")[0])
    for text in (spec, *spec.partition(":")[2].split(",")):
        value = text.rpartition("=")[2].removeprefix("ppo:")
        for path in (Path(value), Path(value) / "model.zip"):
            if value and path.is_file():
                files[str(path)] = path
    return {name: files[name] for name in sorted(files)}


def _command_files(command: str) -> dict[str, Path]:
    """The files in the command of an engine, and those that Python files among them import."""
    files: dict[str, Path] = {}
    with contextlib.suppress(ValueError):
        for word in shlex.split(command):
            path = Path(word).resolve()
            search = [str(path.parent), *sys.path]
            _follow(ModuleSpec(path.stem, None, origin=str(path)), word, search, files, path.stem)
    return {name: files[name] for name in sorted(files)}


def package_files(packages: Sequence[str] = PACKAGES[:2]) -> dict[str, str]:
    """The SHA-256 of every file of this project's ``packages``, by the file's name.

    The default are those that decide how its own players play.
    """
    found = {}
    for package in packages:
        for folder in _folders(package):
            for path in sorted(folder.rglob("*")):
                if path.suffix in DATA:
                    found[f"{package}/{path.relative_to(folder).as_posix()}"] = _digest(path)
    return found


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _find(name: str, search: list[str], files: dict[str, Path], top: str) -> None:
    """Add the files of a module and of the packages that hold it, if it is part of the player's own code."""
    found, where = None, search
    parts = name.split(".")
    for k in range(len(parts)):
        found = PathFinder.find_spec(".".join(parts[: k + 1]), where)
        if found is None or not _is_own(found.origin, name, top):
            return
        is_package = found.submodule_search_locations is not None
        path = "/".join(parts[: k + 1]) + ("/__init__" if is_package else "")
        _follow(found, path + Path(found.origin or "").suffix, search, files, top)
        where = list(found.submodule_search_locations or ())


def _follow(spec: ModuleSpec, name: str, search: list[str], files: dict[str, Path], top: str) -> None:
    """Add a module's file, and follow the imports in its source."""
    path = Path(spec.origin or "")
    if name in files or not path.is_file():
        return
    files[name] = path
    if path.suffix != ".py":
        return
    with contextlib.suppress(SyntaxError, ValueError):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                outer = spec.name.split(".")
                if spec.submodule_search_locations is None:
                    outer = outer[:-1]
                base = outer[: len(outer) - node.level + 1] if node.level else []
                base = [*base, node.module] if node.module else base
                modules = [".".join([*base, alias.name]) for alias in node.names] + [".".join(base)]
            else:
                continue
            for module in filter(None, modules):
                _find(module, search, files, top)
