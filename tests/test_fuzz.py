"""Malformed input, some 26,000 pieces, at every public door: a ValueError of one line, or exit code 2."""

import json
import random

import pytest
from spades_agents import make_agent
from spades_training.cli import app
from typer.testing import CliRunner

from spades_env import PRESETS, Game, Record, Rules, Tables
from spades_env.cards import parse_action, parse_card

JUNK = [None, True, -1, 99, 2**70, 0.5, float("nan"), "", "x", "hidden", b"AS", [], [1], [[]], {}, {"a": 1}, object()]


def refused(call, *args, **kwargs):
    """The call raises a ValueError whose message is one line of some length."""
    with pytest.raises(ValueError, match=r"\A.{1,600}\Z"):
        call(*args, **kwargs)


def played(preset, seed, actions=40):
    game = Game(preset, seed=seed)
    rng = random.Random(seed)
    for _ in range(actions):
        if not game.is_over:
            game.apply(rng.choice(game.legal_actions()))
    return game


def test_rules():
    rng, fields = random.Random(1), Rules().to_dict()
    bad = {name: [value for value in JUNK if value is not None or name != "loss"] for name in fields}
    for name in ("partners", "draft", "spades_must_break"):
        bad[name].remove(True)
    bad["rejected"] = [value for value in JUNK if value != "hidden"]
    for name in ("target", "nil", "blind_nil", "bag_limit", "bag_penalty"):
        bad[name].remove(99)
    bad["loss"].remove(-1)
    for k in range(4_000):
        name = list(fields)[k % len(fields)]
        value = rng.choice(bad[name])
        refused(Rules.from_dict, {**PRESETS[rng.choice(list(PRESETS))].to_dict(), name: value})
    refused(Rules.from_dict, {"player": 2})


def test_decks_and_other_arguments_of_a_game():
    rng = random.Random(2)
    for _ in range(3_000):
        rules = PRESETS[rng.choice(list(PRESETS))]
        deck: list = rng.sample(rules.deck, len(rules.deck))
        at, kind = rng.randrange(len(deck)), rng.randrange(4)
        if kind == 0:
            deck[at] = deck[at - 1]
        elif kind == 1:
            deck[at] = rng.choice([None, -1, 52, 0.5, "AS", [], True if 1 not in deck[:1] else None])
        elif kind == 2:
            del deck[at]
        else:
            deck.insert(at, rng.randrange(52))
        refused(Game, rules, seed=0, decks=[deck])
    for _ in range(1_000):
        name = rng.choice(["scores", "bags", "opener", "seed", "decks"])
        value = rng.choice([value for value in JUNK if value is not None])
        good = {"opener": (True,), "seed": (True, 99), "decks": ([],)}.get(name, ())
        if any(value is one or value == one for one in good) or (name == "seed" and value == [1]):
            continue
        refused(Game, "solo", **{name: value} if name == "seed" else {"seed": 0, name: value})


def test_actions_and_names():
    rng = random.Random(3)
    game = played("two_player", 1)
    before = game.to_bytes()
    for _ in range(2_000):
        action = rng.choice([rng.randrange(-200, 200), *JUNK])
        try:
            legal = action in game.legal_actions()
        except Exception:
            legal = False
        if not legal:
            refused(game.apply, action)
    assert game.to_bytes() == before
    tables = Tables("solo", 3, seed=1)
    states = tables.states.tobytes()
    for _ in range(500):
        actions = rng.choice([[0] * 3, [75] * 3, [-1] * 3, [0.5] * 3, [52] * 2, [[70] * 3], [2**40] * 3])
        refused(tables.step, actions)
    assert tables.states.tobytes() == states
    for _ in range(1_500):
        text = "".join(rng.choices("AKQJT19CDHS_:.é \0", k=rng.randrange(3, 9)))
        refused(parse_action, f"Z{text}")  # it ignores punctuation
        refused(parse_card, f"?{text}")
        refused(make_agent, f"?{text}".replace(":", ""))


@pytest.mark.parametrize("preset", PRESETS)
def test_bytes_and_records(preset):
    """Whatever is changed in the bytes or the JSON of a record is refused, or changes nothing that it says."""
    rng = random.Random(preset)
    record = played(preset, 5, 60).record()
    data, text = record.to_bytes(), record.to_json()
    for _ in range(1_500):
        damaged = bytearray(data)
        for _ in range(rng.randrange(1, 4)):
            damaged[rng.randrange(len(data))] ^= rng.randrange(1, 256)
        cut = bytes(damaged[: rng.choice([len(data), rng.randrange(len(data))])])
        if cut != data:
            refused(Game.from_bytes, cut)
    value = json.loads(text)
    for _ in range(1_500):
        at = rng.randrange(len(text))
        changed = text[:at] + rng.choice(["", "9", '"', "{", "null", "AS", "\0"]) + text[at + rng.randrange(0, 6) :]
        try:
            same = json.loads(changed) == value
        except ValueError:
            same = False
        if not same:
            refused(lambda changed=changed: Record.from_json(changed).replay())


def test_command_line(tmp_path):
    rng, runner = random.Random(4), CliRunner()
    file = tmp_path / "record.json"
    for k in range(100):
        file.write_bytes(rng.randbytes(rng.randrange(200)))
        junk = "".join(rng.choices("abz?;$ {}", k=6)).strip() or "?"
        args = [
            ["replay", str(file)],
            ["replay", str(tmp_path / "missing.json")],
            ["evaluate", f"?{junk}", "random"],
            ["evaluate", "random", "random", "--rules", f"?{junk}"],
            ["evaluate", "random", "random", "--matches", str(rng.randrange(-99, 1))],
            ["train", "--n-envs", str(rng.randrange(-99, 1)), "--runs", str(tmp_path / "runs")],
            ["play", "--against", f"?{junk}"],
            [f"?{junk}"],
        ][k % 8]
        result = runner.invoke(app, args)
        assert result.exit_code == 2, (args, result.output)
        assert "Traceback" not in result.output
