"""Self-play with MaskablePPO; :func:`train` is the whole run from top to bottom."""

from __future__ import annotations

import io
import json
import shlex
import time
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import torch
from rich.console import Console
from sb3_contrib import MaskablePPO
from spades_agents.base import BatchAgent, check_plays
from spades_agents.policy.learned import PPOAgent
from spades_agents.policy.model_file import read_model
from spades_agents.policy.policy_input import PolicyInput
from spades_agents.policy.shipped import LearnedAgent
from spades_agents.registry import make_agent
from stable_baselines3.common.logger import configure
from stable_baselines3.common.utils import LinearSchedule
from stable_baselines3.common.vec_env import VecEnv

from spades_env.episodes import Reward
from spades_env.files import write_whole
from spades_env.observation import SIZE
from spades_env.rules import Rules
from spades_env.tables import Tables
from spades_training.cluster.spread import Spread
from spades_training.evaluation.evaluate import Result, evaluate
from spades_training.learning.checkpoint import Checkpoint
from spades_training.learning.code import check_code, write_code
from spades_training.learning.config import Config
from spades_training.learning.fast.settings import Settings
from spades_training.learning.imitate import imitate
from spades_training.learning.monitor import Monitor
from spades_training.learning.plots import learning_curve
from spades_training.learning.rollouts import Rollouts
from spades_training.learning.sb3 import OraclePolicy, SpadesVecEnv, UsedBits, policy_network, save_model, set_policy
from spades_training.learning.selfplay import SELF, SNAPSHOT, OpponentMix, SelfPlayEnv
from spades_training.learning.trajectories import EpisodeOptions, LearnerTrajectories
from spades_training.options import parse_rules
from spades_training.terminal import display


def new_run(config: Config | Settings, folder: Path, name: str | None = None, base: str | None = None) -> Path:
    """Create the folder of a new run, with its ``config.json``.

    Args:
        config: the settings.
        folder: the folder that holds the runs.
        name: name of the run; None for ``base``, numbered if it is taken.
        base: a name to number; None for the name of the rules.

    Raises:
        ValueError: if the run already exists, ``name`` is not a valid folder name, the folder cannot be created, or a
            player is unknown or cannot play by these rules.
        OSError: if the settings cannot be written.
    """
    try_players(config)
    if name is not None and (not name or Path(name).name != name):
        raise ValueError(f"name must be the name of a new folder in {folder}, got {name!r}")
    base = name or base or parse_rules(config.rules).name
    run, number = folder / base, 1
    while True:
        try:
            run.mkdir(parents=True)
            break
        except FileExistsError:
            if name is not None or not folder.is_dir():
                raise ValueError(f"{run} exists: choose another name, or continue it with --resume {run}") from None
            number += 1
            run = folder / f"{base}-{number}"
        except OSError as error:
            raise ValueError(f"cannot create the folder {run}: {error.strerror}") from None
    write_whole(run / "config.json", config.to_json())
    write_code(config, run)
    return run


def try_players(config: Config | Settings) -> None:
    """Let every player act once, so that an error appears now and not after hours of training."""
    rules = parse_rules(config.rules)
    table = Tables(rules, 1, 0)
    _teacher(config).act_batch(table, np.arange(1))
    if isinstance(config, Config) and config.start == LearnedAgent.name:
        LearnedAgent().player(rules)
    elif isinstance(config, Config) and config.start:
        read_model(config.start)
    if isinstance(config, Config) and config.hint:
        check_plays(make_agent(config.hint), rules)
    for name in [*config.opponent_weights(), *config.frozen_opponents()]:
        if name not in (SELF, SNAPSHOT):
            make_agent(name).act(table.view(0))


def _teacher(config: Config | Settings) -> BatchAgent:
    agent = make_agent(config.teacher)
    if not isinstance(agent, BatchAgent):
        raise ValueError(f"teacher {config.teacher!r} cannot play batches of tables: it has no act_batch")
    agent.reset(config.seed)
    return agent


