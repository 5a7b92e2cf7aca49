"""The report of a tournament: a self-contained HTML file for phones and desktops."""

from __future__ import annotations

import math
from html import escape
from typing import Any

from spades_env.rules import Rules
from spades_training.evaluation.intervals import Estimate, turned
from spades_training.evaluation.totals import BLIND_COLUMN
from spades_training.tournament.charts import bid_chart, nil_chart, rating_chart

STYLE = """
:root { color-scheme: light dark; --ink: #1c2126; --soft: #69737d; --page: #fff; --line: #d8dee4; --a: #1f6fb2;
  --b: #c8590b; --bad: #e3c9b6 }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ec; --soft: #98a2ac; --page: #14181c; --line: #39424b;
  --a: #62a8e5; --b: #e8894a; --bad: #5d4332 } }
* { box-sizing: border-box }
body { margin: 0 auto; padding: 1rem; max-width: 76rem; font: 16px/1.45 system-ui, sans-serif; color: var(--ink);
  background: var(--page); overflow-wrap: anywhere }
h1 { font-size: 1.5rem; margin: 0 } h2 { font-size: 1.15rem; margin: 2rem 0 .4rem } h3 { font-size: 1rem; margin: 0 }
p { margin: .3rem 0 } .soft, figcaption { color: var(--soft); font-size: .875rem }
.scroll { overflow-x: auto } figure { margin: 0 }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; overflow-wrap: normal }
th, td { padding: .35rem .5rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap }
th:first-child { text-align: left; white-space: normal; min-width: 15rem; overflow-wrap: anywhere; position: sticky;
  left: 0; background: var(--page) }
#settings td { text-align: left; white-space: normal; overflow-wrap: anywhere }
td small { display: block; opacity: .75; font-size: .7rem } #crosstable td { text-align: center }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(20rem, 100%), 1fr)); gap: 1.5rem }
.chart { display: block; overflow: visible } .chart text { fill: var(--ink); font-size: 13px }
.chart .small { font-size: 11px } .chart .tiny { font-size: 10px } .chart .soft { fill: var(--soft) }
.grid { stroke: var(--line) } .whisker { stroke: var(--ink); stroke-width: 2 } .dot { fill: var(--a) }
.bar, .made { fill: var(--a) } .nil { fill: var(--b) } .failed { fill: var(--bad) }
@media (max-width: 66rem) {
  th:first-child { min-width: 9rem; font-size: .875rem } #crosstable { font-size: .875rem }
  #ratings, #ratings tbody { display: block } #ratings thead { display: none }
  #ratings tr { display: grid; grid-template-columns: repeat(auto-fill, minmax(10rem, 1fr)); padding: .5rem 0;
    border-bottom: 1px solid var(--line) }
  #ratings th { grid-column: 1 / -1; font-size: 1rem } #ratings th, #ratings td { border: 0; padding: .1rem 0 }
  #ratings td { display: flex; justify-content: space-between; padding-right: 1.5rem }
  #ratings td::before { content: attr(data-title); color: var(--soft) }
}
pre { overflow-x: auto; font-size: .75rem; border: 1px solid var(--line); padding: .5rem; overflow-wrap: normal }
"""
STOPPED = {
    "order certain": "Ended early: the order is certain.",
    "pairings certain": "Ended early: every pairing is certain, but together they form no order.",
    "all matches played": "All matches have been played.",
    "running": "Still running.",
}


UNCERTAIN = (
    "A lead is certain if the direct matches of the two decide it, by a test that allows for all pairings and for a "
    "look after every round. This takes more evidence than an interval without 0. More matches decide the others."
)


def uncertain(results: dict[str, Any]) -> bool:
    """Whether some agent's lead over the next is not certain."""
    return any(row["ahead_is_certain"] is False for row in results["ratings"])


def status(results: dict[str, Any]) -> str:
    """One or two sentences: why the tournament ended, and whether its order is certain."""
    text = STOPPED[results["stopped"]]
    if not results["order_certain"] and results["stopped"] == "all matches played":
        text += " The order is not certain."
    return text


