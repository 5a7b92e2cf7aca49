"""Fitting the bidding model, its scores, and the commands that use it."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from spades_agents.bidder.model import CLASSES, HEADS, INPUTS, LEAST, BiddingModel, shipped
from spades_command import fails, spades
from spades_training.bidding.data import DataSettings, read_data, rows_of, write_data
from spades_training.bidding.fit import Rows, blind_endings, examples, fit_head, fit_model, predict, split
from spades_training.bidding.hands import Exploration, play_hands
from spades_training.bidding.quality import calibration, crps_scores, log_scores, score_model

from spades_env.rules import Rules

HAND = "AS KS QS JS 4S AH 7H 2H KD 9D 3D TC 5C"


def frame_of(rules: Rules, deals: int, seed: int = 1):
    polars = pytest.importorskip("polars")
    hands = play_hands(rules, ["heuristic"], seed, 0, deals, Exploration(explore=0.4, blind=0.05))
    return polars.DataFrame(rows_of(hands, rules, 0, None))


@pytest.fixture(scope="module", params=["two_player", "partnership"])
def fitted(request):
    rules = Rules.preset(request.param)
    return fit_model(frame_of(rules, 1500 if rules.partners else 3000), rules), rules


def test_a_head_learns_a_known_law():
    """Classes are drawn with log odds 0, x and 1 - x; the fitted probabilities are within 0.05 of the true ones."""
    rng = np.random.default_rng(0)
    inputs = np.zeros((8000, INPUTS))
    inputs[:, 5] = rng.normal(size=len(inputs))
    logits = np.stack([np.zeros(len(inputs)), inputs[:, 5], 1 - inputs[:, 5]], axis=1)
    true = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    classes = (rng.random(len(inputs))[:, None] > np.cumsum(true, axis=1)).sum(axis=1)
    weights = np.zeros((len(HEADS), INPUTS + 1, CLASSES))
    weights[2] = fit_head(inputs, classes)
    found = predict(BiddingModel(weights, np.zeros((0, 12), np.int64), {}), "tricks", inputs)
    assert np.abs(found[:, :3] - true).max() < 0.05
    assert found[:, 3:].max() == 0


def test_scores_by_hand():
    chances = np.array([[0.5, 0.25, 0.25], [0.0, 1.0, 0.0]])
    classes = np.array([2, 1])
    assert log_scores(chances, classes) == pytest.approx([np.log(4), 0])
    assert crps_scores(chances, classes) == pytest.approx([0.5**2 + 0.75**2, 0])


def test_examples_hold_what_the_seat_knew():
    rules = Rules.preset("partnership")
    rows = Rows.of(frame_of(rules, 300), rules)
    assert (rows.heard == np.array([0, 1, 1, 2])[rows.position]).all()
    assert (rows.partner_heard == (rows.position >= 2)).all()
    assert (rows.others_heard <= rows.others).all()
    _, classes, kept = examples("tricks", rows, rules)
    assert not kept.any_blind.any()
    sure = np.clip(kept.tricks + kept.partner_tricks - kept.bid - kept.partner, LEAST, CLASSES - 1 + LEAST)
    assert (classes + LEAST == sure).all()
    _, bids, kept = examples("others", rows, rules)
    assert (kept.position < 3).all()
    assert (bids == np.minimum(kept.others - kept.others_heard, CLASSES - 1)).all()


def test_the_model_beats_the_shares_on_new_deals(fitted):
    model, rules = fitted
    scores = score_model(model, Rows.of(frame_of(rules, 1000), rules), Rows.of(frame_of(rules, 1500, 2), rules), rules)
    assert set(scores) == (set(HEADS) if rules.partners else {"others", "tricks", "nil"})
    for name in ("others", "tricks"):
        low = scores[name].log_gain.low
        assert low is not None
        assert low > 0, name
        assert scores[name].crps_gain.value > 0.05


def test_the_shipped_model_is_calibrated():
    """On 4,000 new deals the share of "k tricks or more" is within 0.03 of the prediction in every tenth."""
    rules = Rules.preset("two_player")
    rows = Rows.of(frame_of(rules, 4000, 77), rules)
    points = calibration(shipped("two_player"), "tricks", rows, rules)
    assert len(points) == 10
    for predicted, came, count in points:
        assert came.value == pytest.approx(predicted, abs=0.03 if count > 1000 else 0.1)


def test_blind_endings_keep_the_shares():
    rules = Rules.preset("two_player")
    frame = frame_of(rules, 3000)
    table = blind_endings(frame, rules)
    for position in range(2):
        chosen = frame.filter((frame["position"] == position) & frame["blind"] & frame["drawn"])
        rows = table[table[:, 0] == position]
        made = rows[rows[:, 3] > 0, -1].sum() / rows[:, -1].sum()
        assert made == pytest.approx((chosen["tricks"] == 0).mean(), abs=0.01)


def test_fit_command(tmp_path):
    rules = Rules.preset("two_player")
    write_data(DataSettings(rules.to_dict(), ("heuristic",), 0, 0.4, 0.05, False, 2000), tmp_path / "data", 2000)
    out, plot = tmp_path / "model.json", tmp_path / "plot.png"
    result = spades("bidding-fit", tmp_path / "data", "--out", out, "--plot", plot, "--json")
    assert result.exit_code == 0, result.output
    card = json.loads(result.stdout)
    assert (card["deals_fitted"], card["deals_held_out"]) == (1600, 400)
    assert card["scores"]["tricks"]["log_gain"]["low"] > 0
    assert plot.read_bytes()[:4] == b"\x89PNG"
    made = [
        json.loads(spades("bid", HAND, "--json", *more).stdout)["bids"][6]["made"]
        for more in ([], ["--model", str(out)])
    ]
    assert made[0] == pytest.approx(made[1], abs=0.15)
    assert made[0] != made[1]
    frame, _ = read_data(tmp_path / "data")
    first, last = split(frame)
    assert first["deal"].max() == 1599
    assert last["deal"].min() == 1600


def test_bid_command():
    result = spades("bid", HAND, "--score", "380-410", "--bags", "7-2", "--heard", "4")
    assert result.exit_code == 0, result.output
    assert "score 380-410, bags 7-2, after 4" in " ".join(result.stdout.split())
    assert "the scripted player bids" in result.stdout
    rows = [line.split()[0] for line in result.stdout.splitlines() if re.match(r"  (nil|\d+) ", line)]
    # Of the bids 0 to 13, those that the model has seen with such hands; four sure tricks rule out a nil.
    assert rows == ["5", "6", "7", "8", "9"]
    found = json.loads(spades("bid", HAND, "--rules", "partnership", "--score", "-50--20", "--json").stdout)
    assert len(found["bids"]) == 14
    assert found["best"] in found["tried"]


@pytest.mark.parametrize(
    "options,message",
    [
        (["AS KS"], "error: a hand of two_player has 13 cards, got 2"),
        (
            [HAND, "--rules", "solo"],
            "error: there are bidding models for two players and partnerships, not for solo",
        ),
        ([HAND, "--score", "380"], "error: --score: expected two numbers, your side's first, as in 380-410, got '380'"),
        ([HAND, "--bags", "-1-2"], "error: bags must be two numbers of at least 0, got (-1, 2)"),
        ([HAND, "--heard", "x"], "error: --heard: 'x' is not a bid (a number or nil)"),
        ([HAND, "--heard", "4 4"], "error: at most 1 bids can come before this one, got 2"),
        ([HAND, "--heard", "14"], "error: a bid must be in 0..13, got 14"),
        ([HAND, "--model", "nowhere.json"], "error: cannot read the model nowhere.json"),
    ],
)
def test_bad_input_is_one_line_and_code_2(options, message):
    fails(message, "bid", *options)
