"""Learned players: the network, the model file, and what is refused."""

from __future__ import annotations

import io
import json
import zipfile
from itertools import pairwise

import numpy as np
import pytest
import torch
from spades_agents import make_agent
from spades_agents.policy.learned import PolicyAgent
from spades_agents.policy.model_file import ACTOR, CARD, model_card, read_model, save_player
from spades_agents.policy.network import PolicyNetwork
from spades_agents.policy.policy_input import features_digest
from torch import nn

from spades_env import Game, Tables
from spades_env.observation import SIZE, used_bits
from spades_env.rules import PRESETS, Rules


def make_network(seed=0, sizes=(40, 24, 75), activation="relu", inputs=None):
    rng = np.random.default_rng(seed)
    inputs = rng.permutation(SIZE)[: sizes[0]] if inputs is None else inputs
    layers = [
        (rng.normal(size=(before, after)).astype(np.float32), rng.normal(size=after).astype(np.float32))
        for before, after in pairwise(sizes)
    ]
    return PolicyNetwork(inputs, layers, activation), layers


def model_file(path, network, trained_for, **changes):
    card = {**model_card(trained_for, network), **changes}
    with zipfile.ZipFile(path, "w") as members:
        members.writestr(CARD, json.dumps(card))
        members.writestr(ACTOR, network.to_bytes())
    return path


@pytest.mark.parametrize("activation,function", [("relu", lambda x: np.maximum(x, 0)), ("tanh", np.tanh)])
@pytest.mark.parametrize("sizes", [(40, 75), (40, 24, 75), (30, 100, 16, 75)])
def test_the_network_is_what_matrix_products_give(sizes, activation, function):
    network, layers = make_network(1, sizes, activation)
    observations = (np.random.default_rng(2).random((50, SIZE)) < 0.3).astype(np.int8)
    values = observations[:, network.inputs].astype(np.float64)
    for weights, biases in layers[:-1]:
        values = function(values @ weights + biases)
    expected = values @ layers[-1][0] + layers[-1][1]
    np.testing.assert_allclose(network.logits(observations), expected, rtol=1e-4, atol=1e-4)
    alone = np.concatenate([network.logits(observations[k : k + 1]) for k in range(50)])
    assert (network.logits(observations) == alone).all()


@pytest.mark.parametrize("activation", [nn.Tanh, nn.ReLU])
def test_a_network_of_torch_is_copied(activation, tmp_path):
    hidden, last = nn.Sequential(nn.Linear(SIZE, 20), activation(), nn.Linear(20, 10), activation()), nn.Linear(10, 75)
    network = PolicyNetwork.from_torch([hidden, last])
    observations = (np.random.default_rng(2).random((50, SIZE)) < 0.3).astype(np.int8)
    with torch.no_grad():
        expected = last(hidden(torch.as_tensor(observations).float())).numpy()
    np.testing.assert_allclose(network.logits(observations), expected, rtol=1e-4, atol=1e-5)
    save_player(network, tmp_path / "model.zip", "solo")
    loaded, rules = read_model(tmp_path / "model.zip")
    assert rules == PRESETS["solo"]
    assert (loaded.logits(observations) == network.logits(observations)).all()
    with pytest.raises(ValueError, match="the policy has a Dropout layer: only Linear, ReLU and Tanh can be saved"):
        PolicyNetwork.from_torch([hidden, nn.Dropout(), last])


def test_sampling_follows_the_softmax():
    weights, biases = np.zeros((1, 75), np.float32), np.zeros(75, np.float32)
    biases[[3, 5, 7]] = np.log([1, 2, 5])
    network = PolicyNetwork(np.array([0]), [(weights, biases)])
    masks = np.zeros((40_000, 75), np.int8)
    masks[:, [3, 5]] = 1
    drawn = network.sample(np.zeros((40_000, SIZE), np.int8), masks, np.random.default_rng(0))
    assert set(drawn) == {3, 5}
    assert (drawn == 5).mean() == pytest.approx(2 / 3, abs=0.01)
    assert (network.best(np.zeros((2, SIZE), np.int8), masks[:2]) == 5).all()


@pytest.mark.parametrize("rules", PRESETS)
def test_batch_and_single_decisions_agree(rules):
    network, _ = make_network(
        3, (int(used_bits(PRESETS[rules]).sum()), 32, 75), inputs=np.flatnonzero(used_bits(PRESETS[rules]))
    )
    agent = PolicyAgent(network, PRESETS[rules])
    tables = Tables(rules, 20, 0)
    rows = np.arange(20)
    for _ in range(60):
        actions = agent.act_batch(tables, rows)
        for row in rows[:5]:
            assert agent.act(tables.view(row)) == actions[row]
        tables.step(actions)


