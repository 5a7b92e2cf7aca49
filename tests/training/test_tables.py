"""Tables in the terminal: at any width the name and the main figure are there, whole."""

from __future__ import annotations

import io

import pytest
from rich.console import Console
from spades_command import spades
from spades_training.commands.league import _print_rows
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