def report(results: dict[str, Any]) -> str:
    """The HTML report for the results of :func:`spades_training.tournament.run.run_tournament`."""
    settings = results["settings"]
    rules = Rules.from_dict(settings["rules"])
    names = [row["agent"] for row in results["ratings"]]
    ratings = [row["rating"] for row in results["ratings"]]
    agents = {agent["name"]: agent for agent in results["agents"]}
    confidence = 100 * (settings["confidence"] or 0.95)
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>Spades tournament, {escape(rules.name)}</title><style>{STYLE}</style></head><body>",
        f"<h1>Spades tournament, {escape(rules.name)}</h1>",
        f"<p>{status(results)} {results['matches']} of at most {results['most_matches']} matches, seed "
        f"{settings['seed']}.</p>",
        "<h2>Ratings</h2><figure>",
        rating_chart(names, ratings),
        "<figcaption>Bradley-Terry strengths in Elo points relative to the mean of all agents, with 95% intervals. A "
        "lead of 100 points means winning 64% of the matches against one opponent.</figcaption></figure>",
        _rating_table(results, confidence),
        "<h2>Pairings</h2>",
        _crosstable(results, names, rules.sides),
        "<h2>Bids and nils</h2>",
        '<p class="soft">Bars: percentage of hands with each bid. The number below a bid is the mean of the tricks '
        "won with it.</p>",
        f'<div class="cards">{"".join(_profile(agents[name]) for name in names)}</div>',
        _forfeits(results["forfeits"]),
        "<h2>Settings</h2>",
        '<div class="scroll"><table id="settings">' + "".join(map(_setting, _settings(settings))) + "</table></div>",
        "</body></html>",
    ]
    return "\n".join(part for part in parts if part) + "\n"


COLUMNS = (
    "agent",
    "rating",
    "95%",
    "wins",
    "losses",
    "points / hand",
    "contracts",
    "bags / hand",
    "forfeits",
    "ms / decision",
)


def _rating_table(results: dict[str, Any], confidence: float) -> str:
    agents = {agent["name"]: agent for agent in results["agents"]}
    rows = []
    for row in results["ratings"]:
        agent, rating = agents[row["agent"]], row["rating"]
        time = results["timing"][row["agent"]]
        cells = [
            f"{rating['value']:+.0f}",
            f"{rating['low']:+.0f} … {rating['high']:+.0f}",
            str(row["wins"]),
            str(row["losses"]),
            _number(agent["points_per_hand"], "{:.1f}"),
            _number(agent["contract_made"], "{:.1%}"),
            _number(agent["bags_per_hand"], "{:.2f}"),
            str(row["forfeits"]),
            _number(None if time is None else time / 1000, "{:.3g}"),
        ]
        name = f"<th>{row['rank']}. {escape(row['agent'])}</th>"
        data = (f'<td data-title="{title}">{cell}</td>' for title, cell in zip(COLUMNS[1:], cells, strict=True))
        rows.append(f"<tr>{name}{''.join(data)}</tr>")
    gaps = [
        f"{escape(row['agent'])} is {row['ahead_of_next']['value']:.0f} points "
        f"[{row['ahead_of_next']['low']:.0f}, {row['ahead_of_next']['high']:.0f}] ahead of {escape(below['agent'])}: "
        + (f"certain at {confidence:g}%." if row["ahead_is_certain"] else "<b>not certain.</b>")
        for row, below in zip(results["ratings"], results["ratings"][1:], strict=False)
    ]
    titles = "".join(f"<th>{title}</th>" for title in COLUMNS)
    return (
        f'<div class="scroll"><table id="ratings"><thead><tr>{titles}</tr></thead><tbody>{"".join(rows)}</tbody>'
        f"</table></div><p>{'<br>'.join(gaps)}</p>" + (f'<p class="soft">{UNCERTAIN}</p>' if uncertain(results) else "")
    )


def _crosstable(results: dict[str, Any], names: list[str], sides: int) -> str:
    cells = {(cell["a"], cell["b"]): cell for cell in results["crosstable"]}
    chance = 1 / sides
    rows = []
    for rank, a in enumerate(names, 1):
        row = [_cell(*_seen_from(cells, a, b), chance) if a != b else "<td>·</td>" for b in names]
        rows.append(f"<tr><th>{rank}. {escape(a)}</th>{''.join(row)}</tr>")
    titles = "".join(f'<th title="{escape(name)}">{rank}.</th>' for rank, name in enumerate(names, 1))
    others = "" if sides == 2 else f" One row agent plays {sides - 1} column agents: {chance:.0%} by chance."
    return (
        f'<div class="scroll"><table id="crosstable"><thead><tr><th>wins, %</th>{titles}</tr></thead><tbody>'
        f'{"".join(rows)}</tbody></table></div><p class="soft">Percentage of matches won by the row agent against the '
        f"column agent, with 95% intervals over pairs of duplicate matches, and the difference in points per hand."
        f"{others} Matches truncated after {results['settings']['max_hands']} hands are not counted.</p>"
    )


