"""The example that seats players at OpenSpiel's table: whole games, in which each sees what a `Game` would show it."""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path
from random import Random

import pytest

from spades_env.cards import BID_0, SPADES, suit_of
from spades_env.game import Game

pyspiel = pytest.importorskip("pyspiel", reason="open-spiel has none for Python 3.10")

PATH = Path(__file__).parents[1] / "examples" / "openspiel_bot.py"


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("openspiel_bot", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_adapter_is_short():
    classes = [node for node in ast.parse(PATH.read_text()).body if isinstance(node, ast.ClassDef)]
    assert [node.name for node in classes] == ["SpadesBot"]
    assert classes[0].end_lineno - classes[0].lineno < 40


@pytest.mark.parametrize("names, hands", [(["heuristic"] * 4, 60), (["pimc:worlds=4", "heuristic"] * 2, 3)])
def test_whole_games(example, names, hands, report):
    """Every action is legal there and the player's own except where OpenSpiel's rules differ as the example says."""
    rng = Random(1)
    decisions = spade_leads = 0
    for _ in range(hands):
        scores = [rng.randrange(0, 400) for _ in range(2)]
        deck = rng.sample(range(52), 52)
        state = pyspiel.load_game("spades").new_initial_state()
        state.set_current_scores(scores)
        for card in deck:
            state.apply_action(card)
        game = Game(example.RULES, decks=[deck], scores=scores, bags=[score % 10 for score in scores])
        bots = [example.SpadesBot(seat, name) for seat, name in enumerate(names)]
        while not state.is_terminal():
            seat = state.current_player()
            assert bots[seat].view(state) == game.view()
            wanted, action = bots[seat].agent.act(game.view()), bots[seat].step(state)
            assert action in state.legal_actions()
            if action != wanted and wanted < BID_0:
                assert suit_of(wanted) == SPADES
                assert not game.trick
                assert game.spades_broken
                spade_leads += 1
            elif action != wanted:
                assert action - BID_0 == 13 - game.bids[(seat + 2) % 4]
            state.apply_action(action)
            game.apply(action)
            decisions += 1
    assert decisions == 56 * hands
    report(f"{decisions:,} decisions of {names[0]} and {names[1]} in OpenSpiel, {spade_leads} spade leads replaced")


def test_evaluate_bots_plays_them(example):
    scores = example.play(2, seed=3)
    assert len(scores) == 2
    assert scores != [0, 0]