def test_dice_are_seeded():
    game = Game("two_player", 0)
    network = PolicyNetwork(np.array([0]), [(np.zeros((1, 75)), np.zeros(75))])
    players = [PolicyAgent(network, game.rules, deterministic=False, seed=seed) for seed in (1, 1, 2)]
    drawn = [[player.act(game.view()) for _ in range(40)] for player in players]
    assert drawn[0] == drawn[1] != drawn[2]
    players[0].reset(1)
    assert [players[0].act(game.view()) for _ in range(40)] == drawn[0]


def test_the_file_keeps_the_network(tmp_path):
    network, _ = make_network(5, activation="tanh")
    path = model_file(tmp_path / "model.zip", network, Rules.preset("two_player", target=300))
    observations = (np.random.default_rng(2).random((9, SIZE)) < 0.3).astype(np.int8)
    for spec in (f"ppo:{path}", f"ppo:{tmp_path}"):
        agent = make_agent(spec)
        assert agent.name == spec
        assert agent.rules.target == 300
        assert (agent.network.logits(observations) == network.logits(observations)).all()


def test_a_file_says_which_card_features_its_network_sees(tmp_path):
    """None at all where it sees none, as in files of earlier versions."""
    rules = PRESETS["two_player"]
    plain, featured = make_network(5)[0], make_network(5, inputs=np.arange(SIZE, SIZE + 40))[0]
    assert model_card(rules, plain)["features"] is None
    assert model_card(rules, featured)["features"] == features_digest()
    assert read_model(model_file(tmp_path / "featured.zip", featured, rules))[0].layout.features
    old = {key: value for key, value in model_card(rules, plain).items() if key != "features"}
    with zipfile.ZipFile(tmp_path / "old.zip", "w") as members:
        members.writestr(CARD, json.dumps(old))
        members.writestr(ACTOR, plain.to_bytes())
    assert not read_model(tmp_path / "old.zip")[0].layout.features


def test_other_rules_of_the_same_game_are_played_and_other_games_refused(tmp_path):
    network, _ = make_network(6)
    agent = make_agent(f"ppo:{model_file(tmp_path / 'm.zip', network, PRESETS['two_player'])}")
    game = Game(Rules.preset("two_player", target=100, blind_nil=0), 0)
    assert agent.act(game.view()) in game.legal_actions()
    with pytest.raises(ValueError, match=r"agent 'ppo:.*m.zip' was trained for players=2; this table has players=4"):
        agent.act(Game("solo", 0).view())


def test_what_is_no_model_is_refused_in_one_line(tmp_path):
    network, _ = make_network(7)
    featured, _ = make_network(7, inputs=np.arange(SIZE, SIZE + 40))
    rules = PRESETS["two_player"]
    good = model_file(tmp_path / "good.zip", network, rules).read_bytes()
    text = tmp_path / "text.zip"
    text.write_text("hello")
    foreign = tmp_path / "foreign.zip"
    with zipfile.ZipFile(foreign, "w") as members:
        members.writestr("policy.pth", b"weights")
    cut = tmp_path / "cut.zip"
    cut.write_bytes(good[: len(good) // 2])
    flipped = tmp_path / "flipped.zip"
    middle = len(good) // 2
    flipped.write_bytes(good[:middle] + bytes([good[middle] ^ 255]) + good[middle + 1 :])
    broken = io.BytesIO()
    np.savez(broken, inputs=np.arange(3))
    no_arrays = tmp_path / "arrays.zip"
    with zipfile.ZipFile(no_arrays, "w") as members:
        members.writestr(CARD, json.dumps(model_card(rules, network)))
        members.writestr(ACTOR, broken.getvalue())
    for path, message in (
        (tmp_path / "none.zip", "no model file"),
        (text, "is not a model file: not a zip, or a damaged one"),
        (foreign, "is not a model saved by `spades train`: it has no spades.json"),
        (cut, "is not a model file: not a zip, or a damaged one"),
        (flipped, "damaged"),
        (no_arrays, "is damaged"),
        (model_file(tmp_path / "a.zip", network, rules, layout="0" * 16), "was trained on another version of the obs"),
        (
            model_file(tmp_path / "e.zip", network, rules, features="0" * 16),
            "another version of the card features, layou",
        ),
        (model_file(tmp_path / "f.zip", featured, rules, features=None), "sees card features, but its card does not "),
        (model_file(tmp_path / "b.zip", network, rules, format="x"), "is not a model saved by `spades train`"),
        (model_file(tmp_path / "c.zip", network, rules, activation="gelu"), "is damaged: activation must be one of"),
        (model_file(tmp_path / "d.zip", network, rules, rules={"players": 9}), "is damaged: players must be"),
    ):
        with pytest.raises(ValueError, match=message) as caught:
            make_agent(f"ppo:{path}")
        assert "\n" not in str(caught.value)
        assert str(path) in str(caught.value)
