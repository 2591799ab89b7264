"""What an embedding is, and what makes one; importing this costs nothing but numpy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into unit-length vectors of `dimensions` floats, one batch a call."""

    dimensions: int

    def embed(self, texts: Sequence[str]) -> list[Vector]: ...
