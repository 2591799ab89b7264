"""The bench of guided interviews, on the rules."""

from __future__ import annotations

import pytest

from interviews.bench.guided import bench_guided
from interviews.models import Session

pytestmark = pytest.mark.django_db


def test_bench_keeps_calls_and_prompts_within_their_bounds_and_keeps_nothing() -> None:
    found = bench_guided()
    assert found["generation_calls_mean"] <= 1.3
    assert found["generation_calls_max"] <= 3
    assert found["critical_path_calls"] <= 2
    assert found["prompt_tokens_p50"] <= 2100
    assert found["prompt_tokens_turn_20"] <= 2500
    assert found["topics_reached_share"] == 1.0
    assert found["bonus_share_low"] == 0
    assert found["bonus_share_high"] > 0
    assert not Session.objects.exists()
