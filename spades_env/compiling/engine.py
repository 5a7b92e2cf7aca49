"""Compiling the engine ahead of time."""

from __future__ import annotations

import numpy as np

from spades_env.engine import single
from spades_env.engine.step import HAND_ENDED
from spades_env.envs.aec import env as aec_env
from spades_env.envs.options import HandEnds
from spades_env.envs.vector import SpadesVectorEnv
from spades_env.episodes import Reward
from spades_env.game import Game
from spades_env.game.log import Start
from spades_env.tables import Tables


def prepare_engine() -> None:
    """Compile all kernels of the engine, or load them: those of every interface and under all rules."""
    _use_tables()
    _use_game()
    _use_environments()


def _use_tables() -> None:
    tables = Tables("partnership", 2, seed=0)
    rows = np.arange(2)
    tables.step(tables.random_actions())
    tables.step_random()
    tables.advance(tables.random_actions(rows), rows)
    tables.reset_rows(rows)
    tables.set_scores(np.zeros((2, 2), np.int64), np.zeros((2, 2), np.int64))


def _use_game() -> None:
    game = Game("two_player", seed=0, decks=[range(52)])
    game.full_observation()
    view = game.view()
    view.observation()
    view.sample(0)
    game.step(game.legal_actions()[0])
    # What happens only at the end of a hand and for worlds drawn after a match.
    HandEnds(game.rules, "match", Reward.SCORE, 100).book(game, HAND_ENDED)
    single.bags_of_hand(game.state, game.rules_array, 0)
    later = Start(game.scores, game.bags, opener=0, hand_number=1)
    Game.from_start(game.rules, game.seed, later, [])


def _use_environments() -> None:
    table = aec_env("two_player")
    table.reset(seed=0)
    table.observe(table.agent_selection)
    many = SpadesVectorEnv(2, "two_player")
    _, info = many.reset(seed=0)
    for _ in range(4):
        *_, info = many.step(info["action_mask"].argmax(-1))
