"""The state of a training run in one file, from which an interrupted run resumes."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from spades_agents.policy.network import PolicyNetwork

from spades_env.files import write_whole
from spades_training.learning.config import CHECKPOINT
from spades_training.learning.selfplay import OpponentMix
from spades_training.learning.trajectories import LearnerTrajectories


@dataclass
class Checkpoint:
    """Everything that the rest of a run depends on.

    Attributes:
        model: the saved model, including the optimizer.
        tables: the matches in progress, from :meth:`LearnerTrajectories.arrays`.
        snapshots: past policies.
        state: the rows of the metrics, the number of decisions rated by rollouts, the random states, and the learner's
            margins against the snapshots.
        torch_rng: random state of torch.
    """

    model: bytes
    tables: dict[str, np.ndarray]
    snapshots: list[PolicyNetwork]
    state: dict[str, Any]
    torch_rng: bytes

    @classmethod
    def of(
        cls,
        model: MaskablePPO,
        env: LearnerTrajectories,
        mix: OpponentMix,
        rng: np.random.Generator,
        metrics: dict[str, Any],
        rated: int,
    ) -> Checkpoint:
        """The state of a run after an update, before the snapshots that play next are drawn."""
        file = io.BytesIO()
        model.save(file)
        kind, keys, *rest = np.random.get_state()  # noqa: NPY002 - SB3 shuffles minibatches with it
        state = {
            "metrics": metrics,
            "rated": rated,
            "rng": rng.bit_generator.state,
            "numpy": [kind, list(map(int, keys)), *rest],
            "margins": list(mix.margins),
        }
        tables = {name: array.copy() for name, array in env.arrays().items()}
        return cls(file.getvalue(), tables, list(mix.snapshots), state, bytes(torch.get_rng_state().numpy()))

    def restore_rng(self, rng: np.random.Generator) -> None:
        """Restore all random states."""
        rng.bit_generator.state = self.state["rng"]
        kind, keys, *rest = self.state["numpy"]
        np.random.set_state((kind, np.array(keys, np.uint32), *rest))  # noqa: NPY002
        torch.set_rng_state(torch.frombuffer(bytearray(self.torch_rng), dtype=torch.uint8))

    def restore_mix(self, mix: OpponentMix) -> None:
        """Restore the snapshots of ``mix`` and their margins."""
        mix.restore(self.snapshots, self.state["margins"])

    def save(self, run: Path) -> None:
        """Write the checkpoint to the folder of the run; it replaces the last one atomically.

        Raises:
            OSError: if it cannot be written.
        """
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as members:
            members.writestr("model.zip", self.model)
            members.writestr("torch_rng", self.torch_rng)
            tables = io.BytesIO()
            np.savez(tables, **self.tables)  # type: ignore[arg-type]
            members.writestr("tables.npz", tables.getvalue())
            members.writestr("state.json", json.dumps(self.state))
            for k, network in enumerate(self.snapshots):
                members.writestr(f"snapshot_{k}_{network.activation}.npz", network.to_bytes())
        write_whole(run / CHECKPOINT, file.getvalue())

    @classmethod
    def load(cls, run: Path) -> Checkpoint:
        """Read the last checkpoint of a run.

        Raises:
            ValueError: if there is none, or it is damaged.
        """
        path = run / CHECKPOINT
        try:
            with zipfile.ZipFile(path) as members:
                names = sorted((n for n in members.namelist() if n.startswith("snapshot_")), key=_number)
                snapshots = [_network(name, members.read(name)) for name in names]
                state = json.loads(members.read("state.json"))
                with np.load(io.BytesIO(members.read("tables.npz"))) as file:
                    tables = dict(file)
                return cls(members.read("model.zip"), tables, snapshots, state, members.read("torch_rng"))
        except FileNotFoundError:
            raise ValueError(f"nothing to resume: there is no {path}") from None
        except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
            raise ValueError(f"the checkpoint {path} is damaged: {error}") from None


def _number(name: str) -> int:
    return int(name.split("_")[1])


def _network(name: str, data: bytes) -> PolicyNetwork:
    return PolicyNetwork.from_bytes(data, name.removesuffix(".npz").split("_")[2])
