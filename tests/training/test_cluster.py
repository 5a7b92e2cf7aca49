"""Two nodes of Ray on this machine do the same as one process, whatever is killed."""

from __future__ import annotations

import dataclasses
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections import Counter

import pytest
from spades_command import fails
from spades_training.bidding.data import DataSettings, write_data
from spades_training.cluster import connect, node
from spades_training.cluster.executor import pickled
from spades_training.cluster.parcel import pack, package_digest, portable
from spades_training.evaluation.evaluate import evaluate
from spades_training.maintenance import strength
from spades_training.tournament import make_settings, run_tournament

import spades_env
from spades_env.rules import PRESETS, Rules

pytest.importorskip("ray", reason="Ray is not installed: pip install 'spades-env[cluster]'")
SHORT = Rules.preset("two_player", target=60, loss=-60)
AGENTS = ["random", "odd_agents:Notes", "heuristic"]
SMALL_NODE = {"num_cpus": 1, "object_store_memory": 80 * 2**20}
# Nodes are found dead soon, and their workers have the usual priority, so that the tests do not wait on a busy machine.
QUICK = {"health_check_initial_delay_ms": 0, "health_check_period_ms": 300, "health_check_failure_threshold": 3}
QUICK |= {"worker_niceness": 0}

# Ray leaves sockets and processes to the garbage collector.
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def notes(tmp_path_factory):
    """The file in which the agent Notes writes, here and on the nodes, which inherit the environment."""
    path = tmp_path_factory.mktemp("notes") / "notes.txt"
    path.touch()
    os.environ["SPADES_TEST_NOTES"] = str(path)
    yield path
    del os.environ["SPADES_TEST_NOTES"]


