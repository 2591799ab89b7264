"""Shares and means of groups of interviews, with 95 % intervals. Pure.

Shares: Wilson (1927). Means: percentile bootstrap (Efron, 1979) with a seed that is printed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analytics.study.saturation import Z

SEED = 20
SAMPLES = 2000


@dataclass(frozen=True, slots=True)
class Estimate:
    """A share or a mean of `number` interviews, with its 95 % interval; all None without any."""

    value: float | None
    low: float | None
    high: float | None
    number: int


def share(part: int, whole: int) -> Estimate:
    """A share with its Wilson interval. Raises ValueError unless 0 ≤ part ≤ whole."""
    if not 0 <= part <= whole:
        raise ValueError("a share's part lies between 0 and its whole")
    if not whole:
        return Estimate(None, None, None, 0)
    return Estimate(*_wilson(part, whole), whole)


def _wilson(part: int, whole: int) -> tuple[float, float, float]:
    p, z2 = part / whole, Z * Z
    centre = (p + z2 / (2 * whole)) / (1 + z2 / whole)
    reach = Z * math.sqrt(p * (1 - p) / whole + z2 / (4 * whole * whole)) / (1 + z2 / whole)
    # At the ends the formula gives 0 and 1, but for the last binary digit.
    return p, 0.0 if part == 0 else centre - reach, 1.0 if part == whole else centre + reach


def mean(values: Sequence[float], seed: int = SEED) -> Estimate:
    """A mean with the middle 95 % of 2,000 bootstrap means."""
    if not values:
        return Estimate(None, None, None, 0)
    means = _means(values, np.random.default_rng(seed))
    low, high = np.quantile(means, [0.025, 0.975])
    return Estimate(float(np.mean(values)), float(low), float(high), len(values))


def difference(first: Sequence[float], second: Sequence[float], seed: int = SEED) -> Estimate:
    """The difference of two means, first − second, with its bootstrap interval."""
    if not first or not second:
        return Estimate(None, None, None, 0)
    chance = np.random.default_rng(seed)
    drawn = _means(first, chance) - _means(second, chance)
    low, high = np.quantile(drawn, [0.025, 0.975])
    value = float(np.mean(first) - np.mean(second))
    return Estimate(value, float(low), float(high), len(first) + len(second))


def difference_of_shares(part: int, whole: int, other_part: int, other_whole: int) -> Estimate:
    """The difference of two shares with Newcombe's interval (1998, method 10), from Wilson's."""
    if not whole or not other_whole:
        return Estimate(None, None, None, 0)
    p, low, high = _wilson(part, whole)
    q, other_low, other_high = _wilson(other_part, other_whole)
    gap = p - q
    below = gap - math.hypot(p - low, other_high - q)
    above = gap + math.hypot(high - p, q - other_low)
    return Estimate(gap, below, above, whole + other_whole)


def _means(
    values: Sequence[float], chance: np.random.Generator
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    numbers = np.asarray(values, dtype=np.float64)
    picked = chance.integers(0, len(numbers), size=(SAMPLES, len(numbers)))
    found: np.ndarray[tuple[int, ...], np.dtype[np.float64]] = numbers[picked].mean(axis=1)
    return found
