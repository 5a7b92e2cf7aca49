"""The player that bids by a model: its chances, its values, its bids."""

from __future__ import annotations

import json

import numpy as np
import pytest
from spades_agents import make_agent
from spades_agents.bidder.advice import advise
from spades_agents.bidder.features import FEATURES
from spades_agents.bidder.model import (
    CLASSES,
    HEADS,
    INPUTS,
    LEAST,
    BiddingModel,
    bid_inputs,
    chances,
    play_inputs,
    shipped,
)
from spades_agents.contract import Result, Standing, after_hand
from spades_agents.match_value import chance as match_chance

from spades_env.cards import mask_of, parse_cards
from spades_env.engine.state import rules_array
from spades_env.game import Game
from spades_env.reference import score_side
from spades_env.rules import Rules
from spades_env.tables import Tables

GOOD = mask_of(parse_cards("AS KS QS JS 4S AH 7H 2H KD 9D 3D TC 5C"))
POOR = mask_of(parse_cards("4S 2S 9H 7H 3H 2H 8D 6D 3D 2D TC 5C 2C"))
TWO, PARTNERS = Rules.preset("two_player"), Rules.preset("partnership")


def fixed_model(over: int) -> BiddingModel:
    """Every contract ends ``over`` tricks above; whoever is still to bid bids 5; nils are lost."""
    weights = np.zeros((len(HEADS), INPUTS + 1, CLASSES))
    weights[:, INPUTS] = -50.0
    sure = {"partner": 5, "others": 5, "tricks": over - LEAST, "alone": over - LEAST, "cover": -LEAST, "nil": 2}
    for k, name in enumerate(HEADS):
        weights[k, INPUTS, sure.get(name, 1)] = 50.0
    return BiddingModel(weights, np.zeros((0, 12), np.int64), {})


def test_settle_is_the_rulebook():
    rng = np.random.default_rng(0)
    for name in ("ignore", "one_bag", "bags"):
        rules = Rules.preset("partnership", failed_nil=name)
        record = rules_array(rules)[0]
        for _ in range(200):
            bids, tricks = rng.integers(0, 6, 2).tolist(), rng.integers(0, 7, 2).tolist()
            seats = [bids[0], 3, bids[1], 3], [False] * 4, [tricks[0], 0, tricks[1], 0]
            points, bags = score_side(rules, 0, *seats)
            nil = [bid == 0 for bid in bids]
            missed = [n and t > 0 for n, t in zip(nil, tricks, strict=True)]
            counted = sum(t for n, t in zip(nil, tricks, strict=True) if not n)
            of_nils = sum((-100 if m else 100) for n, m in zip(nil, missed, strict=True) if n)
            loose = sum({"ignore": 0, "one_bag": 1, "bags": t}[name] for m, t in zip(missed, tricks, strict=True) if m)
            score, left = after_hand(record, Standing(200, 7), Result(sum(bids), counted, of_nils, loose))
            due = (7 + bags) // 10
            assert (score, left) == (200 + points - 100 * due, (7 + bags) % 10)


def test_chances_are_a_softmax():
    rng = np.random.default_rng(0)
    weights = rng.normal(size=(len(HEADS), INPUTS + 1, CLASSES))
    weights[2, INPUTS, 9:] = -np.inf
    inputs, out = rng.normal(size=INPUTS), np.zeros(CLASSES)
    inputs[3] = 0.0
    chances(weights, 2, inputs, out)
    logits = inputs @ weights[2, :INPUTS] + weights[2, INPUTS]
    assert out == pytest.approx(np.exp(logits) / np.exp(logits).sum())
    assert out[9:].tolist() == [0] * 5


def test_inputs_tell_the_bids_apart():
    features = np.arange(len(FEATURES), dtype=float)
    seen = set()
    for bids in [(4, 0, 5, 0), (5, 0, 5, 0), (4, 1, 5, 0), (4, 0, 6, 0), (4, 0, 5, 1)]:
        out = np.zeros(INPUTS)
        play_inputs(features, *bids, 1, 13, out)
        seen.add(out.tobytes())
        assert (out[: len(FEATURES)] == features).all()
    for bids in [(4, -1, 0, 0, 0), (4, 0, 0, 0, 0), (4, 2, 0, 0, 0), (4, -1, 1, 3, 0), (4, -1, 1, 0, 1)]:
        out = np.zeros(INPUTS)
        bid_inputs(features, *bids, 1, 14.0, 14.0, out)
        seen.add(out.tobytes())
    assert len(seen) == 10


