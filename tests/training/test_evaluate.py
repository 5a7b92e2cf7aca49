"""Duplicate matches: their statistics, and the shared decks of a pair."""

from __future__ import annotations

import json

import numpy as np
import pytest
from spades_agents.random_agent import RandomAgent
from spades_agents.registry import make_agent
from spades_training.evaluation.evaluate import evaluate
from spades_training.evaluation.totals import Hands

from spades_env.cards import BID_0, KEEP, LOOK
from spades_env.game import Game, IllegalAction, Phase
from spades_env.rules import Rules

PRESETS = ["two_player", "partnership", "solo", "cutthroat"]


class Scripted:
    """Bids a fixed number and plays its lowest or highest card; acts at one table at a time."""

    def __init__(self, bid: int, high: bool = False) -> None:
        self.name, self.bid, self.high = f"bids {bid}", bid, high
        self.first_decks: list[tuple[int, ...]] = []
        self.resets: list[int | None] = []

    def reset(self, seed=None):
        self.resets.append(seed)

    def act(self, view):
        legal = view.legal_actions()
        if view.phase == Phase.BID:
            return BID_0 + self.bid
        if view.phase == Phase.BLIND:
            return LOOK
        if view.phase == Phase.DRAFT:
            return KEEP
        return legal[-1 if self.high else 0]


class Dice:
    """Plays at random without act_batch."""

    name = "dice"

    def reset(self, seed=None):
        self.rng = np.random.default_rng(seed)

    def act(self, view):
        return int(self.rng.choice(view.legal_actions()))


def play_by_hand(rules, seed, pair, side, a, b, max_hands):
    """One match of a pair with a plain Game: (winner, [(bids, blind, tricks, points) of each hand])."""
    game = Game(rules, seed=(seed, pair))
    hands = []
    while not game.is_over and game.hand_number < max_hands:
        number = game.hand_number
        agent = a if game.rules.side_of(game.seat) == side else b
        game.apply(agent.act(game.view()))
        if game.hand_number > number:
            hands.append(game.last_hand)
    return game.winner, hands


