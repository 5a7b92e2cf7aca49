"""The bench command with tiny settings, and the arithmetic of its ratios."""

from __future__ import annotations

import json
import os
import sys

import numpy as np
import pytest
from spades_command import fails, spades
from spades_training.bench import peers, scaling, start, training
from spades_training.bench.loops import Picker
from spades_training.bench.measure import Case, Rates, measure, one_core, timed

from spades_env.engine.state import STATE
from spades_env.observation import SIZE

TINY = ("--repeats", "2", "--seconds", "0.001")
PROGRAM = f"{sys.executable} -c \"print('it made 2.5e6 steps/s in all')\""


def test_json_holds_every_case_and_ratios_that_follow_from_the_rates():
    done = spades("bench", *TINY, "--json", "--yardstick", PROGRAM)
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert report["settings"] == {"repeats": 2, "seconds": 0.001, "yardstick": PROGRAM}
    assert {"cpu", "cores", "core", "load", "system", "python", "versions"} == set(report["machine"])
    rates = {case["key"]: case["values"] for case in report["cases"]}
    assert rates["yardstick"] == [2.5e6, 2.5e6]
    assert {"tables/random/solo", "tables/step/8192", "vector/two_player", "aec/raw_env", "gymnasium"} <= set(rates)
    for case in report["cases"]:
        assert len(case["values"]) == 2
        assert 0 < case["low"] <= case["median"] <= case["high"]
    assert {(ratio["of"], ratio["to"]) for ratio in report["ratios"]} >= {
        ("tables/random/two_player", "tables/random/partnership"),
        ("gymnasium", "yardstick"),
        ("aec/env", "nothing/env"),
    }
    for ratio in report["ratios"]:
        assert ratio["values"] == [a / b for a, b in zip(rates[ratio["of"]], rates[ratio["to"]], strict=True)]


def test_tables_in_the_terminal_and_in_markdown():
    for args, line in (
        ((), "Tables.step_random(), solo"),
        (("--markdown",), "| Tables.step_random(), solo | decisions |"),
    ):
        done = spades("bench", *TINY, "--only", "tables/random", *args, columns=200)
        assert done.exit_code == 0, done.output
        assert line in done.stdout
        assert "2 interleaved repeats of 0.001 s each" in " ".join(done.stdout.split())


def test_a_peer_that_is_not_installed_is_named_and_not_guessed(monkeypatch):
    for module in ("pyspiel", "rlcard", "pygame"):
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.delitem(sys.modules, "pettingzoo.classic.tictactoe.tictactoe", raising=False)
    done = spades("bench", *TINY, "--peers", "--only", "openspiel,rlcard,tictactoe", "--json")
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert report["cases"] == report["ratios"] == []
    assert {entry["key"]: entry["reason"] for entry in report["not_run"]} == {
        "openspiel/legal": "not installed: pyspiel",
        "openspiel/observed": "not installed: pyspiel",
        "tictactoe/env": "not installed: pygame",
        "rlcard/leduc-holdem": "not installed: rlcard",
        "rlcard/bridge": "not installed: rlcard",
        "rlcard/gin-rummy": "not installed: rlcard",
    }
    lines = spades("bench", *TINY, "--peers", "--only", "rlcard").stdout
    assert "not run: RLCard leduc-holdem: not installed: rlcard" in lines


@pytest.mark.parametrize(
    "args,message",
    [
        (["--repeats", "0"], "error: --repeats must be an int in 1..1000, got 0"),
        (["--seconds", "0"], "error: --seconds must be above 0 and at most 60, got 0.0"),
        (["--seconds", "nan"], "error: --seconds must be above 0 and at most 60, got nan"),
        (["--only", "poker"], "error: --only poker: no key starts with this; the keys are tables/random/partnership, "),
        (["--json", "--markdown"], "error: --json and --markdown cannot be combined"),
        (["--yardstick", " "], "error: --yardstick must be a command that prints '<number> steps/s', got nothing"),
        (["--yardstick", "no/such/program"], "error: --yardstick no/such/program: [Errno 2] No such file"),
        (["--yardstick", f"{sys.executable} -c 'print(1)'"], "error: --yardstick"),
        (["--yardstick", f"{sys.executable} -c 'exit(3)'"], "error: --yardstick"),
        (["--yardstick", "'"], "error: --yardstick ': No closing quotation"),
    ],
)
def test_bad_options_are_one_line_and_code_2(args, message):
    fails(message, "bench", "--only", "tables/random/solo", *TINY, *args)


def test_measurements_are_interleaved():
    order = []

    def case(key: str, rate: float) -> Case:
        def sample(seconds: float) -> float:
            order.append((key, seconds))
            return rate * (1 + len(order))

        return Case(key, key, lambda: sample)

    found = measure([case("a", 1.0), case("b", 2.0)], repeats=2, seconds=0.5)
    assert order == [("a", 0.0), ("b", 0.0), ("a", 0.5), ("b", 0.5), ("a", 0.5), ("b", 0.5)]
    assert found.rates == {"a": Rates((4.0, 6.0)), "b": Rates((10.0, 14.0))}
    ratio = found.rates["b"].over(found.rates["a"])
    assert ratio.values == (2.5, 14 / 6)
    assert (ratio.low, ratio.high) == (14 / 6, 2.5)
    assert ratio.median == (2.5 + 14 / 6) / 2


