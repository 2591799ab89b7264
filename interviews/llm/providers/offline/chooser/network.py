"""The fitted network that reads what was said and a question together: does the one suit the other?

Importing this module imports torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from graphs.language.adapters import WIDTH, Adapted

FILE = Path(__file__).with_name("chooser.safetensors")
_HIDDEN = 96


class ChoiceNetwork(Adapted):
    """The adapters of the layers that are used, and the head that judges a question."""

    layers: ClassVar[int] = 4

    def __init__(self) -> None:
        super().__init__()
        self.hidden = nn.Linear(3 * WIDTH, _HIDDEN)
        self.output = nn.Linear(_HIDDEN, 1)
        self.drop = nn.Dropout(0.1)

    def odds(self, states: Sequence[Tensor], asked_at: Sequence[int]) -> Tensor:
        """Return the log odds that each question suits what was said before it, (questions,).

        `states` are those of the tokens of each text, whose question begins at `asked_at`.
        """
        pooled = torch.stack(
            [
                torch.cat([tokens[0], tokens[:at].mean(0), tokens[at:].mean(0)])
                for tokens, at in zip(states, asked_at, strict=True)
            ]
        )
        said = functional.gelu(self.hidden(self.drop(pooled)))
        found: Tensor = self.output(self.drop(said)).squeeze(-1)
        return found


def save(network: ChoiceNetwork, note: str, file: Path = FILE) -> None:
    """Write what was fitted, at half precision, with `note` on where it comes from."""
    from safetensors.torch import save_file

    tensors = {name: value.half().contiguous() for name, value in network.state_dict().items()}
    save_file(tensors, file, {"note": note})


def load(file: Path = FILE) -> ChoiceNetwork:
    """Read a fitted network, ready to judge. Raises OSError where the file is missing."""
    from safetensors.torch import load_file

    network = ChoiceNetwork()
    network.load_state_dict({name: value.float() for name, value in load_file(file).items()})
    return network.eval()
