from __future__ import annotations

from interviews.bench.scoring import bench_scoring


def test_scoring_is_measured_with_its_conditions() -> None:
    result = bench_scoring(strategies=12, nodes=7, samples=3)
    assert 0 < result["p50_ms"] <= result["p95_ms"]
    conditions = result["conditions"]
    assert (conditions["strategies"], conditions["nodes"], conditions["samples"]) == (12, 7, 3)
