"""The fast learner: its estimators against worked examples, runs that are equal bit for bit, and its command."""

import csv
import dataclasses
import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch
from rich.console import Console
from spades_agents import make_agent
from spades_agents.match_value import chance, match_table
from spades_agents.policy.card_features import FEATURES
from spades_agents.policy.learned import PolicyAgent
from spades_agents.policy.policy_input import InputEncoder, PolicyInput, used_columns
from spades_command import fails, spades
from spades_training.evaluation.evaluate import evaluate
from spades_training.learning.fast import ppo
from spades_training.learning.fast.decisions import (
    STATISTICS,
    advantages,
    begin_hands,
    choose,
    clear_where_zero,
    end_hands,
    gather,
    hidden_sets,
    policy_gradient,
    see,
)
from spades_training.learning.fast.networks import ActorCritic, run
from spades_training.learning.fast.settings import FAST_PRESETS, Settings, load_settings
from spades_training.learning.symmetry import suit_swaps

from spades_env.rules import PRESETS, Rules
from spades_env.tables import Tables

SMALL = Settings(
    total_timesteps=6_000,
    warm_start=2_000,
    n_envs=32,
    n_steps=32,
    batch_size=256,
    layers="24",
    critic_layers="24",
    opponents="self:2,snapshot:1,heuristic:1",
    snapshot_every=2_000,
    eval_every=2_000,
    checkpoint_every=2_000,
    eval_matches=4,
    final_matches=4,
    eval_opponents="random",
    max_hands=20,
    threads=1,
    tensorboard=False,
)


def quiet():
    return Console(file=io.StringIO())


def left(run_folder):
    """The weights, and the metrics but the times."""
    with zipfile.ZipFile(run_folder / "model.zip") as members, members.open("actor.npz") as file:
        weights = np.load(file)["weights"]
    with open(run_folder / "metrics.csv", newline="") as file:
        return weights, [{k: v for k, v in row.items() if "second" not in k} for row in csv.DictReader(file)]


class Stopped(Exception):
    """Raised after a checkpoint."""


@pytest.mark.parametrize("rules", ["two_player", "cutthroat"])
def test_same_seed_and_resume(tmp_path, monkeypatch, rules):
    settings = dataclasses.replace(SMALL, rules=rules, opponents=SMALL.opponents if rules == "two_player" else "self:1")
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    ppo.train(settings, tmp_path / "a", console=quiet())

    save, count = ppo.write_whole, [0]

    def stop_after_second(path, data):
        save(path, data)
        count[0] += path.name == "checkpoint.zip"
        if count[0] == 2:
            raise Stopped

    monkeypatch.setattr(ppo, "write_whole", stop_after_second)
    with pytest.raises(Stopped):
        ppo.train(settings, tmp_path / "b", console=quiet())
    monkeypatch.undo()
    ppo.train(settings, tmp_path / "b", resume=True, console=quiet())
    (weights, rows), (weights_there, rows_there) = left(tmp_path / "a"), left(tmp_path / "b")
    assert (weights == weights_there).all()
    assert rows == rows_there
    player = make_agent(f"ppo:{tmp_path / 'a' / 'model.zip'}")
    tables = Tables(rules, 4, 0)
    assert tables.action_mask[np.arange(4), player.act_batch(tables, np.arange(4))].all()
    found = json.loads((tmp_path / "a" / "results.json").read_text())
    assert found["imitated"] == 2_048
    assert found["teacher"] == "heuristic"


def test_nothing_to_resume(tmp_path):
    with pytest.raises(ValueError, match="nothing to resume"):
        ppo.train(SMALL, tmp_path, resume=True, console=quiet())
    (tmp_path / "checkpoint.zip").write_bytes(b"no zip")
    with pytest.raises(ValueError, match="is damaged"):
        ppo.train(SMALL, tmp_path, resume=True, console=quiet())


def test_loss_that_is_not_a_number(tmp_path):
    learner = ppo.Learner(SMALL)
    with torch.no_grad():
        learner.net.critic[0].biases[0] = float("nan")
    with pytest.raises(ppo.TrainingError, match="lower learning_rate"):
        learner.advance()


def test_learns():
    """A few updates are enough to win every match against random moves."""
    changes = {"n_envs": 128, "n_steps": 64, "layers": "96", "critic_layers": "96", "batch_size": 512}
    learner = ppo.Learner(dataclasses.replace(SMALL, warm_start=300_000, opponents="self:1", **changes))
    while learner.imitates:
        learner.advance()
    assert learner.statistics["agreement"] > 0.6
    learner.steps = 0
    for _ in range(4):
        learner.advance()
    player = PolicyAgent(learner.net.policy(), learner.rules)
    result = evaluate(player, "random", matches=20, seed=1)
    assert result.win_rate.value == 1


