"""The bench of handovers keeps what it promises."""

from __future__ import annotations

import pytest

from interviews.bench.handover import bench_handover

pytestmark = pytest.mark.django_db


def test_the_bench_finds_asks_elicits_and_answers() -> None:
    found = bench_handover()
    assert found["planted_found"] >= 0.8 * found["planted"], found
    assert found["contradictions_found"] >= 0.75 * found["contradictions"], found
    assert found["gaps_found"] >= 0.75 * found["gaps"], found
    assert found["most_false_in_a_file"] <= 1, found
    assert found["held_back_elicited"] >= 0.8 * found["held_back"], found
    assert found["asked_although_answered"] == 0, found
    assert found["recall_at_5"] >= 0.85, found
    assert found["not_in_material_right"] == found["not_in_material"], found
    assert found["peak_mb"] < 512, found