@pytest.mark.parametrize("rules", PRESETS)
def test_numbers_of_scripted_players(rules):
    a, b = Scripted(3, high=True), Scripted(2)
    result = evaluate(a, b, rules, matches=12, seed=5, max_hands=40)
    sides = Rules.preset(rules).sides
    wins, margins, hand_count, made, tries, tricks, bids = 0, 0.0, 0, 0, 0, [], []
    truncated = 0
    for match in range(12):
        side = match % sides
        winner, hands = play_by_hand(rules, 5, match // sides, side, a, b, 40)
        wins += winner == side
        truncated += winner is None
        for hand in hands:
            hand_count += 1
            own = hand["points"][side]
            margins += own - (sum(hand["points"]) - own) / (sides - 1)
            seats = range(side, len(hand["bids"]), sides)
            tries += 1
            made += sum(hand["tricks"][seat] for seat in seats) >= sum(hand["bids"][seat] for seat in seats)
            tricks += [hand["tricks"][seat] for seat in seats]
            bids += [hand["bids"][seat] for seat in seats]
    assert result.matches == 12
    assert result.truncated == truncated
    assert result.win_rate.value == (wins / (12 - truncated) if truncated < 12 else None)
    assert result.points_per_hand.value == pytest.approx(margins / hand_count)
    assert result.hands_per_match == hand_count / 12
    assert result.a.contract_made == made / tries
    assert result.a.mean_tricks == pytest.approx(np.mean(tricks))
    assert result.a.mean_bid == np.mean(bids) == 3
    assert result.b.mean_bid == 2


def hand(rules, bids, blind, tricks, **changes):
    fields = Rules.preset(rules, **changes)
    return Hands.score(fields, np.array([bids]), np.array([blind], bool), np.array([tricks]))


def test_bags_of_the_rulebook():
    # Bid 7, won 8: one bag. Bid 7, won 6: none.
    assert hand("two_player", [7, 5], [0, 0], [8, 5]).bags.tolist() == [[1, 0]]
    assert hand("two_player", [7, 7], [0, 0], [6, 7]).made.tolist() == [[False, True]]
    # Nil won one trick, partner bid 2 and won 1.
    for failed_nil, bags, made in (("one_bag", 1, False), ("bags", 1, False), ("contract", 0, True), ("ignore", 0, 0)):
        found = hand("partnership", [0, 5, 2, 5], [0] * 4, [1, 5, 1, 6], failed_nil=failed_nil)
        assert found.bags.tolist() == [[bags, 1]]
        assert found.made.tolist() == [[made, True]]
    # Everyone of the side bid nil: "contract" acts as "bags".
    for failed_nil, bags in (("one_bag", 2), ("bags", 5), ("contract", 5), ("ignore", 0)):
        found = hand("partnership", [0, 4, 0, 4], [0] * 4, [2, 4, 3, 4], failed_nil=failed_nil)
        assert found.bags.tolist() == [[bags, 0]]


@pytest.mark.parametrize("rules", PRESETS)
def test_bags_add_up_to_the_counter_and_the_penalties(rules):
    """Over whole matches the bags counted here agree with those of the engine."""
    seen = 0
    for seed in range(5):
        game = Game(Rules.preset(rules, failed_nil="bags"), seed=seed)
        agent = RandomAgent(seed)
        bags = np.zeros(game.rules.sides, int)
        penalties = np.zeros(game.rules.sides, int)
        while not game.is_over and game.hand_number < 30:
            number = game.hand_number
            game.apply(agent.act(game.view()))
            if game.hand_number > number:
                last = game.last_hand
                arrays = (np.array([last[name]]) for name in ("bids", "blind", "tricks"))
                scored = Hands.score(game.rules, *arrays)
                bags += scored.bags[0]
                contract = np.where(scored.made, 10 * scored.contracts + scored.bags, -10 * scored.contracts)
                penalties += (contract[0] - last["points"]) // 100
        assert (bags == np.array(game.bags) + 10 * penalties).all()
        seen += bags.sum()
    assert seen > 0


@pytest.mark.parametrize("rules", PRESETS)
def test_matches_of_a_pair_share_decks_and_opener(rules, monkeypatch):
    """Every hand has the same deck in all matches of a pair, whoever plays."""
    sides = Rules.preset(rules).sides
    seen: dict[int, list[tuple[bytes, int]]] = {}

    class Watching(Scripted):
        def act_batch(self, tables, rows):
            for row in rows:
                state = tables.states[row]
                decks = seen.setdefault(int(row), [])
                if len(decks) == state["hand_number"]:
                    decks.append((state["deck"].tobytes(), int(state["opener"])))
            return np.array([self.act(tables.view(row)) for row in rows])

    evaluate(Watching(3, high=True), Watching(2), rules, matches=2 * sides, seed=1, max_hands=12)
    pairs = [[seen[sides * pair + k] for k in range(sides)] for pair in range(2)]
    for pair in pairs:
        for other in pair[1:]:
            both = min(len(pair[0]), len(other))
            assert both > 1
            assert pair[0][:both] == other[:both]
        assert pair[0][0][1] == 0
    assert pairs[0][0][0] != pairs[1][0][0]


@pytest.mark.parametrize("rules", ["two_player", "solo"])
@pytest.mark.parametrize("make_a", [lambda: make_agent("random"), Dice])
def test_the_batch_makes_no_difference(rules, make_a):
    results = [
        evaluate(make_a(), "random", rules, matches=24, seed=3, max_hands=15, batch=batch) for batch in (1, 7, 1000)
    ]
    assert results[0] == results[1] == results[2]
    assert results[0] != evaluate(make_a(), "random", rules, matches=24, seed=4, max_hands=15)


def test_equal_players_split_every_pair():
    result = evaluate("heuristic", "heuristic", "two_player", matches=20)
    assert result.win_rate.value == 0.5
    assert result.points_per_hand.value == 0


def test_truncated_matches_are_not_counted():
    result = evaluate("random", "random", "two_player", matches=10, max_hands=1)
    assert result.truncated == 10
    assert result.win_rate.value is None
    assert result.hands_per_match == 1


def test_matches_are_rounded_up_to_pairs():
    result = evaluate("random", "random", "solo", matches=5, max_hands=1)
    assert (result.pairs, result.matches) == (2, 8)


def test_progress_is_reported():
    calls = []
    evaluate("random", "random", matches=6, max_hands=2, progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (6, 6)


def test_result_is_json():
    result = evaluate("random", "uniform", matches=4, max_hands=3)
    found = json.loads(json.dumps(result.to_dict()))
    assert found["a"]["name"] == "random"
    assert found["rules"]["draft"] is True
    assert found["points_per_hand"]["value"] == result.points_per_hand.value


def test_an_illegal_move_is_an_error_with_its_player():
    class Cheat(Scripted):
        def act(self, view):
            return 74

    with pytest.raises(IllegalAction, match="player 'bids 3' made an illegal move: table 0: illegal action DONE"):
        evaluate(Cheat(3), "random", matches=2)


@pytest.mark.parametrize(
    "options,message",
    [
        ({"matches": 0}, "matches must be an int in 1..10000000, got 0"),
        ({"matches": -5}, "matches must be"),
        ({"seed": -1}, "seed must be"),
        ({"max_hands": 0}, "max_hands must be"),
        ({"batch": 0}, "batch must be"),
        ({"rules": "bridge"}, "unknown rules 'bridge'"),
    ],
)
def test_bad_arguments(options, message):
    with pytest.raises(ValueError, match=message):
        evaluate("random", "random", **options)