def _take_weights(model: MaskablePPO, path: str, rules: Rules) -> None:
    """Start ``model`` from the networks and optimizer of a saved one, or from the policy of the shipped player."""
    try:
        if path == LearnedAgent.name:
            set_policy(model, LearnedAgent().player(rules).network)
        else:
            model.set_parameters(path, device="cpu")
    except (RuntimeError, ValueError) as error:
        raise ValueError(f"cannot start from the model {path}: its networks have another size") from error


def new_model(config: Config, env: VecEnv) -> MaskablePPO:
    """An untrained model for ``env``."""
    return MaskablePPO(
        OraclePolicy,
        env,
        learning_rate=LinearSchedule(config.learning_rate, config.final_learning_rate, 1.0),
        n_steps=config.n_steps,
        batch_size=config.batch_size,
        n_epochs=config.n_epochs,
        gamma=config.gamma,
        gae_lambda=config.gae_lambda,
        clip_range=config.clip_range,
        ent_coef=config.ent_coef,
        vf_coef=config.vf_coef,
        max_grad_norm=config.max_grad_norm,
        policy_kwargs={
            "activation_fn": torch.nn.ReLU,
            "net_arch": config.hidden_layers(),
            "features_extractor_class": UsedBits,
            "features_extractor_kwargs": {
                "rules": parse_rules(config.rules),
                "features": PolicyInput(config.card_features, config.hint).actor_size - SIZE,
                "hint": config.hint,
            },
        },
        seed=config.seed,
        device="cpu",
    )


