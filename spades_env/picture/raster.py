"""A picture as pixels, drawn by Pillow with its built-in font."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from spades_env.game.position import Position
from spades_env.picture.needs import package
from spades_env.picture.scene import scene
from spades_env.picture.shapes import HEIGHT, WIDTH, Box, Polygon, Shape

if TYPE_CHECKING:
    from PIL import Image

_FINER = 3  # pictures are drawn this many times as large, then reduced, which smooths all edges
_ANCHORS = {"start": "ls", "middle": "ms", "end": "rs"}


def rgb_array(table: Position, names: Sequence[str] | None = None, action: int | None = None) -> np.ndarray:
    """The table as uint8 of shape (512, 768, 3), with the arguments of :func:`image`."""
    return np.array(image(table, names, action))


def image(table: Position, names: Sequence[str] | None = None, action: int | None = None) -> Image.Image:
    """The table as a Pillow image, 768 by 512, RGB.

    Args:
        table: a :class:`spades_env.Game`, shown with all hands, or a :class:`spades_env.View`, which shows only what
            its observer may know.
        names: names of the players, by seat.
        action: what the seat on turn is about to do.

    Raises:
        gymnasium.error.DependencyNotInstalled: without Pillow.
    """
    pillow = package("PIL.Image", "rgb_array")
    sheet = pillow.new("RGB", (WIDTH * _FINER, HEIGHT * _FINER))
    pen = package("PIL.ImageDraw", "rgb_array").Draw(sheet)
    for shape in scene(table, names, action):
        _draw(pen, shape)
    return sheet.reduce(_FINER)


def _draw(pen: Any, shape: Shape) -> None:
    if isinstance(shape, Polygon):
        pen.polygon([(x * _FINER, y * _FINER) for x, y in shape.points], fill=shape.fill)
    elif isinstance(shape, Box):
        # SVG centres an edge on the outline, Pillow draws it inside; Pillow's right and lower bounds are inclusive.
        half = shape.line_width / 2 if shape.line else 0
        left, top = (shape.x - half) * _FINER, (shape.y - half) * _FINER
        right, bottom = left + (shape.width + 2 * half) * _FINER - 1, top + (shape.height + 2 * half) * _FINER - 1
        width = round(shape.line_width * _FINER) if shape.line else 0
        radius = (shape.radius + half) * _FINER
        pen.rounded_rectangle((left, top, right, bottom), radius, shape.fill, shape.line, width)
    else:
        size = round(shape.size * _FINER)
        # The font has only one weight; a thin outline around the letters makes it bold.
        bold = max(1, round(size / 42)) if shape.bold else 0
        pen.text(
            (shape.x * _FINER, shape.y * _FINER),
            shape.text,
            shape.fill,
            font=_font(size),
            anchor=_ANCHORS[shape.anchor],
            stroke_width=bold,
        )


@lru_cache(64)
def _font(size: int) -> Any:
    return package("PIL.ImageFont", "rgb_array").load_default(size)
