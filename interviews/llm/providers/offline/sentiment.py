"""Tone of a text from a sentiment lexicon, and the stance that a respondent takes in it."""

from __future__ import annotations

from typing import Protocol

from graphs.language.once import once
from interviews.llm.providers.offline.lexicon import lemma_hits, pattern, plain

CLEAR_TONE = 0.25
"""From this strength of tone on (VADER's compound, in [-1, 1]) a statement takes sides."""


class _Analyzer(Protocol):
    def polarity_scores(self, text: str) -> dict[str, float]: ...


@once
def _analyzer() -> _Analyzer:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    analyzer: _Analyzer = SentimentIntensityAnalyzer()
    return analyzer


def tone(text: str) -> float:
    """Return how positive `text` sounds, from -1 to 1."""
    return _analyzer().polarity_scores(text)["compound"]


def polarity(text: str) -> int:
    """Return 1 for what is welcome to the one who says it, -1 for what is not, 0 where unclear.

    Being spared something unwelcome is welcome ("less scratching", "no more queues"), and the
    other way round; what nobody said is read off common words for trouble and for ease, then off
    the sentiment lexicon.
    """
    said = plain(text)
    if pattern("relief").search(said):
        return 1
    if pattern("against").search(said):
        return -1
    bad = lemma_hits(said, "unwelcome") + lemma_hits(said, "harm")
    good = lemma_hits(said, "welcome")
    if spared := pattern("spared").search(said):
        rest = said[spared.end() :]
        if lemma_hits(rest, "unwelcome") or tone(rest) <= -CLEAR_TONE:
            return 1
        if lemma_hits(rest, "welcome") or tone(rest) >= CLEAR_TONE:
            return -1
        if pattern("lessened").match(said):
            return 1  # whatever people speak of having less of was rather too much
    if len(bad) != len(good):
        return 1 if len(good) > len(bad) else -1
    own = tone(said)
    if abs(own) >= CLEAR_TONE:
        return 1 if own > 0 else -1
    return 0


def stance(statement: str, clause: str, *, expected: int) -> int:
    """Return 1 where the respondent is for what they state, -1 where against it, else 0.

    `expected` is the side that question and context suggest for a statement that sounds neutral.
    """
    if own := polarity(statement):
        return own
    around = plain(clause)
    if pattern("against").search(around):
        return -1
    return 1 if pattern("for").search(around) else expected
