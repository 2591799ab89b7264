"""How much an answer gives: a score in [0, 1] from its length, its details and its words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources
from typing import Literal

import yaml

Band = Literal["LOW", "MEDIUM", "HIGH"]

LOW_BELOW = 0.3
HIGH_ABOVE = 0.6
INSIGHT_FROM = 0.5
"""An answer of this score and more holds something to come back to."""
INSIGHT_WORDS = 20

_EXAMPLES = re.compile(r"\d|[A-Z][a-z]{2,}")
_SENTENCES = re.compile(r"(?<=[.!?…])\s+|\n+")
_PART = 0.15
_LONGEST = 0.4
_DETAIL_OVER = 30


class LanguageUnknown(ValueError):
    """There are no keywords in this language; the message names those that there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """The score of an answer and what it is the sum of, capped at 1 and rounded to 4 places.

    `length` is words ÷ 100, at most 0.4; `examples` (a digit, or a capital and two small letters),
    `impact` and `emotions` (a keyword of the kind) and `detail` (more than 30 words) are 0.15 each.
    """

    score: float
    band: Band
    words: int
    length: float
    examples: float
    impact: float
    emotions: float
    detail: float

    def to_dict(self) -> dict[str, float | int | str]:
        """The parts by name, as the command line prints them."""
        return asdict(self)


def signal_of(answer: str, language: str) -> Signal:
    """Return the signal of an answer, blanks around it left out. Raises LanguageUnknown."""
    text = answer.strip()
    words = len(text.split())
    impact, emotions = _patterns(language)
    length = min(_LONGEST, words / 100)
    examples = _PART if _EXAMPLES.search(text) else 0.0
    matters = _PART if impact.search(text) else 0.0
    moved = _PART if emotions.search(text) else 0.0
    detail = _PART if words > _DETAIL_OVER else 0.0
    score = round(min(1.0, length + examples + matters + moved + detail), 4)
    return Signal(
        score=score,
        band=band_of(score),
        words=words,
        length=round(length, 4),
        examples=examples,
        impact=matters,
        emotions=moved,
        detail=detail,
    )


def band_of(score: float) -> Band:
    """LOW below 0.3, HIGH above 0.6, MEDIUM between, both ends included."""
    if score < LOW_BELOW:
        return "LOW"
    return "HIGH" if score > HIGH_ABOVE else "MEDIUM"


def key_sentence(answer: str, language: str) -> str:
    """The sentence of the highest score, the first of equals, word for word.

    Of a longer one the first 20 words. Raises LanguageUnknown.
    """
    sentences = [part.strip() for part in _SENTENCES.split(answer.strip()) if part.strip()]
    best = max(sentences, key=lambda part: signal_of(part, language).score, default="")
    end = re.match(rf"(?:\S+\s+){{{INSIGHT_WORDS - 1}}}\S+", best)
    return end.group() if end else best


def languages() -> Sequence[str]:
    """The languages that keywords are there for."""
    return tuple(_keywords())


@cache
def _patterns(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    found = _keywords().get(language)
    if found is None:
        raise LanguageUnknown(
            f"there are no keywords in {language!r}; there are: {', '.join(_keywords())}"
        )
    return _any_of(found["impact"]), _any_of(found["emotions"])


def _any_of(words: Sequence[str]) -> re.Pattern[str]:
    longest_first = sorted(words, key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, longest_first))})\b", re.IGNORECASE)


@cache
def _keywords() -> Mapping[str, Mapping[str, Sequence[str]]]:
    path = resources.files("interviews.modes.guided").joinpath("keywords.yaml")
    document: Mapping[str, Mapping[str, Sequence[str]]] = yaml.safe_load(
        path.read_text(encoding="utf-8")
    )
    return document
