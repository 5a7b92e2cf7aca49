"""Tables with bars as HTML, which a screen reader reads as tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

from spades_agents.base import Rating
from spades_agents.bidder.advice import Advice

from spades_env.cards import RANKS, SUIT_SYMBOLS, card_name
from spades_env.rules import Rules
from spades_training.bidding.changes import Best, bag_steps, score_steps
from spades_training.bidding.shown import bid_name, bid_rows
from spades_training.terminal.hints import action_words
from spades_training.web.study.belief import Belief

STYLE = '<link rel="stylesheet" href="/assets/study.css">'
_SUITS = (3, 2, 0, 1)  # as in a hand: spades, hearts, clubs, diamonds
_SUIT_NAMES = ("clubs", "diamonds", "hearts", "spades")
_HEADINGS = {"win": "chance to win", "points": "points", "probability": "probability"}


def suit_text(action: int) -> str:
    """An action in words, a card with its suit in colour."""
    words = escape(action_words(action))
    return f'<span class="s{action // 13}">{words}</span>' if action < 52 else words


def value_text(value: float, unit: str) -> str:
    """A rating in words: ``57.6 %`` or ``+12.3``."""
    return f"{value:+.1f}" if unit == "points" else f"{100 * value:.1f} %"


def error_text(error: float, unit: str) -> str:
    """A standard error in points or percent; empty if there is none."""
    if not error > 0:
        return ""
    return f"{error if unit == 'points' else 100 * error:.1f}"


def rating_table(ratings: Mapping[int, Rating], played: int) -> str:
    """The ratings of all actions as bars, the highest first, with the action that was played marked.

    The bars begin below the lowest rating and end above the highest: the heading says where. The line over a bar is
    one standard error to either side.
    """
    unit = next(iter(ratings.values())).unit
    low, high = bounds([(rating.value, rating.error) for rating in ratings.values()], unit)
    order = sorted(ratings, key=lambda action: (-ratings[action].value, action))
    rows = []
    for action in order:
        value, error, _ = ratings[action]
        tags = [name for name, here in (("best", action == order[0]), ("played", action == played)) if here]
        marks = " ".join(f'<span class="tag">{tag}</span>' for tag in tags)
        rows.append(
            f'<tr class="{" ".join(tags)}"><th scope="row">{suit_text(action)} {marks}</th>'
            f"<td>{value_text(value, unit)}</td><td>{error_text(error, unit)}</td>"
            f'<td class="wide">{_bar(value, error, low, high)}</td></tr>'
        )
    ends = f"{value_text(low, unit)} to {value_text(high, unit)}"
    return (
        f'<div class="study"><table><thead><tr><th scope="col" class="wide">action</th>'
        f'<th scope="col">{_HEADINGS[unit]}</th><th scope="col" aria-label="standard error">±</th>'
        f'<th scope="col" class="wide">{ends}</th></tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
    )


def bounds(values: Sequence[tuple[float, float]], unit: str) -> tuple[float, float]:
    """Where the bars of (value, error) begin and end; probabilities fill the whole range of 0 to 1."""
    if unit == "probability":
        return 0.0, 1.0
    errors = [error if error > 0 else 0.0 for _, error in values]
    low = min(value - error for (value, _), error in zip(values, errors, strict=True))
    high = max(value + error for (value, _), error in zip(values, errors, strict=True))
    grain = 10.0 if unit == "points" else 0.05
    low, high = math.floor(low / grain - 0.2) * grain, math.ceil(high / grain + 0.05) * grain
    return (max(low, 0.0), min(high, 1.0)) if unit == "win" else (low, high)


def _bar(value: float, error: float, low: float, high: float) -> str:
    def place(at: float) -> float:
        return 100 * min(max((at - low) / (high - low), 0.0), 1.0)

    whisker = ""
    if error > 0:
        start = place(value - error)
        whisker = f'<b style="left:{start:.1f}%;width:{place(value + error) - start:.1f}%"></b>'
    return f'<div class="bar" aria-hidden="true"><i style="width:{place(value):.1f}%"></i>{whisker}</div>'


def belief_tables(belief: Belief, names: Mapping[int, str], truth: Mapping[int, int] | None = None) -> str:
    """A table by suit and rank for each holder of hidden cards, with the percentage of each card.

    Args:
        belief: the belief.
        names: the name of each holder, -1 for the cards that nobody holds.
        truth: the holder of each card, to mark where it really was; None marks nothing.
    """
    parts = []
    for holder, chances in zip(belief.holders, belief.chances, strict=True):
        share = dict(zip(belief.cards, chances.tolist(), strict=True))
        head = "".join(f'<th scope="col">{rank.replace("T", "10")}</th>' for rank in reversed(RANKS))
        rows = "".join(_suit_row(suit, share, holder, truth) for suit in _SUITS)
        parts.append(
            f'<table class="where"><caption>{escape(names[holder])}</caption><thead><tr><td></td>{head}</tr></thead>'
            f"<tbody>{rows}</tbody></table>"
        )
    return f'<div class="study">{"".join(parts)}</div>'


def _suit_row(suit: int, share: Mapping[int, float], holder: int, truth: Mapping[int, int] | None) -> str:
    cells = []
    for card in range(13 * suit + 12, 13 * suit - 1, -1):
        if card not in share:
            cells.append("<td></td>")
            continue
        chance = share[card]
        here = truth is not None and truth.get(card) == holder
        said = f"{card_name(card)}: {100 * chance:.0f} %{', it was here' if here else ''}"
        cells.append(
            f'<td class="{"true" if here else ""}" style="background:rgba(79,165,126,{chance:.2f})" title="{said}" '
            f'aria-label="{said}">{100 * chance:.0f}</td>'
        )
    symbol = f'<span class="s{suit}" role="img" aria-label="{_SUIT_NAMES[suit]}">{SUIT_SYMBOLS[suit]}</span>'
    return f'<tr><th scope="row">{symbol}</th>{"".join(cells)}</tr>'


def column_chart(columns: Sequence[tuple[str, float, bool]], caption: str) -> str:
    """Columns of probabilities as (label, probability, good); those that are not good are red.

    Args:
        columns: from left to right.
        caption: what the labels count.
    """
    most = max(chance for _, chance, _ in columns)
    bars = "".join(
        f'<td class="{"" if good else "lost"}">{100 * chance:.0f}<i style="height:{96 * chance / most:.0f}px"></i></td>'
        for _, chance, good in columns
    )
    labels = "".join(f'<th scope="col">{escape(label)}</th>' for label, _, _ in columns)
    return (
        f'<div class="study"><table class="columns"><caption>{escape(caption)}</caption>'
        f"<tbody><tr>{bars}</tr></tbody><tfoot><tr>{labels}</tr></tfoot></table></div>"
    )


def bids_table(advice: Advice) -> str:
    """What ``spades bid`` prints about each bid, with bars for the chance to win and the points."""
    rows = bid_rows(advice)
    wins = bounds([(row.value.win, 0.0) for row in rows], "win")
    points = bounds([(row.value.points, 0.0) for row in rows], "points")
    body = "".join(
        f'<tr class="{"best" if row.best else ""}"><th scope="row">{row.name}</th>'
        f"<td>{100 * row.value.win:.1f}{_bar(row.value.win, 0.0, *wins)}</td>"
        f"<td>{row.value.points:+.1f}{_bar(row.value.points, 0.0, *points)}</td>"
        f"<td>{100 * row.value.made:.1f}</td><td>{row.value.their_points:+.1f}</td></tr>"
        for row in rows
    )
    titles = ("match win %", "points", "made %", "their points")
    heads = "".join(f'<th scope="col">{title}</th>' for title in titles)
    return (
        f'<div class="study"><table class="bids"><thead><tr><th scope="col" class="wide">bid</th>{heads}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def situations_table(rules: Rules, scores: Sequence[int], bags: Sequence[int], best: Sequence[Best]) -> str:
    """The best bid by both scores, and by the bag counter of either side.

    Args:
        rules: the rules.
        scores: the scores for which the bag counters are compared.
        bags: the bag counters for which the scores are compared.
        best: as :func:`spades_training.bidding.changes.best_bids` returns them.
    """
    steps, counts = score_steps(rules), bag_steps(rules)
    cells = iter(best)
    head = "".join(f'<th scope="col">{theirs}</th>' for theirs in steps)
    lines = []
    for mine in steps:
        row = "".join(_best_cell(next(cells), tuple(scores) == (mine, theirs)) for theirs in steps)
        lines.append(f'<tr><th scope="row">{mine}</th>{row}</tr>')
    tables = [
        f'<table class="grid"><caption>By score, with {bags[0]} and {bags[1]} bags</caption>'
        f'<thead><tr><th scope="col" class="wide">yours \\ theirs</th>{head}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table>"
    ]
    if counts:
        head = "".join(f'<th scope="col">{count}</th>' for count in counts)
        lines = []
        for whose, now in (("your bags", bags[0]), ("their bags", bags[1])):
            row = "".join(_best_cell(next(cells), count == now) for count in counts)
            lines.append(f'<tr><th scope="row">{whose}</th>{row}</tr>')
        tables.append(
            f'<table class="grid"><caption>By bags, at {scores[0]} to {scores[1]}</caption>'
            f"<thead><tr><td></td>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
        )
    return f'<div class="study">{"".join(tables)}</div>'


def _best_cell(best: Best, here: bool) -> str:
    said = f"{100 * best.win:.0f} % to win"
    # Neighbouring bids get clearly different tints.
    tint = f"hsl({47 * best.bid % 360} 60% 50% / 0.25)"
    return f'<td class="{"here" if here else ""}" style="background:{tint}" title="{said}">{bid_name(best.bid)}</td>'
