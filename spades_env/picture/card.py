"""Cards as shapes: faces, backs and fans of cards, and a set of cards as rows by suit."""

from __future__ import annotations

from spades_env.cards import CLUBS, DIAMONDS, HEARTS, RANKS, SPADES, cards_in, rank_of, suit_of
from spades_env.picture.shapes import SUIT_COLOURS, Box, Label, Shape, suit

# Black and red suits alternate, as players hold them.
_ORDER = (SPADES, HEARTS, CLUBS, DIAMONDS)
_EDGE, _DIM, _MARK = "#5b6470", "#c3c9d1", "#ffb000"


def rank_text(card: int) -> str:
    """The rank as printed on cards: ``A``, ``10``."""
    return RANKS[rank_of(card)].replace("T", "10")


def sorted_hand(mask: int) -> list[int]:
    """The cards of a set as players sort them: by suit, high cards first."""
    held = cards_in(mask)
    return sorted(held, key=lambda card: (_ORDER.index(suit_of(card)), -rank_of(card)))


def face(
    card: int, x: float, y: float, width: float, height: float, dim: bool = False, mark: bool = False, flat: bool = True
) -> list[Shape]:
    """The face of a card.

    Args:
        card: the card.
        x: left edge.
        y: top edge.
        width: width of the card, to which everything on it is scaled.
        height: height of the card.
        dim: whether it is greyed out.
        mark: whether it has a thick edge.
        flat: whether the suit is below the rank, so that a strip on the left identifies the card; otherwise it is
            next to the rank, so that a strip at the top does.
    """
    size = 0.4 * width
    colour = SUIT_COLOURS[suit_of(card)]
    edge, thick = (_MARK, 3) if mark else (_EDGE, 1)
    shapes: list[Shape] = [Box(x, y, width, height, _DIM if dim else "#ffffff", 5, edge, thick)]
    rank = rank_text(card)
    index = size if len(rank) == 1 else 0.85 * size  # some fonts have a wide 10
    shapes.append(Label(x + 0.24 * width, y + 0.9 * size, rank, index, colour, "middle", bold=True))
    if flat:
        shapes += suit(suit_of(card), x + 0.24 * width, y + 1.4 * size, 0.72 * size)
    else:
        shapes += suit(suit_of(card), x + 0.7 * width, y + 0.56 * size, 0.72 * size)
    return shapes + suit(suit_of(card), x + 0.62 * width, y + 0.7 * height, 0.4 * width)


def back(x: float, y: float, width: float, height: float) -> list[Shape]:
    """The back of a card."""
    inner = Box(x + 4, y + 4, width - 8, height - 8, "#3b5ba5", 3, "#8fa6d8")
    return [Box(x, y, width, height, "#f2f2ee", 5, _EDGE), inner]


def fan(
    cards: list[int | None], x: float, y: float, size: tuple[float, float], step: tuple[float, float], legal: int = -1
) -> list[Shape]:
    """Overlapping cards, the first at (x, y). None is drawn as a back; cards that are not ``legal`` are dim."""
    shapes: list[Shape] = []
    for k, card in enumerate(cards):
        place = x + k * step[0], y + k * step[1]
        if card is None:
            shapes += back(*place, *size)
        else:
            shapes += face(card, *place, *size, dim=not legal >> card & 1, flat=step[1] == 0)
    return shapes


def suit_rows(mask: int, x: float, y: float) -> list[Shape]:
    """A set of cards as four rows of a suit and its ranks from the ace down; (x, y) is the top left corner."""
    shapes: list[Shape] = []
    for row, which in enumerate(_ORDER):
        base = y + 22 * row + 15
        # Black and green are invisible on the dark table.
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
