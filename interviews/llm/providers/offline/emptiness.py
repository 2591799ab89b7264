"""Whether there is anything to read off an answer."""

from __future__ import annotations

from interviews.llm.providers.offline.asides import is_aside
from interviews.llm.providers.offline.lexicon import pattern, plain, words_of
from interviews.nlp import clauses


def emptiness(answer: str) -> str:
    """Return why nothing can be read off the answer, "" where something may be.

    Coders see nothing in an answer of nothing but asides ("it speaks for itself").
    """
    said = " ".join(plain(answer).split())
    if not words_of(said):
        return "the answer has no words"
    parts = clauses(answer)
    if pattern("empty").fullmatch(said) or (parts and all(is_aside(part.text) for part in parts)):
        return "the answer names nothing: no property, result, feeling, aim or occasion"
    return ""
