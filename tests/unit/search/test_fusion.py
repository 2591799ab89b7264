"""Reciprocal ranks and nearness, by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interviews.retrieval.fusion import fuse, is_near, share


def test_ranks_are_summed_up_as_reciprocals() -> None:
    scores = fuse(["a", "b"], ["b", "c"])
    assert scores["b"] == pytest.approx(1 / 61 + 1 / 60)
    assert scores["a"] == pytest.approx(1 / 60)
    assert scores["c"] == pytest.approx(1 / 61)


@given(st.lists(st.lists(st.integers(0, 9), unique=True), max_size=3))
def test_what_leads_every_ranking_leads_the_merged_one(rankings: list[list[int]]) -> None:
    scores = fuse(*([10, *ranking] for ranking in rankings))
    assert all(scores[10] > score for key, score in scores.items() if key != 10)


def test_near_is_what_means_the_same_or_says_the_same() -> None:
    assert share({"seat", "limit"}, {"limit", "40"}) == 0.5
    assert share(set(), {"limit"}) == 0
    assert is_near(0.55, 0)
    assert is_near(-0.2, 1)
    assert is_near(0.2, 0.5)
    assert not is_near(0.19, 0.5)
    assert not is_near(0.54, 0.49)
