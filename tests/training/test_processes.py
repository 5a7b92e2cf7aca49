"""Scripts that start processes outside ``if __name__ == "__main__":``."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

TOURNAMENT = """
from pathlib import Path
from spades_training.tournament import make_settings, run_tournament
settings = make_settings(["random", "uniform"], matches=4, confidence=None)
run_tournament(settings, Path("results"), workers=2)
"""
DATA = """
from spades_env import Rules
from spades_training.bidding.data import DataSettings, write_data
settings = DataSettings(Rules.preset("two_player").to_dict(), ("random",), 0, 0, 0, False, 10)
write_data(settings, "results", 40, workers=2)
"""


def run(folder, text):
    (folder / "script.py").write_text(text)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run([sys.executable, "script.py"], cwd=folder, env=env, capture_output=True, text=True)


@pytest.mark.parametrize("text", [TOURNAMENT, DATA], ids=["tournament", "data"])
def test_the_last_line_says_what_to_change(text, tmp_path):
    done = run(tmp_path, text)
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert sum(line.startswith("Traceback") for line in lines) == 1
    message = 'processes import script.py: put the code that starts them under `if __name__ == "__main__":`'
    assert lines[-1] == f"RuntimeError: {message}"


@pytest.mark.parametrize("text", [TOURNAMENT, DATA], ids=["tournament", "data"])
def test_with_the_guard_it_runs(text, tmp_path):
    *imports, settings, call = text.strip().splitlines()
    guarded = [*imports, 'if __name__ == "__main__":', f"    {settings}", f"    {call}"]
    done = run(tmp_path, "\n".join(guarded))
    said = [line for line in done.stderr.splitlines() if not line.startswith("spades_env: first use")]
    assert (done.returncode, said) == (0, [])
    assert any((tmp_path / "results").iterdir())
