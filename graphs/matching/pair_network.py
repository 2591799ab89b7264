"""The fitted network that reads two labels as one text: do they say the same?

It sees what no cosine of separate embeddings does: which word of the one answers to which of the
other. Importing this module imports torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

from graphs.language.adapters import WIDTH, Adapted
from graphs.matching.alignment import WEIGHED

FILE = Path(__file__).with_name("pairing.safetensors")
_HIDDEN = 64


class PairNetwork(Adapted):
    """The adapters and the head that judges a pair, beside the figures of its alignment."""

    mean: Tensor
    spread: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.hidden = nn.Linear(WIDTH, _HIDDEN)
        self.output = nn.Linear(_HIDDEN, 1)
        self.figures = nn.Linear(len(WEIGHED), 1)
        self.drop = nn.Dropout(0.1)
        self.register_buffer("mean", torch.zeros(len(WEIGHED)))
        self.register_buffer("spread", torch.ones(len(WEIGHED)))

    def odds(self, states: Sequence[Tensor], figures: Tensor) -> Tensor:
        """Return the log odds that the labels of each pair say the same, (pairs,).

        `states` are those of each pair's tokens, `figures` (pairs, len(WEIGHED)) its alignment.
        """
        pooled = self.drop(torch.stack([tokens.mean(0) for tokens in states]))
        said: Tensor = self.output(functional.gelu(self.hidden(pooled))).squeeze(-1)
        laid: Tensor = self.figures((figures - self.mean) / self.spread).squeeze(-1)
        return said + laid


def save(network: PairNetwork, threshold: float, note: str, file: Path = FILE) -> None:
    """Write what was fitted, at half precision, with `note` on where it comes from."""
    from safetensors.torch import save_file

    tensors = {name: value.half().contiguous() for name, value in network.state_dict().items()}
    save_file(tensors, file, {"threshold": str(threshold), "note": note})


def load(file: Path = FILE) -> tuple[PairNetwork, float]:
    """Read a fitted network and its threshold. Raises OSError where the file is missing."""
    from safetensors import safe_open

    network = PairNetwork()
    with safe_open(file, framework="pt") as source:
        threshold = float(source.metadata()["threshold"])
        names = source.keys()
        network.load_state_dict({name: source.get_tensor(name).float() for name in names})
    return network, threshold