def _seen_from(cells: dict[tuple[str, str], Any], a: str, b: str) -> tuple[Estimate, Estimate, int]:
    """Win rate and points per hand of ``a`` against ``b``, and the number of matches."""
    cell = cells.get((a, b)) or cells[b, a]
    rate, points = Estimate(**cell["win_rate"]), Estimate(**cell["points_per_hand"])
    if (a, b) not in cells:
        rate, points = turned(rate, 1.0), turned(points, 0.0)
    return rate, points, cell["matches"]


def _cell(rate: Estimate, points: Estimate, matches: int, chance: float) -> str:
    if rate.value is None:
        return f'<td title="{matches} matches, none with a winner">-</td>'
    share = (rate.value - chance) / (1 - chance if rate.value > chance else chance)
    color = "31,111,178" if share > 0 else "200,89,11"
    ends = "" if rate.low is None or rate.high is None else f"{100 * rate.low:.0f}–{100 * rate.high:.0f}"
    return (
        f'<td title="{matches} matches" style="background:rgba({color},{0.6 * abs(share):.2f})">{100 * rate.value:.1f}'
        f"<small>{ends}</small><small>{_number(points.value, '{:+.1f}')}</small></td>"
    )


def _profile(agent: dict[str, Any]) -> str:
    bids, won = agent["bids"], agent["tricks_by_bid"]
    seats = sum(bids)
    if not seats:
        return f"<section><h3>{escape(agent['name'])}</h3><p>completed no hand</p></section>"
    highest = max((bid for bid in range(BLIND_COLUMN) if bids[bid]), default=0)
    columns = [BLIND_COLUMN, *range(highest + 1)] if bids[BLIND_COLUMN] else list(range(highest + 1))
    chart = bid_chart(
        agent["name"],
        ["blind" if column == BLIND_COLUMN else str(column) for column in columns],
        [bids[column] / seats for column in columns],
        [won[column] / bids[column] if bids[column] else None for column in columns],
    )
    nils = [
        (label, agent[f"{kind}_made"], agent[f"{kind}_tried"], *_wilson(agent[f"{kind}_made"], agent[f"{kind}_tried"]))
        for kind, label in (("nil", "nil"), ("blind_nil", "blind nil"))
        if agent[f"{kind}_tried"]
    ]
    rows = nil_chart(nils) if nils else '<p class="soft">never bid nil</p>'
    return (
        f"<section><h3>{escape(agent['name'])}</h3><p class=soft>mean bid {agent['mean_bid']:.2f}, "
        f"{agent['mean_tricks']:.2f} tricks, {seats} hands</p>{chart}{rows}</section>"
    )


def _wilson(made: int, tried: int) -> tuple[float, float]:
    """The 95% interval of a share of independent trials (Wilson, JASA 22, 1927)."""
    z = 1.959964
    share, weight = made / tried, z * z / tried
    middle = (share + weight / 2) / (1 + weight)
    reach = z * math.sqrt(share * (1 - share) / tried + weight / (4 * tried)) / (1 + weight)
    return max(middle - reach, 0.0), min(middle + reach, 1.0)


def _forfeits(forfeits: list[dict[str, Any]]) -> str:
    if not forfeits:
        return ""
    rows = [
        f"<details><summary>{escape(row['agent'])} against {escape(row['against'])}: {row['kind']}, {row['count']} "
        f"matches: {escape(row['message'])}</summary><pre>{escape(row['traceback'])}</pre></details>"
        for row in forfeits
    ]
    return f'<h2>Forfeits</h2><div id="forfeits">{"".join(rows)}</div>'


def _settings(settings: dict[str, Any]) -> list[tuple[str, str]]:
    plain = {name: value for name, value in settings.items() if name not in ("rules", "agents", "files", "fast")}
    files = {
        f"{file} of {name}": digest
        for name, found in zip(settings["agents"], settings["files"], strict=True)
        for file, digest in found.items()
    }
    every = {**plain, **files, **settings["rules"]}
    return [(name.replace("_", " "), "none" if value is None else str(value)) for name, value in every.items()]


def _setting(row: tuple[str, str]) -> str:
    return f"<tr><th>{escape(row[0])}</th><td>{escape(row[1])}</td></tr>"


def _number(value: float | None, form: str) -> str:
    return "-" if value is None else form.format(value)
