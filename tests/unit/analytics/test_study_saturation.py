"""Saturation: a worked example, and the same by numpy."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from analytics.study.saturation import (
    SEED,
    chao2,
    coverage,
    interval,
    more_interviews,
    saturation_of,
    variance,
)

HEARD = [{"a", "b"}, {"a", "c"}, {"a", "b", "d"}, {"a", "e"}, {"a", "f"}]
"""a in five, b in two, c to f in one interview each: Q1 = 4, Q2 = 1, S = 6, U = 11, T = 5."""


def test_worked_example() -> None:
    found = saturation_of(HEARD)
    assert (found.interviews, found.observed, found.too_few) == (5, 6, False)
    # 6 + 4/5 · 16 / 2 = 12.4
    assert found.chao2 == pytest.approx(12.4)
    # 1 · (0.4 · 16 + 0.64 · 64 + 0.16 · 256) = 88.32
    assert variance(6, 4, 1, 5) == pytest.approx(88.32)
    # 1 − 4/11 · 16 / (16 + 2)
    assert found.coverage == pytest.approx(1 - 4 / 11 * 16 / 18)
    factor = math.exp(1.959964 * math.sqrt(math.log(1 + 88.32 / 6.4**2)))
    assert found.low == pytest.approx(6 + 6.4 / factor, abs=1e-4)
    assert found.high == pytest.approx(6 + 6.4 * factor, abs=1e-4)
    # Q1 ÷ T is about 0.7 after the first: r = 4 / (32 + 4), 6.4 · r = 0.711 < 1
    assert found.more_interviews == 0
    assert [point.themes for point in found.curve] == [2, 3, 4, 5, 6]


def test_where_no_theme_is_in_exactly_two_the_estimate_is_bias_corrected() -> None:
    # 5 + 4/5 · 4 · 3 / 2 = 9.8; 0.8 · 6 + 0.64 · 4 · 49 / 4 − 0.64 · 256 / (4 · 9.8)
    assert chao2(5, 4, 0, 5) == pytest.approx(9.8)
    assert variance(5, 4, 0, 5) == pytest.approx(4.8 + 31.36 - 163.84 / 39.2)
    # 1 − 4/9 · 12 / 14
    assert coverage(9, 4, 0, 5) == pytest.approx(1 - 4 / 9 * 12 / 14)


def test_where_nothing_is_seen_once_nothing_is_unseen() -> None:
    found = saturation_of([{"a", "b"}] * 6)
    assert (found.chao2, found.low, found.high, found.coverage) == (2, 2, 2, 1)
    assert found.more_interviews == 0
    assert interval(3, 1, 0, 6) == (3, 3)


def test_few_interviews_are_said_to_be_too_few() -> None:
    assert saturation_of(HEARD[:4]).too_few
    nothing = saturation_of([])
    assert (nothing.chao2, nothing.more_interviews, nothing.curve) == (None, None, ())
    assert saturation_of([set()]).chao2 == 0


def random_study(seed: int) -> list[set[str]]:
    chance = random.Random(seed)
    weights = {f"t{n}": 0.9 / (n + 1) for n in range(60)}
    return [
        {theme for theme, weight in weights.items() if chance.random() < weight}
        for _ in range(chance.randint(1, 30))
    ]


def test_numpy_estimates_the_same() -> None:
    for seed in range(60):
        interviews = random_study(seed)
        themes = sorted(set().union(*interviews))
        seen = np.array([[theme in one for theme in themes] for one in interviews])
        heard = seen.sum(axis=0)
        q1, q2, t = int((heard == 1).sum()), int((heard == 2).sum()), len(interviews)
        found = saturation_of(interviews)
        unseen = (t - 1) / t * (q1**2 / (2 * q2) if q2 else q1 * (q1 - 1) / 2)
        assert found.observed == len(themes)
        assert found.chao2 == pytest.approx(len(themes) + unseen)
        assert found.low is not None
        assert found.high is not None
        assert found.chao2 is not None
        assert found.observed <= found.low <= found.chao2 <= found.high
        later = unseen - unseen * (1 - q1 / (t * unseen + q1)) ** np.arange(2000) if unseen else [0]
        gains = np.diff(later)
        first = int(np.argmax(gains < 1)) if len(gains) else 0
        assert found.more_interviews == first == more_interviews(unseen, q1, t)
        assert [point.themes for point in found.curve] == [
            int(seen[: n + 1].any(axis=0).sum()) for n in range(t)
        ]
        chance, runs = random.Random(SEED), []
        for _ in range(100):
            order = list(interviews)
            chance.shuffle(order)
            runs.append([len(set().union(*order[: n + 1])) for n in range(t)])
        low, high = np.quantile(np.array(runs), [0.025, 0.975], axis=0)
        assert [point.low for point in found.curve] == pytest.approx(low.tolist())
        assert [point.high for point in found.curve] == pytest.approx(high.tolist())
