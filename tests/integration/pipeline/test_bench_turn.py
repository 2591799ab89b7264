"""The bench of a turn's own time, at sizes that take no time."""

from __future__ import annotations

import pytest

from graphs.matching import SharedReader
from graphs.models import KGNode
from interviews.bench.turn import bench_turn
from interviews.models import Session, Study

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_turn_is_measured_by_size_and_nothing_is_left_of_it(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def probabilities(self: SharedReader, pairs: list[object], found: object) -> list[float]:
        asked.append(len(pairs))
        return [0.0] * len(pairs)

    monkeypatch.setattr(SharedReader, "probabilities", probabilities)
    small, large = bench_turn(sizes=(6, 60), samples=2)["sizes"]
    # What reads labels together is part of what is measured.
    assert asked
    assert (small["nodes"], large["nodes"]) == (6, 60)
    for size in (small, large):
        assert 0 < size["embedding_p50_ms"] < size["p50_ms"] <= size["p95_ms"]
        assert 0 < size["beside_min_ms"] <= size["beside_p50_ms"] < size["p50_ms"]
        assert 0 < size["beside_models_p50_ms"] <= size["beside_p50_ms"]
    assert small["queries"] == large["queries"] <= 15
    assert not Session.objects.exists()
    assert not KGNode.objects.exists()
    assert list(Study.objects.all()) == [study]