@pytest.fixture(scope="module")
def ray_nodes(notes):
    """A cluster of two nodes with one CPU each."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from ray.cluster_utils import Cluster

        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
        head = {**SMALL_NODE, "include_dashboard": False, "_system_config": QUICK}
        cluster = Cluster(initialize_head=True, head_node_args=head)
        cluster.add_node(**SMALL_NODE)
        yield cluster
        cluster.shutdown()


@pytest.fixture(scope="module")
def lines():
    """What the executor reported."""
    return []


@pytest.fixture(scope="module")
def ray_executor(ray_nodes, lines):
    with connect(f"ray:{ray_nodes.address}", lines.append) as executor:
        yield executor


@pytest.fixture(scope="module")
def settings():
    return make_settings(AGENTS, SHORT, matches=8, confidence=None, max_hands=3)


@pytest.fixture(scope="module")
def alone(settings, tmp_path_factory):
    """The tournament in one process: its results and its log."""
    folder = tmp_path_factory.mktemp("alone")
    return without_times(run_tournament(settings, folder, workers=1)), log(folder)


def without_times(found):
    if isinstance(found, dict):
        return {key: without_times(value) for key, value in found.items() if key not in ("timing", "seconds")}
    return [without_times(value) for value in found] if isinstance(found, list) else found


def log(folder):
    return [without_times(json.loads(line)) for line in (folder / "matches.jsonl").read_text().splitlines()]


def seconds_until(condition, most=240.0):
    start = time.monotonic()
    while not condition():
        assert time.monotonic() - start < most
        time.sleep(0.05)


def noted(notes):
    """(process, seed) of every reset so far."""
    return [tuple(map(int, line.split())) for line in notes.read_text().splitlines()]


def ray_worker_of(process):
    """The process of Ray in which a unit was started that ``process`` plays: the first with that name above it."""
    import psutil

    return next(parent for parent in psutil.Process(process).parents() if parent.name().startswith("ray::"))


def test_a_tournament_survives_the_loss_of_a_node(ray_nodes, ray_executor, settings, alone, notes, lines, tmp_path):
    lost = ray_nodes.add_node(**SMALL_NODE)
    for future in [ray_executor.submit(time.sleep, 3) for _ in range(3)]:  # a process starts on every node
        future.result()
    begun = len(noted(notes))

    def kill_when_all_play():
        seconds_until(lambda: len({process for process, _ in noted(notes)[begun:]}) >= 3)
        ray_nodes.remove_node(lost, allow_graceful=False)

    killer = threading.Thread(target=kill_when_all_play)
    killer.start()
    found = run_tournament(settings, tmp_path, on=ray_executor)
    killer.join()
    assert (without_times(found), log(tmp_path)) == alone
    (line,) = [line for line in lines if "was lost" in line]
    assert lost.node_id[:6] in line
    assert lines[-1].startswith("done by node: ")
    resets = Counter(seed for _, seed in noted(notes)[begun:])
    assert max(resets.values()) > 1


def test_a_tournament_survives_the_loss_of_a_worker(ray_executor, settings, alone, notes, tmp_path):
    begun = len(noted(notes))

    def kill():
        seconds_until(lambda: len(noted(notes)) >= begun + 3)
        ray_worker_of(noted(notes)[-1][0]).kill()

    killer = threading.Thread(target=kill)
    killer.start()
    found = run_tournament(settings, tmp_path, on=ray_executor)
    killer.join()
    assert (without_times(found), log(tmp_path)) == alone
    resets = Counter(seed for _, seed in noted(notes)[begun:])
    assert max(resets.values()) > 1


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_tournament_continues(how, ray_nodes, ray_executor, settings, alone, notes, tmp_path):
    hold = notes.with_name(f"{notes.name}.hold")
    command = [sys.executable, "-m", "spades_training.cli", "tournament", *AGENTS, "--on", f"ray:{ray_nodes.address}"]
    command += ["--rules", "two_player,target=60,loss=-60", "--matches", "8", "--confidence", "0", "--max-hands", "3"]
    command += ["--out", str(tmp_path)]
    path = os.pathsep.join([os.path.dirname(__file__), *sys.path])
    hold.touch()
    with subprocess.Popen(command, env=os.environ | {"PYTHONPATH": path}, stderr=subprocess.PIPE) as driver:
        seconds_until(lambda: (tmp_path / "matches.jsonl").exists() and len(log(tmp_path)) > 2)
        driver.send_signal(how)
        assert driver.stderr is not None
        text = driver.stderr.read().decode()
    hold.unlink()
    assert len(log(tmp_path)) < len(alone[1])
    if how == signal.SIGINT:
        assert driver.returncode == 130
        assert text.splitlines()[-1] == "error: interrupted; run the same command again to continue"
        found = run_tournament(settings, tmp_path, on=ray_executor)
    else:
        found = run_tournament(settings, tmp_path, workers=1)
    assert (without_times(found), log(tmp_path)) == alone


def test_an_agent_that_ends_its_process_forfeits(ray_executor, tmp_path):
    settings = make_settings(["odd_agents:Exits", "random"], matches=2, confidence=None, max_hands=2)
    here = run_tournament(settings, tmp_path / "here", workers=1)
    there = run_tournament(settings, tmp_path / "there", on=ray_executor)
    assert [row["message"] for row in there["forfeits"]] == ["the process ended with exit code 3"]
    assert without_times(there) == without_times(here)


def test_evaluations_are_equal(ray_executor):
    for a, b, matches in (("heuristic", "random", 20_000), ("odd_agents:Dice", "heuristic", 10)):
        here, there = (evaluate(a, b, SHORT, matches=matches, max_hands=1, on=on) for on in (None, ray_executor))
        assert here == there
        assert there.matches == matches


def test_shards_are_equal(ray_executor, tmp_path):
    settings = DataSettings(SHORT.to_dict(), ("heuristic",), 0, 0.3, 0.02, True, 20)
    for name, on in (("here", None), ("there", ray_executor)):
        assert write_data(settings, tmp_path / name, 60, workers=1, on=on) == 3
    here, there = ({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("here", "there"))
    assert len(here) == 4
    assert here == there


def test_strength_is_equal(ray_executor):
    names = ["uniform", "random"]
    here, there = (
        dict(strength.round_robin(names, PRESETS["two_player"], 4, 0, 1, 10, on)) for on in (None, ray_executor)
    )
    assert here == there
    assert list(there) == [("uniform", "random")]


BOT = """
from pathlib import Path
from helper import name_of
from odd_agents import Dice
class Bot(Dice):
    name = name_of(3)
    def act(self, view):
        if view.phase == 3:
            assert "spades-node" in __file__, __file__
        return super().act(view)
