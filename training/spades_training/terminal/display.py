"""Tables and progress bars for the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from spades_env.rules import Rules
from spades_training.evaluation.evaluate import Result
from spades_training.evaluation.totals import PlayerResult
from spades_training.terminal.table import FittedTable


@contextmanager
def progress_bar(text: str, shown: bool = True) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on stderr if that is a terminal; yields a function of (done, total) that updates it."""
    console = Console(stderr=True)
    if not (shown and console.is_terminal):
        yield lambda done, total: None  # some versions of Rich end a disabled bar with an empty line
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(text, total=None)

        def update(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield update


def reporter(shown: bool = True) -> Callable[[str], None]:
    """A function that prints a line on stderr, or does nothing unless ``shown``."""
    console = Console(stderr=True, highlight=False)
    return lambda line: console.print(line, markup=False, soft_wrap=True) if shown else None


def training_bar(console: Console, speed: str) -> Progress:
    """The progress bar of a training run, whose tasks have the fields ``speed`` and ``evaluation``.

    Args:
        console: where to print; only terminals show the bar.
        speed: the text after the number of the speed, up to the time left.
    """
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        TextColumn(f"{{task.percentage:>3.0f}}% {{task.fields[speed]:,.0f}} {speed}"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[evaluation]}"),
        console=console,
        disable=not console.is_terminal,
    )


def evaluation_table(results: dict[str, Result], title: str) -> FittedTable:
    """The results of one player, with one row for each opponent."""
    cut = ", ".join(f"{result.truncated} against {name}" for name, result in results.items() if result.truncated)
    pairs = sorted({result.pairs for result in results.values()})
    noun = "pair" if pairs == [1] else "pairs"
    caption = f"{' or '.join(map(str, pairs))} {noun} of duplicate matches each, 95% intervals over pairs" + (
        f"; truncated and not counted: {cut}" if cut else ""
    )
    titles = ("against", "match wins % [95%]", "points/hand [95%]", "contracts", "bags", "bid")
    table = FittedTable([escape(name) for name in titles], title=title, caption=escape(caption))
    for name, result in results.items():
        table.add_row(
            escape(name),
            escape(result.win_rate.text(100)),
            escape(result.points_per_hand.text(signed=True)),
            _percent(result.a.contract_made),
            _number(result.a.bags_per_hand),
            _number(result.a.mean_bid),
        )
    return table


def print_result(console: Console, result: Result) -> None:
    """Print a result as text."""
    rules = Rules.from_dict(result.rules).name
    a, b = escape(result.a.name), escape(result.b.name)
    pairs = "1 pair" if result.pairs == 1 else f"{result.pairs} pairs"
    console.print(
        f"[bold]{a}[/] against [bold]{b}[/], {rules}: {pairs} of duplicate matches "
        f"({result.matches} matches, seed {result.seed})"
    )
    console.print(f"match wins    {result.win_rate.text(100)} %  (equal players: {100 * result.chance:.0f} %)")
    console.print(f"points/hand   {result.points_per_hand.text(signed=True)}  ahead of the opponent")
    console.print(
        f"{result.hands_per_match:.1f} hands per match; {result.truncated} matches truncated after "
        f"{result.max_hands} hands and not counted"
    )
    table = Table()
    table.add_column("")
    for player in (result.a, result.b):
        table.add_column(Text(player.name, overflow="fold"), justify="right")
    for name, text in _LINES:
        table.add_row(name, text(result.a), text(result.b))
    console.print(table)
    console.print("95% confidence intervals over pairs in brackets.", style="dim")


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}%"


_LINES: tuple[tuple[str, Callable[[PlayerResult], str]], ...] = (
    ("points per hand", lambda player: _number(player.points_per_hand)),
    ("contracts made", lambda player: _percent(player.contract_made)),
    ("nils made / tried", lambda player: f"{player.nil_made} / {player.nil_tried}"),
    ("blind nils made / tried", lambda player: f"{player.blind_nil_made} / {player.blind_nil_tried}"),
    ("bags per hand", lambda player: _number(player.bags_per_hand)),
    ("mean bid", lambda player: _number(player.mean_bid)),
    ("mean tricks", lambda player: _number(player.mean_tricks)),
    ("time per decision (µs)", lambda player: _number(player.decision_us)),
)
