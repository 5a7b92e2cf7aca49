"""What the notebooks share: text and tables as output, means with intervals, and modified players."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from spades_agents.base import Agent, BatchAgent, TableArrays, check_plays
from spades_agents.registry import make_agent

from spades_env.game import View
from spades_env.rules import Rules
from spades_training.bidding.hands import play_hands
from spades_training.evaluation.intervals import Estimate, proportion, ratio

# SPADES_NOTEBOOKS=full in the environment makes the notebooks run longer, with narrower intervals.
FULL = os.environ.get("SPADES_NOTEBOOKS") == "full"


def say(text: str) -> None:
    """Show Markdown as the output of the cell."""
    from IPython.display import Markdown, display

    display(Markdown(text))


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Show a table; an :class:`Estimate` is shown with its interval."""
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    for row in rows:
        cells = (cell.text(digits=2) if isinstance(cell, Estimate) else str(cell) for cell in row)
        lines.append("| " + " | ".join(cells) + " |")
    say("\n".join(lines))


def mean(values: np.ndarray) -> Estimate:
    """The mean of independent values with its 95% interval (Student's t)."""
    values = np.asarray(values, float)
    return ratio(values, np.ones(len(values)))


def root_mean_square(values: np.ndarray) -> Estimate:
    """The root mean square of independent values; its interval is that of the mean square, with square roots taken."""
    found = mean(np.square(np.asarray(values, float)))
    if found.value is None or found.low is None or found.high is None:
        return found
    return Estimate(math.sqrt(found.value), math.sqrt(max(found.low, 0)), math.sqrt(found.high))


def profile(rules: Rules, agent: str | Agent, opponent: str | Agent, seed: int, deals: int) -> dict[str, Estimate]:
    """Statistics of a player at seat 0 of a game without partners, over single hands from random scores.

    Returns:
        The means of ``bid`` and ``tricks``; ``made``, the share of its bids above 0 that it made; ``bags`` per hand.
    """
    hands = play_hands(rules, [agent, *[opponent] * (rules.players - 1)], seed, 0, deals)
    bids, tricks = hands.states["bids"][:, 0].astype(int), hands.tricks[:, 0]
    number = bids > 0
    return {
        "bid": mean(bids),
        "tricks": mean(tricks),
        "made": proportion((number & (tricks >= bids)) * 1.0, number * 1.0),
        "bags": mean(np.where(number, np.maximum(tricks - bids, 0), 0)),
    }


def difference_bars(axes: Any, places: Sequence[float], found: Sequence[Estimate], **style: Any) -> None:
    """Draw estimates as points with intervals; estimates without an interval are left out.

    Args:
        axes: axes of matplotlib.
        places: positions on the x axis.
        found: the estimates.
        **style: passed to ``axes.errorbar``.
    """
    kept = [(x, one.value, one.low, one.high) for x, one in zip(places, found, strict=True) if one.low is not None]
    x, y, low, high = np.array(kept, float).reshape(-1, 4).T
    axes.errorbar(x, y, (y - low, high - y), fmt=style.pop("fmt", "o-"), capsize=3, **style)


class Variation:
    """A player with some of its decisions changed, for experiments on the same deals.

    Args:
        base: the player, which must have ``act_batch``.
        change: called with (states, actions) at each decision: states of dtype :data:`spades_env.engine.state.STATE`,
            which hold all cards, and the player's actions, which it changes in place.
        name: name of the variation.
    """

    def __init__(self, base: Agent | str, change: Callable[[np.ndarray, np.ndarray], None], name: str = "variation"):
        made = make_agent(base)
        if not isinstance(made, BatchAgent):
            raise ValueError(f"base must have act_batch, got {made.name}")
        self.base, self.change, self.name = made, change, name

    def reset(self, seed: int | None = None) -> None:
        """Reset the player."""
        self.base.reset(seed)

    def check_rules(self, rules: Rules) -> None:
        """Raise ``ValueError`` if the player cannot play these rules."""
        check_plays(self.base, rules)

    def act(self, view: View) -> int:
        """Choose the action at one table."""
        actions = np.array([self.base.act(view)])
        self.change(view.state, actions)
        return int(actions[0])

    def act_batch(self, tables: TableArrays, rows: Any) -> np.ndarray:
        """Choose the actions at the tables ``rows``."""
        actions = self.base.act_batch(tables, rows)
        self.change(tables.states[rows], actions)
        return actions
