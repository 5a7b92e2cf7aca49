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
from spades_training.learning.fast.settings import FAST, FAST_PRESETS, Settings, load_settings

SB3 = "sb3"
LEARNERS: dict[str, tuple[type[Config | Settings], dict[str, dict[str, Any]]]] = {
    SB3: (Config, PRESETS),
    FAST: (Settings, FAST_PRESETS),
}


def train(
    preset: Annotated[str, typer.Option(help=f"Settings to start from: {', '.join(PRESETS)}.")] = "quick",
    name: Annotated[str | None, typer.Option(help="Name of the run; default: the rules, numbered if taken.")] = None,
    runs: options.RunsOption = Path("runs"),
    resume: Annotated[Path | None, typer.Option(help="Folder of a run to resume from its last checkpoint.")] = None,
    learner: Annotated[
        str,
        typer.Option(
            help="sb3: MaskablePPO of Stable-Baselines3; fast: the fast learner, which has its own defaults (see "
            f"docs/training.md) and the presets {', '.join(FAST_PRESETS)}."
        ),
    ] = SB3,
    **settings: Any,
) -> None:
    """Train a policy by self-play, save it and evaluate it against the scripted players.

    Writes to runs/NAME: model.zip (played by ppo:runs/NAME), config.json,
    metrics.csv, learning_curve.png, results.json, checkpoint.zip and TensorBoard
    logs.
    """
    given = {key: value for key, value in settings.items() if value is not None}
    if resume is None:
        config = new_settings(learner, preset, given)
    elif given or name is not None or preset != "quick" or learner != SB3:
        text = ", ".join(given) or ("a learner" if learner != SB3 else "a name or preset")
        raise ValueError(f"--resume takes all settings from {resume / 'config.json'}, but {text} was given too")
    else:
        config = load_settings(resume)
    with options.needs("train", "training"):
        from spades_training.learning import train as training
        from spades_training.learning.code import write_code
        from spades_training.learning.fast import ppo
        from spades_training.learning.monitor import TrainingError
    run = training.new_run(config, runs, name) if resume is None else resume
    saved = resume is not None and (run / CHECKPOINT).exists()
    if resume is not None and not saved:
        typer.echo(f"{run} has no checkpoint yet: the run starts from the beginning")
        write_code(config, run)
    try:
        with options.interruptible(lambda: resume_advice(run)):
            if isinstance(config, Settings):
                ppo.train(config, run, resume=saved)
            else:
                training.train(config, run, resume=saved)
    except TrainingError as error:
        options.fail(str(error), code=1)


def new_settings(learner: str, preset: str, given: dict[str, Any]) -> Config | Settings:
    """The settings of a new run.

    Raises:
        ValueError: if the learner or the preset is unknown, or the learner lacks an option.
    """
    if learner not in LEARNERS:
        raise ValueError(f"unknown learner {learner!r}: use one of {', '.join(LEARNERS)}")
    kind, presets = LEARNERS[learner]
    if preset not in presets:
        raise ValueError(f"unknown preset {preset!r}: use one of {', '.join(presets)}")
    for key in given.keys() - {setting.name for setting in dataclasses.fields(kind)}:
        raise ValueError(f"the learner {learner!r} has no option --{key.replace('_', '-')}")
    return kind(**{**presets[preset], **given})


def resume_advice(run: Path) -> str:
    """How to continue an interrupted run."""
    how = "continues from the last checkpoint" if (run / CHECKPOINT).exists() else "starts it again: no checkpoint yet"
    return f"`{shlex.join(['spades', 'train', '--resume', str(run)])}` {how}"


def _with_settings() -> inspect.Signature:
    """The signature of ``train`` with every setting of both learners as an option in place of ``settings``."""
    parameters = list(inspect.signature(train, eval_str=True).parameters.values())[:-1]
    shared = {setting.name for setting in dataclasses.fields(Config)}
    fast_only = [setting for setting in dataclasses.fields(Settings) if setting.name not in shared]
    for setting in (*dataclasses.fields(Config), *fast_only):
        default = setting.default if setting.default != "" else "none"
        learner = "" if setting.name in shared else "--learner fast: "
        text = f"{learner}{setting.metadata['help']} (quick: {default})"
        kind = Annotated[type(setting.default) | None, typer.Option(help=text, show_default=False)]
        parameters.append(
            inspect.Parameter(setting.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
        )
    return inspect.Signature(parameters)


train.__signature__ = _with_settings()  # type: ignore[attr-defined]
