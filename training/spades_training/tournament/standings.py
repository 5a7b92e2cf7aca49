"""The standings of a tournament: wins and losses, ratings, verdicts, and all results as one dict."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from spades_training.evaluation.intervals import proportion, ratio
from spades_training.evaluation.totals import Totals
from spades_training.tournament.ratings import Comparisons, Ratings, bradley_terry
from spades_training.tournament.schedule import Pairing, Schedule
from spades_training.tournament.sequential import order_is_certain, verdict

MATCHES_NAMED = 20  # maximum match numbers listed for each kind of forfeit


@dataclass
class _Direction:
    """Agent A against B at all other seats; each list has one entry for each pair played."""

    wins: list[int] = field(default_factory=list)
    losses: list[int] = field(default_factory=list)
    hands: list[int] = field(default_factory=list)
    margin: list[float] = field(default_factory=list)


class Standings:
    """The results of a tournament so far."""

    def __init__(self, schedule: Schedule) -> None:
        self.schedule = schedule
        self.agents = schedule.settings.agents
        self.sides = schedule.rules.sides
        self.played: dict[Pairing, _Direction] = {
            direction: _Direction() for pairing in schedule.pairings for direction in schedule.directions(pairing)
        }
        self.totals = [Totals() for _ in self.agents]
        self.forfeits: list[dict[str, Any]] = []
        self.matches = 0

    def add(self, entry: dict[str, Any]) -> None:
        """Add a log entry from :func:`spades_training.tournament.referee.play`."""
        a, b, first, count = entry["unit"]
        outcome = np.array(entry["outcome"]).reshape(count, self.sides)
        found = self.played[a, b]
        found.wins += (outcome == 1).sum(1).tolist()
        found.losses += (outcome == -1).sum(1).tolist()
        found.hands += np.array(entry["hands"]).reshape(count, self.sides).sum(1).tolist()
        found.margin += np.array(entry["margin"]).reshape(count, self.sides).sum(1).tolist()
        for k, fields in zip((a, b), entry["totals"], strict=True):
            self.totals[k].merge(Totals.from_dict(fields))
        for forfeit in entry["forfeits"]:
            loser, other = (b, a) if forfeit["player"] else (a, b)
            match = first * self.sides + forfeit["match"]
            self.forfeits.append(
                {**forfeit, "agent": self.agents[loser], "against": self.agents[other], "match": match}
            )
        self.matches += outcome.size

    def scores(self, pairing: Pairing) -> np.ndarray:
        """The first player's score in each pair, from -1 to 1; its mean is 0 for equal players.

        With two sides it is the wins minus the losses, divided by two. With more sides it is the share of matches won
        by the first player when it plays alone, minus the same share for the second player.
        """
        first, *second = (np.array(self.played[one].wins, float) for one in self.schedule.directions(pairing))
        against = second[0] if second else np.array(self.played[pairing].losses, float)
        return (first - against) / self.sides

    def verdicts(self) -> dict[Pairing, int]:
        """For each pairing, 1 or -1 if the first or second player is certainly better, otherwise 0."""
        confidence = self.schedule.settings.confidence
        error = (1 - (0.95 if confidence is None else confidence)) / len(self.schedule.pairings)
        return {pairing: verdict(self.scores(pairing), error) for pairing in self.schedule.pairings}

    def ratings(self) -> Ratings:
        """Bradley-Terry ratings of all agents."""
        parts = [
            np.array([np.full(len(d.wins), a), np.full(len(d.wins), b), d.wins, d.losses, np.arange(len(d.wins))])
            for (a, b), d in self.played.items()
        ]
        return bradley_terry(len(self.agents), Comparisons(*np.concatenate(parts, axis=1).astype(int)), self.sides)

    def results(self) -> dict[str, Any]:
        """All results as values that JSON can hold; wall times appear only under ``timing``."""
        ratings, verdicts = self.ratings(), self.verdicts()
        order = ratings.order()
        return {
            "settings": self.schedule.settings.to_dict(),
            "matches": self.matches,
            "order_certain": order_is_certain(order, verdicts),
            "ratings": [self._rating(rank, order, ratings, verdicts) for rank in range(len(order))],
            "crosstable": [self._cell(pair, ratings, verdicts) for pair in self.played],
            "agents": [self._agent(k) for k in range(len(self.agents))],
            "forfeits": self._forfeits(),
            "timing": {
                name: totals.result(name).decision_us for name, totals in zip(self.agents, self.totals, strict=True)
            },
        }

    def _rating(self, rank: int, order: list[int], ratings: Ratings, verdicts: dict[Pairing, int]) -> dict[str, Any]:
        own = order[rank]
        played = [(d.wins, d.losses, a) for (a, b), d in self.played.items() if own in (a, b)]
        won, lost = zip(*((wins, losses) if a == own else (losses, wins) for wins, losses, a in played), strict=True)
        row: dict[str, Any] = {
            "rank": rank + 1,
            "agent": self.agents[own],
            "rating": dataclasses.asdict(ratings.rating(own)),
            "wins": sum(map(sum, won)),
            "losses": sum(map(sum, lost)),
            "forfeits": sum(entry["agent"] == self.agents[own] for entry in self.forfeits),
            "ahead_of_next": None,
            "ahead_is_certain": None,
        }
        if rank + 1 < len(order):
            following = order[rank + 1]
            row["ahead_of_next"] = dataclasses.asdict(ratings.gap(own, following))
            row["ahead_is_certain"] = order_is_certain([own, following], verdicts)
        return row

    def _cell(self, direction: Pairing, ratings: Ratings, verdicts: dict[Pairing, int]) -> dict[str, Any]:
        a, b = direction
        found = self.played[direction]
        wins, losses = np.array(found.wins, float), np.array(found.losses, float)
        margin, hands = np.array(found.margin, float), np.array(found.hands, float)
        return {
            "a": self.agents[a],
            "b": self.agents[b],
            "pairs": len(wins),
            "matches": len(wins) * self.sides,
            "wins": int(wins.sum()),
            "losses": int(losses.sum()),
            "win_rate": dataclasses.asdict(proportion(wins, wins + losses)),
            "points_per_hand": dataclasses.asdict(ratio(margin, hands)),
            "rating_gap": dataclasses.asdict(ratings.gap(a, b)),
            "better": {0: None, 1: self.agents[min(a, b)], -1: self.agents[max(a, b)]}[verdicts[min(a, b), max(a, b)]],
        }

    def _agent(self, k: int) -> dict[str, Any]:
        totals = self.totals[k]
        fields = dataclasses.asdict(totals.result(self.agents[k]))
        del fields["decision_us"]
        return {**fields, "bids": totals.bids.tolist(), "tricks_by_bid": totals.tricks_by_bid.tolist()}

    def _forfeits(self) -> list[dict[str, Any]]:
        """The forfeits, grouped by kind and message, each group with its first traceback."""
        found: dict[tuple[str, ...], dict[str, Any]] = {}
        for entry in self.forfeits:
            key = tuple(entry[name] for name in ("agent", "against", "kind", "message"))
            row = found.setdefault(
                key,
                {"agent": key[0], "against": key[1], "kind": key[2], "message": key[3], "count": 0, "matches": []}
                | {"traceback": entry["traceback"]},
            )
            row["count"] += 1
            if len(row["matches"]) < MATCHES_NAMED:
                row["matches"].append(entry["match"])
        return list(found.values())
