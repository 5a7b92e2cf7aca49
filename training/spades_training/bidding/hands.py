"""Single hands, played from random scores, with some bids replaced by random ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from spades_agents.base import Agent, BatchAgent, check_plays
from spades_agents.registry import make_agent

from spades_env.cards import BID_0, BLIND_NIL
from spades_env.engine.state import BID, BLIND, PLAY, copy_state
from spades_env.game import IllegalAction
from spades_env.rules import Rules
from spades_env.tables import Tables, agent_seed

REACH = 2  # a random bid other than nil is at most this far from the player's own
NIL_SHARE = 0.2  # of the random bids


@dataclass(frozen=True)
class Exploration:
    """How often the players' bids are replaced by random ones.

    Attributes:
        explore: share of bids drawn at random: nil one time in five, otherwise uniformly within two of the player's
            own bid.
        blind: share of blind nil decisions forced to blind nil.
    """

    explore: float = 0.0
    blind: float = 0.0


NO_EXPLORATION = Exploration()


@dataclass(frozen=True)
class PlayedHands:
    """``n`` hands, one for each deal.

    Attributes:
        states: STATE of shape (n,), each table before its last card. The state still holds the whole hand: the cards
            dealt (``hands | plays``), the bids, the ``order`` of play, and the scores and bags before the hand.
        tricks: int64 of shape (n, players), tricks won.
        points: int64 of shape (n, sides), points for the hand, including bag penalties.
        drawn: bool of shape (n, players), whether the seat's bid (or blind nil) was drawn at random.
    """

    states: np.ndarray
    tricks: np.ndarray
    points: np.ndarray
    drawn: np.ndarray


def play_hands(
    rules: Rules,
    agents: Sequence[str | Agent],
    seed: int,
    first: int,
    count: int,
    exploration: Exploration = NO_EXPLORATION,
    level: bool = False,
) -> PlayedHands:
    """Play the deals ``first`` to ``first + count - 1`` of a seed, one hand each.

    Deal ``i`` has the cards of the first hand of ``Game(rules, seed=(seed, i))``, and seat 0 opens. Each side's score
    is drawn between 0 and the target, and its bags between 0 and the bag limit; as in a match, the last digit of a
    score is the number of bags.

    Args:
        rules: the rules.
        agents: a player for each seat, or one for all seats, as names or agents.
        seed: seed of the decks, the players, the scores and the random bids.
        first: the first deal.
        count: number of deals.
        exploration: how often bids are replaced by random ones.
        level: start every hand at 0-0 without bags instead.

    Raises:
        ValueError: if the number of agents is neither one nor ``rules.players``, an agent cannot play the
            rules, or an agent makes an illegal move.
    """
    if len(agents) not in (1, rules.players):
        raise ValueError(f"{rules.name} needs 1 or {rules.players} agents, got {len(agents)}")
    players = [make_agent(agents[seat % len(agents)]) for seat in range(rules.players)]
    for player in players:
        check_plays(player, rules)
    tables = Tables(rules, count, [(seed, first + k) for k in range(count)], max_hands=1, auto_reset=False)
    rng = np.random.default_rng((seed, first, count))
    if not level:
        bags = rng.integers(0, max(rules.bag_limit, 1), (count, rules.sides))
        tables.set_scores(10 * rng.integers(0, max(rules.target // 10, 1), bags.shape) + bags, bags)
    bids = _RandomBids(rng, rules, count, exploration)
    states = copy_state(tables.states)
    for rows in [np.arange(count)] if _all_batch(players) else np.arange(count)[:, None]:
        _reset(players, seed, first + int(rows[0]))
        _play(tables, players, rows, bids, states)
    tricks = tables.states["last_tricks"][:, : rules.players].astype(np.int64)
    points = tables.states["points"][:, : rules.sides].astype(np.int64)
    return PlayedHands(states, tricks, points, bids.drawn)


def _all_batch(players: Sequence[Agent]) -> bool:
    return all(isinstance(player, BatchAgent) for player in players)


def _reset(players: Sequence[Agent], seed: int, deal: int) -> None:
    for seat, player in enumerate(players):
        player.reset(agent_seed((seed, deal), seat))


def _play(tables: Tables, players: Sequence[Agent], rows: np.ndarray, bids: _RandomBids, states: np.ndarray) -> None:
    """Play the hands at ``rows`` to the end, and copy each state to ``states`` before its last card."""
    last = tables.rules.players * tables.rules.hand_size - 1
    while len(rows):
        actions = np.empty(len(rows), np.int64)
        seats = tables.seat[rows]
        for seat, player in enumerate(players):
            mine = np.flatnonzero(seats == seat)
            if isinstance(player, BatchAgent) and len(mine):
                actions[mine] = player.act_batch(tables, rows[mine])
            else:
                actions[mine] = [player.act(tables.view(int(row))) for row in rows[mine]]
        bids.replace(tables, rows, actions)
        ending = rows[(tables.states["phase"][rows] == PLAY) & (tables.states["played"][rows] == last)]
        states[ending] = tables.states[ending]
        try:
            tables.advance(actions, rows)
        except IllegalAction as error:
            raise IllegalAction(f"illegal move while playing bidding data: {error}") from None
        rows = rows[tables.states["hand_number"][rows] == 0]


class _RandomBids:
    """Random bids, which depend on the deal and the seat but not on the players."""

    def __init__(self, rng: np.random.Generator, rules: Rules, count: int, exploration: Exploration) -> None:
        shape = (count, rules.players)
        self.most = rules.hand_size
        self.draws = rng.random(shape) < exploration.explore
        self.nil = rng.random(shape) < NIL_SHARE
        self.shift = rng.integers(-REACH, REACH + 1, shape)
        self.blind = rng.random(shape) < exploration.blind
        self.drawn = np.zeros(shape, np.bool_)

    def replace(self, tables: Tables, rows: np.ndarray, actions: np.ndarray) -> None:
        """Replace some of the players' bids in ``actions`` by the random ones."""
        seats = tables.seat[rows]
        phase = tables.states["phase"][rows]
        asked = (phase == BLIND) & self.blind[rows, seats]
        actions[asked] = BLIND_NIL
        bids = (phase == BID) & self.draws[rows, seats]
        own = np.where(actions == BID_0, 1, actions - BID_0)
        drawn = np.clip(own + self.shift[rows, seats], 1, self.most)
        actions[bids] = (BID_0 + np.where(self.nil[rows, seats], 0, drawn))[bids]
        self.drawn[rows[asked], seats[asked]] = True
        self.drawn[rows[bids], seats[bids]] = True
