"""Rate every legal action of a position with the search player.

Run ``python examples/rate_position.py``.
"""

from __future__ import annotations

from spades_agents import Rating, make_agent

from spades_env import Game, Phase
from spades_env.cards import action_name, hand_text


def rate(rules: str = "two_player", worlds: int = 100, seed: int = 7) -> dict[str, Rating]:
    """The ratings of every action of the first play of a hand, by name, the best first.

    Args:
        rules: a preset's name.
        worlds: number of determinizations.
        seed: seed of the deck.
    """
    game, script = Game(rules, seed=seed), make_agent("heuristic")
    while game.phase != Phase.PLAY:
        game.apply(script.act(game.view()))
    view = game.view()
    print(f"seat {view.seat} leads from {hand_text(view.hand, symbols=True)}; bids {view.bids}")
    ratings = make_agent(f"pimc:worlds={worlds}").rate(view)
    best_first = sorted(ratings, key=lambda action: -ratings[action].value)
    return {action_name(action): ratings[action] for action in best_first}


if __name__ == "__main__":
    for name, rating in rate().items():
        print(f"{name}: {rating.value:.1%} ± {rating.error:.1%} to win the match")
