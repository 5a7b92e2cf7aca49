"""The strength table of the README: a round robin of duplicate matches, as Markdown.

``python -m spades_training.maintenance.strength --rules two_player --matches 200``
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import Annotated

import typer
from spades_agents.base import Agent, BatchAgent
from spades_agents.registry import make_agent
from spades_agents.search import RolloutAgent

from spades_env.rules import Rules
from spades_training.evaluation.evaluate import PlayerResult, Result, evaluate
from spades_training.evaluation.intervals import Estimate, turned
from spades_training.options import parse_rules

__all__ = ["PLAYERS", "markdown", "round_robin"]

PLAYERS = (
    "uniform",
    "random",
    "heuristic",
    "rollout:worlds=4",
    "pimc:worlds=4",
    "pimc:worlds=20",
    "pimc:worlds=60",
)
# Players that act for many tables at once are so much faster that their pairings can be told much more exactly.
BATCH_MATCHES = 4000

Pairing = tuple[str, str]


def play_pairing(a: str, b: str, rules: Rules, matches: int, seed: int, fast: int) -> Result:
    """One pairing, of at least ``fast`` matches if both players are fast."""
    return evaluate(a, b, rules, matches=max(matches, fast) if is_fast(a) and is_fast(b) else matches, seed=seed)


def is_fast(player: str | Agent) -> bool:
    """Whether a player acts for many tables at once, and without a search."""
    agent = make_agent(player)
    return isinstance(agent, BatchAgent) and not isinstance(agent, RolloutAgent)


def round_robin(
    players: Sequence[str],
    rules: Rules,
    matches: int = 200,
    seed: int = 0,
    processes: int = 2,
    fast: int = BATCH_MATCHES,
) -> Iterable[tuple[Pairing, Result]]:
    """Every player against every other one, and each result as it comes in.

    Args:
        players: names as ``make_agent`` takes them.
        rules: the rules; at three or four seats the second of a pairing sits at all other seats.
        matches: of a pairing with a slow player.
        seed: of the decks, the same for all pairings.
        processes: how many pairings are played at a time.
        fast: least matches of a pairing of players that act for many tables at once.
    """
    pairings = list(itertools.combinations(players, 2))
    if rules.sides > 2:
        # One against three of another is not the other way round one against three.
        pairings = list(itertools.permutations(players, 2))
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        running = {pool.submit(play_pairing, *pair, rules, matches, seed, fast): pair for pair in pairings}
        for done in as_completed(running):
            yield running[done], done.result()


def markdown(players: Sequence[str], results: dict[Pairing, Result]) -> str:
    """Two tables, win rates and points per hand, each of the player of the row against the one of the column."""
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
    """Mean wall time of a decision over all pairings."""
    count = sum(result.decisions for result in results)
    if not count:
        return ""
    mean = sum((result.decision_us or 0.0) * result.decisions for result in results) / count
    return f"{mean / 1000:.2g} ms" if mean >= 100 else f"{mean:.2g} µs"


def main(
    rules: Annotated[str, typer.Option(help="Preset, with changes if need be.")] = "two_player",
    players: Annotated[str, typer.Option(help="Names as make_agent takes them, separated by spaces.")] = " ".join(
        PLAYERS
    ),
    matches: Annotated[int, typer.Option(help="Of a pairing with a slow player.")] = 200,
    fast: Annotated[int, typer.Option(help="Least matches of a pairing in which nobody searches.")] = BATCH_MATCHES,
    seed: Annotated[int, typer.Option(help="Of the decks.")] = 0,
    processes: Annotated[int, typer.Option(help="Pairings played at a time.")] = 2,
) -> None:
    """Print the strength table as Markdown: 95% confidence intervals over pairs of duplicate matches."""
    names = players.split()
    results: dict[Pairing, Result] = {}
    for (a, b), result in round_robin(names, parse_rules(rules), matches, seed, processes, fast):
        results[a, b] = result
        typer.echo(f"{a} - {b}: {result.win_rate.text(100)} % of {result.matches} matches", err=True)
    typer.echo(markdown(names, results))


if __name__ == "__main__":
    typer.run(main)
