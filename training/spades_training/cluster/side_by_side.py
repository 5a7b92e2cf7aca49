"""Runs side by side: in processes of this machine, or each as a chain of calls on the machines of an executor.

A call trains a run for some minutes from its last checkpoint and sends back the files that it wrote, so the folder of a
run here is never older than its last checkpoint on a machine that is lost, and a run goes on anywhere.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

from rich.console import Console

from spades_env.files import write_whole
from spades_training.cluster.folders import temporary_folder
from spades_training.cluster.parcel import portable
from spades_training.cluster.spread import Spread
from spades_training.learning.code import CODE, player_names, write_code
from spades_training.learning.config import CHECKPOINT, Config
from spades_training.learning.fast.settings import Settings, load_settings
from spades_training.processes import run_all

PART = 120.0  # seconds of training in a call, which then ends with the next checkpoint
RESULTS = "results.json"  # a run that has it is complete


def train_side_by_side(
    runs: Mapping[Path, Config | Settings], workers: int = 1, on: Executor | None = None
) -> Iterator[Path]:
    """Train several runs, or the rest of those that were interrupted; yields the folder of each when it is complete.

    Args:
        runs: the settings by folder; complete runs are left alone.
        workers: number of runs trained at a time on this machine.
        on: an executor from :func:`spades_training.cluster.connect`, whose machines train instead. The results are the
            same.

    Raises:
        ValueError: if a folder holds a run with other settings, or a player is named by an absolute path, which other
            machines do not have.
    """
    for run, config in runs.items():
        if (run / "config.json").exists() and load_settings(run) != config:
            raise ValueError(f"{run} was trained with other settings: choose another folder, or remove it")
    missing = {run: config for run, config in runs.items() if not (run / RESULTS).exists()}
    for run, config in missing.items():
        run.mkdir(parents=True, exist_ok=True)
        write_whole(run / "config.json", config.to_json())
        if not (run / CHECKPOINT).exists():
            write_code(config, run)
    if on is not None:
        yield from _train_on(on, missing)
        return
    for run, _ in run_all(_train_here, {run: (config, run) for run, config in missing.items()}, workers):
        yield run


def _train(config: Config | Settings, run: Path, after_checkpoint: Callable[[], object] | None = None) -> None:
    """Train a run to its end, or resume it."""
    resume, console = (run / CHECKPOINT).exists(), Console(quiet=True)
    if isinstance(config, Settings):
        from spades_training.learning.fast.ppo import train as train_fast

        train_fast(config, run, resume, console, after_checkpoint)
    else:
        from spades_training.learning.train import train

        train(config, run, resume, console, after_checkpoint=after_checkpoint)


def _train_here(config: Config | Settings, run: Path) -> None:
    _train(config, run)


def _train_on(executor: Executor, runs: Mapping[Path, Config | Settings]) -> Iterator[Path]:
    names = {name for config in runs.values() for name in player_names(config)}
    names |= {f"ppo:{config.start}" for config in runs.values() if isinstance(config, Config) and config.start}
    for name in sorted(names):
        if portable(name) != name:
            raise ValueError(f"player {name!r} has an absolute path, which other machines do not have")
    with Spread(executor, names) as spread:
        running: dict[Future[Any], Path] = {}

        def go_on(run: Path) -> None:
            known = {name: (run / name).read_bytes() for name in (CHECKPOINT, CODE) if (run / name).exists()}
            running[spread.submit(train_part, runs[run], known, PART)] = run

        for run in runs:
            go_on(run)
        while running:
            future = spread.wait()
            run = running.pop(future)
            complete, files = spread.result(future)
            for name, content in files.items():
                (run / name).parent.mkdir(parents=True, exist_ok=True)
                write_whole(run / name, content)
            if complete:
                yield run
            else:
                go_on(run)


class _Pause(Exception):
    """The part of the run is over."""


def train_part(config: Config | Settings, known: Mapping[str, bytes], seconds: float) -> tuple[bool, dict[str, bytes]]:
    """Train a run until its first checkpoint after some seconds, or to its end.

    Args:
        config: the settings.
        known: the files of the run that it continues from, by name.
        seconds: the time.

    Returns:
        Whether the run is complete, and the files that are new or have changed, by their path in the run. The results
        come last: a run that has them is complete.
    """
    stop = time.monotonic() + seconds

    def after_checkpoint() -> None:
        if time.monotonic() > stop:
            raise _Pause

    with temporary_folder("spades-run") as folder:
        run = Path(folder)
        for name, content in known.items():
            (run / name).write_bytes(content)
        complete = True
        try:
            _train(config, run, after_checkpoint)
        except _Pause:
            complete = False
        before = {name: hashlib.sha256(content).digest() for name, content in known.items()}
        files = {}
        for path in sorted(run.rglob("*"), key=lambda path: (path.name == RESULTS, path)):
            name = path.relative_to(run).as_posix()
            if path.is_file() and before.get(name) != hashlib.sha256(path.read_bytes()).digest():
                files[name] = path.read_bytes()
        return complete, files
