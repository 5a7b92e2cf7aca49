"""The fast learner's networks: fully connected layers that share weights between the suits other than spades."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import torch
from llvmlite.binding import get_host_cpu_features
from spades_agents.policy.network import PolicyNetwork
from spades_agents.policy.policy_input import PolicyInput, used_columns
from torch import nn
from torch.nn.functional import linear

from spades_env.rules import Rules
from spades_training.learning.fast.decisions import clear_where_zero, hidden_sets
from spades_training.learning.symmetry import suit_swaps

Matrices = list[tuple[torch.Tensor, torch.Tensor]]  # weights of shape (outputs, inputs), biases, of each layer


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


class ActorCritic(nn.Module):
    """A policy that sees the observation and a critic that sees all hands, two separate networks with ReLU.

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
        value = [np.zeros(1, np.int64)] * len(swaps)
        shown = [columns[: len(self.columns)] for columns in seen]
        self.actor = nn.ModuleList(_layers([shown, *_hidden(actions, layers), actions], 0.01, generator))
        self.critic = nn.ModuleList(_layers([seen, *_hidden(actions, critic_layers), value], 1.0, generator))

    def matrices(self, dtype: torch.dtype) -> tuple[Matrices, Matrices]:
        """Weights and biases of every layer of the policy and of the critic, for :func:`run`."""
        return _matrices(self.actor, dtype), _matrices(self.critic, dtype)

    def policy(self) -> PolicyNetwork:
        """A copy of the policy as a player uses it."""
        with torch.no_grad():
            found = _matrices(self.actor, torch.float32)
        return PolicyNetwork(self.columns, [(np.ascontiguousarray(w.numpy().T), b.numpy().copy()) for w, b in found])


def _matrices(network: nn.ModuleList, dtype: torch.dtype) -> Matrices:
    pairs = [layer.matrix() for layer in network if isinstance(layer, SharedLinear)]
    return [(weights.to(dtype), biases.to(dtype)) for weights, biases in pairs]


class Relu(torch.autograd.Function):
    """ReLU in place. PyTorch's own backward pass takes as long as the matrix products in bfloat16."""

    @staticmethod
    def forward(ctx: Any, inputs: torch.Tensor) -> torch.Tensor:
        """Clear negative inputs in place."""
        outputs = inputs.relu_()
        ctx.mark_dirty(outputs)
        ctx.save_for_backward(outputs)
        return outputs

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> torch.Tensor:
        """The gradient with respect to the inputs."""
        (outputs,) = ctx.saved_tensors
        bits = torch.int16 if outputs.dtype == torch.bfloat16 else torch.int32
        gradient = gradients[0].contiguous()
        clear_where_zero(outputs.view(bits).numpy(), gradient.view(bits).numpy())
        return gradient


def run(layers: Matrices, inputs: torch.Tensor) -> torch.Tensor:
    """The outputs of a network with these weights, float32."""
    for weights, biases in layers[:-1]:
        inputs = Relu.apply(linear(inputs, weights, biases))  # type: ignore[assignment]
    return linear(inputs, *layers[-1]).float()


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
