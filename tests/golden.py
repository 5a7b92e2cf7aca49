"""Golden playthroughs: hands of every preset as text, decision by decision; a change of behaviour shows as a diff.

``python tests/golden.py --write`` writes ``tests/golden/<preset>.txt`` anew, from the root of the repository.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np

from spades_env.cards import BID_0, BLIND_NIL, DONE, LOOK, action_name, card_name
from spades_env.game import Game, Phase
from spades_env.observation import describe
from spades_env.rules import PRESETS
from spades_env.tables import Tables

FOLDER = Path(__file__).parent / "golden"
HANDS = 2
# Chosen so that two hands, nil and blind nil come up, and exchanges with and without DONE.
SEEDS = {"two_player": 22, "partnership": 9, "solo": 37, "cutthroat": 48, "two_player_dealt": 4}


def choose(rng: Random, game: Game) -> int:
    """Any card; bids about a fair share, sometimes nil or blind nil. Only ``random()``, which no Python changes."""
    legal, dice = game.legal_actions(), rng.random()
    if game.phase == Phase.BLIND:
        return BLIND_NIL if dice < 0.25 else LOOK
    if game.phase == Phase.BID:
        return BID_0 + int(dice * 2 * game.rules.hand_size / game.rules.players)
    if game.phase == Phase.EXCHANGE and dice < 0.2:
        return DONE
    return legal[int(rng.random() * len(legal))]


def playthrough(preset: str) -> Iterator[str]:
    """The lines of a preset's file."""
    game, rng = Game(preset, seed=SEEDS[preset]), Random(SEEDS[preset])
    table = Tables(preset, 1, seed=0)
    yield f"# {preset}, seed {SEEDS[preset]}. Written by: python tests/golden.py --write"
    yield " ".join(f"{name}={value}" for name, value in game.rules.to_dict().items())
    shown = -1
    while not game.is_over and game.hand_number < HANDS:
        if shown != game.hand_number:
            shown = game.hand_number
            deck = game.state["deck"][0, : len(game.rules.deck)].tolist()
            yield f"\n# hand {shown + 1}, opener {game.opener}, deck {' '.join(map(card_name, deck))}"
        table.states[:] = game.state
        table.observe()
        assert np.flatnonzero(table.action_mask[0]).tolist() == game.legal_actions()
        action = choose(rng, game)
        yield f"\nseat {game.seat} {game.phase.name.lower()}"
        yield from (f"  {line}" for line in describe(table.observation[0]).splitlines())
        yield f"  legal: {' '.join(map(action_name, game.legal_actions()))}"
        yield f"  action: {action_name(action)}"
        game.apply(action)
        if game.hand_number != shown:
            yield f"\n# hand {shown + 1} is over: {game.last_hand}, scores {game.scores}, bags {game.bags}"


def text_of(preset: str) -> str:
    return "\n".join(playthrough(preset)) + "\n"


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: python tests/golden.py --write")
    for preset in PRESETS:
        (FOLDER / f"{preset}.txt").write_text(text_of(preset), encoding="utf-8")
