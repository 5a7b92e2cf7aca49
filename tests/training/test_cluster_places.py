"""The places of ``--on``: errors of one line, any executor, Dask."""

from __future__ import annotations

import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import pytest
from spades_command import fails, spades
from spades_training.cluster import connect
from spades_training.cluster.executor import Node, OtherExecutor
from spades_training.cluster.folders import temporary_folder
from spades_training.cluster.spread import LEAST, Spread
from spades_training.evaluation.evaluate import evaluate
from spades_training.tournament import make_settings, run_tournament

from spades_env.rules import Rules

SHORT = Rules.preset("two_player", target=60, loss=-60)


def three_threads():
    return ThreadPoolExecutor(3)


def no_executor():
    return 3


@pytest.mark.parametrize(
    "place,message",
    [
        ("mars", "unknown place 'mars': use one of here, ray, ray:ADDRESS, dask:ADDRESS or module:function"),
        ("dask", "unknown place 'dask': use one of"),
        ("no_such_module:f", "--on no_such_module:f: No module named 'no_such_module'"),
        ("test_cluster_places:g", "--on test_cluster_places:g: module 'test_cluster_places' has no attribute 'g'"),
        ("test_cluster_places:no_executor", "--on test_cluster_places:no_executor: no_executor returned 3 instead of"),
    ],
)
def test_unknown_places(place, message):
    fails(f"error: {message}", "evaluate", "random", "random", "--on", place)


@pytest.mark.parametrize(
    "package,place,install", [("ray", "ray", "'spades-env[cluster]'"), ("distributed", "dask:x", "distributed")]
)
def test_a_missing_package(package, place, install, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    message = f"error: --on {place} needs the package {package}: pip install {install}\n"
    fails(message, "evaluate", "random", "random", "--on", place)


def test_the_executor_of_a_function():
    here, there = (
        spades("evaluate", "heuristic", "random", "--matches", 2000, "--max-hands", 1, "--json", "--on", place)
        for place in ("here", "test_cluster_places:three_threads")
    )
    assert there.exit_code == 0, there.output
    results = [json.loads(result.stdout) for result in (here, there)]
    for result in results:
        for player in "ab":
            del result[player]["decision_us"]
    assert results[0] == results[1]


def test_a_refused_node_is_an_error_of_one_line(monkeypatch):
    monkeypatch.setattr("spades_training.cluster.node.package_digest", lambda: "other sources")
    result = spades("evaluate", "heuristic", "random", "--on", "test_cluster_places:three_threads")
    assert result.exit_code == 1
    assert result.stderr.startswith(f"error: node {platform.node()} was refused: its spades-env ")
    assert result.stderr.endswith(" has other files than this machine's: install the same sources there\n")


def test_threads_of_this_process_stay_in_its_folder(tmp_path):
    (tmp_path / "bot.py").write_text("from odd_agents import Dice\nclass Bot(Dice):\n    name = 'bot'\n")
    before, path = os.getcwd(), list(sys.path)
    with ThreadPoolExecutor(1) as executor:
        bot = f"{tmp_path / 'bot.py'}:Bot"
        found = evaluate(bot, "random", SHORT, matches=4, max_hands=1, on=executor)
        assert found == evaluate(bot, "random", SHORT, matches=4, max_hands=1)
    assert (os.getcwd(), sys.path) == (before, path)


def test_folders_of_killed_processes_are_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    names = [f"spades-x-{ended.pid}-a", f"spades-x-{os.getpid()}-b", f"spades-y-{ended.pid}-c", "spades-x-d"]
    for name in names:
        (tmp_path / name).mkdir()
    with temporary_folder("spades-x") as folder:
        assert {path.name for path in tmp_path.iterdir()} == {*names[1:], os.path.basename(folder)}


class TwoThenOne(OtherExecutor):
    """Two nodes of one CPU, one of which is lost after the first look."""

    looks = 0

    def nodes(self):
        self.looks += 1
        return {"a": Node("left", 1), "b": Node("right", 1)} if self.looks == 1 else {"a": Node("left", 1)}


def test_nodes_that_join_and_are_lost_are_reported(monkeypatch):
    monkeypatch.setattr("spades_training.cluster.spread.LOOK", 0.0)
    lines = []
    executor = TwoThenOne(ThreadPoolExecutor(1))
    executor.report = lines.append
    with Spread(executor) as spread:
        assert dict(spread.run_all(abs, {k: (-k,) for k in range(3)})) == {0: 0, 1: 1, 2: 2}
    executor.shutdown()
    assert sorted(lines[:2]) == ["node left joined (2 nodes, 2 CPUs)", "node right joined (2 nodes, 2 CPUs)"]
    assert lines[2] == "node right was lost (1 node, 1 CPU left); its calls run again elsewhere"
    assert lines[3].startswith("done by node: ")
    assert lines[3].endswith(" 3")
    assert len(lines) == 4


def test_no_more_calls_are_submitted_than_needed():
    """The queue of the cluster stays short, so that Ctrl-C cancels little."""
    submitted = []
    with ThreadPoolExecutor(1) as executor, Spread(executor) as spread:
        submit = spread.submit
        spread.submit = lambda *job: submitted.append(job) or submit(*job)
        results = spread.run_all(abs, {k: (k,) for k in range(3 * LEAST)})
        assert next(results) == (0, 0)
        assert len(submitted) == LEAST
        assert dict(results) == {k: k for k in range(1, 3 * LEAST)}


def test_errors_of_calls_are_raised():
    with ThreadPoolExecutor(1) as executor, Spread(executor) as spread, pytest.raises(ZeroDivisionError):
        list(spread.run_all(divmod, {0: (1, 0)}))


def without_times(found):
    if isinstance(found, dict):
        return {key: without_times(value) for key, value in found.items() if key not in ("timing", "seconds")}
    return [without_times(value) for value in found] if isinstance(found, list) else found


@pytest.mark.filterwarnings("ignore")
def test_dask_plays_the_same_tournament_although_a_worker_is_killed(tmp_path):
    distributed = pytest.importorskip("distributed", reason="Dask is not installed: pip install distributed")
    import dask

    agents = ["random", "odd_agents:Notes", "odd_agents:Dice"]
    settings = make_settings(agents, SHORT, matches=8, confidence=None, max_hands=3)
    lines: list[str] = []
    # Workers of Dask must be allowed to start the processes that play.
    with (
        dask.config.set({"distributed.worker.daemon": False}),
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        connect(f"dask:{cluster.scheduler_address}", lines.append) as executor,
    ):
        worker = next(iter(cluster.workers.values()))
        deaths = []

        def kill_in_the_middle(done, most):
            if not deaths:
                deaths.append(worker.pid)
                os.kill(worker.pid, signal.SIGKILL)

        found = run_tournament(settings, tmp_path / "dask", on=executor, progress=kill_in_the_middle)
    assert len(deaths) == 1
    here = run_tournament(settings, tmp_path / "here", workers=1)
    assert without_times(found) == without_times(here)
    assert lines[0].endswith("joined (2 nodes, 2 CPUs)")
