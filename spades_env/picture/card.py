"""Cards as shapes: faces, backs, fans of them, and a set of cards as a small table by suit."""

from __future__ import annotations

from spades_env.cards import CLUBS, DIAMONDS, HEARTS, RANKS, SPADES, cards_in, rank_of, suit_of
from spades_env.picture.shapes import SUIT_COLOURS, Box, Label, Shape, suit

__all__ = ["back", "face", "fan", "rank_text", "sorted_hand", "suit_rows"]

# Black and red suits by turns, as people hold them.
_ORDER = (SPADES, HEARTS, CLUBS, DIAMONDS)
_EDGE, _DIM, _MARK = "#5b6470", "#c3c9d1", "#ffb000"


def rank_text(card: int) -> str:
    """The rank as cards show it: ``A``, ``10``."""
    return RANKS[rank_of(card)].replace("T", "10")


def sorted_hand(mask: int) -> list[int]:
    """The cards of a set as people sort them: by suit, high cards first."""
    held = cards_in(mask)
    return sorted(held, key=lambda card: (_ORDER.index(suit_of(card)), -rank_of(card)))


def face(
    card: int, x: float, y: float, width: float, height: float, dim: bool = False, mark: bool = False, flat: bool = True
) -> list[Shape]:
    """A card seen from the front.

    Args:
        card: the card.
        x: left edge.
        y: top edge.
        width: of the card, from which the size of everything on it follows.
        height: of the card.
        dim: greyed out.
        mark: with a thick edge.
        flat: rank and suit below each other, so that a narrow strip on the left tells the card; else beside each
            other, so that a low strip at the top does.
    """
    size = 0.4 * width
    colour = SUIT_COLOURS[suit_of(card)]
    edge, thick = (_MARK, 3) if mark else (_EDGE, 1)
    shapes: list[Shape] = [Box(x, y, width, height, _DIM if dim else "#ffffff", 5, edge, thick)]
    rank = rank_text(card)
    index = size if len(rank) == 1 else 0.85 * size  # there are fonts with a wide 10
    shapes.append(Label(x + 0.24 * width, y + 0.9 * size, rank, index, colour, "middle", bold=True))
    if flat:
        shapes += suit(suit_of(card), x + 0.24 * width, y + 1.4 * size, 0.72 * size)
    else:
        shapes += suit(suit_of(card), x + 0.7 * width, y + 0.56 * size, 0.72 * size)
    return shapes + suit(suit_of(card), x + 0.62 * width, y + 0.7 * height, 0.4 * width)


def back(x: float, y: float, width: float, height: float) -> list[Shape]:
    """A card seen from behind."""
    inner = Box(x + 4, y + 4, width - 8, height - 8, "#3b5ba5", 3, "#8fa6d8")
    return [Box(x, y, width, height, "#f2f2ee", 5, _EDGE), inner]


def fan(
    cards: list[int | None], x: float, y: float, size: tuple[float, float], step: tuple[float, float], legal: int = -1
) -> list[Shape]:
    """Cards that overlap, the first at (x, y); None is one seen from behind, and those not ``legal`` are dim."""
    shapes: list[Shape] = []
    for k, card in enumerate(cards):
        place = x + k * step[0], y + k * step[1]
        if card is None:
            shapes += back(*place, *size)
        else:
            shapes += face(card, *place, *size, dim=not legal >> card & 1, flat=step[1] == 0)
    return shapes


def suit_rows(mask: int, x: float, y: float) -> list[Shape]:
    """A set of cards as four rows, the suit and then its ranks from the ace down; (x, y) is the top left corner."""
    shapes: list[Shape] = []
    for row, which in enumerate(_ORDER):
        base = y + 22 * row + 15
        # On the dark table black and green would not be seen.
        shapes.append(Box(x, base - 14, 18, 18, "#ffffff", 3))
        shapes += suit(which, x + 9, base - 5, 12)
        ranks = [rank_text(card) for card in sorted_hand(mask) if suit_of(card) == which]
        at = x + 25
        for rank in ranks:
            shapes.append(Label(at, base, rank, 13, "#ffffff"))
            at += 12.5 if len(rank) == 1 else 20
        if not ranks:
            shapes.append(Label(x + 25, base, "-", 13, "#a9c7b8"))
    return shapes
