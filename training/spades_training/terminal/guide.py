"""What a person is told about the game and the keys."""

from __future__ import annotations

from spades_env.cards import BID_0, card_name
from spades_env.game import Game, Phase, View
from spades_training.terminal.board import Seats, wrapped

HELP = (
    "Type a card as 5H, H5 or 5 of hearts (10 is T or 10); only",
    "its rank if one legal card has it. Other commands:",
    "  ?, hint   a hint, with the key to press",
    "  u, undo   take back your last move",
    "  claim     take all tricks left, if that is certain",
    "  last      the last trick; last 3: three; tricks: all",
    "  score     the score sheet, hand by hand",
    "  stats     your saved matches in this folder",
    "  table     the table again",
    "  auto      switch: make moves without a choice for you",
    "  q, quit   save and quit; --resume FILE continues",
)


def introduction(game: Game, seats: Seats) -> list[str]:
    """The game in a few sentences, for a person at the start of a sitting."""
    rules = game.rules
    if game.log.current.actions or game.hand_number:
        return wrapped("The match continues. Type help for all commands.")
    who = "You play with your partner against two opponents" if rules.partners else "You play for yourself"
    text = (
        f"{who}. {_cards(game)} Each player bids the tricks to take. In a trick everyone plays one card, of the suit "
        "led if possible. The highest card of that suit wins, or the highest spade if there is one; the winner leads. "
    )
    if rules.spades_must_break:
        text += "Nobody may lead spades until one has been played (spades are broken), except from a hand of only "
        text += "spades. "
    text += "A side that takes its bid scores 10 points a trick, else it loses them. "
    text += "Tricks above the bid are bags: a point each"
    if rules.bag_limit:
        text += f", but every {rules.bag_limit} of them cost {rules.bag_penalty} points"
    text += "."
    if rules.nil:
        text += f" A bid of 0, nil, is worth {rules.nil} points if you take no trick, else it loses them."
    text += f" The first at {rules.target} wins" + ("." if rules.loss is None else f", a side at {rules.loss} loses.")
    return wrapped(f"{text} Type help for all commands.")


def _cards(game: Game) -> str:
    if game.rules.draft:
        return "You draw your 13 cards one by one: keep the card you see, or reject it and take the next unseen."
    return f"Everyone has {game.rules.hand_size} cards."


def prompt(view: View, hint: bool = True) -> str:
    """The question for the person on turn, with the keys."""
    return _question(view) + ("   ?:\u00a0hint" if hint else "")


def _question(view: View) -> str:
    rules, legal = view.rules, view.legal_actions()
    if view.phase == Phase.BLIND:
        return f"Look at your cards (l), or bid blind nil (b) for {rules.blind_nil} points?"
    if view.phase == Phase.DRAFT:
        return "Keep it (k), or reject it and take the next card (r)?"
    if view.phase == Phase.EXCHANGE:
        return f"A card to give up, such as 7D, or done (d)? At most {rules.exchange}."
    if view.phase == Phase.BID:
        return f"Your bid, {legal[0] - BID_0} to {legal[-1] - BID_0} (0 is nil)?"
    tens = " (T is a ten)" if any(card % 13 == 8 for card in legal) else ""
    return f"Your card, such as {card_name(legal[-1])}{tens}?"
