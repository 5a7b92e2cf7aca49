"""The fast learner's networks: fully connected layers that share weights between the suits other than spades."""

from __future__ import annotations

import copy
from itertools import pairwise

import numpy as np
import torch
from llvmlite.binding import get_host_cpu_features
from spades_agents.policy.network import PolicyNetwork
from spades_agents.policy.policy_input import PolicyInput, used_columns
from torch import nn
from torch.nn.functional import linear

from spades_env.cards import NUM_ACTIONS
from spades_env.rules import Rules
from spades_training.learning.fast.decisions import clear_where_zero, hidden_sets
from spades_training.learning.fast.sparse import add_rows, sum_rows
from spades_training.learning.symmetry import suit_swaps

# The columns that are 1, and where those of each decision start and end; see sparse.sum_rows.
Inputs = tuple[np.ndarray, np.ndarray, np.ndarray]
Gradient = tuple[torch.Tensor, torch.Tensor]  # with respect to the weights and biases of a layer


def multiplies_bfloat16() -> bool:
    """Whether the processor has instructions for bfloat16 products."""
    features = get_host_cpu_features()
    return any(features.get(name, False) for name in ("avx512bf16", "amx-bf16", "bf16"))


class SharedLinear(nn.Module):
    """A linear layer that commutes with permutations of its inputs and outputs.

    ``permutations`` lists pairs (of the inputs, of the outputs) that form a group. Weights that the group maps to each
    other are one parameter, so that permuted inputs give permuted outputs (Ravanbakhsh, Schneider and Poczos 2017).

    Args:
        permutations: pairs of int64 arrays; with the identity only, this is an ordinary layer.
        gain: scale of the initial weights, which are uniform with He's bound (He et al. 2015).
        generator: draws the initial weights.
    """

    index: torch.Tensor
    bias_index: torch.Tensor

    def __init__(
        self, permutations: list[tuple[np.ndarray, np.ndarray]], gain: float, generator: torch.Generator
    ) -> None:
        super().__init__()
        inputs, outputs = (len(part) for part in permutations[0])
        images = [(after[:, None] * inputs + before[None, :]).ravel() for before, after in permutations]
        _, index = np.unique(np.min(images, axis=0), return_inverse=True)
        _, bias_index = np.unique(np.min([after for _, after in permutations], axis=0), return_inverse=True)
        self.shared = len(permutations) > 1
        self.register_buffer("index", torch.as_tensor(index.reshape(outputs, inputs)), persistent=False)
        self.register_buffer("bias_index", torch.as_tensor(bias_index.ravel()), persistent=False)
        bound = gain * (6 / inputs) ** 0.5
        weights = torch.empty(int(index.max()) + 1)
        self.weights = nn.Parameter(weights.uniform_(-bound, bound, generator=generator))
        self.biases = nn.Parameter(torch.zeros(int(bias_index.max()) + 1))

    def matrix(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Weights of shape (outputs, inputs) and biases of shape (outputs,)."""
        if not self.shared:
            return self.weights.view(self.index.shape), self.biases
        return self.weights[self.index], self.biases[self.bias_index]

    def set_gradient(self, weights: torch.Tensor, biases: torch.Tensor) -> None:
        """Set the gradient of the parameters from that of :meth:`matrix`."""
        for parameter, index, slopes in ((self.weights, self.index, weights), (self.biases, self.bias_index, biases)):
            parameter.grad = torch.zeros_like(parameter).index_add_(0, index.ravel(), slopes.ravel())


class ActorCritic(nn.Module):
    """A policy that sees the observation and a critic that sees all hands, two separate networks with ReLU.

    The critic rates every action, see :func:`spades_training.learning.fast.decisions.rating`.

    Args:
        rules: the rules.
        layers: hidden sizes of the policy.
        critic_layers: hidden sizes of the critic.
        share_suits: share weights between suits; sizes must then be multiples of the number of suit permutations.
        generator: draws the initial weights.
        features: whether both also see the card features.

    Attributes:
        columns: int64, the columns of the policy's input that it reads.
        width: inputs of the critic.

    Raises:
        ValueError: if a size is not such a multiple.
    """

    def __init__(
        self,
        rules: Rules,
        layers: list[int],
        critic_layers: list[int],
        share_suits: bool,
        generator: torch.Generator,
        features: bool = False,
    ) -> None:
        super().__init__()
        layout = PolicyInput(features=features, hands=hidden_sets(rules))
        kept = used_columns(rules, layout.size)
        self.columns = kept[kept < layout.actor_size]
        self.width = len(kept)
        swaps = suit_swaps(rules, layout)
        swaps = swaps if share_suits else swaps[:1]
        place = np.full(layout.size, -1)
        place[kept] = np.arange(len(kept))
        seen = [place[columns[kept]] for columns, _ in swaps]
        actions = [actions for _, actions in swaps]
        rated = [np.append(order, NUM_ACTIONS) for order in actions]
        shown = [columns[: len(self.columns)] for columns in seen]
        self.actor = nn.ModuleList(_layers([shown, *_hidden(actions, layers), actions], 0.01, generator))
        self.critic = nn.ModuleList(_layers([seen, *_hidden(actions, critic_layers), rated], 0.1, generator))

    def evaluated(self, dtype: torch.dtype) -> tuple[Network, Network]:
        """The policy and the critic with their present weights."""
        return Network(self.actor, dtype), Network(self.critic, dtype)

    def earlier_policy(self, state: dict[str, torch.Tensor], dtype: torch.dtype) -> Network:
        """The policy with weights that ``actor.state_dict()`` returned earlier."""
        earlier = copy.deepcopy(self.actor)
        earlier.load_state_dict(state)
        return Network(earlier, dtype)

    def policy(self) -> PolicyNetwork:
        """A copy of the policy as a player uses it."""
        with torch.no_grad():
            found = [layer.matrix() for layer in shared_layers(self.actor)]
        return PolicyNetwork(self.columns, [(np.ascontiguousarray(w.numpy().T), b.numpy().copy()) for w, b in found])


def shared_layers(network: nn.ModuleList) -> list[SharedLinear]:
    """The layers of a network."""
    return [layer for layer in network if isinstance(layer, SharedLinear)]


class Network:
    """The present weights of a network, with its forward and backward pass; any thread may use it.

    PyTorch's automatic differentiation is not used: the inputs of the first layer are lists of columns
    (:mod:`spades_training.learning.fast.sparse`), and PyTorch's backward pass of ReLU takes as long as the matrix
    products in bfloat16.

    Args:
        layers: the layers, with ReLU between them.
        dtype: ``torch.float32`` or ``torch.bfloat16``, for all layers but the first, which is always float32.
    """

    def __init__(self, layers: nn.ModuleList, dtype: torch.dtype) -> None:
        self.dtype = dtype
        with torch.no_grad():
            (weights, biases), *rest = [layer.matrix() for layer in shared_layers(layers)]
            self.first = np.ascontiguousarray(weights.numpy().T), biases.numpy().copy()
            self.rest = [(weights.to(dtype), biases.to(dtype)) for weights, biases in rest]

    def forward(self, inputs: Inputs, rows: np.ndarray) -> list[torch.Tensor]:
        """The values of every layer for some decisions; the last are the outputs, float32."""
        sums = torch.empty((len(rows), len(self.first[1])))
        sum_rows(*self.first, *inputs, rows, sums.numpy())
        values = [sums.to(self.dtype)]
        with torch.no_grad():
            for weights, biases in self.rest[:-1]:
                values.append(linear(values[-1], weights, biases).relu_())
            values.append(linear(values[-1], *self.rest[-1]).float())
        return values

    def backward(
        self, inputs: Inputs, rows: np.ndarray, values: list[torch.Tensor], slopes: torch.Tensor
    ) -> list[Gradient]:
        """The gradient with respect to the weights and biases of each layer, float32.

        Args:
            inputs: as in :meth:`forward`.
            rows: as in :meth:`forward`.
            values: the result of :meth:`forward`.
            slopes: the gradient with respect to the outputs, float32 of shape (rows, outputs).
        """
        found = []
        slopes = slopes.to(self.dtype)
        bits = torch.int16 if self.dtype == torch.bfloat16 else torch.int32
        with torch.no_grad():
            for (weights, _), entered in zip(reversed(self.rest), reversed(values[:-1]), strict=True):
                found.append(((slopes.T @ entered).float(), slopes.sum(0, dtype=torch.float32)))
                slopes = slopes @ weights
                clear_where_zero(entered.view(bits).numpy(), slopes.view(bits).numpy())
            slopes = slopes.float()
            weights = torch.zeros(self.first[0].shape)
            add_rows(slopes.numpy(), *inputs, rows, weights.numpy())
            found.append((weights.T, slopes.sum(0)))
        return found[::-1]


def _layers(spaces: list[list[np.ndarray]], last_gain: float, generator: torch.Generator) -> list[SharedLinear]:
    pairs = list(pairwise(spaces))
    gains = [1.0] * (len(pairs) - 1) + [last_gain]
    return [
        SharedLinear(list(zip(before, after, strict=True)), gain, generator)
        for (before, after), gain in zip(pairs, gains, strict=True)
    ]


def _hidden(actions: list[np.ndarray], sizes: list[int]) -> list[list[np.ndarray]]:
    """How the group permutes hidden units: blocks with one unit for each of its members (the regular representation).

    Args:
        actions: how each member permutes the actions; no two members have the same permutation.
        sizes: number of units of each hidden layer.
    """
    members = {tuple(order): k for k, order in enumerate(actions)}
    table = [[members[tuple(a[b])] for b in actions] for a in actions]
    count = len(actions)
    found = []
    for size in sizes:
        if size % count:
            raise ValueError(f"layers must be multiples of {count}, the number of suit permutations, got {size}")
        blocks = count * np.arange(size // count)[:, None]
        found.append([(blocks + np.array(row)[None, :]).ravel() for row in table])
    return found
