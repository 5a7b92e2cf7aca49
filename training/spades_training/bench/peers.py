"""Games of other libraries under the same loops, each with its own legal actions."""

from __future__ import annotations

import importlib
import random
import re
import shlex
import subprocess
import warnings
from collections.abc import Sequence
from typing import Any

from spades_training.bench.loops import DECISIONS, aec_loop, sample
from spades_training.bench.measure import Case, Sampler, timed
from spades_training.bench.nothing import NothingAEC, wrapped_nothing

YARDSTICK = "yardstick"
_TIMEOUT = 120  # seconds for a run of the yardstick

_rng = random.Random(0)
_random, _shuffle = _rng.random, _rng.shuffle


def references() -> list[Case]:
    """Cases that always run, to measure the cost of the interfaces."""
    game = "connect four (PettingZoo)"
    return [
        Case("nothing/env", "empty AEC environment, wrapped", _wrapped),
        Case("nothing/raw_env", "empty AEC environment, raw", lambda: timed(aec_loop(NothingAEC()))),
        Case("connect_four/env", f"{game}, env()", lambda: _aec("connect_four", "env")),
        Case("connect_four/raw_env", f"{game}, raw_env()", lambda: _aec("connect_four", "raw_env")),
        Case(
            "connect_four/env/sample",
            f"{game}, env(), actions from space.sample()",
            lambda: _aec("connect_four", "env", sample),
        ),
    ]


def peers() -> list[Case]:
    """The cases that ``--peers`` adds."""
    names = ("leduc-holdem", "bridge", "gin-rummy")
    return [
        Case("openspiel/legal", "OpenSpiel spades: legal actions", lambda: _open_spiel(False)),
        Case("openspiel/observed", "OpenSpiel spades: legal actions, observation, mask", lambda: _open_spiel(True)),
        Case("tictactoe/env", "tic-tac-toe (PettingZoo), env()", lambda: _aec("tictactoe", "env")),
        *(Case(f"rlcard/{name}", f"RLCard {name}", lambda name=name: _rlcard(name)) for name in names),
    ]


def yardstick(command: str) -> Case:
    """The case of a command that prints ``<number> steps/s``.

    Raises:
        ValueError: if ``command`` is empty or malformed; later, if it cannot be started, fails or prints no rate.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ValueError(f"--yardstick {command}: {error}") from None
    if not words:
        raise ValueError("--yardstick must be a command that prints '<number> steps/s', got nothing")

    def sample(_seconds: float) -> float:
        try:
            done = subprocess.run(words, capture_output=True, text=True, timeout=_TIMEOUT)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ValueError(f"--yardstick {command}: {error}") from None
        found = re.search(r"(\d[\d.]*(?:e[+-]?\d+)?)\s*steps/s", done.stdout, re.IGNORECASE)
        if done.returncode or not found or not float(found[1]):
            why = f"it exited with code {done.returncode}" if done.returncode else "it printed no '<number> steps/s'"
            raise ValueError(f"--yardstick {command}: {why}")
        return float(found[1])

    return Case(YARDSTICK, f"yardstick: {command}", lambda: sample, "steps")


def _one_of(actions: Sequence[Any]) -> Any:
    return actions[int(_random() * len(actions))]


def _wrapped() -> Sampler:
    return timed(aec_loop(wrapped_nothing()))


def _aec(game: str, kind: str, *choose: Any) -> Sampler:
    # PettingZoo 1.27 deprecates these modules, but not all of them are in its registry.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = importlib.import_module(f"pettingzoo.classic.{game}.{game}")
        return timed(aec_loop(getattr(module, kind)(), *choose))


def _open_spiel(observed: bool) -> Sampler:
    pyspiel: Any = importlib.import_module("pyspiel")
    game = pyspiel.load_game("spades")
    # The fastest way: the tensor is written to a NumPy array that is reused.
    observation = importlib.import_module("open_spiel.python.observation").make_observation(game)
    deck = list(range(52))

    def loop() -> int:
        made = 0
        while made < DECISIONS:
            state = game.new_initial_state()
            _shuffle(deck)
            for card in deck:  # 52 chance nodes, each uniform over the remaining cards
                state.apply_action(card)
            while not state.is_terminal():
                if observed:
                    observation.set_from(state, state.current_player())
                    state.legal_actions_mask()
                state.apply_action(_one_of(state.legal_actions()))
                made += 1
        return made

    return timed(loop)


def _rlcard(name: str) -> Sampler:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rlcard: Any = importlib.import_module("rlcard")
        env = rlcard.make(name)

    def loop() -> int:
        made = 0
        while made < DECISIONS:
            state, _player = env.reset()
            while not env.is_over():
                state, _player = env.step(_one_of(list(state["legal_actions"])))
                made += 1
        return made

    return timed(loop)