class Fails(Dice):
    def act(self, view):
        raise ValueError("no idea")
"""


def test_files_of_agents_travel(ray_executor, tmp_path):
    (tmp_path / "bot.py").write_text(BOT)
    (tmp_path / "helper.py").write_text("def name_of(k):\n    return f'bot {k}'\n")
    bot = f"{tmp_path / 'bot.py'}:Bot"
    found = evaluate(bot, "random", SHORT, matches=2, max_hands=1, on=ray_executor)
    assert found.a.name == "bot 3"
    assert {os.path.basename(path) for path in pack([portable(bot)]).files} == {"bot.py", "helper.py", "odd_agents.py"}
    (tmp_path / "helper.py").write_text("def name_of(k):\n    return f'robot {k}'\n")
    assert evaluate(bot, "random", SHORT, matches=2, max_hands=1, on=ray_executor).a.name == "robot 3"


def test_tracebacks_name_the_file_of_this_machine(ray_executor, tmp_path):
    (tmp_path / "bot.py").write_text(BOT)
    (tmp_path / "helper.py").write_text("def name_of(k):\n    return f'bot {k}'\n")
    settings = make_settings([f"{tmp_path / 'bot.py'}:Fails", "random"], SHORT, matches=2, confidence=None, max_hands=1)
    here = run_tournament(settings, tmp_path / "here", workers=1)
    there = run_tournament(settings, tmp_path / "there", on=ray_executor)
    assert str(tmp_path / "bot.py") in here["forfeits"][0]["traceback"]
    assert without_times(there) == without_times(here)


def test_a_node_with_another_version_is_refused(ray_executor, monkeypatch):
    version = spades_env.__version__
    monkeypatch.setattr(spades_env, "__version__", "99.0")
    with pytest.raises(RuntimeError, match=rf"^node \S+ was refused: it has spades-env {version} instead of 99.0"):
        evaluate("heuristic", "random", SHORT, matches=2, on=ray_executor)


def test_a_node_with_other_files_of_an_agent_is_refused(ray_executor):
    parcel = pack(["odd_agents:Dice"])
    other = dataclasses.replace(parcel, agents={"odd_agents:Dice": {"odd_agents.py": "0" * 64}})
    missing = dataclasses.replace(parcel, agents={"odd_agents:Dice": {**parcel.agents["odd_agents:Dice"], "b.py": "1"}})
    for changed, message in (
        (other, "it has another file odd_agents.py of agent 'odd_agents:Dice': install the same one there"),
        (missing, "it has no file b.py of agent 'odd_agents:Dice': install the same one there"),
    ):
        call = pickle.dumps((abs, (-1,)))
        arguments = spades_env.__version__, package_digest(), pickle.dumps(changed), call
        assert ray_executor.submit(node.run, *arguments).result().refused == message


def test_a_node_without_the_package_is_named(ray_executor):
    gone = pickled(abs).replace(b"builtins", b"spades_x")
    with pytest.raises(Exception, match=rf"has spades-env {spades_env.__version__}, which runs no calls of this one"):
        ray_executor._ray.get(ray_executor._call.remote(gone, -1))


def test_an_error_of_an_agent_keeps_its_lines(ray_executor):
    with pytest.raises(RuntimeError, match="no idea") as error:
        evaluate("odd_agents:Crashes", "random", matches=2, on=ray_executor)
    assert "in_the_second_hand" in error.value.spades_agent_trace


def test_players_must_have_names(ray_executor):
    from odd_agents import Dice

    with pytest.raises(ValueError, match="players must be given by name"):
        evaluate(Dice(), "random", SHORT, matches=2, on=ray_executor)


def test_the_command_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    message = "error: --on ray:x:1 needs the package ray: pip install 'spades-env[cluster]'\n"
    fails(message, "evaluate", "random", "random", "--on", "ray:x:1")
