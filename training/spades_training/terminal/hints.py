"""Hints for a person: the ratings of a player that searches, or another player's choice."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from spades_agents.base import Agent
from spades_agents.heuristic import HeuristicAgent
from spades_agents.registry import make_agent

from spades_env.cards import BID_0, BLIND_NIL, DONE, KEEP, LOOK, NUM_ACTIONS, NUM_CARDS, REJECT
from spades_env.game import Game, Phase, View
from spades_env.picture.ansi import card_text
from spades_training.terminal.board import wrapped
from spades_training.terminal.moves import key_of
from spades_training.terminal.reasons import scripted_reason

_NAMES = {BID_0: "nil", BLIND_NIL: "blind nil", LOOK: "look", KEEP: "keep", REJECT: "reject", DONE: "done"}
_MOST_MISTAKES = 3
_LEAST_LOSS = 0.005  # smaller losses are noise of the sampled worlds


@dataclass(frozen=True)
class Mistake:
    """A decision for which the hinter rates another action higher.

    Attributes:
        view: the person's view at the decision.
        action: what the person did.
        best: the action with the highest rating.
        ratings: float64[75], NaN for actions that were not rated.
    """

    view: View
    action: int
    best: int
    ratings: np.ndarray

    @property
    def loss(self) -> float:
        """By how much the rating of ``best`` is higher."""
        return float(self.ratings[self.best] - self.ratings[self.action])


class Hints:
    """Advice of one player.

    Args:
        spec: the player's name, as :func:`spades_agents.registry.make_agent` takes it.

    Attributes:
        rates: whether the player can rate actions.
    """

    def __init__(self, spec: str) -> None:
        self.agent: Agent = make_agent(spec)
        self.name = spec
        self.rates = hasattr(self.agent, "rate_batch")
        # Such a player rates points, not chances.
        self._points = "match_value=false" in spec.replace(" ", "").lower()

    def text(self, view: View) -> list[str]:
        """A hint for the observer of ``view``, who is on turn, with the key to press."""
        if isinstance(self.agent, HeuristicAgent):
            action, reason = scripted_reason(view)
            return wrapped(f"The scripted player would choose {action_words(action)}: type {key_of(action)}. {reason}")
        if self.rates:
            action, ratings = self.rate(view)
            if not np.isnan(ratings).all():
                return self._table(view, action, ratings)
        else:
            action = int(self.agent.act(view))
        return wrapped(f"{self.name} would choose {action_words(action)}: type {key_of(action)}.")

    def rate(self, view: View) -> tuple[int, np.ndarray]:
        """The hinter's action, and its ratings of all actions, float64[75]; NaN for illegal ones."""
        return int(self.agent.act(view)), self.ratings(view)

    def ratings(self, view: View) -> np.ndarray:
        """The hinter's ratings of all actions, chances or hundreds of points: float64[75], NaN for illegal actions."""
        found = np.full(NUM_ACTIONS, np.nan)
        for action, rating in self.agent.rate(view).items():  # pyright: ignore[reportAttributeAccessIssue]
            found[action] = 0.01 * rating.value if self._points else rating.value
        return found

    def mistakes(self, game: Game, me: int, hand: int) -> list[Mistake]:
        """The person's decisions in a hand that gave away most, the worst first.

        Args:
            game: the match.
            me: the person's seat.
            hand: the number of the hand, counted from 0 in the match.
        """
        found = []
        for position, action in game.record().positions():
            if action is None or position.hand_number != hand or position.seat != me:
                continue
            view = position.view()
            if len(view.legal_actions()) == 1:
                continue
            ratings = self.ratings(view)
            if np.isnan(ratings[action]):
                continue
            mistake = Mistake(view, action, int(np.nanargmax(ratings)), ratings)
            if mistake.loss >= _LEAST_LOSS:
                found.append(mistake)
        return sorted(found, key=lambda mistake: -mistake.loss)[:_MOST_MISTAKES]

    def mistakes_text(self, game: Game, me: int, hand: int) -> list[str]:
        """The result of :meth:`mistakes` in words."""
        found = self.mistakes(game, me, hand)
        if not found:
            return wrapped(f"By the ratings of {self.name} you gave nothing away in this hand.")
        what = "points" if self._points else "chance to win the match"
        lines = wrapped(f"Where you gave away most in this hand, by the {what} that {self.name} sees after a move:")
        for mistake in found:
            chosen, best = (
                f"{action_words(a)} ({self.value(mistake.ratings[a])})" for a in (mistake.action, mistake.best)
            )
            lines += wrapped(f"  {moment(mistake.view)}: {chosen}; better {best}", "    ")
        return lines

    def value(self, rating: float) -> str:
        """A rating in words: the chance to win, or points."""
        return f"{100 * rating:+.0f} points" if self._points else f"{rating:.1%}"

    def _table(self, view: View, action: int, ratings: np.ndarray) -> list[str]:
        what = "points gained on the others" if self._points else "chance to win the match"
        lines = wrapped(f"{self.name} rates your moves by the {what}:")
        rated = [int(a) for a in np.argsort(-ratings, kind="stable") if not np.isnan(ratings[a])]
        for other in rated:
            mark = f"  <- best: type {key_of(other)}" if other == action else ""
            lines.append(f"  {action_words(other):<10}{self.value(ratings[other]):>12}{mark}")
        left = [action_words(a) for a in view.legal_actions() if np.isnan(ratings[a])]
        return lines + (wrapped(f"  not rated: {', '.join(left)}", "  ") if left else [])


def moment(view: View) -> str:
    """When a decision was made: ``trick 3``, ``bid``."""
    if view.phase != Phase.PLAY:
        return view.phase.name.lower()
    return f"trick {len(view.played) // view.rules.players + 1}"


def action_words(action: int) -> str:
    """An action in words: ``A♠``, ``4``, ``nil``, ``keep``."""
    if action < NUM_CARDS:
        return card_text(action)
    return _NAMES.get(action, str(action - BID_0))
