"""Duplicate matches between two players: the same decks for both, seats swapped.

A *pair* is one match for every side of the table, all with the same decks and the same first opener: in the
k-th player A is side k and B is all the others. (Two players or partners: two matches, seats swapped; three- and
four-handed games: A at every seat in turn, against copies of B.) A deck depends on the seed, the match and the
number of the hand alone, so the matches of a pair have the same decks to the end. Luck of the cards cancels
within a pair, and the confidence intervals treat pairs as the independent observations.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from spades_agents.base import Agent, BatchAgent
from spades_agents.registry import make_agent

from spades_env.checks import check_int
from spades_env.engine.state import BLIND_BID, OVER
from spades_env.game import IllegalAction
from spades_env.rules import Rules, as_rules
from spades_env.tables import Tables
from spades_training.intervals import Estimate, proportion, ratio

__all__ = ["PlayerResult", "Result", "evaluate"]

BATCH = 1024  # matches in play at a time, unless told otherwise
A, B = 0, 1


@dataclass(frozen=True)
class PlayerResult:
    """How one player did; rates are None where there was nothing to count.

    Attributes:
        name: of the player.
        points_per_hand: points of a side of this player in a hand, bag penalties included.
        contract_made: share of contracts (bids above 0, a side's together) that were made.
        nil_tried: nils bid, blind ones not among them.
        nil_made: how many of them were made.
        blind_nil_tried: blind nils bid.
        blind_nil_made: how many of them were made.
        bags_per_hand: bags of a side in a hand.
        mean_bid: of a seat in a hand, nils counted as 0.
        mean_tricks: of a seat in a hand.
        decisions: how many it made.
        decision_us: microseconds of wall time for a decision, in batches where the player can.
    """

    name: str
    points_per_hand: float | None
    contract_made: float | None
    nil_tried: int
    nil_made: int
    blind_nil_tried: int
    blind_nil_made: int
    bags_per_hand: float | None
    mean_bid: float | None
    mean_tricks: float | None
    decisions: int
    decision_us: float | None = field(compare=False)


@dataclass(frozen=True)
class Result:
    """What a series of duplicate matches gave.

    Attributes:
        rules: the rules, every field.
        seed: pair p had the decks of ``Game(rules, seed=(seed, p))``.
        pairs: how many pairs.
        matches: how many matches, ``pairs`` times the number of sides.
        truncated: matches that nobody had won after ``max_hands`` hands.
        max_hands: see ``truncated``.
        win_rate: matches that A won over matches that somebody won; truncated matches count for neither. By
            chance it is ``chance``.
        chance: 1 / sides, the win rate of equal players.
        points_per_hand: A's points less the mean of the other sides' points, for a hand.
        hands_per_match: mean length.
        a: player A.
        b: player B; the means over all its sides and seats.
    """

    rules: dict[str, Any]
    seed: int
    pairs: int
    matches: int
    truncated: int
    max_hands: int
    win_rate: Estimate
    chance: float
    points_per_hand: Estimate
    hands_per_match: float
    a: PlayerResult
    b: PlayerResult

    def to_dict(self) -> dict[str, Any]:
        """All of it as values that JSON can hold."""
        return dataclasses.asdict(self)


def evaluate(
    a: str | Agent,
    b: str | Agent,
    rules: str | Rules = "two_player",
    *,
    matches: int = 400,
    seed: int = 0,
    max_hands: int = 100,
    batch: int = BATCH,
    progress: Callable[[int, int], object] | None = None,
) -> Result:
    """Play duplicate matches between A and B.

    Players that have ``act_batch`` play many matches at once. If one of them has not, the matches are played
    one after the other and that player is reset before each, seeded by the match. Either way the result, times
    apart, depends on the players and ``seed`` but not on ``batch``.

    Args:
        a: an agent, or its name as ``make_agent`` takes it.
        b: its opponent; at three or four seats, all of its opponents.
        rules: a preset's name or a :class:`Rules`.
        matches: how many matches, rounded up to whole pairs.
        seed: of the decks and of the players' dice.
        max_hands: a match of so many hands without a winner is truncated.
        batch: most matches in play at a time.
        progress: called now and then with the matches finished and the matches in all.

    Raises:
        ValueError: if an argument makes no sense, or a player's action is illegal.
    """
    rules = as_rules(rules)
    sides = rules.sides
    pairs = -(-check_int("matches", matches, 1, 10_000_000) // sides)
    seed = check_int("seed", seed, 0, 2**64 - 1)
    batch = check_int("batch", batch, 1, 10_000_000)
    agents = (make_agent(a), make_agent(b))
    seeds = [(seed, pair) for pair in range(pairs) for _ in range(sides)]
    tables = Tables(rules, pairs * sides, seeds, max_hands=max_hands, auto_reset=False)
    series = _Series(agents, tables, seed)
    series.play(batch, progress)
    return series.result(pairs)


class _Series:
    """The matches of an evaluation; row ``k`` of the tables is match ``k % sides`` of pair ``k // sides``."""

    def __init__(self, agents: tuple[Agent, Agent], tables: Tables, seed: int) -> None:
        self.agents, self.tables, self.rules, self.seed = agents, tables, tables.rules, seed
        rows = np.arange(tables.count)
        sides, players = self.rules.sides, self.rules.players
        self.single = not all(isinstance(agent, BatchAgent) for agent in agents)
        # Who plays where: (rows, sides) and (rows, seats), A or B.
        self.side_player = np.where(np.arange(sides) == (rows % sides)[:, None], A, B)
        self.seat_player = self.side_player[:, np.arange(players) % sides]
        self.hands = np.zeros(tables.count, np.int64)
        self.margin = np.zeros(tables.count)
        self.totals = [_Totals(), _Totals()]

    def play(self, batch: int, progress: Callable[[int, int], object] | None) -> None:
        """Play all matches to the end, at most ``batch`` at a time."""
        self._begin()
        if self.single:
            batch = 1
        count = self.tables.count
        active = np.arange(0)
        waiting = 0
        while waiting < count or len(active):
            room = min(batch - len(active), count - waiting)
            if room:
                active = np.concatenate([active, np.arange(waiting, waiting + room)])
                if self.single:
                    self._reset_single(waiting)
                waiting += room
            self._step(active)
            over = self.tables.terminated[active] | self.tables.truncated[active]
            if over.any():
                active = active[~over]
                if progress:
                    progress(waiting - len(active), count)

    def _begin(self) -> None:
        """Let both players decide once, for what they compile or load is not to be timed; then seed them."""
        dice = np.random.SeedSequence(self.seed).generate_state(2, np.uint64)
        for agent, one in zip(self.agents, dice, strict=True):
            agent.reset(int(one))
            self._actions(agent, np.zeros(1, np.int64))
            agent.reset(int(one))

    def _reset_single(self, match: int) -> None:
        """Seed players that have no stream for each table, so that a match does not depend on those before."""
        for k, agent in enumerate(self.agents):
            if not isinstance(agent, BatchAgent):
                agent.reset(int(np.random.SeedSequence((self.seed, match, k)).generate_state(1, np.uint64)[0]))

    def _step(self, active: np.ndarray) -> None:
        """One decision at each of the ``active`` tables."""
        tables = self.tables
        player = self.seat_player[active, tables.seat[active]]
        for k, (agent, totals) in enumerate(zip(self.agents, self.totals, strict=True)):
            rows = active[player == k]
            if not len(rows):
                continue
            start = time.perf_counter()
            actions = self._actions(agent, rows)
            totals.seconds += time.perf_counter() - start
            totals.decisions += len(rows)
            before = tables.states["hand_number"][rows]
            try:
                tables.advance(actions, rows)
            except IllegalAction as error:
                raise IllegalAction(f"player {agent.name!r} made an illegal move: {error}") from None
            finished = rows[tables.states["hand_number"][rows] != before]
            if len(finished):
                self._count_hands(finished)

    def _actions(self, agent: Agent, rows: np.ndarray) -> np.ndarray:
        if isinstance(agent, BatchAgent):
            return np.asarray(agent.act_batch(self.tables, rows))
        return np.array([agent.act(self.tables.view(int(row))) for row in rows])

    def _count_hands(self, rows: np.ndarray) -> None:
        """Add the hands that have just ended at ``rows``."""
        rules, states = self.rules, self.tables.states[rows]
        points = states["points"][:, : rules.sides].astype(float)
        own = points[np.arange(len(rows)), rows % rules.sides]
        self.hands[rows] += 1
        self.margin[rows] += own - (points.sum(1) - own) / (rules.sides - 1)
        bids, blind, tricks = (states[f"last_{name}"][:, : rules.players] for name in ("bids", "blind", "tricks"))
        hand = _Hands.score(rules, bids.astype(int), blind == BLIND_BID, tricks.astype(int))
        for k, totals in enumerate(self.totals):
            totals.add(hand, points, self.side_player[rows] == k, self.seat_player[rows] == k)

    def result(self, pairs: int) -> Result:
        """The numbers of the whole series."""
        sides = self.rules.sides
        winner = self.tables.states["winner"].astype(int)
        decided = self.tables.states["phase"] == OVER
        won = decided & (winner == np.arange(self.tables.count) % sides)

        def by_pair(values: np.ndarray) -> np.ndarray:
            return values.reshape(pairs, sides).sum(1).astype(float)

        return Result(
            rules=self.rules.to_dict(),
            seed=self.seed,
            pairs=pairs,
            matches=self.tables.count,
            truncated=int((~decided).sum()),
            max_hands=self.tables.max_hands,
            win_rate=proportion(by_pair(won), by_pair(decided)),
            chance=1 / sides,
            points_per_hand=ratio(by_pair(self.margin), by_pair(self.hands)),
            hands_per_match=float(self.hands.mean()),
            a=self.totals[A].result(self.agents[A].name),
            b=self.totals[B].result(self.agents[B].name),
        )


@dataclass
class _Hands:
    """Finished hands as arrays (hands, seats) and (hands, sides)."""

    bids: np.ndarray
    blind: np.ndarray
    tricks: np.ndarray
    contracts: np.ndarray
    made: np.ndarray
    bags: np.ndarray

    @classmethod
    def score(cls, rules: Rules, bids: np.ndarray, blind: np.ndarray, tricks: np.ndarray) -> _Hands:
        """Contracts and bags of each side, from bids and tricks of each seat."""

        def by_side(values: np.ndarray) -> np.ndarray:
            return values.reshape(len(values), -1, rules.sides).sum(1)

        nil = bids == 0
        contracts = by_side(bids)
        counted = by_side(np.where(nil, 0, tricks))
        failed = by_side(np.where(nil, tricks, 0))
        bags = np.zeros_like(contracts)
        if rules.failed_nil == "one_bag":
            bags = by_side(nil & (tricks > 0))
        elif rules.failed_nil == "bags":
            bags = failed
        elif rules.failed_nil == "contract":
            counted = counted + failed
        # Without a contract nothing is counted but tricks of failed nils under "contract", which are bags then.
        made = counted >= contracts
        return cls(bids, blind, tricks, contracts, made, bags + np.where(made, counted - contracts, 0))


@dataclass
class _Totals:
    """Sums over all hands of one player."""

    seconds: float = 0.0
    decisions: int = 0
    counts: dict[str, float] = field(default_factory=dict)

    def add(self, hand: _Hands, points: np.ndarray, sides: np.ndarray, seats: np.ndarray) -> None:
        """Count the ``sides`` (hands, sides) and ``seats`` (hands, seats) that are this player's."""
        bids, tricks, blind = hand.bids[seats], hand.tricks[seats], hand.blind[seats]
        contracts = hand.contracts[sides]
        nil, none = bids == 0, tricks == 0
        found = {
            "sides": len(contracts),
            "points": points[sides].sum(),
            "contracts": (contracts > 0).sum(),
            "contracts_made": ((contracts > 0) & hand.made[sides]).sum(),
            "bags": hand.bags[sides].sum(),
            "seats": len(bids),
            "bids": bids.sum(),
            "tricks": tricks.sum(),
            "nil_tried": (nil & ~blind).sum(),
            "nil_made": (nil & ~blind & none).sum(),
            "blind_nil_tried": blind.sum(),
            "blind_nil_made": (blind & none).sum(),
        }
        for name, value in found.items():
            self.counts[name] = self.counts.get(name, 0) + float(value)

    def result(self, name: str) -> PlayerResult:
        """Means and rates of the sums."""
        counts = self.counts

        def mean(top: str, bottom: str) -> float | None:
            return counts[top] / counts[bottom] if counts[bottom] else None

        return PlayerResult(
            name=name,
            points_per_hand=mean("points", "sides"),
            contract_made=mean("contracts_made", "contracts"),
            nil_tried=int(counts["nil_tried"]),
            nil_made=int(counts["nil_made"]),
            blind_nil_tried=int(counts["blind_nil_tried"]),
            blind_nil_made=int(counts["blind_nil_made"]),
            bags_per_hand=mean("bags", "sides"),
            mean_bid=mean("bids", "seats"),
            mean_tricks=mean("tricks", "seats"),
            decisions=self.decisions,
            decision_us=1e6 * self.seconds / self.decisions if self.decisions else None,
        )
