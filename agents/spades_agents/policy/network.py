"""A policy network: fully connected layers, in compiled code.

It uses no BLAS. The inputs are mostly zeros, and so are the outputs of ReLU layers, so adding up the relevant rows of
the weight matrix is as fast as a matrix product. It starts no threads, which would wait for each other on a busy
machine, and the result for a row is bit-identical in every batch.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spades_agents.compiler import jit
from spades_agents.policy.card_features import FEATURES
from spades_agents.policy.policy_input import PolicyInput
from spades_env.cards import NUM_ACTIONS
from spades_env.observation import SIZE

if TYPE_CHECKING:
    from torch import nn

ACTIVATIONS = ("relu", "tanh")


class Parameters(NamedTuple):
    """A network as the kernels take it."""

    inputs: np.ndarray  # int64, the columns that it sees
    sizes: np.ndarray  # int64, the number of inputs, then the outputs of each layer
    weights: np.ndarray  # float32, all matrices, row by row
    biases: np.ndarray  # float32, the biases of all layers
    scratch: np.ndarray  # float32[2, largest size]


@jit
def forward(network, tanh, rows, outputs):
    """Write the network's outputs for rows of inputs; ``network`` is of :class:`Parameters`."""
    values, results = network.scratch[0], network.scratch[1]
    last = len(network.sizes) - 2
    for row in range(len(rows)):
        for k in range(len(network.inputs)):
            values[k] = rows[row, network.inputs[k]]
        start = 0
        bias = 0
        for layer in range(last + 1):
            width = network.sizes[layer + 1]
            result = results[:width]
            for j in range(width):
                result[j] = network.biases[bias + j]
            for k in range(network.sizes[layer]):
                value = values[k]
                if value != 0:
                    weights = network.weights[start : start + width]
                    for j in range(width):
                        result[j] += value * weights[j]
                start += width
            bias += width
            for j in range(width):
                if layer == last:
                    outputs[row, j] = result[j]
                elif tanh:
                    values[j] = np.tanh(result[j])
                else:
                    values[j] = max(result[j], np.float32(0))


