"""Shares with their intervals, and agreement of ranks."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Sequence

Z95 = 1.959964
"""The 97.5 % quantile of the standard normal distribution."""


def wilson(part: int, whole: int) -> tuple[float, ...] | None:
    """Return a share and the bounds of its Wilson interval at 95 %, None for a share of nothing.

    Centre (p + z²/2n) / (1 + z²/n), half width z·√(p(1-p)/n + z²/4n²) / (1 + z²/n).
    """
    if whole == 0:
        return None
    share, square = part / whole, Z95**2 / whole
    centre = (share + square / 2) / (1 + square)
    half = Z95 * math.sqrt(share * (1 - share) / whole + square / (4 * whole)) / (1 + square)
    return share, max(centre - half, 0.0), min(centre + half, 1.0)


def figure(bounds: tuple[float, ...] | None) -> dict[str, float] | None:
    """Name a share and its bounds, rounded to four places."""
    if bounds is None:
        return None
    return dict(zip(("value", "low", "high"), (round(b, 4) for b in bounds), strict=True))


def spearman(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Spearman's rank correlation, in [-1, 1]; None where a side has one value only.

    Pearson's correlation of the ranks, tied values sharing the mean of theirs.
    """
    sides = [_ranks(side) for side in zip(*pairs, strict=True)]
    if len(sides) < 2 or any(len(set(side)) < 2 for side in sides):
        return None
    return round(statistics.correlation(*sides), 4)


def _ranks(values: Sequence[float]) -> list[float]:
    ordered = sorted(values)
    counts = Counter(values)
    return [ordered.index(value) + (counts[value] + 1) / 2 for value in values]
