"""One table: Game, with all its cards, and View, what one seat may know of it."""

from spades_env.action_space import IllegalAction
from spades_env.engine.state import Phase
from spades_env.game.game import Game, View

__all__ = ["Game", "IllegalAction", "Phase", "View"]
