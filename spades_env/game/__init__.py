"""One table: Game with all its cards, and View, what one seat may know of it."""

from spades_env.game.game import Game, IllegalAction, Phase, View

__all__ = ["Game", "IllegalAction", "Phase", "View"]
