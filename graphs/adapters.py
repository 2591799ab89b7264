"""Networks that read with all-MiniLM-L6-v2, fitted by low-rank adapters in its matrices.

Importing this module imports torch.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from torch import Tensor, nn

from graphs.minilm import Encoder

RANK = 16
"""Rank of an adapter: an adapted matrix is W + 2·B·A with A (RANK, in) and B (out, RANK)."""
WIDTH = 384
"""Numbers of a token's state."""

_INNER, _LAYERS = 1536, 6
_ADAPTED = (
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "intermediate.dense",
    "output.dense",
)


class Adapted(nn.Module):
    """Adapters for every matrix of the model; what reads the states is up to the subclass."""

    def __init__(self) -> None:
        super().__init__()
        self.down, self.up = nn.ParameterDict(), nn.ParameterDict()
        for name in _matrices():
            wide = _INNER if name.endswith("output_dense") and "attention" not in name else WIDTH
            tall = _INNER if "intermediate" in name else WIDTH
            self.down[name] = nn.Parameter(torch.randn(RANK, wide) / math.sqrt(wide))
            self.up[name] = nn.Parameter(torch.zeros(tall, RANK))

    def encoder(
        self, weights: Mapping[str, Tensor], *, dtype: torch.dtype = torch.float32
    ) -> Encoder:
        """Return the encoder with the adapters as they are now merged into its matrices."""
        merged = dict(weights)
        for name in _matrices():
            key = f"encoder.layer.{_dotted(name)}.weight"
            merged[key] = merged[key] + 2.0 * self.up[name] @ self.down[name]
        return Encoder(merged, dtype=dtype)


def _matrices() -> list[str]:
    return [f"{layer}_{name.replace('.', '_')}" for layer in range(_LAYERS) for name in _ADAPTED]


def _dotted(matrix: str) -> str:
    layer, _, name = matrix.partition("_")
    return f"{layer}.{next(n for n in _ADAPTED if n.replace('.', '_') == name)}"
