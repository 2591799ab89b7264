"""When two questions count as the same, for whoever words or checks one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

REPEATED = 0.85
"""From this Jaccard similarity of their words on, two questions count as the same."""

RECENT = 6
"""Questions that only resemble each other are too near where one of this many latest ones does."""


@lru_cache(maxsize=2048)
def question_words(text: str) -> frozenset[str]:
    """Return the words of a question in lower case, punctuation and quotation marks dropped."""
    return frozenset(re.findall(r"\w+(?:'\w+)?", text.replace("’", "'").casefold()))


def similarity(a: str, b: str) -> float:
    """Return |A ∩ B| / |A ∪ B| over the two questions' words, in [0, 1]; 0 where both are empty."""
    left, right = question_words(a), question_words(b)
    union = left | right
    return len(left & right) / len(union) if union else 0.0


def is_repeat(question: str, asked: Iterable[str]) -> bool:
    """Whether `question` is as good as one of those `asked`."""
    return any(similarity(question, other) >= REPEATED for other in asked)


def was_asked(question: str, asked: Sequence[str]) -> bool:
    """Whether `question` is a repetition of one of the last six, or word for word of any."""
    if is_repeat(question, asked[-RECENT:]):
        return True
    folded = " ".join(question.casefold().split())
    return any(folded == " ".join(other.casefold().split()) for other in asked)
