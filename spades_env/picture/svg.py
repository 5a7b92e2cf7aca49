"""A picture as SVG, using only the standard library."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from spades_env.game.position import Position
from spades_env.picture.panel import LEFT
from spades_env.picture.scene import Part, scene
from spades_env.picture.shapes import HEIGHT, WIDTH, Box, Polygon, Shape


def svg(table: Position, names: Sequence[str] | None = None, action: int | None = None, part: Part = "all") -> str:
    """The table as an SVG image, 768 by 512 and scaled down to the available width.

    Args:
        table: a :class:`spades_env.Game`, shown with all hands, or a :class:`spades_env.View`.
        names: names of the players, by seat.
        action: what the seat on turn is about to do.
        part: ``"table"`` draws only the table, 572 wide, and ``"panel"`` only the score sheet to its right, 196 wide:
            a narrow page shows one below the other.
    """
    left, right = {"all": (0, WIDTH), "table": (0, LEFT), "panel": (LEFT, WIDTH)}[part]
    what = "the score sheet" if part == "panel" else "a table of Spades"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left} 0 {right - left} {HEIGHT}" width="{right - left}" '
        f'style="max-width:100%;height:auto" role="img" aria-label="{what}" '
        f'font-family="Helvetica, Arial, sans-serif">{markup(scene(table, names, action, part))}</svg>'
    )


def markup(shapes: Sequence[Shape]) -> str:
    """Shapes as SVG elements, without the ``<svg>`` around them."""
    return "".join(map(_element, shapes))


def _element(shape: Shape) -> str:
    if isinstance(shape, Box):
        line = f' stroke="{shape.line}" stroke-width="{shape.line_width:g}"' if shape.line else ""
        place = f'x="{shape.x:.4g}" y="{shape.y:.4g}" width="{shape.width:.4g}" height="{shape.height:.4g}"'
        return f'<rect {place} rx="{shape.radius:g}" fill="{shape.fill}"{line}/>'
    if isinstance(shape, Polygon):
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in shape.points)
        return f'<polygon points="{points}" fill="{shape.fill}"/>'
    weight = ' font-weight="bold"' if shape.bold else ""
    place = f'x="{shape.x:.4g}" y="{shape.y:.4g}" text-anchor="{shape.anchor}"'
    return f'<text {place} font-size="{shape.size:.3g}" fill="{shape.fill}"{weight}>{escape(shape.text)}</text>'