def test_advantages_of_two_sides():
    """One chain through both seats: values 1 (seat 0), 2 (seat 1), 4 (seat 1); the hand ends with 10 for side 0."""
    gains = np.zeros((4, 1, 2), np.float32)
    gains[2, 0] = 10, -10
    ended = np.array([[False], [False], [True], [False]])
    values = np.array([[1], [2], [4], [0.5]], np.float32)
    following = np.array([0.25], np.float32)
    seats = np.array([[0], [1], [1], [0], [1]], np.int8)
    found, known, forced = np.zeros((4, 1), np.float32), np.zeros((4, 1), bool), np.full((4, 1), -1)
    advantages(gains, ended, forced, values, following, seats, 2, 0.5, found, known)
    # For side 0 the values are 1, -2, -4; its errors -2-1 = -3, -4+2 = -2, 10+4 = 14.
    # Chain: 14; -2 + 0.5 * 14 = 5; -3 + 0.5 * 5 = -0.5. Step 3: -0.25 - 0.5 = -0.75.
    assert found[:, 0].tolist() == [-0.5, -5, -14, -0.75]
    assert known.all()
    # After a forced action at step 1 the first decision is rated only by the value of step 1: -3.
    forced[1] = 52
    advantages(gains, ended, forced, values, following, seats, 2, 0.5, found, known)
    assert found[:, 0].tolist() == [-3, -5, -14, -0.75]


def test_advantages_of_three_sides():
    """Each seat has a chain of its own; what follows the last hand's end is unknown for a seat's last decision."""
    gains = np.zeros((5, 1, 3), np.float32)
    gains[3, 0] = 2, 4, -6
    ended = np.array([[False], [False], [False], [True], [False]])
    values = np.array([[1], [2], [3], [0.5], [9]], np.float32)
    seats = np.array([[0], [1], [2], [0], [1], [2]], np.int8)
    found, known = np.zeros((5, 1), np.float32), np.zeros((5, 1), bool)
    advantages(gains, ended, np.full((5, 1), -1), values, np.zeros(1, np.float32), seats, 3, 0.5, found, known)
    # Seat 0: 2 - 0.5 = 1.5, then 0.5 - 1 + 0.5 * 1.5 = 0.25. Seat 1: 4 - 2. Seat 2: -6 - 3.
    assert found[:4, 0].tolist() == [0.25, 2, -9, 1.5]
    assert known[:, 0].tolist() == [True, True, True, True, False]


def test_policy_gradient():
    """The gradient equals PyTorch's derivative of the loss in the papers."""
    rng = np.random.default_rng(0)
    count, clip, weight = 64, 0.2, 0.05
    masks = rng.random((count, 75)) < 0.2
    actions = rng.integers(75, size=count)
    masks[np.arange(count), actions] = True
    logits = torch.tensor(rng.normal(size=(count, 75)), dtype=torch.float32, requires_grad=True)
    logs = logits.masked_fill(~torch.from_numpy(masks), -1e9).log_softmax(1)
    chosen = logs[torch.arange(count), torch.from_numpy(actions)]
    before = (chosen.detach() + torch.tensor(rng.normal(0, 0.3, count))).float()
    advantage = rng.normal(size=count).astype(np.float32)
    ratio, gain = (chosen - before).exp(), torch.from_numpy(advantage)
    objective = torch.minimum(ratio * gain, ratio.clamp(1 - clip, 1 + clip) * gain).mean()
    entropy = -(logs.exp() * logs.clamp(min=-50)).sum(1).mean()
    for imitate, loss in ((False, -objective - weight * entropy), (True, -chosen.mean())):
        (expected,) = torch.autograd.grad(loss, logits, retain_graph=True)
        found, sums = np.empty((count, 75), np.float32), np.zeros(STATISTICS)
        entropy_weight = np.float32(0 if imitate else weight)
        policy_gradient(
            logits.detach().numpy(), masks, np.arange(count), actions, before.numpy(), advantage, np.float32(clip),
            entropy_weight, imitate, np.zeros(75, np.int64), found, sums,
        )  # fmt: skip
        np.testing.assert_allclose(found, expected.numpy(), atol=1e-6)
        assert sums[0] / count == pytest.approx(float((chosen.mean() if imitate else objective).detach()), abs=1e-5)
        assert sums[1] / count == pytest.approx(float(entropy.detach()), abs=1e-5)


