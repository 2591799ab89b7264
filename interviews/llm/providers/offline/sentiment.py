"""Tone of a text from a sentiment lexicon, and the stance that a respondent takes in it."""

from __future__ import annotations

from functools import cache
from threading import Lock
from typing import Protocol

from interviews.llm.providers.offline.lexicon import pattern, plain

CLEAR_TONE = 0.25
"""From this strength of tone on (VADER's compound, in [-1, 1]) a statement takes sides."""

_LOCK = Lock()


class _Analyzer(Protocol):
    def polarity_scores(self, text: str) -> dict[str, float]: ...


@cache
def _load() -> _Analyzer:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    analyzer: _Analyzer = SentimentIntensityAnalyzer()
    return analyzer


def tone(text: str) -> float:
    """Return how positive `text` sounds, from -1 to 1."""
    with _LOCK:
        return _load().polarity_scores(text)["compound"]


def stance(statement: str, clause: str) -> int:
    """Return 1 where the respondent is for what they state, -1 where against it, else 0."""
    said, around = plain(statement), plain(clause)
    if pattern("relief").search(said):
        return 1
    if pattern("against").search(said):
        return -1
    own = tone(said)
    if abs(own) >= CLEAR_TONE:
        return 1 if own > 0 else -1
    if pattern("against").search(around):
        return -1
    return 1 if pattern("for").search(around) else 0
