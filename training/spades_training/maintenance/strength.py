"""The strength tables of the documentation: a round robin of duplicate matches, as Markdown.

``python -m spades_training.maintenance.strength --rules two_player --matches 200`` prints it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from typing import Annotated

import typer

from spades_env.rules import Rules
from spades_training.cluster.connect import HERE, connect
from spades_training.cluster.parcel import portable
from spades_training.evaluation.evaluate import Result, evaluate
from spades_training.evaluation.intervals import Estimate, turned
from spades_training.evaluation.totals import PlayerResult
from spades_training.options import OnOption, RulesOption, SeedOption, parse_rules
from spades_training.processes import run_all
from spades_training.terminal.display import reporter
from spades_training.tournament.schedule import is_fast

PLAYERS = (
    "uniform",
    "random",
    "heuristic",
    "rollout:worlds=4",
    "pimc:worlds=4",
    "pimc:worlds=20",
    "pimc:worlds=60",
)
# Players that act in batches are so fast that their pairings can be measured much more precisely.
BATCH_MATCHES = 4000

Pairing = tuple[str, str]


def play_pairing(a: str, b: str, rules: Rules, matches: int, seed: int, fast: int) -> Result:
    """Play one pairing, with at least ``fast`` matches if both players are fast."""
    return evaluate(a, b, rules, matches=max(matches, fast) if is_fast(a) and is_fast(b) else matches, seed=seed)


def round_robin(
    players: Sequence[str],
    rules: Rules,
    matches: int = 200,
    seed: int = 0,
    processes: int = 2,
    fast: int = BATCH_MATCHES,
    on: Executor | None = None,
) -> Iterable[tuple[Pairing, Result]]:
    """Play every player against every other one; yields each result when it is complete.

    Args:
        players: names as ``make_agent`` takes them.
        rules: the rules; with three or four sides the second player of a pairing takes all other seats.
        matches: number of matches of a pairing with a slow player.
        seed: seed of the decks, which are the same for all pairings.
        processes: number of pairings played at a time.
        fast: minimum matches of a pairing in which both players act in batches without a search.
        on: an executor from :func:`spades_training.cluster.connect`, whose machines play instead of ``processes``.
    """
    pairings = list(itertools.combinations(players, 2))
    if rules.sides > 2:
        # With more than two sides, one A against Bs differs from one B against As.
        pairings = list(itertools.permutations(players, 2))
    names = {name: name if on is None else portable(name) for name in players}
    jobs = {(a, b): (names[a], names[b], rules, matches, seed, fast) for a, b in pairings}
    return run_all(play_pairing, jobs, processes, on, names.values())


def markdown(players: Sequence[str], results: dict[Pairing, Result]) -> str:
    """Two tables, win rates and points per hand, of the row player against the column player."""
    wins: dict[Pairing, Estimate] = {}
    points: dict[Pairing, Estimate] = {}
    own: dict[str, list[PlayerResult]] = {name: [] for name in players}
    for (a, b), result in results.items():
        wins[a, b], points[a, b] = result.win_rate, result.points_per_hand
        if (b, a) not in results:
            wins[b, a], points[b, a] = turned(result.win_rate, 1.0), turned(result.points_per_hand, 0.0)
        own[a].append(result.a)
        own[b].append(result.b)

    def table(title: str, cells: dict[Pairing, Estimate], scale: float, signed: bool) -> list[str]:
        lines = [f"| {title} | " + " | ".join(players) + " | decision |", "|---" * (len(players) + 2) + "|"]
        for a in players:
            row = [cells[a, b].text(scale, 1, signed) if (a, b) in cells else "" for b in players]
            lines.append(f"| **{a}** | " + " | ".join(row) + f" | {decision(own[a])} |")
        return lines

    return "\n".join([*table("win rate, %", wins, 100, False), "", *table("points per hand", points, 1, True)])


def decision(results: list[PlayerResult]) -> str:
    """The mean wall time of a decision over all pairings."""
    count = sum(result.decisions for result in results)
    if not count:
        return ""
    mean = sum((result.decision_us or 0.0) * result.decisions for result in results) / count
    return f"{mean / 1000:.2g} ms" if mean >= 100 else f"{mean:.2g} µs"


def main(
    rules: RulesOption = "two_player",
    players: Annotated[str, typer.Option(help="Players by name, separated by spaces.")] = " ".join(PLAYERS),
    matches: Annotated[int, typer.Option(help="Matches of a pairing with a slow player.")] = 200,
    fast: Annotated[int, typer.Option(help="Minimum matches of a pairing of two fast players.")] = BATCH_MATCHES,
    seed: SeedOption = 0,
    processes: Annotated[int, typer.Option(help="Number of pairings played at a time.")] = 2,
    on: OnOption = HERE,
) -> None:
    """Print the strength table as Markdown, with 95% confidence intervals over pairs of duplicate matches."""
    names = players.split()
    results: dict[Pairing, Result] = {}
    with connect(on, reporter()) as cluster:
        for (a, b), result in round_robin(names, parse_rules(rules), matches, seed, processes, fast, cluster):
            results[a, b] = result
            typer.echo(f"{a} - {b}: {result.win_rate.text(100)} % of {result.matches} matches", err=True)
    typer.echo(markdown(names, results))


if __name__ == "__main__":
    typer.run(main)
