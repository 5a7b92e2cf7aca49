"""Rate every legal action of a position with the search player.

Run ``python examples/rate_position.py``.
"""

from __future__ import annotations

import numpy as np
from spades_agents import make_agent

from spades_env import Phase, Tables
from spades_env.cards import action_name, hand_text


def rate(rules: str = "two_player", worlds: int = 100, seed: int = 7) -> dict[str, float]:
    """The chance of winning the match after every action of the first play of a hand, by name.

    Args:
        rules: a preset's name.
        worlds: number of determinizations.
        seed: seed of the deck.
    """
    tables, script = Tables(rules, 1, seed=seed), make_agent("heuristic")
    row = np.zeros(1, np.int64)
    while tables.view(0).phase != Phase.PLAY:
        tables.step(script.act_batch(tables, row))
    view = tables.view(0)
    print(f"seat {view.seat} leads from {hand_text(view.hand, symbols=True)}; bids {view.bids}")
    _, means = make_agent(f"pimc:worlds={worlds}").rate_batch(tables, row)
    rated = np.flatnonzero(~np.isnan(means[0]))
    return {action_name(action): float(means[0, action]) for action in rated[np.argsort(-means[0, rated])]}


if __name__ == "__main__":
    for name, chance in rate().items():
        print(f"{name}: {chance:.1%} to win the match")
