"""How much of what there is to hear was heard: themes by interview, and how many are unseen. Pure.

Chao2 and its classic variance: Chao (1987), Colwell (EstimateS). Log-normal interval: Chao (1987).
Sample coverage: Chao and Jost (2012). Further interviews: Chao et al. (2014), extrapolation.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass

FEWEST = 5
"""Interviews below which an estimate says nothing."""
ORDERS = 100
SEED = 20
Z = 1.959963984540054
"""The normal distribution's 97.5 % point."""


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """Themes met in the first `interviews`; the middle 95 % of the shuffled orders as a band."""

    interviews: int
    themes: int
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Saturation:
    """`chao2` with its 95 % interval, sample `coverage` (0 to 1), and `more_interviews`.

    The latter are the fewest further interviews after which the next one is expected to bring
    less than one new theme. Estimates are None without interviews; they count from 5 on, see
    `too_few`.
    """

    interviews: int
    observed: int
    chao2: float | None
    low: float | None
    high: float | None
    coverage: float | None
    more_interviews: int | None
    curve: tuple[CurvePoint, ...]

    @property
    def too_few(self) -> bool:
        """Whether there are fewer interviews than an estimate can stand on."""
        return self.interviews < FEWEST


def saturation_of(interviews: Sequence[Set[str]]) -> Saturation:
    """Estimate from the themes of each interview, in the order the interviews ended."""
    total = len(interviews)
    seen = Counter(theme for themes in interviews for theme in themes)
    once = sum(number == 1 for number in seen.values())
    twice = sum(number == 2 for number in seen.values())
    if not total:
        return Saturation(
            interviews=0,
            observed=0,
            chao2=None,
            low=None,
            high=None,
            coverage=None,
            more_interviews=None,
            curve=(),
        )
    estimate = chao2(len(seen), once, twice, total)
    low, high = interval(len(seen), once, twice, total)
    return Saturation(
        interviews=total,
        observed=len(seen),
        chao2=estimate,
        low=low,
        high=high,
        coverage=coverage(seen.total(), once, twice, total),
        more_interviews=more_interviews(estimate - len(seen), once, total),
        curve=tuple(_curve(interviews)),
    )


def chao2(observed: int, once: int, twice: int, total: int) -> float:
    """Richness from themes seen in exactly one and in exactly two of `total` interviews.

    S + A·Q1² ÷ 2·Q2 with A = (T − 1) ÷ T; bias-corrected where Q2 is 0: S + A·Q1·(Q1 − 1) ÷ 2.
    """
    share = (total - 1) / total
    if twice:
        return observed + share * once * once / (2 * twice)
    return observed + share * once * (once - 1) / 2


def variance(observed: int, once: int, twice: int, total: int) -> float:
    """The classic variance of :func:`chao2`; that of the bias-corrected form where Q2 is 0."""
    share = (total - 1) / total
    if twice:
        ratio = once / twice
        return twice * (share / 2 * ratio**2 + share**2 * ratio**3 + share**2 / 4 * ratio**4)
    if not once:
        return 0.0
    estimate = chao2(observed, once, twice, total)
    return max(
        share * once * (once - 1) / 2
        + share**2 * once * (2 * once - 1) ** 2 / 4
        - share**2 * once**4 / (4 * estimate),
        0.0,
    )


def interval(observed: int, once: int, twice: int, total: int) -> tuple[float, float]:
    """The 95 % log-normal interval of Chao2; both ends are what was seen where nothing is unseen.

    K = exp(z·√ln(1 + var ÷ T²)), T = estimate − observed; from S + T ÷ K to S + T·K.
    """
    unseen = chao2(observed, once, twice, total) - observed
    if unseen <= 0:
        return float(observed), float(observed)
    spread = variance(observed, once, twice, total)
    factor = math.exp(Z * math.sqrt(math.log(1 + spread / unseen**2)))
    return observed + unseen / factor, observed + unseen * factor


def coverage(incidences: int, once: int, twice: int, total: int) -> float:
    """Sample coverage: the share of all that is said that belongs to themes which were met.

    1 − Q1 ÷ U · (T − 1)·Q1 ÷ ((T − 1)·Q1 + 2·Q2); with Q2 = 0 the last factor is
    (T − 1)(Q1 − 1) ÷ ((T − 1)(Q1 − 1) + 2).
    """
    if not once or not incidences:
        return 1.0
    if twice:
        found = (total - 1) * once
        factor = found / (found + 2 * twice)
    else:
        found = (total - 1) * (once - 1)
        factor = found / (found + 2)
    return 1 - once / incidences * factor


def more_interviews(unseen: float, once: int, total: int) -> int:
    """Fewest further interviews after which the next is expected to bring less than one theme.

    The interview after m further ones is expected to bring Q0·r·(1 − r)^m, r = Q1 ÷ (T·Q0 + Q1).
    """
    if unseen <= 0 or not once:
        return 0
    rate = once / (total * unseen + once)
    expected = unseen * rate
    if expected < 1:
        return 0
    more = max(math.floor(-math.log(expected) / math.log(1 - rate)) - 1, 0)
    while expected * (1 - rate) ** more >= 1:
        more += 1
    return more


def _curve(interviews: Sequence[Set[str]]) -> list[CurvePoint]:
    chance = random.Random(SEED)  # noqa: S311  shuffles of a figure, no secret
    shuffled = []
    for _ in range(ORDERS):
        order = list(interviews)
        chance.shuffle(order)
        shuffled.append(_accumulated(order))
    points = []
    for place, themes in enumerate(_accumulated(interviews)):
        counts = sorted(run[place] for run in shuffled)
        points.append(
            CurvePoint(place + 1, themes, quantile(counts, 0.025), quantile(counts, 0.975))
        )
    return points


def _accumulated(interviews: Sequence[Set[str]]) -> list[int]:
    met: set[str] = set()
    counts = []
    for themes in interviews:
        met |= themes
        counts.append(len(met))
    return counts


def quantile(ordered: Sequence[float], share: float) -> float:
    """The quantile of sorted numbers by linear interpolation, as numpy's default."""
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
