"""The shapes of pictures: boxes, polygons and labels, with x to the right and y down; later ones cover earlier ones."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from spades_env.cards import CLUBS, DIAMONDS, HEARTS, SPADES

# The size of every picture in pixels: multiples of 16, for video codecs.
WIDTH, HEIGHT = 768, 512

# A four-colour deck: at 10 pixels a club and a spade are hard to tell apart by their shapes.
SUIT_COLOURS = {SPADES: "#111111", HEARTS: "#c8102e", DIAMONDS: "#1457b8", CLUBS: "#14722f"}

Points = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Box:
    """A rectangle whose top left corner is (x, y), with corners of radius ``radius`` and an edge of colour ``line``."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    radius: float = 0
    line: str | None = None
    line_width: float = 1


@dataclass(frozen=True)
class Polygon:
    """A filled polygon."""

    points: Points
    fill: str


@dataclass(frozen=True)
class Label:
    """A line of text: (x, y) is its start, middle or end on the baseline, and ``size`` the font size."""

    x: float
    y: float
    text: str
    size: float
    fill: str
    anchor: Literal["start", "middle", "end"] = "start"
    bold: bool = False


Shape = Box | Polygon | Label


def suit(which: int, x: float, y: float, size: float, fill: str | None = None) -> list[Shape]:
    """The symbol of a suit, ``size`` high and centred at (x, y), by default in the colour of the suit."""
    colour = fill or SUIT_COLOURS[which]
    return [Polygon(tuple((x + size * px, y + size * py) for px, py in part), colour) for part in _outline(which)]


@lru_cache
def _outline(which: int) -> tuple[Points, ...]:
    """The polygons of a suit's symbol, within -0.5 to 0.5 in both directions."""
    if which == DIAMONDS:
        return (((0, -0.5), (0.38, 0), (0, 0.5), (-0.38, 0)),)
    if which == HEARTS:
        return (_heart(),)
    foot = ((0.0, 0.0), (0.2, 0.5), (-0.2, 0.5))
    if which == SPADES:
        return tuple((0.95 * x, 0.85 * -y - 0.08) for x, y in _heart()), foot
    return (*(_circle(x, y, 0.24) for x, y in ((0, -0.26), (-0.25, 0.1), (0.25, 0.1))), foot)


def _heart() -> Points:
    # A heart curve, 32 wide and about 29 high before it is scaled.
    corners = []
    for k in range(28):
        t = 2 * math.pi * k / 28
        y = 13 * math.cos(t) - 5 * math.cos(2 * t) - 2 * math.cos(3 * t) - math.cos(4 * t)
        corners.append((16 * math.sin(t) ** 3 / 32, (-y - 2.5) / 30))
    return tuple(corners)


def _circle(x: float, y: float, radius: float) -> Points:
    turns = (2 * math.pi * k / 16 for k in range(16))
    return tuple((x + radius * math.cos(t), y + radius * math.sin(t)) for t in turns)
