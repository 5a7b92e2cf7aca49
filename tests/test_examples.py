"""Every script in examples/ runs and prints what it promises."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# The last line that each script prints, and arguments that make it quick.
LAST_LINE = {
    "openspiel_bot": (["1"], r"pimc:worlds=8 and heuristic after 1 hands: \[-?\d+, -?\d+\]"),
    "own_agent": (["10"], r"against heuristic: wins \d+\.\d% \[.*\], [+-]\d+\.\d a hand"),
    "own_reward": (["512"], r"\d+% of 100 hands are exact after 512 decisions"),
    "random_match": ([], r"tables: scores \[-?\d+, -?\d+\]"),
    "load_model": ([], r"bid \d+, won \d+: [+-]\d+ points"),
    "rate_position": ([], r"\w\w: \d+\.\d% ± \d+\.\d% to win the match"),
    "read_bidding_data": ([], r"\d+ spades: \d+\.\d\d tricks"),
}


def test_every_example_is_listed():
    needs_a_server = {"language_model"}  # which its own test starts
    assert {path.stem for path in (ROOT / "examples").glob("*.py")} == set(LAST_LINE) | needs_a_server


@pytest.mark.parametrize("name", LAST_LINE)
def test_example_runs(name, tmp_path):
    if name == "openspiel_bot":
        pytest.importorskip("pyspiel", reason="open-spiel has none for Python 3.10")
    arguments, pattern = LAST_LINE[name]
    path = os.pathsep.join(str(ROOT / folder) for folder in (".", "agents", "training"))
    done = subprocess.run(
        [sys.executable, "-W", "error", str(ROOT / "examples" / f"{name}.py"), *arguments],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(pattern, done.stdout.splitlines()[-1]), done.stdout