def test_choose():
    """Frequencies are those of the softmax over the legal actions."""
    count = 40_000
    logits = np.zeros((count, 75), np.float32)
    logits[:, 3], logits[:, 60] = np.log(3), 50
    masks = np.zeros((count, 75), np.int8)
    masks[:, [3, 5]] = 1
    actions, log_probs = np.zeros(count, np.int64), np.zeros(count, np.float32)
    choose(logits, masks, np.full(count, -1), 7, 2, np.zeros(75, np.int64), actions, log_probs)
    assert np.isin(actions, (3, 5)).all()
    assert (actions == 3).mean() == pytest.approx(0.75, abs=0.01)
    assert log_probs == pytest.approx(np.log(np.where(actions == 3, 0.75, 0.25)), abs=1e-5)
    logits[:, 3], logits[:, 5] = np.log(3), 0
    choose(logits, masks, np.full(count, 5), 7, 2, np.zeros(75, np.int64), actions, log_probs)
    assert (actions == 5).all()
    assert log_probs == pytest.approx(np.log(0.25), abs=1e-5)


@pytest.mark.parametrize("rules", sorted(PRESETS))
@pytest.mark.parametrize("weight", [0.0, 1.0])
def test_rewards(rules, weight):
    """Over a match, points sum to the tables' rewards, and match values to the result minus the initial value."""
    count, sides = 16, PRESETS[rules].sides
    tables = Tables(rules, count, 3, auto_reset=False)
    arguments = match_table(tables.rules), tables.states, tables.rules_array
    worth, gains = np.zeros((count, sides)), np.zeros((count, sides), np.float32)
    hands, ended, over = np.zeros(count, np.int32), np.zeros(count, bool), np.zeros(count, bool)
    begin_hands(*arguments, np.arange(count), weight, worth)
    total, points, agent = np.zeros((count, sides)), np.zeros((count, sides)), make_agent("heuristic")
    playing = np.ones(count, bool)
    while playing.any():
        rows = np.flatnonzero(tables.states["phase"] != 5)
        tables.advance(agent.act_batch(tables, rows), rows)
        end_hands(*arguments, hands, weight, 100, worth, gains, ended, over)
        assert np.abs(gains.sum(1)).max() < 1e-4
        total += np.where(playing[:, None], gains, 0)
        points += np.where((playing & ended)[:, None], tables.reward[:, :sides], 0)
        playing &= ~over
    if weight == 0:
        np.testing.assert_allclose(total, points, atol=1e-3)
    else:
        start = [chance(tables.rules, [0] * sides, [0] * sides, side) for side in range(sides)]
        gained = (tables.states["winner"][:, None] == np.arange(sides)) - np.array(start)
        np.testing.assert_allclose(total, gained * sides / (sides - 1), atol=1e-3)


@pytest.mark.parametrize("rules,features", [("two_player", True), ("partnership", False), ("cutthroat", False)])
def test_suit_symmetry(rules, features):
    """Renamed suits give renamed actions and the same value; the exported policy gives the same logits."""
    rules = Rules.preset(rules)
    net = ActorCritic(rules, [36], [36], True, torch.Generator().manual_seed(1), features)
    tables = Tables(rules, 8, 5)
    tables.step_random(40)
    seen = np.zeros((8, net.width), np.int8)
    see(
        tables.states, tables.rules_array, tables.observation, net.columns, np.zeros(FEATURES * features, np.int8), seen
    )
    layout = PolicyInput(features=features, hands=hidden_sets(rules))
    kept, bits = used_columns(rules, layout.size), len(net.columns)
    full = np.zeros((8, layout.size), np.int8)
    full[:, kept] = seen
    inputs, masks = np.zeros((8, layout.actor_size), np.int8), np.zeros((8, 75), np.int8)
    InputEncoder(PolicyInput(features=features)).encode(tables, np.arange(8), inputs, masks)
    assert (inputs[:, net.columns] == seen[:, :bits]).all()

    def outputs(inputs):
        with torch.no_grad():
            actor, critic = net.matrices(torch.float32)
            inputs = torch.from_numpy(inputs.astype(np.float32))
            return run(actor, inputs[:, :bits]).numpy(), run(critic, inputs).numpy()

    logits, values = outputs(seen)
    assert np.ptp(logits) > 0.01
    for columns, actions in suit_swaps(rules, layout):
        renamed, same = outputs(full[:, columns][:, kept])
        np.testing.assert_allclose(renamed, logits[:, actions], atol=1e-5)
        np.testing.assert_allclose(same, values, atol=1e-5)
    np.testing.assert_allclose(net.policy().logits(inputs), logits, atol=1e-5)


