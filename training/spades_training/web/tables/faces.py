"""Cards as HTML: a sheet of all faces, which every page has, and references to it."""

from __future__ import annotations

from functools import lru_cache

from spades_env.cards import NUM_CARDS, card_name
from spades_env.picture.card import back, face
from spades_env.picture.panel import card_words
from spades_env.picture.svg import markup

_SIZE = (64.0, 90.0)


@lru_cache
def sheet() -> str:
    """All faces and the back as SVG symbols; the same for every page, so it tells nothing about a game."""
    faces = {f"card-{card_name(card)}": face(card, 1, 1, *_SIZE) for card in range(NUM_CARDS)}
    faces["card-back"] = back(1, 1, *_SIZE)
    symbols = (f'<symbol id="{name}" viewBox="0 0 66 92">{markup(shapes)}</symbol>' for name, shapes in faces.items())
    return (
        '<svg width="0" height="0" style="position:absolute" aria-hidden="true" '
        f'font-family="Helvetica, Arial, sans-serif">{"".join(symbols)}</svg>'
    )


def card_svg(card: int | None, label: bool = True, classes: str = "") -> str:
    """A card as an SVG element that refers to the sheet; None is a card back.

    Args:
        card: the card.
        label: whether screen readers read the card; otherwise what surrounds it names it.
        classes: further CSS classes.
    """
    name = "back" if card is None else card_name(card)
    words = "a card face down" if card is None else card_words(card)
    spoken = f'role="img" aria-label="{words}"' if label else 'aria-hidden="true"'
    return f'<svg class="card {classes}" viewBox="0 0 66 92" {spoken}><use href="#card-{name}"/></svg>'