def test_timed_counts_decisions_over_the_time_that_they_took(monkeypatch):
    clock = iter([10.0, 10.25, 10.5, 11.0])
    monkeypatch.setattr("spades_training.bench.measure.time.perf_counter", lambda: next(clock))
    assert timed(lambda: 100)(0.75) == 300 / 1.0


def test_one_core_restores_the_affinity():
    affinity = getattr(os, "sched_getaffinity", None)
    if affinity is None:
        with one_core() as core:
            assert core is None
        return
    before = affinity(0)
    with one_core() as core:
        assert affinity(0) == {core}
    assert affinity(0) == before


def test_picker_draws_legal_actions_uniformly():
    rng = np.random.default_rng(1)
    masks = (rng.random((40, 75)) < 0.2).astype(np.int8)
    masks[7] = 0
    masks[8] = 1
    masks[9, :] = np.arange(75) == 74
    picker = Picker(len(masks))
    counts = np.zeros(masks.shape)
    for _ in range(4000):
        assert picker.pick(masks) == len(masks) - 1
        counts[np.arange(len(masks)), picker.actions] += 1
    assert picker.actions[7] == 0
    counts[7] = 0
    assert (counts[masks == 0] == 0).all()
    expected = 4000 / masks.sum(1, keepdims=True).clip(1) * masks.astype(float)
    legal = expected > 0
    deviation = (counts[legal] - expected[legal]) / np.sqrt(expected[legal])
    assert np.abs(deviation).max() < 4.5
    booleans = Picker(len(masks))
    booleans.pick(masks.astype(bool))
    again = Picker(len(masks))
    again.pick(masks)
    assert (booleans.actions == again.actions).all()


def test_scaling_has_both_loops_at_every_count():
    found = scaling.measure_scaling(1, 0.001, (1, 32))
    assert set(found.rates) == {"compiled/1", "calls/1", "compiled/32", "calls/32"}


def test_memory_is_what_the_arrays_hold():
    memory = scaling.measure_memory(tables=100, decisions=20_000, calls=100)
    arrays = SIZE + 75 + 4 * 4 + 2  # observation, mask, four float32 rewards, two flags
    assert memory.state_bytes == STATE.itemsize
    assert memory.table_bytes == STATE.itemsize + 4 * 8 + arrays
    assert memory.tables == 100


def test_the_yardstick_is_run_each_time(tmp_path):
    script = tmp_path / "count.py"
    script.write_text(
        "import pathlib; p = pathlib.Path(__file__ + '.n'); p.open('a').write('x')\n"
        "print(len(p.read_text()), 'steps/s')"
    )
    found = measure([peers.yardstick(f"{sys.executable} {script}")], 3, 0.1)
    assert found.rates["yardstick"].values == (2.0, 3.0, 4.0)


def test_shares_of_the_training_time():
    # Only policies as opponents: with few tables a mix might draw none of them.
    settings = {"n_envs": 4, "n_steps": 8, "batch_size": 32, "n_epochs": 1, "layers": "8", "opponents": "self:1"}
    small = {"n_envs": 4, "n_steps": 8, "batch_size": 32, "layers": "6", "critic_layers": "6"}
    found, reasons = training.measure_training(2, settings, small)
    assert reasons == ()
    nothing, heuristic, selfplay, *fast = found
    assert [("float32" in one.text, "bfloat16" in one.text) for one in fast] in (
        [(True, False)],
        [(True, False), (False, True)],
    )
    for one in fast:
        assert one.shares()["opponents' networks"] == 0
        assert min(one.shares()[name] for name in ("environment", "updates", "policy and buffers")) > 0
        assert one.ratio.values == tuple(a / b for a, b in zip(one.rates.values, nothing.rates.values, strict=True))
    assert nothing.ratio is None
    for one in found:
        assert sum(one.shares().values()) == pytest.approx(1)
        assert min(one.shares().values()) >= 0
    assert selfplay.shares()["opponents' networks"] > heuristic.shares()["opponents' networks"] == 0
    assert heuristic.shares()["environment"] > nothing.shares()["environment"] > 0
    assert heuristic.ratio.values == tuple(
        a / b for a, b in zip(heuristic.rates.values, nothing.rates.values, strict=True)
    )


def test_a_clock_counts_nothing_twice(monkeypatch):
    clock = training._Clock()
    now = iter([0.0, 1.0, 4.0, 9.0])
    monkeypatch.setattr(training.time, "perf_counter", lambda: next(now))

    class Owner:
        def outer(self):
            return self.inner()

        def inner(self):
            return 7

    owner = Owner()
    clock.watch(owner, "inner", training.NETWORKS)
    clock.watch(owner, "outer", training.ENVIRONMENT, inside=training.NETWORKS)
    assert owner.outer() == 7
    clock.total = 10.0
    assert clock.seconds() == {
        "environment": 6.0,
        "opponents' networks": 3.0,
        "updates": 0.0,
        "policy and buffers": 1.0,
    }


@pytest.mark.long
def test_start_is_measured_from_an_empty_cache():
    found = start.measure_start(1)
    assert 0 < found.python < found.importing < found.later_tables < found.first_tables
    assert not found.torch
    assert found.said.startswith("spades_env: first use: compiling batch.seed_rows, ")
    assert found.later_all < found.first_all
    assert set(found.first_decision) == {"heuristic", "bidder", "learned", "pimc"}
    assert all(found.later_decision[agent] < seconds for agent, seconds in found.first_decision.items())
