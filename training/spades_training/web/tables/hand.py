"""The lower half of a seat's page as HTML: its question, its cards and its choices."""

from __future__ import annotations

from html import escape

from spades_env.cards import BID_0, BLIND_NIL, DONE, KEEP, LOOK, NUM_CARDS, REJECT, CardSet, in_display_order
from spades_env.game import Phase, View
from spades_env.picture.panel import card_words
from spades_training.terminal.guide import prompt
from spades_training.terminal.moves import why_not
from spades_training.web.tables.faces import card_svg


def hand_html(view: View, moves: int) -> str:
    """The observer's question, cards and choices.

    Args:
        view: what the seat may know.
        moves: the number of actions so far, which a click sends back.
    """
    mine = view.seat == view.observer and not view.is_over
    return (
        f'<div class="question">{_question(view, mine)}</div>{_choices(view, moves) if mine else ""}'
        f"{_cards(view, moves, mine)}{_seen(view)}"
    )


def _question(view: View, mine: bool) -> str:
    if view.is_over:
        return "The match is over."
    if mine:
        return f'<b class="your-turn">Your turn.</b> {escape(prompt(view, hint=False))}'
    return "The others are thinking …"


def _choices(view: View, moves: int) -> str:
    """Buttons for everything that is not a card."""
    rules = view.rules
    words = {
        BLIND_NIL: f"Bid blind nil (±{rules.blind_nil})",
        LOOK: "Look at your cards",
        KEEP: "Keep",
        REJECT: "Reject",
        DONE: "Done",
    }
    buttons = []
    for action in view.legal_actions():
        if action < NUM_CARDS:
            continue
        text = words.get(action) or ("Nil" if action == BID_0 else str(action - BID_0))
        label = f' aria-label="Bid {text.lower()}"' if action < BLIND_NIL else ""
        main = " main" if action in (LOOK, KEEP) else ""
        buttons.append(f'<button class="choice{main}" data-do="{action}" data-move="{moves}"{label}>{text}</button>')
    return f'<div class="choices" role="group" aria-label="Your choices">{"".join(buttons)}</div>' if buttons else ""


def _cards(view: View, moves: int, mine: bool) -> str:
    if view.is_over:
        return ""
    if view.blind[view.observer] is None and not view.hand:
        count = 0 if view.rules.draft else view.rules.hand_size
        backs = "".join(card_svg(None, label=False) for _ in range(count))
        return f'<div class="hand" role="img" aria-label="{count} cards face down">{backs}</div>' if count else ""
    legal = set(view.legal_actions())
    playing = mine and view.phase in (Phase.PLAY, Phase.EXCHANGE)
    buttons = []
    for card in in_display_order(view.hand):
        words = card_words(card)
        if not playing:
            buttons.append(f'<span class="in-hand">{card_svg(card)}</span>')
            continue
        why = "" if card in legal else (why_not(view, card) or "not possible")
        off = f' aria-disabled="true" title="{escape(why)}"' if why else ""
        label = f"{words}, {why}" if why else words
        buttons.append(
            f'<button class="in-hand" data-do="{card}" data-move="{moves}" aria-label="{escape(label)}"{off}>'
            f"{card_svg(card, label=False)}</button>"
        )
    kind = "hand playing" if playing else "hand"
    return f'<div class="{kind}" role="group" aria-label="Your cards">{"".join(buttons)}</div>'


def _seen(view: View) -> str:
    """Cards that the observer knows to be out of play."""
    groups = {"Discards you saw": view.discards_seen, "You gave up": view.given, "You received": view.received}
    parts = [
        f'<div class="seen"><span>{title}</span>{"".join(card_svg(card) for card in in_display_order(cards))}</div>'
        for title, cards in groups.items()
        if isinstance(cards, CardSet) and cards
    ]
    return "".join(parts)
