"""A policy network: fully connected layers on the bits of an observation, in compiled code.

No BLAS: the inputs are mostly zeros, and so are the outputs of ReLU layers, so that adding up the rows of weights
that count is as fast as a matrix product; it starts no threads, which wait for each other on a busy machine; and a
row of a batch comes out the same to the last bit whatever else is in the batch.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from spades_agents.compiler import jit
from spades_agents.policy.card_features import FEATURES
from spades_env.cards import NUM_ACTIONS
from spades_env.observation import SIZE

__all__ = ["ACTIVATIONS", "PolicyNetwork"]

ACTIVATIONS = ("relu", "tanh")


@jit
def forward(observation, inputs, sizes, weights, biases, tanh, values, results):
    """Write the outputs of the network to ``values``, from its front; ``results`` is scratch of the same size."""
    for k in range(len(inputs)):
        values[k] = observation[inputs[k]]
    start = 0
    bias = 0
    last = len(sizes) - 2
    for layer in range(last + 1):
        width = sizes[layer + 1]
        result = results[:width]
        for j in range(width):
            result[j] = biases[bias + j]
        for k in range(sizes[layer]):
            value = values[k]
            if value != 0:
                row = weights[start : start + width]
                for j in range(width):
                    result[j] += value * row[j]
            start += width
        bias += width
        for j in range(width):
            if layer == last:
                values[j] = result[j]
            elif tanh:
                values[j] = np.tanh(result[j])
            else:
                values[j] = max(result[j], np.float32(0))


@jit
def forward_rows(observations, inputs, sizes, weights, biases, tanh, values, results, outputs):
    """Write the outputs for each of the observations (n, SIZE) to ``outputs`` (n, outputs of the network)."""
    for k in range(len(observations)):
        forward(observations[k], inputs, sizes, weights, biases, tanh, values, results)
        for j in range(outputs.shape[1]):
            outputs[k, j] = values[j]


class PolicyNetwork:
    """A fully connected network from an observation to a logit for each action.

    Args:
        inputs: ints, the columns that it sees: bits of the observation, and from SIZE on the features of
            :mod:`spades_agents.policy.card_features`, then one for each action, set at what another player would do.
        layers: (weights of shape (in, out), biases of shape (out,)) of each layer.
        activation: ``"relu"`` or ``"tanh"``, after every layer but the last.
        hint: the name of that other player; empty if the network does not look at it.

    Raises:
        ValueError: if the layers do not fit together, the observation or the actions.
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
        self.inputs, self.activation = inputs.astype(np.int64), activation
        self.sees_features = bool(inputs.max() >= SIZE)
        self.hint = hint
        if bool(hint) != (inputs.max() >= SIZE + FEATURES):
            raise ValueError(f"its inputs do not go with the hint {hint!r}")
        self.columns = SIZE + FEATURES * self.sees_features + NUM_ACTIONS * bool(hint)
        self._sizes = np.array(sizes, np.int64)
        self._weights = np.concatenate([weights.ravel() for weights, _ in layers]).astype(np.float32)
        self._biases = np.concatenate([biases for _, biases in layers]).astype(np.float32)
        if not (np.isfinite(self._weights).all() and np.isfinite(self._biases).all()):
            raise ValueError("its weights are not all finite numbers")
        self._scratch = np.zeros((2, max(sizes)), np.float32)

    def logits(self, observations: np.ndarray) -> np.ndarray:
        """float32 of shape (n, 75) for rows (int8) of shape (n, columns)."""
        outputs = np.empty((len(observations), NUM_ACTIONS), np.float32)
        arrays = self.inputs, self._sizes, self._weights, self._biases
        forward_rows(observations, *arrays, self.activation == "tanh", *self._scratch, outputs)
        return outputs

    def best(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """The legal action (int64) with the highest logit for each of the n observations."""
        return np.where(masks, self.logits(observations), -np.inf).argmax(1)

    def sample(self, observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """A legal action (int64) for each, drawn by the probabilities that the logits stand for.

        Adding Gumbel noise and taking the maximum draws from the softmax (Gumbel 1954).
        """
        logits = self.logits(observations)
        noise = rng.standard_exponential(logits.shape, np.float32)
        np.log(np.maximum(noise, np.finfo(np.float32).tiny, out=noise), out=noise)
        return np.where(masks, logits - noise, -np.inf).argmax(1)

    def layers(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """(weights of shape (in, out), biases of shape (out,)), both float32, of each layer."""
        shapes = list(pairwise(self._sizes))
        weights = np.split(self._weights, np.cumsum([before * after for before, after in shapes])[:-1])
        biases = np.split(self._biases, np.cumsum(self._sizes[1:])[:-1])
        return [(array.reshape(shape), bias) for array, shape, bias in zip(weights, shapes, biases, strict=True)]

    def to_bytes(self) -> bytes:
        """The weights as an npz file."""
        file = io.BytesIO()
        arrays = {"inputs": self.inputs, "sizes": self._sizes, "weights": self._weights, "biases": self._biases}
        arrays["hint"] = np.array(self.hint)
        np.savez(file, **arrays)  # type: ignore[arg-type]
        return file.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes, activation: str) -> PolicyNetwork:
        """The network of :meth:`to_bytes`.

        Raises:
            ValueError: if it is something else.
        """
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            return cls._from_arrays(arrays, activation)

    @classmethod
    def _from_arrays(cls, arrays: Mapping[str, np.ndarray], activation: str) -> PolicyNetwork:
        sizes = [int(size) for size in arrays["sizes"]]
        shapes = list(pairwise(sizes))
        weights = np.split(arrays["weights"], np.cumsum([before * after for before, after in shapes])[:-1])
        biases = np.split(arrays["biases"], np.cumsum(sizes[1:])[:-1])
        matrices = [array.reshape(shape) for array, shape in zip(weights, shapes, strict=True)]
        return cls(arrays["inputs"], list(zip(matrices, biases, strict=True)), activation, str(arrays["hint"]))
