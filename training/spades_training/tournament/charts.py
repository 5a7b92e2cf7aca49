"""Plots as SVG. Horizontal positions are percentages, so that plots fit any width while text keeps its size."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

ROW = 40  # pixels
NUMBERS = 22


def _svg(label: str, height: int, parts: Sequence[str]) -> str:
    return (
        f'<svg class="chart" role="img" aria-label="{escape(label)}" width="100%" height="{height}">'
        + "".join(parts)
        + "</svg>"
    )


def _text(x: float, y: float, text: str, kind: str = "", anchor: str = "middle") -> str:
    return f'<text class="{kind}" x="{x:.2f}%" y="{y:g}" text-anchor="{anchor}">{escape(text)}</text>'


def _round_step(span: float) -> float:
    """1, 2 or 5 times a power of ten that divides ``span`` into about four steps."""
    rough = span / 4
    power = 10.0 ** math.floor(math.log10(rough))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= rough)


def rating_chart(names: Sequence[str], ratings: Sequence[dict[str, float]]) -> str:
    """A dot with an interval for each agent; ratings have ``value``, ``low`` and ``high``."""
    low, high = min(r["low"] for r in ratings), max(r["high"] for r in ratings)
    step = _round_step(max(high - low, 1.0))

    def place(points: float) -> float:
        return 4 + 92 * (points - low) / max(high - low, 1.0)

    bottom = ROW * len(names) + 8
    parts = []
    tick = math.ceil(low / step) * step
    while tick <= high:
        x = place(tick)
        parts.append(f'<line class="grid" x1="{x:.2f}%" x2="{x:.2f}%" y1="0" y2="{bottom}"/>')
        parts.append(_text(x, bottom + 14, f"{tick:+.0f}" if tick else "0", "soft"))
        tick += step
    for k, (name, rating) in enumerate(zip(names, ratings, strict=True)):
        y = ROW * k + 28
        left, right, middle = (place(rating[end]) for end in ("low", "high", "value"))
        parts += [
            _text(0, y - 12, f"{name}  {rating['value']:+.0f}", "", "start"),
            f'<line class="whisker" x1="{left:.2f}%" x2="{right:.2f}%" y1="{y}" y2="{y}"/>',
            f'<circle class="dot" cx="{middle:.2f}%" cy="{y}" r="5"/>',
        ]
    return _svg("Ratings with 95% intervals", bottom + NUMBERS, parts)


def bid_chart(name: str, labels: Sequence[str], shares: Sequence[float], tricks: Sequence[float | None]) -> str:
    """A bar for each bid, as high as the share of hands with it; below each bar, the mean tricks won with the bid."""
    height, top = 90.0, max(max(shares), 1e-9)
    parts = []
    for k, (label, share, won) in enumerate(zip(labels, shares, tricks, strict=True)):
        left, width = 100 * k / len(labels), 100 / len(labels)
        middle, tall = left + width / 2, height * share / top
        kind = "bar" if label.isdigit() and label != "0" else "bar nil"
        parts.append(
            f'<rect class="{kind}" x="{left + 0.12 * width:.2f}%" width="{0.76 * width:.2f}%" '
            f'y="{16 + height - tall:.1f}" height="{tall:.1f}"/>'
        )
        if share >= 0.005:
            parts.append(_text(middle, 12 + height - tall, f"{100 * share:.0f}", "tiny"))
        parts.append(_text(middle, height + 30, label, "small"))
        if won is not None:
            parts.append(_text(middle, height + 44, f"{won:.1f}", "tiny soft"))
    return _svg(f"Bids of {name}, in percent, with the mean tricks won below", int(height) + 50, parts)


def nil_chart(rows: Sequence[tuple[str, int, int, float, float]]) -> str:
    """A bar for each kind of nil; rows are (label, made, tried, low, high), the last two as shares from 0 to 1."""
    parts = []
    for k, (label, made, tried, low, high) in enumerate(rows):
        y = ROW * k + 28
        share = 100 * made / tried
        parts += [
            _text(0, y - 12, f"{label}: {made} of {tried} made, {share:.0f}%", "", "start"),
            f'<rect class="failed" x="0%" width="100%" y="{y - 5}" height="10"/>',
            f'<rect class="made" x="0%" width="{share:.2f}%" y="{y - 5}" height="10"/>',
            f'<line class="whisker" x1="{100 * low:.2f}%" x2="{100 * high:.2f}%" y1="{y}" y2="{y}"/>',
        ]
    return _svg("Nils made and failed", ROW * len(rows), parts)
