"""The command ``spades train``."""

from __future__ import annotations

import dataclasses
import inspect
import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from spades_training import options
from spades_training.cluster.connect import HERE, connect
from spades_training.learning.config import CHECKPOINT, PRESETS, SB3, Config
from spades_training.learning.fast.settings import FAST, FAST_PRESETS, Settings, load_settings
from spades_training.terminal.display import reporter

# The first one that has the preset and the options is the default.
LEARNERS: dict[str, tuple[type[Config | Settings], dict[str, dict[str, Any]]]] = {
    FAST: (Settings, FAST_PRESETS),
    SB3: (Config, PRESETS),
}


def train(
    preset: Annotated[
        str,
        typer.Option(help=f"Settings to start from: {', '.join(FAST_PRESETS)}; sb3 has {', '.join(PRESETS)}."),
    ] = "quick",
    name: Annotated[str | None, typer.Option(help="Name of the run; default: the rules, numbered if taken.")] = None,
    runs: options.RunsOption = Path("runs"),
    seeds: Annotated[
        int, typer.Option(help="Number of runs, with the seeds SEED, SEED + 1, ...; with --on, side by side.", min=1)
    ] = 1,
    on: options.OnOption = HERE,
    resume: Annotated[Path | None, typer.Option(help="Folder of a run to resume from its last checkpoint.")] = None,
    learner: Annotated[
        str | None,
        typer.Option(
            help="fast: PPO of this package; sb3: MaskablePPO of Stable-Baselines3, with options and defaults of its "
            "own (see docs/training.md). By default fast, or sb3 if only sb3 has the preset or an option."
        ),
    ] = None,
    **settings: Any,
) -> None:
    """Train a policy by self-play, save it and evaluate it against the scripted players.

    Writes to runs/NAME: model.zip (played by ppo:runs/NAME), config.json,
    metrics.csv, learning_curve.png, results.json, checkpoint.zip and TensorBoard
    logs. With --seeds, the runs are NAME-0, NAME-1 and so on, and the same
    command continues those that were interrupted. With --on, one run stays on
    this machine and its rollouts are rated on the others.
    """
    given = {key: value for key, value in settings.items() if value is not None}
    if resume is None:
        config = new_settings(learner, preset, given)
    elif given or name is not None or preset != "quick" or learner is not None or seeds > 1:
        text = ", ".join(given) or ("a learner" if learner is not None else "a name, preset or number of seeds")
        raise ValueError(f"--resume takes all settings from {resume / 'config.json'}, but {text} was given too")
    else:
        config = load_settings(resume)
    with options.needs("train", "training"):
        from spades_training.learning import train as training
        from spades_training.learning.code import write_code
        from spades_training.learning.fast import ppo
        from spades_training.learning.monitor import TrainingError
    if seeds > 1:
        _train_seeds(config, runs, name, seeds, on)
        return
    if on != HERE and not (isinstance(config, Config) and config.rollouts):
        raise ValueError("--on needs --seeds, or a run that learns from rollouts, such as --preset match --learner sb3")
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
                with connect(on, reporter()) as cluster:
                    training.train(config, run, resume=saved, on=cluster)
    except TrainingError as error:
        options.fail(str(error), code=1)


def _train_seeds(config: Config | Settings, folder: Path, name: str | None, seeds: int, on: str) -> None:
    """Train runs that differ only in their seed."""
    from spades_training.cluster.side_by_side import train_side_by_side
    from spades_training.learning.train import try_players

    try_players(config)
    base = name or options.parse_rules(config.rules).name
    configs = [dataclasses.replace(config, seed=config.seed + k) for k in range(seeds)]
    report = reporter()
    with options.interruptible("run the same command again to continue"), connect(on, report) as cluster:
        for run in train_side_by_side({folder / f"{base}-{one.seed}": one for one in configs}, on=cluster):
            report(f"{run} is complete: see {run / 'results.json'}, or spades tournament {folder / base}-*")


def new_settings(learner: str | None, preset: str, given: dict[str, Any]) -> Config | Settings:
    """The settings of a new run; without a learner, the first one that has the preset and the options.

    Raises:
        ValueError: if the learner or the preset is unknown, or the learner lacks an option.
    """
    if learner is None:
        if all(preset not in presets for _, presets in LEARNERS.values()):
            raise ValueError(f"unknown preset {preset!r}: use one of {', '.join({**FAST_PRESETS, **PRESETS})}")
        having = [name for name, (_, presets) in LEARNERS.items() if preset in presets]
        learner = next((name for name in having if given.keys() <= _names(LEARNERS[name][0])), having[0])
    if learner not in LEARNERS:
        raise ValueError(f"unknown learner {learner!r}: use one of {', '.join(LEARNERS)}")
    kind, presets = LEARNERS[learner]
    if preset not in presets:
        raise ValueError(f"unknown preset {preset!r}: use one of {', '.join(presets)}")
    for key in given.keys() - _names(kind):
        raise ValueError(f"the learner {learner!r} has no option --{key.replace('_', '-')}")
    return kind(**{**presets[preset], **given})


def _names(kind: type[Config | Settings]) -> set[str]:
    return {setting.name for setting in dataclasses.fields(kind)}


def resume_advice(run: Path) -> str:
    """How to continue an interrupted run."""
    how = "continues from the last checkpoint" if (run / CHECKPOINT).exists() else "starts it again: no checkpoint yet"
    return f"`{shlex.join(['spades', 'train', '--resume', str(run)])}` {how}"


def _with_settings() -> inspect.Signature:
    """The signature of ``train`` with every setting of both learners as an option in place of ``settings``."""
    parameters = list(inspect.signature(train, eval_str=True).parameters.values())[:-1]
    of_fast, of_sb3 = _names(Settings), _names(Config)
    sb3_only = [setting for setting in dataclasses.fields(Config) if setting.name not in of_fast]
    for setting in (*dataclasses.fields(Settings), *sb3_only):
        default = setting.default if setting.default != "" else "none"
        learner = "" if setting.name in of_fast & of_sb3 else f"{FAST if setting.name in of_fast else SB3} only: "
        text = f"{learner}{setting.metadata['help']} (quick: {default})"
        kind = Annotated[type(setting.default) | None, typer.Option(help=text, show_default=False)]
        parameters.append(
            inspect.Parameter(setting.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
        )
    return inspect.Signature(parameters)


train.__signature__ = _with_settings()  # type: ignore[attr-defined]
