"""Agreement of two coders on the concepts and links of the same answers. Pure.

Spans: two concepts are the same where their spans overlap by at least half (intersection over
union), one to one, the largest overlap first; F1 = 2 m / (a + b). Types: Cohen's κ over the
concepts that are the same (Cohen, 1960). Links: F1 over directed links whose both ends are the
same. α: Krippendorff's, nominal, over the words of the answers, each of the type of the concept
that covers it or of none (Krippendorff, 2011), with a bootstrap interval over answers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SAME_SPAN = 0.5
DRAWS = 1_000
SEED = 2026
NONE = ""
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Coded:
    """One answer as one coder read it: spans with types, and links between places in `concepts`."""

    text: str
    concepts: tuple[tuple[int, int, str], ...] = ()
    links: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Figures of one pair; None where they are not defined. `low` and `high` bound α at 95 %."""

    concepts_f1: float | None
    types_kappa: float | None
    links_f1: float | None
    alpha: float | None
    low: float | None
    high: float | None


def agreement(one: Sequence[Coded], other: Sequence[Coded], *, seed: int = SEED) -> Agreement:
    """The agreement of two coders on the same answers, given in the same order."""
    same = [pairs(a, b) for a, b in zip(one, other, strict=True)]
    types = [
        (a.concepts[i][2], b.concepts[j][2])
        for a, b, found in zip(one, other, same, strict=True)
        for i, j in found.items()
    ]
    linked = sum(
        len({(found[s], found[t]) for s, t in set(a.links) if s in found and t in found}
            & set(b.links))
        for a, b, found in zip(one, other, same, strict=True)
    )  # fmt: skip
    alpha, low, high = alpha_with_interval(one, other, seed=seed)
    return Agreement(
        concepts_f1=_f1(len(types), sum(len(c.concepts) for c in (*one, *other))),
        types_kappa=kappa(types),
        links_f1=_f1(linked, sum(len(set(c.links)) for c in (*one, *other))),
        alpha=alpha,
        low=low,
        high=high,
    )


def pairs(one: Coded, other: Coded) -> dict[int, int]:
    """Which concept of the one is which of the other, by their places."""
    overlaps = sorted(
        (-_overlap(a, b), i, j)
        for i, a in enumerate(one.concepts)
        for j, b in enumerate(other.concepts)
        if _overlap(a, b) >= SAME_SPAN
    )
    found: dict[int, int] = {}
    taken: set[int] = set()
    for _, i, j in overlaps:
        if i not in found and j not in taken:
            found[i] = j
            taken.add(j)
    return found


def _overlap(one: tuple[int, int, str], other: tuple[int, int, str]) -> float:
    shared = min(one[1], other[1]) - max(one[0], other[0])
    union = max(one[1], other[1]) - min(one[0], other[0])
    return max(shared, 0) / union


def _f1(same: int, in_all: int) -> float | None:
    return 2 * same / in_all if in_all else None


def kappa(types: Sequence[tuple[str, str]]) -> float | None:
    """Cohen's κ of pairs of types; None without pairs, and where chance alone agrees on all."""
    if not types:
        return None
    number = len(types)
    observed = sum(a == b for a, b in types) / number
    first, second = Counter(a for a, _ in types), Counter(b for _, b in types)
    expected = sum(first[name] * second[name] for name in first) / number**2
    return None if expected == 1 else (observed - expected) / (1 - expected)


def words_of(coded: Coded) -> list[str]:
    """The type of each word of an answer: of the shortest concept in which it begins."""
    spans = sorted(coded.concepts, key=lambda span: span[1] - span[0])
    return [
        next((kind for start, end, kind in spans if start <= word.start() < end), NONE)
        for word in _WORD.finditer(coded.text)
    ]


def alpha_with_interval(
    one: Sequence[Coded], other: Sequence[Coded], *, seed: int = SEED
) -> tuple[float | None, float | None, float | None]:
    """Krippendorff's α over words, and the 2.5th and 97.5th percentile over resampled answers."""
    said = [(words_of(a), words_of(b)) for a, b in zip(one, other, strict=True)]
    names = sorted({kind for pair in said for words in pair for kind in words})
    if not said or not names:
        return None, None, None
    place = {name: number for number, name in enumerate(names)}
    tables = np.zeros((len(said), len(names), len(names)))
    for number, (a, b) in enumerate(said):
        for first, second in zip(a, b, strict=True):
            # Two values of a unit give two ordered pairs, each of weight 1 / (2 - 1).
            tables[number, place[first], place[second]] += 1
            tables[number, place[second], place[first]] += 1
    alpha = _alpha(tables.sum(axis=0))
    chance = np.random.default_rng(seed)
    drawn = chance.integers(0, len(said), size=(DRAWS, len(said)))
    found = [value for rows in drawn if (value := _alpha(tables[rows].sum(axis=0))) is not None]
    if alpha is None or not found:
        return alpha, None, None
    low, high = np.percentile(found, [2.5, 97.5])
    return alpha, float(low), float(high)


def _alpha(table: NDArray[np.float64]) -> float | None:
    """α = 1 - (n - 1) Σ o_ck / Σ n_c n_k over c ≠ k of coincidences; None without variety."""
    sums = table.sum(axis=1)
    in_all = sums.sum()
    expected = in_all**2 - (sums**2).sum()
    if not expected:
        return None
    disagreed = in_all - np.trace(table)
    return float(1 - (in_all - 1) * disagreed / expected)
