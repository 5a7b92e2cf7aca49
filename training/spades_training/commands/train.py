"""The command ``spades train``."""

from __future__ import annotations

import dataclasses
import inspect
import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from spades_training import options
from spades_training.learning.config import CHECKPOINT, PRESETS, Config


def train(
    preset: Annotated[str, typer.Option(help=f"Settings to start from: {', '.join(PRESETS)}.")] = "quick",
    name: Annotated[str | None, typer.Option(help="Name of the run; default: the rules, numbered if taken.")] = None,
    runs: options.RunsOption = Path("runs"),
    resume: Annotated[Path | None, typer.Option(help="Folder of a run to resume from its last checkpoint.")] = None,
    **settings: Any,
) -> None:
    """Train a policy by self-play, save it and evaluate it against the scripted players.

    Writes to runs/NAME: model.zip (played by ppo:runs/NAME), config.json,
    metrics.csv, learning_curve.png, results.json, checkpoint.zip and TensorBoard
    logs.
    """
    given = {key: value for key, value in settings.items() if value is not None}
    if resume is None:
        if preset not in PRESETS:
            raise ValueError(f"unknown preset {preset!r}: use one of {', '.join(PRESETS)}")
        config = Config(**{**PRESETS[preset], **given})
    elif given or name is not None or preset != "quick":
        text = ", ".join(given) or "a name or preset"
        raise ValueError(f"--resume takes all settings from {resume / 'config.json'}, but {text} was given too")
    else:
        config = Config.load(resume)
    with options.needs("train", "training"):
        from spades_training.learning import train as training
        from spades_training.learning.monitor import TrainingError
    run = training.new_run(config, runs, name) if resume is None else resume
    saved = resume is not None and (run / CHECKPOINT).exists()
    if resume is not None and not saved:
        typer.echo(f"{run} has no checkpoint yet: the run starts from the beginning")
    try:
        with options.interruptible(lambda: resume_advice(run)):
            training.train(config, run, resume=saved)
    except TrainingError as error:
        options.fail(str(error), code=1)


def resume_advice(run: Path) -> str:
    """How to continue an interrupted run."""
    how = "continues from the last checkpoint" if (run / CHECKPOINT).exists() else "starts it again: no checkpoint yet"
    return f"`{shlex.join(['spades', 'train', '--resume', str(run)])}` {how}"


def _with_settings() -> inspect.Signature:
    """The signature of ``train`` with every field of Config as an option in place of ``settings``."""
    parameters = list(inspect.signature(train, eval_str=True).parameters.values())[:-1]
    for setting in dataclasses.fields(Config):
        default = setting.default if setting.default != "" else "none"
        text = f"{setting.metadata['help']} (quick: {default})"
        kind = Annotated[type(setting.default) | None, typer.Option(help=text, show_default=False)]
        parameters.append(
            inspect.Parameter(setting.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
        )
    return inspect.Signature(parameters)


train.__signature__ = _with_settings()  # type: ignore[attr-defined]
