"""Single hands, played from scores drawn at random, with some bids that nobody would make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from spades_agents.base import Agent, BatchAgent
from spades_agents.registry import make_agent

from spades_env.cards import BID_0, BLIND_NIL
from spades_env.engine.state import BID, BLIND, PLAY, copy_state
from spades_env.game import IllegalAction
from spades_env.rules import Rules
from spades_env.tables import Tables, agent_seed

__all__ = ["PlayedHands", "play_hands"]

REACH = 2  # a bid drawn at random lies so far from the player's own, or is nil
NIL_SHARE = 0.2  # of the bids drawn at random


@dataclass(frozen=True)
class PlayedHands:
    """``n`` hands, one a deal.

    Attributes:
        states: STATE[n], each table when all but the last card has been played: it still shows the whole hand, that is
            ``hands | plays``, bids, ``order``, and the scores and bags before the hand.
        tricks: int64[n, players], tricks won.
        points: int64[n, sides], what the hand brought, bag penalties included.
        drawn: bool[n, players], whether the seat's bid (or its blind nil) was drawn at random.
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
    explore: float = 0.0,
    blind: float = 0.0,
    level: bool = False,
) -> PlayedHands:
    """Play the deals ``first`` to ``first + count - 1`` of a seed, one hand each.

    Deal ``i`` has the cards of the first hand of ``Game(rules, seed=(seed, i))`` and seat 0 opens. Each side's score is
    drawn from 0 to 10 short of the target, its bags from 0 up; a score ends in its bags, as it does in a match.

    Args:
        rules: the rules.
        agents: a player for each seat, or one for all, by name or itself.
        seed: of decks, dice, scores and drawn bids.
        first: the first deal.
        count: how many.
        explore: the share of bids that are drawn at random instead: nil one time in five, else uniformly within two of
            the player's own.
        blind: the share of blind questions that are answered by blind nil whatever the player wants.
        level: play all from 0-0 without bags instead.

    Raises:
        ValueError: if there are neither one nor ``rules.players`` agents, or one makes an illegal move.
    """
    if len(agents) not in (1, rules.players):
        raise ValueError(f"{rules.name} needs one agent or {rules.players}, got {len(agents)}")
    players = [make_agent(agents[seat % len(agents)]) for seat in range(rules.players)]
    tables = Tables(rules, count, [(seed, first + k) for k in range(count)], max_hands=1, auto_reset=False)
    rng = np.random.default_rng((seed, first, count))
    if not level:
        bags = rng.integers(0, max(rules.bag_limit, 1), (count, rules.sides))
        tables.set_scores(10 * rng.integers(0, max(rules.target // 10, 1), bags.shape) + bags, bags)
    dice = _Dice(rng, rules, count, explore, blind)
    states = copy_state(tables.states)
    for rows in [np.arange(count)] if _all_batch(players) else np.arange(count)[:, None]:
        _reset(players, seed, first + int(rows[0]))
        _play(tables, players, rows, dice, states)
    tricks = tables.states["last_tricks"][:, : rules.players].astype(np.int64)
    points = tables.states["points"][:, : rules.sides].astype(np.int64)
    return PlayedHands(states, tricks, points, dice.drawn)


def _all_batch(players: Sequence[Agent]) -> bool:
    return all(isinstance(player, BatchAgent) for player in players)


def _reset(players: Sequence[Agent], seed: int, deal: int) -> None:
    for seat, player in enumerate(players):
        player.reset(agent_seed((seed, deal), seat))


def _play(tables: Tables, players: Sequence[Agent], rows: np.ndarray, dice: _Dice, states: np.ndarray) -> None:
    """Play the hands at ``rows`` to the end, keeping each record in ``states`` before its last card."""
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
        dice.change(tables, rows, actions)
        ending = rows[(tables.states["phase"][rows] == PLAY) & (tables.states["played"][rows] == last)]
        states[ending] = tables.states[ending]
        try:
            tables.advance(actions, rows)
        except IllegalAction as error:
            raise IllegalAction(f"an illegal move in the bidding data: {error}") from None
        rows = rows[tables.states["hand_number"][rows] == 0]


class _Dice:
    """Bids drawn at random, the same for a deal and seat whoever plays."""

    def __init__(self, rng: np.random.Generator, rules: Rules, count: int, explore: float, blind: float) -> None:
        shape = (count, rules.players)
        self.most = rules.hand_size
        self.draws = rng.random(shape) < explore
        self.nil = rng.random(shape) < NIL_SHARE
        self.shift = rng.integers(-REACH, REACH + 1, shape)
        self.blind = rng.random(shape) < blind
        self.drawn = np.zeros(shape, np.bool_)

    def change(self, tables: Tables, rows: np.ndarray, actions: np.ndarray) -> None:
        """Put the drawn answers in the place of the players'."""
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