def test_critic_sees_the_draft():
    """Before the draft, each seat gets every second pair: the card offered and the card behind it."""
    tables = Tables("two_player", 1, 0)
    net = ActorCritic(tables.rules, [6], [6], True, torch.Generator())
    seen = np.zeros((1, net.width), np.int8)
    see(tables.states, tables.rules_array, tables.observation, net.columns, np.zeros(0, np.int8), seen)
    sets = seen[0, len(net.columns) + 2 * 52 :].reshape(4, 52)
    deck, own = tables.states["deck"][0], int(tables.seat[0] != tables.states["opener"][0])
    for k, first in enumerate((2 * own, 2 * own + 1, 2 - 2 * own, 3 - 2 * own)):
        assert set(np.flatnonzero(sets[k])) == set(deck[first::4])


def test_bits():
    outputs = np.array([[0, 3], [1, 0]], np.int16)
    gradients = np.array([[5, 6], [7, 8]], np.int16)
    clear_where_zero(outputs, gradients)
    assert gradients.tolist() == [[0, 6], [7, 0]]
    found = np.empty((2, 3), np.float32)
    gather(np.array([[0, 1, 0], [1, 1, 0]], np.int8), np.array([1, 0]), np.float32(1), found)
    assert found.tolist() == [[1, 1, 0], [0, 1, 0]]


@pytest.mark.parametrize(
    "change,text",
    [
        ({"layers": "100"}, "multiples of 6"),
        ({"layers": "x"}, "sizes separated by commas"),
        ({"n_envs": 0}, "n_envs"),
        ({"learning_rate": 2.0}, "learning_rate must be in 0..1"),
        ({"opponents": "self"}, "name:weight"),
        ({"opponents": "self:0"}, "a weight above 0"),
        ({"seed": "x"}, "seed must be of type int"),
    ],
)
def test_invalid_settings(change, text):
    with pytest.raises(ValueError, match=text):
        Settings(**change)


def test_players_of_another_game():
    for change in ({"opponents": "learned:1"}, {"teacher": "learned"}):
        with pytest.raises(ValueError, match="agent 'learned' plays only two_player and partnership"):
            ppo.Learner(Settings(rules="solo", n_envs=4, n_steps=4, **change))


def test_rounding_to_batches_is_said():
    settings = Settings(n_envs=4, n_steps=32, total_timesteps=256, warm_start=100)
    assert settings.stages() == "256 decisions of self-play after 100 (in batches of 128: 128) imitated of heuristic"
    settings = Settings(n_envs=4, n_steps=32, total_timesteps=257, warm_start=0)
    assert settings.stages() == "257 (in batches of 128: 384) decisions of self-play"


def test_settings_file():
    for preset in FAST_PRESETS.values():
        settings = Settings(**preset)
        assert Settings.from_json(settings.to_json()) == settings
    with pytest.raises(ValueError, match="not the settings"):
        Settings.from_json('{"rules": "two_player"}')


@pytest.mark.parametrize(
    "args,message",
    [
        (["--learner", "slow"], "error: unknown learner 'slow': use one of sb3, fast"),
        (["--learner", "fast", "--preset", "match"], "error: unknown preset 'match': use one of quick, standard, s"),
        (["--preset", "strong"], "error: unknown preset 'strong': use one of quick, match, standard"),
        (["--learner", "fast", "--gamma", "0.9"], "error: the learner 'fast' has no option --gamma"),
        (["--forced-nils", "0"], "error: the learner 'sb3' has no option --forced-nils"),
        (["--learner", "fast", "--layers", "100"], "error: layers must be multiples of 6"),
        (["--learner", "fast", "--teacher", "best"], "error: unknown agent 'best'"),
        (
            ["--resume", "x", "--learner", "fast"],
            "error: --resume takes all settings from x/config.json, but a learner",
        ),
    ],
)
def test_bad_input_is_one_line_and_code_2(args, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fails(message, "train", *args)
    assert list(tmp_path.iterdir()) == []


def test_the_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = {"total_timesteps": 1_000, "warm_start": 500, "opponents": "self:1", "bfloat16": False}
    options = []
    for name, value in (dataclasses.asdict(SMALL) | given).items():
        option = name.replace("_", "-")
        options.append(f"--{'' if value else 'no-'}{option}" if isinstance(value, bool) else f"--{option}={value}")
    spades("train", "--learner", "fast", "--name", "run", *options)
    assert load_settings(Path("runs/run")) == dataclasses.replace(SMALL, **given)
    results = Path("runs/run/results.json").read_text()
    weights, rows = left(Path("runs/run"))
    spades("train", "--resume", "runs/run")
    assert json.loads(results)["steps"] == json.loads(Path("runs/run/results.json").read_text())["steps"] == 1_024
    assert (left(Path("runs/run"))[0] == weights).all()
    assert left(Path("runs/run"))[1] == rows
    spades("evaluate", "ppo:runs/run", "random", "--matches", "4")
