"""The state of a training run in one file, from which it continues after a kill."""

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

from spades_training.files import write_whole
from spades_training.learning.selfplay import OpponentMix
from spades_training.learning.streams import LearnerStreams

__all__ = ["Checkpoint"]

FILE = "checkpoint.zip"


@dataclass
class Checkpoint:
    """Everything that the rest of the run depends on.

    Attributes:
        model: the saved model, optimizer included.
        tables: the matches under way, as :meth:`LearnerStreams.arrays` names them.
        snapshots: past policies.
        state: the rows of the metrics, how many decisions were rated by rollouts, the random streams, the learner's
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
        env: LearnerStreams,
        mix: OpponentMix,
        rng: np.random.Generator,
        metrics: dict[str, Any],
        rated: int,
    ) -> Checkpoint:
        """The state of a run between an update and the choice of the snapshots that play next."""
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
        """Set all random streams to where they were."""
        rng.bit_generator.state = self.state["rng"]
        kind, keys, *rest = self.state["numpy"]
        np.random.set_state((kind, np.array(keys, np.uint32), *rest))  # noqa: NPY002
        torch.set_rng_state(torch.frombuffer(bytearray(self.torch_rng), dtype=torch.uint8))

    def restore_mix(self, mix: OpponentMix) -> None:
        """Give ``mix`` the snapshots, and what is known of their strength."""
        mix.restore(self.snapshots, self.state["margins"])

    def save(self, run: Path) -> None:
        """Write it to the folder of the run; the last one is there until this one is complete.

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
        write_whole(run / FILE, file.getvalue())

    @classmethod
    def load(cls, run: Path) -> Checkpoint:
        """The last checkpoint of a run.

        Raises:
            ValueError: if there is none or it is damaged.
        """
        path = run / FILE
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
