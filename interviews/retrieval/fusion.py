"""Merging rankings, and saying when a source is near enough to a question. Pure."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Set
from typing import TypeVar

RANK = 60
"""Ranks are summed up as 1 / (60 + rank): reciprocal rank fusion (Cormack et al., 2009)."""
SURE = 0.55
"""From this cosine similarity on a source is near, whatever its words."""
LEAST = 0.2
LEAST_SHARE = 0.5
"""A source that is less near has to have this share of the question's own words."""

Key = TypeVar("Key", bound=Hashable)


def fuse(*rankings: Iterable[Key]) -> dict[Key, float]:
    """The score of everything that is ranked: the sum over rankings of 1 / (60 + rank from 0)."""
    scores: dict[Key, float] = {}
    for ranking in rankings:
        for rank, key in enumerate(ranking):
            scores[key] = scores.get(key, 0.0) + 1 / (RANK + rank)
    return scores


def share(asked: Set[str], held: Set[str]) -> float:
    """Which part of the words asked for a source has, in [0, 1]; 0 where no word is asked for."""
    return len(asked & held) / len(asked) if asked else 0.0


def is_near(similarity: float, shared: float) -> bool:
    """Whether a source of this cosine and share of words may be taken for an answer."""
    if similarity >= SURE or shared == 1:
        return True
    return similarity >= LEAST and shared >= LEAST_SHARE
