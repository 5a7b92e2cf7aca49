"""What a person is told of a move, and which move it can take back; for every kind of table."""

from __future__ import annotations

from spades_env.cards import KEEP, REJECT, trick_winner
from spades_env.game import Game, Phase, View
from spades_training.terminal.board import Seats, action_text, draw_text, hand_cards


def move_told(before: View, after: View, seats: Seats, action: int) -> str:
    """A move in a sentence, as far as the observer of both views may know it.

    Args:
        before: the view before the move.
        after: the view of the same seat after it.
        seats: how the observer names the seats.
        action: the move of the seat that was on turn before.
    """
    if before.seat == before.observer and action in (KEEP, REJECT):
        return draw_text(before, after, action)
    return action_text(before, seats, action)


def consequences_told(before: View, after: View, seats: Seats, action: int) -> list[str]:
    """What follows from a move: the cards that the observer receives, and who wins a trick that it completes."""
    lines = []
    received = after.received & ~before.received
    if received:
        lines.append(f"You receive {hand_cards(received)}.")
    if before.phase == Phase.PLAY and len(before.trick) == before.rules.players - 1:
        winner = trick_winner([*before.trick, (before.seat, action)])
        lines.append(f"{seats.does(winner, 'win')} the trick.")
    return lines


def before_last_choice(game: Game, seat: int) -> Game | None:
    """The game before the last decision of a seat that was a choice; None if there was none."""
    earlier = None
    for position, action in game.record().positions():
        if action is not None and position.seat == seat and len(position.legal_actions()) > 1:
            earlier = position.clone()
    return earlier
