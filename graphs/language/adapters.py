"""Networks that read with all-MiniLM-L6-v2, fitted by low-rank adapters in its matrices.

Importing this module imports torch.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import ClassVar

import torch
from torch import Tensor, nn

from graphs.language.minilm import LAYERS, Encoder

RANK = 16
"""Rank of an adapter: an adapted matrix is W + 2·B·A with A (RANK, in) and B (out, RANK)."""
WIDTH = 384
"""Numbers of a token's state."""

_INNER = 1536
_ADAPTED = (
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "intermediate.dense",
    "output.dense",
)


class Adapted(nn.Module):
    """Adapters for every matrix of the layers; what reads the states is up to the subclass."""

    layers: ClassVar[int] = LAYERS
    """So many layers of the model are used, from the first."""

    def __init__(self) -> None:
        super().__init__()
        self.down, self.up = nn.ParameterDict(), nn.ParameterDict()
        for name in self._matrices():
            wide = _INNER if name.endswith("output_dense") and "attention" not in name else WIDTH
            tall = _INNER if "intermediate" in name else WIDTH
            self.down[name] = nn.Parameter(torch.randn(RANK, wide) / math.sqrt(wide))
            self.up[name] = nn.Parameter(torch.zeros(tall, RANK))

    def encoder(
        self, weights: Mapping[str, Tensor], *, dtype: torch.dtype = torch.float32
    ) -> Encoder:
        """Return the encoder with the adapters as they are now merged into its matrices."""
        merged = dict(weights)
        for name in self._matrices():
            key = f"encoder.layer.{_dotted(name)}.weight"
            merged[key] = merged[key] + 2.0 * self.up[name] @ self.down[name]
        return Encoder(merged, dtype=dtype, layers=self.layers)

    def _matrices(self) -> list[str]:
        layers = range(self.layers)
        return [f"{layer}_{name.replace('.', '_')}" for layer in layers for name in _ADAPTED]


def _dotted(matrix: str) -> str:
    layer, _, name = matrix.partition("_")
    return f"{layer}.{next(n for n in _ADAPTED if n.replace('.', '_') == name)}"
