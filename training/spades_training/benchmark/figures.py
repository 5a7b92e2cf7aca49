"""The figures of a card, all of them computed from the records."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from spades_env.rules import Rules
from spades_training.benchmark.field import Field, Part, counts
from spades_training.benchmark.matches import Pairing
from spades_training.evaluation.intervals import Estimate, proportion, ratio
from spades_training.evaluation.totals import Hands, Totals
from spades_training.tournament.ratings import Comparisons, bradley_terry

DIGITS = 6  # to which figures are rounded: the last bits may depend on the machine
_TIMES = ("decisions", "decision_us")


@dataclasses.dataclass(frozen=True)
class Sums:
    """Sums over the matches of each pair, int64 of shape (pairs,): the agent's wins, losses, hands and margin."""

    wins: np.ndarray
    losses: np.ndarray
    hands: np.ndarray
    margin: np.ndarray


def figures(agent: str, pairings: Sequence[Pairing], part: Part, field: Field) -> dict[str, Any]:
    """The figures of an agent in one game, as values that JSON can hold.

    Args:
        agent: the agent's name.
        pairings: its matches against each opponent.
        part: the game.
        field: the field.

    Returns:
        ``rating``, Elo points ahead of the field's reference; ``opponents``, with the results against each of them;
        ``agent``, what the agent did in all matches: contracts, nils, bags and bids.
    """
    sums = {pairing.opponent.name: sum_up(pairing, part.rules) for pairing in pairings}
    totals = Totals()
    for pairing in pairings:
        count_hands(pairing, part.rules, totals)
    own = dataclasses.asdict(totals.result(agent))
    return {
        "rules": part.rules.to_dict(),
        "rating": _estimate(rating(sums, part, field.reference)),
        "reference": field.reference,
        "chance": round(1 / part.rules.sides, DIGITS),
        "opponents": [_opponent(pairing, sums[pairing.opponent.name]) for pairing in pairings],
        "agent": {name: _rounded(value) for name, value in own.items() if name not in _TIMES},
    }


def sum_up(pairing: Pairing, rules: Rules) -> Sums:
    """The sums of each pair of matches."""
    lost = {forfeit["match"] for forfeit in pairing.forfeits}
    rows = []
    for match, played in enumerate(pairing.played):
        side = match % rules.sides
        won = match not in lost and played.winner == side
        decided = match in lost or played.winner is not None
        points = np.array([hand.points for hand in played.hands], float).reshape(-1, rules.sides)
        margin = points[:, side] - (points.sum(1) - points[:, side]) / (rules.sides - 1)
        rows.append((won, decided and not won, len(points), margin.sum()))
    return Sums(*np.array(rows, float).reshape(-1, rules.sides, 4).sum(1).T)


def count_hands(pairing: Pairing, rules: Rules, totals: Totals) -> None:
    """Add what the agent did in its matches to ``totals``."""
    for match, played in enumerate(pairing.played):
        if not played.hands:
            continue
        bids, blind, tricks, points = (
            np.array([getattr(hand, name) for hand in played.hands]) for name in ("bids", "blind", "tricks", "points")
        )
        own = match % rules.sides
        sides = np.broadcast_to(np.arange(rules.sides) == own, points.shape)
        own_seats = np.broadcast_to(np.arange(rules.players) % rules.sides == own, bids.shape)
        totals.add(Hands.score(rules, bids, blind, tricks), points.astype(float), sides, own_seats)


def rating(sums: dict[str, Sums], part: Part, reference: str) -> Estimate:
    """How many Elo points the agent is ahead of ``reference``, from its matches and those of the field."""
    names = [opponent.name for opponent in part.opponents]
    place = {name: k for k, name in enumerate(names)}
    agent = len(names)
    parts = [(place[one.name], place[reference], counts(one.wins), counts(one.losses)) for one in part.opponents]
    parts += [(agent, place[name], found.wins, found.losses) for name, found in sums.items()]
    rows = [
        np.array([np.full(len(wins), a), np.full(len(wins), b), wins, losses, np.arange(len(wins))])
        for a, b, wins, losses in parts
    ]
    compared = Comparisons(*np.concatenate(rows, axis=1).astype(int))
    return bradley_terry(agent + 1, compared, part.rules.sides).gap(agent, place[reference])


def _opponent(pairing: Pairing, sums: Sums) -> dict[str, Any]:
    wins, losses, matches = int(sums.wins.sum()), int(sums.losses.sum()), len(pairing.played)
    return {
        "name": pairing.opponent.name,
        "matches": matches,
        "wins": wins,
        "losses": losses,
        "truncated": matches - wins - losses,
        "win_rate": _estimate(proportion(sums.wins, sums.wins + sums.losses)),
        "points_per_hand": _estimate(ratio(sums.margin, sums.hands)),
        "forfeits": sorted(pairing.forfeits, key=lambda forfeit: forfeit["match"]),
    }


def _estimate(estimate: Estimate) -> dict[str, Any]:
    return {name: _rounded(value) for name, value in dataclasses.asdict(estimate).items()}


def _rounded(value: Any) -> Any:
    return round(value, DIGITS) if isinstance(value, float) else value