@pytest.mark.parametrize("over,points", [(0, 60), (2, 62 - 20), (-1, -60)])
def test_values_by_hand_two_players(over, points):
    """Bid 6 against a bid of 5; a bag costs its share of the penalty, ten points, and brings one."""
    value = advise(GOOD, TWO, (380, 410), (0, 0), model=fixed_model(over)).bids[6]
    left = 13 - 6 - over
    theirs = 50 + (left - 5) - 10 * (left - 5)
    assert value.points == pytest.approx(points)
    assert value.their_points == pytest.approx(theirs)
    assert value.made == pytest.approx(float(over >= 0))
    after = [380 + [60, 62, -60][[0, 2, -1].index(over)], 410 + 50 + left - 5]
    bags = [max(over, 0), left - 5]
    # the bidder, seat 1, opens the next hand
    assert value.win == pytest.approx(match_chance(TWO, after, bags, 0, 0), abs=1e-6)


def test_values_by_hand_partners():
    """Partner 4, opponents 3 and 5 heard: 4 + 2 tricks above 6 makes 62, and the others win 5 of their 8."""
    value = advise(GOOD, PARTNERS, model=fixed_model(2), heard=[3, 4, 5]).bids[2]
    assert value.points == pytest.approx(62 - 20)
    assert value.their_points == pytest.approx(-80)
    # a missed nil, with the partner's contract of 4 just made: one bag
    nil = advise(GOOD, PARTNERS, model=fixed_model(2), heard=[3, 4, 5]).bids[0]
    assert nil.points == pytest.approx(-100 + 40 - 10)
    assert nil.made == pytest.approx(0)
    # beside a partner's nil that is lost, the seat's own contract
    alone = advise(GOOD, PARTNERS, model=fixed_model(1), heard=[3, 0, 5]).bids[4]
    assert alone.points == pytest.approx(-100 - 10 + 41 - 10)


def test_advice_with_the_shipped_models():
    good, poor = (advise(hand, PARTNERS, (120, 310), (7, 2), [4, 3]) for hand in (GOOD, POOR))
    assert good.best >= 4
    assert poor.best == 0
    assert poor.bids[0].made > 0.8
    made = [value.made for value in advise(GOOD, TWO).bids[1:]]
    assert made == sorted(made, reverse=True)
    blind = advise(GOOD, TWO).blind
    assert blind is not None
    assert 0.05 < blind.made < 0.3
    assert not advise(GOOD, TWO).blind_pays
    assert any(advise(GOOD, TWO, (behind, 480)).blind_pays for behind in range(200, 480, 40))
    assert advise(GOOD, Rules.preset("two_player", blind_nil=0)).blind is None


@pytest.mark.parametrize("game", ["two_player", "partnership"])
def test_a_model_is_text_and_back(game):
    model = shipped(game)
    again = BiddingModel.from_json(model.to_json())
    assert (again.weights == model.weights).all()
    assert (again.blind == model.blind).all()
    assert again.card == model.card
    assert model.card["rules"] == Rules.preset(game).to_dict()
    assert again.to_json() == model.to_json()


@pytest.mark.parametrize(
    "text,message",
    [
        ("", "not a bidding model"),
        ("[1]", "not a bidding model"),
        (json.dumps({"format": "other"}), "its format is 'other'"),
        (json.dumps({"format": "spades_env bidding model 1"}), "not a bidding model: 'heads'"),
    ],
)
def test_other_files_are_refused(text, message):
    with pytest.raises(ValueError, match=message):
        BiddingModel.from_json(text)


@pytest.mark.parametrize("rules", [TWO, PARTNERS, Rules.preset("two_player", nil=0, bag_limit=0, failed_nil="bags")])
def test_a_batch_acts_as_a_single_agent_does(rules):
    tables = Tables(rules, 4, seed=3, max_hands=3)
    agent, single = make_agent("bidder"), make_agent("bidder")
    for _ in range(200):
        actions = agent.act_batch(tables, np.arange(4))
        assert actions.tolist() == [single.act(tables.view(row)) for row in range(4)]
        tables.step(actions)


def test_hidden_cards_do_not_matter():
    game, agent = Game(PARTNERS, seed=3), make_agent("bidder")
    for _ in range(8):
        view = game.view()
        action = agent.act(view)
        assert agent.act(view.sample(np.random.default_rng(0)).view(view.observer)) == action
        game.apply(action)


@pytest.mark.parametrize("name", ["cutthroat", "solo"])
def test_other_games_are_refused(name):
    with pytest.raises(ValueError, match=f"bidding models for two players and partnerships, not for {name}"):
        make_agent("bidder").act(Game(name, seed=0).view())


def test_a_model_of_ones_own(tmp_path):
    (tmp_path / "mine.json").write_text(fixed_model(0).to_json())
    view = Game("partnership", seed=3).view()
    assert make_agent(f"bidder:model={tmp_path / 'mine.json'}").act(view) in view.legal_actions()
    with pytest.raises(ValueError, match=r"cannot read the model nowhere\.json"):
        make_agent("bidder:model=nowhere.json")