def train(
    config: Config,
    run: Path,
    resume: bool = False,
    console: Console | None = None,
    on: Executor | None = None,
    after_checkpoint: Callable[[], object] | None = None,
) -> dict[str, Result]:
    """Train a policy by self-play, save it and evaluate it against the frozen opponents.

    Args:
        config: the settings.
        run: the folder of the run (see :func:`new_run`), for ``model.zip``, ``config.json``, ``metrics.csv``,
            ``learning_curve.png``, ``results.json``, ``checkpoint.zip`` and ``tensorboard/``.
        resume: continue from the last checkpoint in ``run``.
        console: where to print.
        on: an executor from :func:`spades_training.cluster.connect`, whose machines rate actions by rollouts. The
            result is the same.
        after_checkpoint: called after each checkpoint; an exception ends the run, which can be resumed.

    Returns:
        The results of the final evaluation, by opponent.

    Raises:
        ValueError: if there is nothing to resume, the code of a player has changed, or an opponent is unknown.
        TrainingError: if the loss or a weight is not finite.
        OSError: if a file cannot be written.
    """
    console = console or Console()
    start = time.perf_counter()
    rules = parse_rules(config.rules)
    checkpoint = Checkpoint.load(run) if resume else None
    if resume:
        check_code(config, run)
    torch.set_num_threads(config.threads)

    batch = config.n_envs * config.n_steps
    text = f"{rules.name}, {config.total_timesteps:,} decisions"
    if config.total_timesteps % batch:
        text += f", rounded up to {config.updates() * batch:,} ({config.updates()} updates of {batch:,})"
    text += f"; if interrupted, run {shlex.join(['spades', 'train', '--resume', str(run)])}"
    console.print(f"{run}: {text}", highlight=False, markup=False, soft_wrap=True)

    # The tables: the learner plays one seat, the mix the others.
    rng = np.random.default_rng(config.seed)
    mix = OpponentMix(config.opponent_weights(), rules, config.snapshots, rng, config.snapshot_sampling)
    reward = (
        Reward.WIN if config.reward == Reward.WIN else Reward.SCORE
    )  # match value replaces the environment's reward
    tables = SelfPlayEnv(config.n_envs, rules, mix, reward=reward, max_hands=config.max_hands)
    options = EpisodeOptions(
        by_hand=config.episode == "hand",
        bag_shaping=config.bag_shaping and reward == Reward.SCORE,
        match_value=config.reward == Reward.MATCH,
        random_scores=config.random_scores,
        duplicate_baseline=config.duplicate_baseline,
    )
    env = LearnerTrajectories(
        SpadesVecEnv(tables),
        options,
        features=config.card_features,
        hint=config.hint,
        oracle=config.oracle_critic,
        rng=rng,
    )

    # The model.
    if checkpoint is None:
        model = new_model(config, env)
        if config.start:
            _take_weights(model, config.start, rules)
    else:
        model = MaskablePPO.load(io.BytesIO(checkpoint.model), env, device="cpu", force_reset=False)
        env.restore(checkpoint.tables)
        checkpoint.restore_mix(mix)
        checkpoint.restore_rng(rng)
        text = f"{config.warm_start:,} imitated, {checkpoint.state['rated']:,} rated, {model.num_timesteps:,} self-play"
        console.print(f"resuming from the checkpoint: {text} decisions", highlight=False, soft_wrap=True)
    rated = checkpoint.state["rated"] if checkpoint else 0
    model.set_logger(configure(str(run / "tensorboard"), ["tensorboard"] if config.tensorboard else []))
    monitor = Monitor(config, run, env, mix, rng, console, checkpoint.state["metrics"] if checkpoint else None)
    monitor.after_checkpoint = after_checkpoint or monitor.after_checkpoint

    # The warm start.
    if checkpoint is None and config.warm_start:
        monitor.measure(model, 0)
        mix.update(policy_network(model))
        with display.progress_bar(f"imitating {config.teacher}") as progress:

            def after_batch(done: int, batches: int) -> None:
                if done < batches:
                    mix.update(policy_network(model))
                progress(done, batches)

            agreement = imitate(model, env, _teacher(config), config.warm_start, after_batch)
        text = f"imitated {config.warm_start:,} decisions of {config.teacher}; agreement in the last batch:"
        console.print(f"{text} {100 * agreement:.1f}%", highlight=False, soft_wrap=True)
        monitor.check_weights(model)
        monitor.checkpoint(model)
    if config.warm_start and not rated and not model.num_timesteps:
        mix.update(policy_network(model))

    # Learning from rollouts.
    if config.rollouts:
        spread = nullcontext() if on is None else Spread(on)
        with display.progress_bar("learning from rollouts") as progress, spread as machines:
            stage = Rollouts(model, env, _teacher(config), config, rng, rated, machines)
            monitor.rated = rated  # so that a run resumed after this stage does not repeat it when it is resumed again
            while not stage.finished:
                mix.update(policy_network(model))
                before = stage.done
                stage.round()
                monitor.after_round(model, stage, before)
                progress(min(stage.done, config.rollouts), config.rollouts)

    # The self-play.
    if config.rollouts and not model.num_timesteps:
        mix.update(policy_network(model))
    remaining = config.total_timesteps - model.num_timesteps
    if remaining > 0:
        with monitor.progress:
            try:
                model.learn(remaining, monitor, reset_num_timesteps=False)
            except ValueError:
                monitor.check_weights(model)  # weights that are not finite give no valid distribution
                raise
    save_model(model, run / "model.zip", rules)
    learning_curve(monitor.metrics["rows"], config.frozen_opponents(), rules, run / "learning_curve.png")

    # The evaluation, with the saved model.
    results = {}
    for opponent in config.frozen_opponents():
        with display.progress_bar(f"playing {opponent}") as progress:
            results[opponent] = evaluate(
                PPOAgent(run / "model.zip"),
                opponent,
                rules,
                matches=config.final_matches,
                seed=config.seed + 1,
                max_hands=config.max_hands,
                progress=progress,
            )
    steps, trained = model.num_timesteps, monitor.metrics["seconds"]
    found = {name: result.to_dict() for name, result in results.items()}
    summary = {"steps": steps, "training_seconds": round(trained, 1), "against": found}
    write_whole(run / "results.json", json.dumps(summary, indent=1))
    title = f"{run}: {steps:,} steps in {trained:.0f} s"
    console.print(display.evaluation_table(results, title))
    seconds = time.perf_counter() - start
    command = shlex.join(["spades", "play", "--against", f"ppo:{run}", "--rules", config.rules])
    console.print(f"{seconds:.0f} s in total. Next: {command}", highlight=False, markup=False, soft_wrap=True)
    return results