class PolicyNetwork:
    """A fully connected network from a row of a policy's input to a logit for each action.

    Args:
        inputs: ints, the columns that it sees of a :class:`~spades_agents.policy.policy_input.PolicyInput` with card
            features; never those of the hands.
        layers: (weights of shape (in, out), biases of shape (out,)) of each layer.
        activation: ``"relu"`` or ``"tanh"``, after every layer but the last.
        hint: name of the player whose actions it sees; empty if none.

    Attributes:
        layout: the :class:`~spades_agents.policy.policy_input.PolicyInput` of the rows that it reads.

    Raises:
        ValueError: if the layers do not fit each other, the inputs or the actions.
    """

    def __init__(
        self,
        inputs: np.ndarray,
        layers: Sequence[tuple[np.ndarray, np.ndarray]],
        activation: str = "relu",
        hint: str = "",
    ) -> None:
        if activation not in ACTIVATIONS:
            raise ValueError(f"activation must be one of {', '.join(map(repr, ACTIVATIONS))}, got {activation!r}")
        sizes = [len(inputs), *(len(biases) for _, biases in layers)]
        shapes = [weights.shape for weights, _ in layers]
        if not layers or shapes != list(pairwise(sizes)) or sizes[-1] != NUM_ACTIONS:
            raise ValueError(f"its layers are {shapes}, for {len(inputs)} inputs and {NUM_ACTIONS} actions")
        if inputs.dtype.kind not in "iu" or inputs.min() < 0 or inputs.max() >= SIZE + FEATURES + NUM_ACTIONS:
            raise ValueError(
                f"its inputs are not columns of {SIZE} observation bits, {FEATURES} features and {NUM_ACTIONS} hints"
            )
        if bool(hint) != (inputs.max() >= SIZE + FEATURES):
            raise ValueError(f"its inputs do not fit the hint {hint!r}")
        self.inputs, self.activation, self.hint = inputs.astype(np.int64), activation, hint
        self.layout = PolicyInput(bool(inputs.max() >= SIZE), hint)
        self._parameters = Parameters(
            self.inputs,
            np.array(sizes, np.int64),
            np.concatenate([weights.ravel() for weights, _ in layers]).astype(np.float32),
            np.concatenate([biases for _, biases in layers]).astype(np.float32),
            np.zeros((2, max(sizes)), np.float32),
        )
        if not (np.isfinite(self._parameters.weights).all() and np.isfinite(self._parameters.biases).all()):
            raise ValueError("its weights are not all finite numbers")

    @classmethod
    def from_torch(
        cls, modules: Iterable[nn.Module], inputs: np.ndarray | None = None, hint: str = ""
    ) -> PolicyNetwork:
        """A copy of torch modules that are called one after another.

        Args:
            modules: they consist of ``Linear`` layers with ``ReLU`` or ``Tanh`` between them, in this order.
            inputs: as in :class:`PolicyNetwork`; by default all bits of the observation.
            hint: as in :class:`PolicyNetwork`.

        Raises:
            ValueError: if there is another kind of layer, or if the layers do not fit.
        """
        layers: list[tuple[np.ndarray, np.ndarray]] = []
        activation = "relu"
        leaves: list[Any] = [part for module in modules for part in module.modules() if not list(part.children())]
        for layer in leaves:
            kind = type(layer).__name__
            if kind == "Linear":
                weights, biases = (part.detach().cpu().numpy() for part in (layer.weight, layer.bias))
                layers.append((np.ascontiguousarray(weights.T), biases.copy()))
            elif kind.lower() in ACTIVATIONS:
                activation = kind.lower()
            else:
                raise ValueError(f"the policy has a {kind} layer: only Linear, ReLU and Tanh can be saved")
        return cls(np.arange(SIZE) if inputs is None else inputs, layers, activation, hint)

    def logits(self, rows: np.ndarray) -> np.ndarray:
        """float32 of shape (n, 75) for rows of inputs, int8 of shape (n, layout.size)."""
        outputs = np.empty((len(rows), NUM_ACTIONS), np.float32)
        forward(self._parameters, self.activation == "tanh", rows, outputs)
        return outputs

    def best(self, rows: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """The legal action (int64) with the highest logit for each of the n rows; ``masks`` has shape (n, 75)."""
        return np.where(masks, self.logits(rows), -np.inf).argmax(1)

    def sample(self, rows: np.ndarray, masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """A legal action (int64) for each row, drawn from the softmax of the logits.

        The maximum of the logits plus Gumbel noise is a draw from the softmax (Gumbel 1954).
        """
        logits = self.logits(rows)
        noise = rng.standard_exponential(logits.shape, np.float32)
        np.log(np.maximum(noise, np.finfo(np.float32).tiny, out=noise), out=noise)
        return np.where(masks, logits - noise, -np.inf).argmax(1)

    def layers(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """(weights of shape (in, out), biases of shape (out,)), both float32, of each layer."""
        return _split(*self._parameters[1:4])

    def to_bytes(self) -> bytes:
        """The weights as an npz file."""
        file = io.BytesIO()
        arrays = self._parameters._asdict() | {"hint": np.array(self.hint)}
        del arrays["scratch"]
        np.savez(file, **arrays)  # type: ignore[arg-type]
        return file.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes, activation: str) -> PolicyNetwork:
        """The inverse of :meth:`to_bytes`.

        Raises:
            ValueError: if ``data`` is something else.
        """
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            layers = _split(arrays["sizes"], arrays["weights"], arrays["biases"])
            return cls(arrays["inputs"], layers, activation, str(arrays["hint"]))


def _split(sizes: np.ndarray, weights: np.ndarray, biases: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """The layers in arrays of all weights and of all biases."""
    shapes = list(pairwise(map(int, sizes)))
    matrices = np.split(weights, np.cumsum([before * after for before, after in shapes])[:-1])
    parts = np.split(biases, np.cumsum(sizes[1:])[:-1])
    return [(matrix.reshape(shape), part) for matrix, shape, part in zip(matrices, shapes, parts, strict=True)]
