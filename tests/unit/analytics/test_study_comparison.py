"""Intervals of shares and means: published examples, bounds, and the printed seed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.study.comparison import Estimate, difference, difference_of_shares, mean, share
from analytics.templatetags.dashboard import active_time


def ends(found: Estimate) -> tuple[float, float]:
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


def test_wilson_as_published() -> None:
    # Newcombe (1998), table I: 81 of 263 and 0 of 20
    found = share(81, 263)
    assert ends(found) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    nobody = share(0, 20)
    assert ends(nobody) == pytest.approx((0, 0.1611), abs=5e-5)


def test_the_difference_of_shares_as_published() -> None:
    # Newcombe (1998), table II, method 10: 56/70 − 48/80
    found = difference_of_shares(56, 70, 48, 80)
    assert found.value == pytest.approx(0.2)
    assert ends(found) == pytest.approx((0.0524, 0.3339), abs=5e-5)


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_a_share_lies_in_its_interval(counts: tuple[int, int]) -> None:
    found = share(*counts)
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low <= found.value <= found.high <= 1


def test_no_interviews_give_no_number() -> None:
    assert share(0, 0).value is mean([]).low is difference([], [1]).value is None
    with pytest.raises(ValueError, match="part"):
        share(3, 2)


def test_a_mean_is_the_same_for_the_same_seed() -> None:
    values = [1.03, 4.11, 2.2, 8.17, 5.31, 7.4]
    assert mean(values, 7) == mean(values, 7)
    assert mean(values, 7) != mean(values, 8)
    chance = np.random.default_rng(7)
    drawn = np.array(values)[chance.integers(0, 6, size=(2000, 6))].mean(axis=1)
    found = mean(values, 7)
    assert found.value == pytest.approx(28.22 / 6)
    assert (found.low, found.high) == tuple(np.quantile(drawn, [0.025, 0.975]))


def test_a_difference_that_is_plain_excludes_nothing() -> None:
    found = difference([10, 11, 12, 10], [1, 2, 1, 2])
    assert found.value == pytest.approx(9.25)
    assert found.low is not None
    assert found.low > 0


def test_an_active_time_is_never_told_as_nothing() -> None:
    assert [active_time(one) for one in (None, 0.0, 0.04, 0.99, 1.0, 4.46)] == [
        "–", "under a minute", "under a minute", "under a minute", "1.0 min", "4.5 min"
    ]  # fmt: skip
