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
from spades_training.commands.train import new_settings
from spades_training.evaluation.evaluate import evaluate
from spades_training.learning.config import Config
from spades_training.learning.fast import ppo
from spades_training.learning.fast.decisions import (
    ENTROPY,
    SQUARES,
    STATISTICS,
    action_values,
    begin_hands,
    choose,
    clear_where_zero,
    end_hands,
    hidden_sets,
    loss_gradients,
    see,
)
from spades_training.learning.fast.networks import ActorCritic, multiplies_bfloat16, shared_layers
from spades_training.learning.fast.settings import FAST_PRESETS, Settings, load_settings
from spades_training.learning.symmetry import suit_swaps

from spades_env.rules import PRESETS, Rules
from spades_env.tables import Tables

SMALL = Settings(
    total_timesteps=6_000,
    warm_start=2_000,
    teacher="heuristic",
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


def test_values_of_two_sides():
    """One chain through both seats; the hand ends with 10 for side 0 at the third decision."""
    gains = np.zeros((4, 1, 2), np.float32)
    gains[2, 0] = 10, -10
    ended = np.array([[False], [False], [True], [False]])
    values = np.array([[1], [2], [4], [0.5]], np.float32)
    ratings = np.array([[3], [1], [6], [2]], np.float32)
    following = np.array([0.25], np.float32)
    seats = np.array([[0], [1], [1], [0], [1]], np.int8)
    found, known = np.zeros((4, 1), np.float32), np.zeros((4, 1), bool)
    action_values(gains, ended, values, ratings, following, seats, 2, 0.5, found, known)
    # For side 0: values 1, -2, -4 and ratings 3, -1, -6. The third action led to 10, its luck is 10 + 6 = 16.
    # Second: -4 + 0.5 * 16 = 4, luck 4 + 1 = 5. First: -2 + 0.5 * 5 = 0.5. After the hand: -0.25.
    assert found[:, 0].tolist() == [0.5, -4, -10, -0.25]
    assert known.all()


def test_values_of_three_sides():
    """Each seat has a chain of its own; what follows the last hand's end is unknown for a seat's last decision."""
    gains = np.zeros((5, 1, 3), np.float32)
    gains[3, 0] = 2, 4, -6
    ended = np.array([[False], [False], [False], [True], [False]])
    values = np.array([[1], [2], [3], [0.5], [9]], np.float32)
    ratings = np.array([[1], [2], [3], [1], [9]], np.float32)
    seats = np.array([[0], [1], [2], [0], [1], [2]], np.int8)
    found, known = np.zeros((5, 1), np.float32), np.zeros((5, 1), bool)
    action_values(gains, ended, values, ratings, np.zeros(1, np.float32), seats, 3, 0.5, found, known)
    # Seat 0: 2, luck 2 - 1 = 1, then 0.5 + 0.5 * 1. Seat 1: 4. Seat 2: -6.
    assert found[:4, 0].tolist() == [1, 4, -6, 2]
    assert known[:, 0].tolist() == [True, True, True, True, False]


def random_decisions(count):
    """Legal actions, actions taken, logits and ratings."""
    rng = np.random.default_rng(0)
    masks = rng.random((count, 75)) < 0.2
    taken = rng.integers(75, size=count)
    masks[np.arange(count), taken] = True
    logits = torch.tensor(rng.normal(size=(count, 75)), dtype=torch.float32, requires_grad=True)
    outputs = torch.tensor(rng.normal(size=(count, 76)), dtype=torch.float32, requires_grad=True)
    return rng, masks, taken, logits, outputs


@pytest.mark.parametrize("imitate,teacher_weight", [(False, 0.0), (False, 0.7), (True, 1.0)])
def test_loss_gradients(imitate, teacher_weight):
    """The gradients equal PyTorch's derivatives of the losses in the docstring."""
    count, clip, weight, scale = 64, 0.2, 0.05, 1.7
    rng, masks, taken, logits, outputs = random_decisions(count)
    legal, rows = torch.from_numpy(masks), torch.arange(count)
    logs = logits.masked_fill(~legal, -1e9).log_softmax(1)
    before = (logs[rows, taken].detach() + torch.tensor(rng.normal(0, 0.3, count))).float()
    results = torch.tensor(rng.normal(size=count), dtype=torch.float32)
    ratings = outputs[:, :75] + outputs[:, 75:]
    targets = np.where(masks, rng.random(masks.shape), 0).astype(np.float32)
    targets /= targets.sum(1, keepdims=True)
    error = results - ratings[rows, taken]
    critic_loss = error.square().sum() / 2
    policy_loss = -teacher_weight * (torch.from_numpy(targets) * logs.clamp(min=-50)).sum()
    if not imitate:
        gain, ratio, fixed = scale * error.detach(), (logs[rows, taken] - before).exp(), ratings.detach()
        value = (logs.exp() * fixed).sum(1, keepdim=True).detach()
        every = scale * (logs.exp() * (fixed - value)).sum()
        objective = torch.minimum(ratio * gain, ratio.clamp(1 - clip, 1 + clip) * gain).sum()
        policy_loss += -every - objective + weight * (logs.exp() * logs.clamp(min=-50)).sum()
    (policy,) = torch.autograd.grad(policy_loss, logits)
    (critic,) = torch.autograd.grad(critic_loss, outputs)
    found, rated, sums = np.empty((count, 75), np.float32), np.empty((count, 76), np.float32), np.zeros(STATISTICS)
    loss_gradients(
        logits.detach().numpy(), outputs.detach().numpy(), masks, rows.numpy(), taken, before.numpy(), results.numpy(),
        targets, np.float32(scale), np.float32(clip), np.float32(weight), np.float32(teacher_weight), imitate,
        np.zeros(75, np.int64),
        found, rated, sums,
    )  # fmt: skip
    np.testing.assert_allclose(found, policy.numpy(), atol=1e-5)
    np.testing.assert_allclose(rated, critic.numpy(), atol=1e-5)
    assert sums[SQUARES] == pytest.approx(2 * float(critic_loss.detach()), rel=1e-5)
    assert sums[ENTROPY] == pytest.approx(-float((logs.exp() * logs.clamp(min=-50)).sum().detach()), rel=1e-5)


def test_choose():
    """Frequencies are those of the softmax over the legal actions; the value is the mean rating."""
    count = 40_000
    logits = np.zeros((count, 75), np.float32)
    logits[:, 3], logits[:, 60] = np.log(3), 50
    ratings = np.zeros((count, 76), np.float32)
    ratings[:, [3, 5, 75]] = 2, -2, 0.5
    masks = np.zeros((count, 75), np.int8)
    masks[:, [3, 5]] = 1
    actions, log_probs, values = np.zeros(count, np.int64), np.zeros(count, np.float32), np.zeros(count, np.float32)
    written = np.zeros(75, np.int64), actions, log_probs, values
    choose(logits.copy(), ratings, masks, np.full(count, -1), 7, 2, 0, *written)
    assert np.isin(actions, (3, 5)).all()
    assert (actions == 3).mean() == pytest.approx(0.75, abs=0.01)
    assert log_probs == pytest.approx(np.log(np.where(actions == 3, 0.75, 0.25)), abs=1e-5)
    assert values == pytest.approx(0.75 * 2 - 0.25 * 2 + 0.5, abs=1e-5)
    here = actions[100:].copy()
    part = (
        logits[100:].copy(),
        ratings[100:],
        masks[100:],
        np.full(count - 100, -1),
        7,
        2,
        100,
        np.zeros(75, np.int64),
    )
    choose(*part, actions[100:], log_probs[100:], values[100:])
    assert (actions[100:] == here).all()  # a table's random numbers do not depend on the share of its worker
    choose(logits.copy(), ratings, masks, np.full(count, 5), 7, 2, 0, *written)
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


def inputs_of(tables, net, features):
    """The networks' inputs at every table, as lists and as zeros and ones."""
    count = tables.count
    columns, bounds = np.empty(count * net.width, np.int16), np.zeros((3, count), np.int64)
    scratch = np.zeros(FEATURES * features, np.int8)
    see(tables.states, tables.rules_array, tables.observation, net.columns, scratch, columns, *bounds)
    seen = np.zeros((count, net.width), np.int8)
    for row, (start, middle, end) in enumerate(bounds.T):
        assert (columns[start:middle] < len(net.columns)).all()
        assert (columns[middle:end] >= len(net.columns)).all()
        seen[row, columns[start:end]] = 1
    return (columns, bounds[0], bounds[1]), (columns, bounds[0], bounds[2]), seen


def as_lists(seen):
    """Rows of zeros and ones as the networks take them."""
    ends = seen.sum(1, dtype=np.int64).cumsum()
    return np.nonzero(seen)[1].astype(np.int16), np.append(0, ends[:-1]), ends


@pytest.mark.parametrize("rules,features", [("two_player", True), ("partnership", False), ("cutthroat", False)])
def test_suit_symmetry(rules, features):
    """Renamed suits give renamed actions and ratings; the exported policy gives the same logits."""
    rules = Rules.preset(rules)
    net = ActorCritic(rules, [36], [36], True, torch.Generator().manual_seed(1), features)
    tables, rows = Tables(rules, 8, 5), np.arange(8)
    tables.step_random(40)
    shown, known, seen = inputs_of(tables, net, features)
    layout = PolicyInput(features=features, hands=hidden_sets(rules))
    kept, bits = used_columns(rules, layout.size), len(net.columns)
    full = np.zeros((8, layout.size), np.int8)
    full[:, kept] = seen
    inputs, masks = np.zeros((8, layout.actor_size), np.int8), np.zeros((8, 75), np.int8)
    InputEncoder(PolicyInput(features=features)).encode(tables, rows, inputs, masks)
    assert (inputs[:, net.columns] == seen[:, :bits]).all()

    actor, critic = net.evaluated(torch.float32)
    logits, ratings = actor.forward(shown, rows)[-1].numpy(), critic.forward(known, rows)[-1].numpy()
    assert np.ptp(logits) > 0.01
    for columns, actions in suit_swaps(rules, layout):
        swapped = full[:, columns][:, kept]
        renamed = actor.forward(as_lists(swapped[:, :bits]), rows)[-1].numpy()
        np.testing.assert_allclose(renamed, logits[:, actions], atol=1e-5)
        renamed = critic.forward(as_lists(swapped), rows)[-1].numpy()
        np.testing.assert_allclose(renamed, ratings[:, [*actions, 75]], atol=1e-5)
    np.testing.assert_allclose(net.policy().logits(inputs), logits, atol=1e-5)


@pytest.mark.parametrize("layers", [[6], [30, 12], [300, 6]])
def test_network(layers):
    """The passes equal PyTorch's, also for sums that are computed in several blocks, and shared weights' gradients."""
    net = ActorCritic(Rules.preset("two_player"), layers, layers, True, torch.Generator().manual_seed(3))
    rng, count = np.random.default_rng(4), 20
    seen = (rng.random((count, net.width)) < 0.15).astype(np.int8)
    rows = rng.permutation(count)[:15]
    critic = shared_layers(net.critic)
    with torch.no_grad():
        for layer in critic:
            layer.biases.uniform_(-0.1, 0.1, generator=torch.Generator().manual_seed(5))
    values = torch.from_numpy(seen[rows].astype(np.float32))
    for layer in critic:
        values = torch.nn.functional.linear(values, *layer.matrix())
        values = values.relu() if layer is not critic[-1] else values
    slopes = torch.from_numpy(rng.normal(size=values.shape).astype(np.float32))
    parameters = [p for layer in critic for p in (layer.weights, layer.biases)]
    expected = torch.autograd.grad(values, parameters, slopes)

    network, inputs = net.evaluated(torch.float32)[1], as_lists(seen)
    found = network.forward(inputs, rows)
    np.testing.assert_allclose(found[-1].numpy(), values.detach().numpy(), atol=1e-4)
    for layer, gradient in zip(critic, network.backward(inputs, rows, found, slopes), strict=True):
        layer.set_gradient(*gradient)
    for parameter, gradient in zip(parameters, expected, strict=True):
        np.testing.assert_allclose(parameter.grad.numpy(), gradient.numpy(), atol=1e-3)


@pytest.mark.skipif(not multiplies_bfloat16(), reason="the processor has no instructions for bfloat16")
def test_bfloat16_is_close():
    net = ActorCritic(Rules.preset("two_player"), [30, 12], [30, 12], True, torch.Generator().manual_seed(3))
    seen = as_lists(np.random.default_rng(4).random((20, net.width)) < 0.15)
    slopes = torch.ones((20, 75))
    exact, rough = (
        network.backward(seen, np.arange(20), network.forward(seen, np.arange(20)), slopes)
        for network in (net.evaluated(dtype)[0] for dtype in (torch.float32, torch.bfloat16))
    )
    for (weights, biases), (weights_there, biases_there) in zip(exact, rough, strict=True):
        assert weights_there.dtype == torch.float32
        assert (weights - weights_there).abs().max() <= 0.05 * weights.abs().max()
        assert (biases - biases_there).abs().max() <= 0.05 * biases.abs().max()


def test_critic_sees_the_draft():
    """Before the draft, each seat gets every second pair: the card offered and the card behind it."""
    tables = Tables("two_player", 1, 0)
    net = ActorCritic(tables.rules, [6], [6], True, torch.Generator())
    seen = inputs_of(tables, net, False)[2]
    sets = seen[0, len(net.columns) + 2 * 52 :].reshape(4, 52)
    deck, own = tables.states["deck"][0], int(tables.seat[0] != tables.states["opener"][0])
    for k, first in enumerate((2 * own, 2 * own + 1, 2 - 2 * own, 3 - 2 * own)):
        assert set(np.flatnonzero(sets[k])) == set(deck[first::4])


def test_threads_do_not_change_the_result():
    weights = []
    for threads in (1, 3):
        learner = ppo.Learner(dataclasses.replace(SMALL, warm_start=0, threads=threads))
        for _ in range(3):
            learner.advance()
        weights.append(torch.cat([p.detach().ravel() for p in learner.net.parameters()]))
    assert torch.equal(*weights)


def test_clear_where_zero():
    outputs = np.array([[0, 3], [1, 0]], np.int16)
    gradients = np.array([[5, 6], [7, 8]], np.int16)
    clear_where_zero(outputs, gradients)
    assert gradients.tolist() == [[0, 6], [7, 0]]


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
        with pytest.raises(ValueError, match="agent 'learned' plays only two_player, partnership and cutthroat"):
            ppo.Learner(Settings(rules="solo", n_envs=4, n_steps=4, **change))


def test_rounding_to_batches_is_said():
    settings = Settings(n_envs=4, n_steps=32, total_timesteps=256, warm_start=100)
    assert settings.stages() == "256 decisions of self-play after 100 (in batches of 128: 128) imitated of learned"
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
        (["--learner", "slow"], "error: unknown learner 'slow': use one of fast, sb3"),
        (["--learner", "fast", "--preset", "match"], "error: unknown preset 'match': use one of quick, standard, s"),
        (
            ["--learner", "sb3", "--preset", "strong"],
            "error: unknown preset 'strong': use one of quick, match, standard",
        ),
        (["--learner", "fast", "--gamma", "0.9"], "error: the learner 'fast' has no option --gamma"),
        (["--learner", "sb3", "--forced-nils", "0"], "error: the learner 'sb3' has no option --forced-nils"),
        (["--preset", "match", "--forced-nils", "0"], "error: the learner 'sb3' has no option --forced-nils"),
        (["--gamma", "0.9", "--forced-nils", "0"], "error: the learner 'fast' has no option --gamma"),
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


def test_the_learner_follows_from_preset_and_options():
    kinds = {
        ("quick", ()): Settings,
        ("quick", ("seed", "layers")): Settings,
        ("match", ("seed",)): Config,
        ("standard", ("gamma",)): Config,
        ("standard", ("match_weight",)): Settings,
    }
    given = {"seed": 1, "layers": "60", "gamma": 0.9, "match_weight": 0.5}
    for (preset, names), kind in kinds.items():
        assert type(new_settings(None, preset, {name: given[name] for name in names})) is kind
    assert isinstance(new_settings("sb3", "quick", {}), Config)


def test_the_teacher_is_the_best_that_plays_the_rules():
    assert Settings().teacher == Settings(rules="partnership,target=300").teacher == "learned"
    assert Settings(rules="cutthroat").teacher == "learned"
    assert Settings(rules="solo").teacher == "heuristic"


def test_the_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = {"total_timesteps": 1_000, "warm_start": 500, "opponents": "self:1", "bfloat16": False}
    options = []
    for name, value in (dataclasses.asdict(SMALL) | given).items():
        option = name.replace("_", "-")
        options.append(f"--{'' if value else 'no-'}{option}" if isinstance(value, bool) else f"--{option}={value}")
    spades("train", "--name", "run", *options)
    assert load_settings(Path("runs/run")) == dataclasses.replace(SMALL, **given)
    results = Path("runs/run/results.json").read_text()
    weights, rows = left(Path("runs/run"))
    spades("train", "--resume", "runs/run")
    assert json.loads(results)["steps"] == json.loads(Path("runs/run/results.json").read_text())["steps"] == 1_024
    assert (left(Path("runs/run"))[0] == weights).all()
    assert left(Path("runs/run"))[1] == rows
    spades("evaluate", "ppo:runs/run", "random", "--matches", "4")
