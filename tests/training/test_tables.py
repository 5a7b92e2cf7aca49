"""Tables in the terminal: at any width the name and the main figure are there, whole."""

from __future__ import annotations

import dataclasses
import io

import pytest
from rich.console import Console
from spades_command import spades
from spades_training.bench.machine import describe
from spades_training.bench.measure import Case, Measured, Rates
from spades_training.bench.report import Report
from spades_training.commands.comparing.league import _print_rows
from spades_training.evaluation.evaluate import evaluate
from spades_training.terminal.display import evaluation_table, print_result
from spades_training.terminal.table import FittedTable
from spades_training.tournament.output import print_results

from spades_env.rules import Rules

WIDTHS = [60, 80, 120]
LONG = "pimc:worlds=64,beliefs=false,match_value=false"


def printed(width, *parts):
    console = Console(file=io.StringIO(), width=width)
    for part in parts:
        part(console) if callable(part) else console.print(part)
    text = console.file.getvalue()
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    return text


@pytest.mark.parametrize("width", WIDTHS)
def test_columns_go_from_the_right(width):
    table = FittedTable(("agent", "wins % [95%]", "points", "bags"), caption="note")
    table.add_row(LONG, "62.5 [58.1, 66.9]", "+12.3", "x" * 40)
    text = printed(width, table)
    assert LONG[:20] in text
    assert "62.5 [58.1, 66.9]" in text
    assert "+12.3" in text
    assert ("x" * 40 in text) == (width == 120)
    assert ("not shown at this width: bags" in text) == (width < 120)


def test_a_name_is_folded_and_never_cut():
    table = FittedTable(("agent", "wins"))
    table.add_row(LONG, "1234567890123")
    lines = printed(40, table).splitlines()
    assert LONG in "".join(line[1:22].strip() for line in lines[2:])
    assert "1234567890123" in "\n".join(lines)


@pytest.mark.parametrize("width", WIDTHS)
def test_results_of_training_and_evaluations(width):
    result = evaluate("random", "heuristic", Rules.preset("two_player", target=60, loss=-60), matches=4)
    text = printed(width, evaluation_table({"heuristic": result, LONG: result}, "runs/x: 1,000 steps"))
    assert "heuristic" in text
    assert text.count(result.win_rate.text(100)) == 2
    assert LONG[:20] in text
    text = printed(width, lambda console: print_result(console, result))
    assert "points per hand" in text


@pytest.mark.parametrize("width", WIDTHS)
def test_a_tournament_and_a_league(width):
    rating = {"value": 123.0, "low": -1234.0, "high": 2345.0}
    row = {"rank": 1, "agent": LONG, "rating": rating, "wins": 1200, "losses": 800, "forfeits": 12}
    results = {"ratings": [{**row, "ahead_is_certain": False}], "forfeits": [], "matches": 2000}
    results |= {"stopped": "running", "order_certain": False, "most_matches": 4000}
    text = printed(width, lambda console: print_results(console, results))
    assert "+123 [-1234, +2345]" in text
    assert LONG[:16] in text
    player = {"steps": 1_250_000, "player": "ppo:runs/x/league/000001250000.zip", "rating": 123.0}
    rows = [{**player, "low": -1234.0, "high": 2345.0, "wins": 1200, "losses": 800}]
    text = printed(width, lambda console: _print_rows(console, rows, LONG))
    assert "+123 [-1234, +2345]" in text
    assert "000001250000.zip" in text


@pytest.mark.parametrize("width", WIDTHS)
def test_puzzles(width):
    text = spades("puzzles", "random", "--theme", "draft", columns=width).stdout
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    assert "puzzles right" in text
    assert "no: KEEP" in text or "no: REJECT" in text


@pytest.mark.parametrize("width", WIDTHS)
def test_bids(width):
    text = spades("bid", "♠AK4 ♥A72 ♦K93 ♣JT52", "--score", "-120--380", columns=width).stdout
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    titles, row = [next(line for line in text.splitlines() if line.strip().startswith(name)) for name in ("bid", "4")]
    assert "".join(titles.split()) == "bidmatchwin%made%pointstheirpoints"
    assert len(row.split()) == 5
    assert "blind nil" in text


@pytest.mark.parametrize("width", WIDTHS)
def test_a_solved_deal(width):
    deal = "N:AK4.A7.K.- QJ2.KQ.A.- T98.J.QJ.- 765.T9.T.-"
    text = spades("solve", deal, "--bids", "nil,nil,nil,nil", columns=width).stdout
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    lines = text.splitlines()
    assert lines[0] == "partnership: N to play, 6 tricks left"
    assert lines[2].split() == ["card", "tricks", *["nil", "N", "nil", "E", "nil", "S", "nil", "W"]]
    assert next(line for line in lines if "best" in line).split()[1].isdecimal()


@pytest.mark.parametrize("width", WIDTHS)
def test_a_benchmark(width):
    cases = [Case(key, text, int) for key, text in (("aec/env", "spades_v0.env()"), ("nothing/env", "empty AEC " * 4))]
    rates = {case.key: Rates((1e6, 3e6)) for case in cases}
    scaled = Measured((), {f"{loop}/1024": Rates((1e6, 2e6)) for loop in ("compiled", "calls")}, ())
    report = Report(describe(0), {"repeats": 2, "seconds": 0.4, "yardstick": None}, Measured(tuple(cases), rates, ()))
    text = printed(width, dataclasses.replace(report, scaling=scaled).print)
    assert "2.00 M (1.00 M - 3.00 M)" in text
    assert "spades_v0.env()" in text
    assert ("not shown at this width: unit" in text) == (width == 60)
    assert "1.00 (1.00 - 1.00)" in text
    assert "spades_v0.env() / " in text
    assert "one call per step" in text
