"""Load a trained player and let it play a hand.

Run ``python examples/load_model.py``, or with a model of your own: ``python examples/load_model.py MODEL.zip``.
"""

from __future__ import annotations

import sys

from spades_agents import make_agent

from spades_env import Game, Phase
from spades_env.cards import action_name, hand_text


def play_hand(name: str, rules: str = "two_player", seed: int = 5) -> Game:
    """One hand between the named player and the scripted one, with the player's actions printed."""
    players = [make_agent(name), make_agent("heuristic")]
    game = Game(rules, seed=seed)
    while game.hand_number < 1:
        view = game.view()
        action = players[game.seat].act(view)
        if game.seat == 0 and view.phase == Phase.BID:
            print(f"holds {hand_text(view.hand, symbols=True)}")
        if game.seat == 0 and view.phase >= Phase.BID:
            print(action_name(action), end=" ")
        game.apply(action)
    hand = game.last_hand
    print(f"\nbid {hand['bids'][0]}, won {hand['tricks'][0]}: {hand['points'][0]:+} points")
    return game


if __name__ == "__main__":
    play_hand(f"ppo:{sys.argv[1]}" if len(sys.argv) > 1 else "learned")
