"""How near two short texts are in meaning."""

from __future__ import annotations

import os

from graphs.domain import fold
from graphs.language.embeddings import EmbeddingModelUnavailable, shared_embedder


def cosine(one: str, other: str) -> float:
    """The cosine of two labels, in [-1, 1]; without a model 1 for equal ones and 0 otherwise."""
    if fold(one) == fold(other):
        return 1.0
    try:
        left, right = shared_embedder(os.environ.get("EMBEDDING_MODEL")).embed([one, other])
    except EmbeddingModelUnavailable:
        return 0.0
    return float(left @ right)
