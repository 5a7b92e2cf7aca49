"""The notebooks run from top to bottom, and what is committed is what a run of them left."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import numpy as np
import pytest
from spades_training.notebook import Variation, mean, profile, root_mean_square

from spades_env import Game, Rules
from spades_env.cards import BID_0
from spades_env.engine.state import BID

FOLDER = Path(__file__).parents[1] / "notebooks"
NAMES = sorted(path.stem for path in FOLDER.glob("*.ipynb"))
notebooks = pytest.mark.parametrize("name", NAMES)


def read(path):
    return nbformat.read(path, as_version=4)


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_there_are_six():
    assert [name[:2] for name in NAMES] == ["01", "02", "03", "04", "05", "06"]


@notebooks
def test_runs_from_top_to_bottom(name, tmp_path):
    command = [sys.executable, FOLDER / "run.py", name, "--into", tmp_path]
    path = {"PYTHONPATH": os.pathsep.join(sys.path), "MPLBACKEND": ""}
    done = subprocess.run(command, env=os.environ | path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    ran = code_cells(read(tmp_path / f"{name}.ipynb"))
    assert [cell.execution_count for cell in ran] == list(range(1, len(ran) + 1))


@notebooks
def test_outputs_are_committed(name):
    cells = code_cells(read(FOLDER / f"{name}.ipynb"))
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell.outputs]
    assert not [output for output in outputs if output.output_type == "error" or output.get("name") == "stderr"]
    assert sum("image/png" in output.get("data", {}) for output in outputs) >= 2


@notebooks
def test_no_result_is_written_into_the_text(name):
    """Numbers with a decimal point or a percent sign come from cells; 95% is the width of every interval."""
    text = "\n".join(cell.source for cell in read(FOLDER / f"{name}.ipynb").cells if cell.cell_type == "markdown")
    assert set(re.findall(r"\d+\.\d+|\d+ ?%", text)) <= {"95%"}


def test_means_as_worked_out():
    """1, 2, 3: variance 1, so the standard error is 1/sqrt(3) and t with 2 degrees of freedom 4.3027."""
    found = mean(np.array([1, 2, 3]))
    assert (found.value, found.low, found.high) == pytest.approx(
        (2, 2 - 4.3027 / 3**0.5, 2 + 4.3027 / 3**0.5), abs=1e-3
    )
    assert root_mean_square(np.array([3, -3, 3, -3])).value == 3


def test_a_variation_changes_what_it_is_told_to():
    def one_more(states, actions):
        actions[(states["phase"] == BID) & (actions < BID_0 + 13)] += 1

    rules = Rules.preset("two_player", blind_nil=0, exchange=0)  # a blind nil is no bid to change
    usual = profile(rules, "heuristic", "heuristic", 1, 200)
    more = profile(rules, Variation("heuristic", one_more), "heuristic", 1, 200)
    assert more["bid"].value == pytest.approx(usual["bid"].value + 1)
    assert more["made"].value < usual["made"].value
    game, player = Game("solo", 1), Variation("heuristic", one_more)
    own = Variation("heuristic", lambda states, actions: None)
    game.apply(player.act(game.view()))
    assert player.act(game.view()) == own.act(game.view()) + 1 >= BID_0 + 1
    with pytest.raises(ValueError, match="there are bidding models for two players and partnerships, not for solo"):
        Variation("bidder", one_more).check_rules(Rules.preset("solo"))
    with pytest.raises(ValueError, match="base must have act_batch, got uniform"):
        Variation(NoBatch(), one_more)


class NoBatch:
    name = "uniform"

    def reset(self, seed=None):
        pass

    def act(self, view):
        return view.legal_actions()[0]
